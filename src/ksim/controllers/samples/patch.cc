// Keeps a finalizer on each ReplicaSet that has a ConfigMap NAME-guard. A merge patch replaces a
// list as a whole: wrong-patch sends the list that its cache has and its own entry, and whatever
// somebody else has put there since is gone, without a conflict. right-patch sends the version
// along (client.MergeFromWithOptimisticLock).
//
// Seen in kubermatic#6759 and tigera/operator#4492: of two controllers that each add a finalizer
// one loses its own.
#include <fmt/format.h>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

constexpr std::string_view kGuardFinalizer = "ksim.dev/guard";
constexpr std::string_view kGuardSuffix = "-guard";

class Guard : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto set_of = [](const api::Object& map) {
      const std::string_view name = map.name();
      std::vector<std::string> keys;
      if (name.ends_with(kGuardSuffix))
        keys.push_back(
            fmt::format("{}/{}", map.ns(), name.substr(0, name.size() - kGuardSuffix.size())));
      return keys;
    };
    controller_ = Builder().For(sets_).Watches(maps_, set_of).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) co_return Result::Done();
    const std::string ns(set.ns()), name(set.name());
    const bool wanted =
        !set.deleting() && !Cache(maps_).Get(ns, fmt::format("{}{}", name, kGuardSuffix)).empty();
    std::vector<Value> finalizers;
    bool there = false;
    for (const std::string& finalizer : set.finalizers()) {
      if (finalizer == kGuardFinalizer)
        there = true;
      else
        finalizers.push_back(Value::Of(finalizer));
    }
    if (there == wanted) co_return Result::Done();
    if (wanted) finalizers.push_back(Value::Of(kGuardFinalizer));
    const Value metadata = value::Obj({{"finalizers", Value::Array(std::move(finalizers))}});
    const Value patch = value::Obj({{"metadata", Fenced(metadata, set)}});
    const client::PatchOptions merge(api::PatchType::kMerge);
    const auto written = co_await client_.Patch(sets_, ns, name, patch, merge);
    if (!written.ok() && !api::IsNotFound(written.status()))
      co_return Result::Error(written.status());
    co_return Result::Done();
  }

 private:
  virtual Value Fenced(const Value& metadata, const api::Object& set) {
    const Value version = Value::Of(std::to_string(set.resource_version()));
    return metadata.Set("resourceVersion", version);
  }
};

class WrongPatch : public Guard {
 public:
  using Guard::Guard;
  Value Fenced(const Value& metadata, const api::Object&) override { return metadata; }  // WRONG
};

}  // namespace

ControllerRows PatchSamples() {
  return {{.name = "wrong-patch",
           .text = "Patches a list by what its cache has, and names no version.",
           .make = &MakeController<WrongPatch>,
           .second_part = "handlers",
           .twin = "right-patch"},
          {.name = "right-patch",
           .text = "Puts a finalizer on ReplicaSets, beside those of others.",
           .make = &MakeController<Guard>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
