// Deletes the pods of ReplicaSets that are gone, in place of the garbage collector. wrong-cleanup
// does it when it is told of the deletion, and only then: what is deleted while it is down leaves
// its pods behind. (With a finalizer on the ReplicaSet it could: the object stays until the work is
// done.) right-cleanup asks of each pod whether its owner is there.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongCleanup : public Keeper {
 public:
  using Keeper::Keeper;
  void Start() override {
    handler_.del = [this](const client::Deleted& deleted) {  // WRONG: the only occasion
      for (const api::Object& pod : PodsOf(deleted.object)) Spawn(Remove(pod));
    };
    Informer(pods_);
    Listen(sets_, &handler_);
  }

 private:
  sim::Task<void> Remove(api::Object pod) { co_await Delete(pod); }

  client::HandlerFuncs handler_;
};

class RightCleanup : public Keeper {
 public:
  using Keeper::Keeper;
  void Start() override {
    const auto pods_of = [this](const api::Object& set) {
      std::vector<std::string> keys;
      for (const api::Object& pod : PodsOf(set)) keys.push_back(pod.key());
      return keys;
    };
    controller_ = Builder().For(pods_).Watches(sets_, pods_of).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object pod = Cached(pods_, key);
    const auto owner = pod.empty() ? std::nullopt : pod.controller();
    if (!owner || owner->kind != "ReplicaSet" || pod.deleting()) co_return Result::Done();
    const std::string ns(pod.ns()), name = owner->name;
    // A cache may be behind; who deletes asks the server.
    const auto set = co_await client_.Get(sets_, ns, name);
    if (!set.ok() && !api::IsNotFound(set.status())) co_return Result::Error(set.status());
    if (set.ok() && set->uid() == owner->uid) {
      // No event will tell of the end of a ReplicaSet that the cache never had: look again.
      if (Cached(sets_, set->key()).empty()) co_return Result::RequeueAfter(Seconds(30));
      co_return Result::Done();
    }
    const Result deleted = co_await Delete(pod);
    co_return deleted;
  }
};

}  // namespace

ControllerRows CleanupSamples() {
  return {{.name = "wrong-cleanup",
           .text = "Cleans up only when it is told of the deletion.",
           .make = &MakeController<WrongCleanup>,
           .part = "garbagecollector",
           .second_part = "handlers",
           .twin = "right-cleanup"},
          {.name = "right-cleanup",
           .text = "Deletes pods whose ReplicaSet is gone.",
           .make = &MakeController<RightCleanup>,
           .part = "garbagecollector",
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
