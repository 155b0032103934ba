// Marks a ReplicaSet as licensed once there is a ConfigMap `license`, which nobody watches: it is
// looked for every ten seconds. wrong-requeue returns an error along with the ten seconds, and the
// ten seconds are ignored: each look counts as a failure, and comes later than the one before, up
// to 1000 s. ReconcileResult is one or the other, so that here the mistake can be seen: in Go,
// `return ctrl.Result{RequeueAfter: 10 * time.Second}, err` looks as if it were both.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Licenser : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(sets_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty() || !set.Annotation("licensed").empty()) co_return Result::Done();
    const std::string ns(set.ns()), name(set.name());
    const auto license = co_await client_.Get(maps_, ns, "license");
    if (!license.ok()) co_return NotYet(license.status());
    const Value mark = value::Obj({{"licensed", Value::Of("yes")}});
    const Value patch = value::Obj({{"metadata", value::Obj({{"annotations", mark}})}});
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto marked = co_await client_.Patch(sets_, ns, name, patch, merge);
    if (!marked.ok()) co_return Result::Error(marked.status());
    co_return Result::Done();
  }

 private:
  virtual Result NotYet(const api::Status& why) = 0;
};

class WrongRequeue : public Licenser {
 public:
  using Licenser::Licenser;
  // WRONG: in Go with RequeueAfter: 10s, which an error takes the effect from.
  Result NotYet(const api::Status& why) override { return Result::Error(why); }
};

class RightRequeue : public Licenser {
 public:
  using Licenser::Licenser;
  Result NotYet(const api::Status&) override { return Result::RequeueAfter(Seconds(10)); }
};

}  // namespace

ControllerRows RequeueSamples() {
  return {{.name = "wrong-requeue",
           .text = "Calls it an error that it has to look again in ten seconds.",
           .make = &MakeController<WrongRequeue>,
           .second_part = "handlers",
           .twin = "right-requeue"},
          {.name = "right-requeue",
           .text = "Looks for a thing every ten seconds.",
           .make = &MakeController<RightRequeue>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
