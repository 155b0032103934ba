// wrong-versions guards itself against a stale cache by comparing the resource versions of two
// types: pods that are all older than the ReplicaSet must be out of date, so it waits for newer
// ones. But a version says how far its own object has come, and nothing of others: pods that
// nobody writes stay older for ever.
#include <algorithm>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongVersions : public Keeper {
 public:
  using Keeper::Keeper;

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    std::int64_t newest = 0;
    for (const api::Object& pod : PodsOf(set)) newest = std::max(newest, pod.resource_version());
    // WRONG: versions of different types cannot be compared.
    if (newest > 0 && newest < set.resource_version()) co_return Result::Done();
    const Result kept = co_await Keep(key);
    co_return kept;
  }
};

}  // namespace

ControllerRows VersionsSamples() {
  return {{.name = "wrong-versions",
           .text = "Compares resource versions of pods with those of ReplicaSets.",
           .make = &MakeController<WrongVersions>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
