// Works off its queue by hand. A key is in work from Get to Done, and what is added meanwhile waits
// for Done: wrong-done never calls it, and so serves each key once. wrong-forget never calls
// Forget: the failures of a key's whole life add up, and one that comes later waits as long as if
// they had been in a row.
#include <optional>

#include "ksim/client/workqueue.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class Worker : public Keeper {
 public:
  explicit Worker(ControllerContext context)
      : Keeper(std::move(context)),
        queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

  void Start() override {
    set_handler_.add = [this](const api::Object& set, bool) { queue_.Add(set.key()); };
    set_handler_.update = [this](const api::Object&, const api::Object& set) {
      queue_.Add(set.key());
    };
    pod_handler_.add = [this](const api::Object& pod, bool) { AddOwner(pod); };
    pod_handler_.update = [this](const api::Object&, const api::Object& pod) { AddOwner(pod); };
    pod_handler_.del = [this](const client::Deleted& deleted) { AddOwner(deleted.object); };
    Listen(sets_, &set_handler_);
    Listen(pods_, &pod_handler_);
    Spawn(Work());
  }

 protected:
  client::WorkQueue queue_;

 private:
  void AddOwner(const api::Object& pod) {
    for (const std::string& key : client::KeysOfOwners(pod, *sets_)) queue_.Add(key);
  }

  sim::Task<void> Work() {
    const bool synced = co_await context_.informers.WaitForCacheSync();
    while (synced) {
      const std::optional<std::string> key = co_await queue_.Get();
      if (!key) co_return;
      const Result result = co_await Keep(*key);
      if (!result.ok()) queue_.AddRateLimited(*key);
      Finish(*key, result.ok());
    }
  }

  virtual void Finish(const std::string& key, bool good) {
    if (good) queue_.Forget(key);
    queue_.Done(key);
  }

  client::HandlerFuncs set_handler_, pod_handler_;
};

class WrongDone : public Worker {
 public:
  using Worker::Worker;
  void Finish(const std::string& key, bool good) override {
    if (good) queue_.Forget(key);
  }  // WRONG: the key is in work for ever
};

class WrongForget : public Worker {
 public:
  using Worker::Worker;
  void Finish(const std::string& key, bool) override { queue_.Done(key); }  // WRONG
};

}  // namespace

ControllerRows DoneSamples() {
  return {{.name = "wrong-done",
           .text = "Never calls Done on its queue.",
           .make = &MakeController<WrongDone>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-done"},
          {.name = "wrong-forget",
           .text = "Never calls Forget on its queue.",
           .make = &MakeController<WrongForget>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-done"},
          {.name = "right-done",
           .text = "Works off its queue by hand.",
           .make = &MakeController<Worker>,
           .part = "replicaset",
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
