// Makes a ConfigMap NAME-config for each ReplicaSet, which owns it. wrong-owner knows it by its
// name. When a ReplicaSet is deleted and made again, the one that it finds is the old one's: the
// garbage collector, which goes by uid, deletes it a moment later, and the new ReplicaSet has none.
// right-owner looks whose it is, and makes room for its own.
//
// Seen in cilium#43635: the endpoint of a pod that was made again on another node.
#include <fmt/format.h>

#include "ksim/api/replicaset.h"
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

class Configurer : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto nobody = [](const api::Object&) { return std::vector<std::string>(); };
    controller_ = Builder().For(sets_).Watches(maps_, nobody).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty() || set.deleting()) co_return Result::Done();
    const api::Object wanted = ConfigFor(set);
    const api::Object config = Cached(maps_, wanted.key());
    if (!config.empty() && IsOf(config, set)) co_return Result::Done();
    if (!config.empty()) {
      const Result removed = co_await RemoveAnothers(config, set);
      co_return removed;
    }
    const auto made = co_await client_.Create(maps_, wanted);
    if (!made.ok())
      co_return Result::Error(made.status());  // if it is there: the cache will say whose
    co_return Result::Done();
  }

 private:
  // The garbage collector may be late, or never come: it is told of no deletion if an owner is made
  // anew in a gap of its watch.
  sim::Task<Result> RemoveAnothers(api::Object config, api::Object set) {
    const std::string ns(set.ns()), name(set.name()), its_name(config.name());
    const auto live = co_await client_.Get(sets_, ns, name);
    if (!live.ok() && !api::IsNotFound(live.status())) co_return Result::Error(live.status());
    if (!live.ok() || live->uid() != set.uid()) co_return Result::Done();  // we shall hear of it
    api::DeleteOptions options;
    options.uid = std::string(config.uid());
    const auto gone = co_await client_.Delete(maps_, ns, its_name, options);
    const bool over = gone.ok() || api::IsNotFound(gone.status()) || api::IsConflict(gone.status());
    if (!over) co_return Result::Error(gone.status());
    co_return Result::RequeueAfter(Seconds(1));
  }

  virtual bool IsOf(const api::Object& config, const api::Object& set) {
    const auto owner = config.controller();
    return owner && owner->uid == set.uid();
  }

  static api::Object ConfigFor(const api::Object& set) {
    const Value owner = value::Obj({{"apiVersion", Value::Of(set.api_version())},
                                    {"kind", Value::Of(set.kind())},
                                    {"name", Value::Of(set.name())},
                                    {"uid", Value::Of(set.uid())},
                                    {"controller", Value::Of(true)}});
    const Value metadata = value::Obj({{"name", Value::Of(fmt::format("{}-config", set.name()))},
                                       {"namespace", Value::Of(set.ns())},
                                       {"ownerReferences", value::Arr({owner})}});
    const std::string replicas = std::to_string(api::ReplicaSetView(set).replicas());
    return api::Object::FromTree(
        value::Obj({{"apiVersion", Value::Of("v1")},
                    {"kind", Value::Of("ConfigMap")},
                    {"metadata", metadata},
                    {"data", value::Obj({{"replicas", Value::Of(replicas)}})}}));
  }
};

class WrongOwner : public Configurer {
 public:
  using Configurer::Configurer;
  bool IsOf(const api::Object&, const api::Object&) override { return true; }  // WRONG: by its name
};

}  // namespace

ControllerRows OwnerSamples() {
  return {{.name = "wrong-owner",
           .text = "Knows what it has made by its name, whoever owns it.",
           .make = &MakeController<WrongOwner>,
           .second_part = "handlers",
           .twin = "right-owner"},
          {.name = "right-owner",
           .text = "Makes a ConfigMap for each ReplicaSet, owned by it.",
           .make = &MakeController<Configurer>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
