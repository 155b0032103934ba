// Reports each ReplicaSet in a ConfigMap NAME-report, and tells in the annotation `report` what
// became of it. A refusal is final: to ask again takes the annotation away. wrong-storm tells with
// a refusal when it looked last. That write is an event, the event leads to another look, and each
// look to another write: it keeps itself and the API server busy for ever. right-storm writes only
// what says something new.
//
// Seen in stackabletech/operator-rs#1032, strimzi-kafka-operator#13079 and kubeflow/notebooks#1343.
#include <fmt/format.h>

#include "ksim/api/replicaset.h"
#include "ksim/base/time.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Reporter : public Sample {
 public:
  using Sample::Sample;
  void Start() override { controller_ = Builder().For(sets_).Build(*this); }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty() || set.Annotation("report") == "made") co_return Result::Done();
    const std::string ns(set.ns()), name = fmt::format("{}-report", set.name());
    std::string outcome = Refusal();
    if (set.Annotation("report").empty()) {
      const std::string replicas = std::to_string(api::ReplicaSetView(set).replicas());
      const Value data = value::Obj({{"replicas", Value::Of(replicas)}});
      const Result published = co_await Publish(ns, name, data);
      if (published.ok()) outcome = "made";
    }
    if (set.Annotation("report") == outcome) co_return Result::Done();
    const Result told = co_await Tell(set, outcome);
    co_return told;
  }

 private:
  virtual std::string Refusal() { return "refused"; }

  sim::Task<Result> Tell(api::Object set, std::string outcome) {
    const std::string ns(set.ns()), name(set.name());
    const Value mark = value::Obj({{"report", Value::Of(outcome)}});
    const Value patch = value::Obj({{"metadata", value::Obj({{"annotations", mark}})}});
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto told = co_await client_.Patch(sets_, ns, name, patch, merge);
    if (!told.ok() && !api::IsNotFound(told.status())) co_return Result::Error(told.status());
    co_return Result::Done();
  }
};

class WrongStorm : public Reporter {
 public:
  using Reporter::Reporter;
  std::string Refusal() override {
    return fmt::format("refused, at {}", FormatTime(context_.process.Now()));  // WRONG: always new
  }
};

}  // namespace

ControllerRows StormSamples() {
  return {{.name = "wrong-storm",
           .text = "Writes at each look when it looked, which leads to the next look.",
           .make = &MakeController<WrongStorm>,
           .second_part = "handlers",
           .twin = "right-storm"},
          {.name = "right-storm",
           .text = "Reports ReplicaSets, and tells what became of the report once.",
           .make = &MakeController<Reporter>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
