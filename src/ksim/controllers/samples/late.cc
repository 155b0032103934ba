// Listens to pods and does nothing: for looking at an informer at work. One handler is there from
// the beginning and wants every pod again each 10 s, another comes when the informer has run for
// 30 s, is first told of all pods that the cache holds, and wants them each 5 s, which it does not
// get: a running informer looks only as often as it did.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

constexpr Duration kLateBy = Seconds(30);

class LateHandlers : public Sample {
 public:
  using Sample::Sample;

  void Start() override {
    Informer(pods_).AddHandler(context_.actor(), &early_, Seconds(10));
    Spawn(AddLate());
  }

  sim::Task<Result> Reconcile(std::string) override { co_return Result::Done(); }

 private:
  sim::Task<void> AddLate() {
    co_await context_.env().sim.Sleep(kLateBy, sim::TimerKind::kPeriodic, "the late handler");
    Informer(pods_).AddHandler(context_.process.PartActor("late"), &late_, Seconds(5));
  }

  client::HandlerFuncs early_, late_;
};

}  // namespace

ControllerRows LateSamples() {
  return {{.name = "late-handlers",
           .text = "Listens to pods by an early and a late handler, and does nothing.",
           .make = &MakeController<LateHandlers>,
           .part = "early",
           .second_part = "late"}};
}

}  // namespace ksim::controllers
