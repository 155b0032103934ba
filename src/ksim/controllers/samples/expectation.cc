// Keeps pods under generated names, and makes none while it expects to be told of some it has made
// already. A creation that failed is one that nobody will tell of: wrong-expectations goes on
// waiting for it, for five minutes and until something else leads to the key.
#include "ksim/api/replicaset.h"
#include "ksim/controllers/common/expectations.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class Expecting : public Keeper {
 public:
  explicit Expecting(ControllerContext context)
      : Keeper(std::move(context)), expected_(context_.process) {}

  void Start() override {
    handler_.add = [this](const api::Object& pod, bool) {
      for (const std::string& key : client::KeysOfOwners(pod, *sets_))
        expected_.CreationObserved(key);
    };
    ListenBeside(pods_, &handler_);
    Keeper::Start();
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    const std::vector<api::Object> have = PodsOf(set);
    const std::int64_t replicas = api::ReplicaSetView(set).replicas();
    std::int64_t missing = replicas - static_cast<std::int64_t>(have.size());
    if (missing > 0 && expected_.Satisfied(key)) {
      expected_.Set(key, missing, 0);
      for (; missing > 0; --missing) {
        const api::Object pod = PodWithAGeneratedName(set);
        const auto made = co_await client_.Create(pods_, pod);
        if (made.ok()) continue;
        NotMade(key, missing);
        co_return Result::Error(made.status());
      }
    }
    for (std::size_t i = 0; i < have.size(); ++i) {
      if (static_cast<std::int64_t>(i) < replicas) continue;
      const Result deleted = co_await Delete(have[i]);
      if (!deleted.ok()) co_return deleted;
    }
    const Result said = co_await SayStatus(set);
    co_return said;
  }

 protected:
  Expectations expected_;

 private:
  virtual void NotMade(const std::string& key, std::int64_t n) { expected_.Lower(key, n, 0); }

  client::HandlerFuncs handler_;
};

class WrongExpectations : public Expecting {
 public:
  using Expecting::Expecting;
  void NotMade(const std::string&, std::int64_t) override {}  // WRONG: they are still expected
};

}  // namespace

ControllerRows ExpectationSamples() {
  return {{.name = "wrong-expectations",
           .text = "Goes on expecting pods whose creation failed.",
           .make = &MakeController<WrongExpectations>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-expectations"},
          {.name = "right-expectations",
           .text = "Expects the pods that it has made, and no others.",
           .make = &MakeController<Expecting>,
           .part = "replicaset",
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
