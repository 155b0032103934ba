// Gives each ReplicaSet a number of its own, in an annotation; the ConfigMap `numbers` has the next
// one. wrong-number reads that in its cache, where its own last write may be missing, and writes
// the number after it without saying which version it has read: two ReplicaSets get the same one.
// right-number sends the version along, and the server refuses what was reckoned from an old one.
//
// Seen in kubernetes-sigs/cluster-api-ipam-provider-in-cluster#338: two machines with one address.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"
#include "ksim/value/text.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Numberer : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto nobody = [](const api::Object&) { return std::vector<std::string>(); };
    controller_ = Builder().For(sets_).Watches(maps_, nobody).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty() || !set.Annotation("number").empty()) co_return Result::Done();
    const std::string ns(set.ns()), name(set.name());
    const api::Object numbers = Cache(maps_).Get(ns, "numbers");
    if (numbers.empty()) co_return Result::RequeueAfter(Seconds(5));
    const std::string_view number = numbers.tree().Get("data").Get("next").AsString();
    const Value next = Value::Of(std::to_string(value::ParseGoInt(number).value_or(0) + 1));
    const Result taken = co_await WriteNext(numbers, next);
    if (!taken.ok()) co_return taken;
    const Value mark = value::Obj({{"number", Value::Of(number)}});
    const Value patch = value::Obj({{"metadata", value::Obj({{"annotations", mark}})}});
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto marked = co_await client_.Patch(sets_, ns, name, patch, merge);
    if (!marked.ok() && !api::IsNotFound(marked.status())) co_return Result::Error(marked.status());
    co_return Result::Done();
  }

 private:
  virtual sim::Task<Result> WriteNext(api::Object numbers, Value next) {
    const value::Path path{"data", "next"};
    const api::Object changed =
        api::Object::FromTree(numbers.tree().Set(path, next), numbers.resource_version());
    const auto written = co_await client_.Update(maps_, changed);
    if (!written.ok()) co_return Result::Error(written.status());
    co_return Result::Done();
  }
};

class WrongNumber : public Numberer {
 public:
  using Numberer::Numberer;
  sim::Task<Result> WriteNext(api::Object numbers, Value next) override {
    const std::string ns(numbers.ns()), name(numbers.name());
    const Value patch =
        value::Obj({{"data", value::Obj({{"next", next}})}});  // WRONG: after which?
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto written = co_await client_.Patch(maps_, ns, name, patch, merge);
    if (!written.ok()) co_return Result::Error(written.status());
    co_return Result::Done();
  }
};

}  // namespace

ControllerRows NumberSamples() {
  return {{.name = "wrong-number",
           .text = "Counts on from what its cache has, whatever it has written since.",
           .make = &MakeController<WrongNumber>,
           .second_part = "handlers",
           .twin = "right-number"},
          {.name = "right-number",
           .text = "Gives each ReplicaSet a number of its own.",
           .make = &MakeController<Numberer>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
