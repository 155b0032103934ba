// wrong-edge acts on what an event says instead of what there is: a ReplicaSet that comes gets its
// pods, a pod that goes is made again. What happens while nobody listens it never makes up for.
// The right one, Keeper, takes an event for a reason to look.
#include "ksim/api/replicaset.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongEdge : public Keeper {
 public:
  using Keeper::Keeper;

  void Start() override {
    set_handler_.add = [this](const api::Object& set, bool) {
      const api::ReplicaSetView view(set);
      if (view.observed_generation() > 0) return;  // served before: no news
      for (std::int64_t i = 0; i < view.replicas(); ++i) Spawn(Make(PodNamed(set, NameOf(set, i))));
    };
    pod_handler_.del = [this](const client::Deleted& deleted) {
      for (const std::string& key : client::KeysOfOwners(deleted.object, *sets_)) {
        const api::Object set = Cached(sets_, key);
        if (!set.empty()) Spawn(Make(PodNamed(set, std::string(deleted.object.name()))));
      }
    };
    ListenBeside(sets_, &set_handler_);
    ListenBeside(pods_, &pod_handler_);
    Keeper::Start();
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    const Result said = co_await SayStatus(set);
    co_return said;
  }

 private:
  sim::Task<void> Make(api::Object pod) { co_await client_.Create(pods_, pod); }

  client::HandlerFuncs set_handler_, pod_handler_;
};

}  // namespace

ControllerRows EdgeSamples() {
  return {{.name = "wrong-edge",
           .text = "Acts on the events themselves, not on the state.",
           .make = &MakeController<WrongEdge>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
