// Makes a disk (a ConfigMap NAME-disk that nobody owns) for each ReplicaSet, and deletes it with
// the ReplicaSet, which a finalizer keeps until that is done. wrong-finalizer looks for the disk in
// its cache; one that it has just made may not be there yet: it takes the finalizer off, and the
// disk is left for ever. right-finalizer asks the server.
//
// Seen in pingcap/tidb-operator#6532.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

using value::Value;

constexpr std::string_view kDiskFinalizer = "ksim.dev/disk";

class DiskKeeper : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto nobody = [](const api::Object&) { return std::vector<std::string>(); };
    controller_ = Builder().For(sets_).Watches(maps_, nobody).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object set = Cached(sets_, key);
    if (set.empty()) {
      const Result swept = co_await Sweep(key);
      co_return swept;
    }
    const std::vector<std::string> finalizers = set.finalizers();
    const bool ours =
        std::find(finalizers.begin(), finalizers.end(), kDiskFinalizer) != finalizers.end();
    if (set.deleting() && !ours) co_return Result::Done();
    if (set.deleting()) {
      const Result removed = co_await Remove(set);
      co_return removed;
    }
    if (!ours) {
      const Result marked = co_await WriteFinalizer(set, true);
      co_return marked;  // its event leads here again
    }
    const Result made = co_await Make(set);
    co_return made;
  }

 private:
  static std::string DiskOf(std::string_view set) { return fmt::format("{}-disk", set); }

  // Sets `is_left` to whether the disk is still there.
  virtual sim::Task<Result> Look(std::string ns, std::string name, bool* is_left) {
    const auto disk = co_await client_.Get(maps_, ns, name);
    *is_left = disk.ok();
    if (!disk.ok() && !api::IsNotFound(disk.status())) co_return Result::Error(disk.status());
    co_return Result::Done();
  }

  sim::Task<Result> Make(api::Object set) {
    const std::string ns(set.ns()), name = DiskOf(set.name());
    if (!Cache(maps_).Get(ns, name).empty()) co_return Result::Done();
    const Value metadata = value::Obj({{"name", Value::Of(name)}, {"namespace", Value::Of(ns)}});
    const api::Object disk = api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("v1")},
                                                               {"kind", Value::Of("ConfigMap")},
                                                               {"metadata", metadata}}));
    const auto made = co_await client_.Create(maps_, disk);
    if (!made.ok() && !api::IsAlreadyExists(made.status())) co_return Result::Error(made.status());
    co_return Result::Done();
  }

  sim::Task<Result> Remove(api::Object set) {
    const std::string ns(set.ns()), name = DiskOf(set.name());
    bool is_left = false;
    const Result looked = co_await Look(ns, name, &is_left);
    if (!looked.ok()) co_return looked;
    if (is_left) {
      const Result deleted = co_await DeleteDisk(ns, name);
      co_return deleted;
    }
    const Result freed = co_await WriteFinalizer(set, false);
    co_return freed;
  }

  // A finalizer that is put on while a deletion is under way keeps nothing: registry.Store.Delete
  // has looked for one by then.
  sim::Task<Result> Sweep(std::string key) {
    const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
    if (!id.ok()) co_return Result::Done();
    const std::string ns = id->ns, set = id->name, name = DiskOf(id->name);
    const auto live = co_await client_.Get(sets_, ns, set);
    if (live.ok()) co_return Result::Done();  // another one, of which we shall hear
    if (!api::IsNotFound(live.status())) co_return Result::Error(live.status());
    bool is_left = false;
    const Result looked = co_await Look(ns, name, &is_left);
    if (!looked.ok() || !is_left) co_return looked;
    const Result deleted = co_await DeleteDisk(ns, name);
    co_return deleted;
  }

  sim::Task<Result> DeleteDisk(std::string ns, std::string name) {
    const auto gone = co_await client_.Delete(maps_, ns, name, api::DeleteOptions());
    if (!gone.ok() && !api::IsNotFound(gone.status())) co_return Result::Error(gone.status());
    co_return Result::RequeueAfter(Seconds(1));
  }

  sim::Task<Result> WriteFinalizer(api::Object set, bool wanted) {
    std::vector<Value> finalizers;
    for (const std::string& finalizer : set.finalizers())
      if (finalizer != kDiskFinalizer) finalizers.push_back(Value::Of(finalizer));
    if (wanted) finalizers.push_back(Value::Of(kDiskFinalizer));
    const value::Path path{"metadata", "finalizers"};
    const Value tree = set.tree().Set(path, Value::Array(std::move(finalizers)));
    const api::Object next = api::Object::FromTree(tree, set.resource_version());
    const auto written = co_await client_.Update(sets_, next);
    if (!written.ok() && !api::IsNotFound(written.status()))
      co_return Result::Error(written.status());
    co_return Result::Done();
  }
};

class WrongFinalizer : public DiskKeeper {
 public:
  using DiskKeeper::DiskKeeper;
  sim::Task<Result> Look(std::string ns, std::string name, bool* is_left) override {
    *is_left = !Cache(maps_).Get(ns, name).empty();  // WRONG: it may be on its way
    co_return Result::Done();
  }
};

}  // namespace

ControllerRows FinalizerSamples() {
  return {{.name = "wrong-finalizer",
           .text = "Takes its finalizer off when its cache shows nothing to clean up.",
           .make = &MakeController<WrongFinalizer>,
           .second_part = "handlers",
           .twin = "right-finalizer"},
          {.name = "right-finalizer",
           .text = "Takes its finalizer off when there is nothing to clean up.",
           .make = &MakeController<DiskKeeper>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
