// wrong-tombstone leaves out deletions that were not seen: in Go, a handler whose
// `pod, ok := obj.(*v1.Pod)` fails for a DeletedFinalStateUnknown, and that returns then. On a
// ControllerBuilder, as Keeper, nobody has to think of it: tombstones are unwrapped.
#include "ksim/client/workqueue.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongTombstone : public Keeper {
 public:
  explicit WrongTombstone(ControllerContext context)
      : Keeper(std::move(context)),
        queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
        loop_(context_.connection, context_.name, queue_, *this) {}

  void Start() override {
    set_handler_.add = [this](const api::Object& set, bool) { queue_.Add(set.key()); };
    set_handler_.update = [this](const api::Object&, const api::Object& set) {
      queue_.Add(set.key());
    };
    pod_handler_.add = [this](const api::Object& pod, bool) { AddOwner(pod); };
    pod_handler_.update = [this](const api::Object&, const api::Object& pod) { AddOwner(pod); };
    pod_handler_.del = [this](const client::Deleted& deleted) {
      if (deleted.tombstone) return;  // WRONG: it is deleted all the same
      AddOwner(deleted.object);
    };
    Listen(sets_, &set_handler_);
    Listen(pods_, &pod_handler_);
    loop_.Start(1, {&Informer(sets_), &Informer(pods_)});
  }

 private:
  void AddOwner(const api::Object& pod) {
    for (const std::string& key : client::KeysOfOwners(pod, *sets_)) queue_.Add(key);
  }

  client::WorkQueue queue_;
  client::ReconcileLoop loop_;
  client::HandlerFuncs set_handler_, pod_handler_;
};

}  // namespace

ControllerRows TombstoneSamples() {
  return {{.name = "wrong-tombstone",
           .text = "Ignores deletions that were not seen.",
           .make = &MakeController<WrongTombstone>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
