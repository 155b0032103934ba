// wrong-readback believes that its cache has what it has just written. It counts the pods there,
// makes what is missing under generated names, and when anything calls it again before the first
// ones have arrived, makes them again. Keeper gives its pods names that a second try cannot get by;
// the other way is to remember what was made (right-expectations).
#include "ksim/api/replicaset.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongReadback : public Keeper {
 public:
  using Keeper::Keeper;

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    const auto replicas = static_cast<std::size_t>(api::ReplicaSetView(set).replicas());
    const std::vector<api::Object> have = PodsOf(set);
    for (std::size_t i = have.size(); i < replicas; ++i) {
      const api::Object pod = PodWithAGeneratedName(set);  // WRONG: each is another one
      const auto made = co_await client_.Create(pods_, pod);
      if (!made.ok()) co_return Result::Error(made.status());
    }
    for (std::size_t i = replicas; i < have.size(); ++i) {
      const Result deleted = co_await Delete(have[i]);
      if (!deleted.ok()) co_return deleted;
    }
    const Result said = co_await SayStatus(set);
    co_return said;
  }
};

}  // namespace

ControllerRows ReadbackSamples() {
  return {{.name = "wrong-readback",
           .text = "Takes its cache to have what it has just written.",
           .make = &MakeController<WrongReadback>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
