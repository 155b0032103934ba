// wrong-swallow keeps pods as right-keeper does, logs what fails, and returns no error. Nothing
// leads to the ReplicaSet again: what was refused once is never made. A queue tries again what
// failed, if it is told so.
//
// Seen in kubernetes-sigs/node-readiness-controller#228.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class WrongSwallow : public Keeper {
 public:
  using Keeper::Keeper;
  sim::Task<Result> Reconcile(std::string key) override {
    const Result result = co_await Keep(key);
    // WRONG: in Go `log.Error(err, "...")` and `return ctrl.Result{}, nil`.
    if (!result.ok()) co_return Result::Done();
    co_return result;
  }
};

}  // namespace

ControllerRows SwallowSamples() {
  return {{.name = "wrong-swallow",
           .text = "Logs errors, and returns none.",
           .make = &MakeController<WrongSwallow>,
           .part = "replicaset",
           .second_part = "handlers",
           .twin = "right-keeper"}};
}

}  // namespace ksim::controllers
