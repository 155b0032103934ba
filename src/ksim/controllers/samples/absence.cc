// Deletes disks (ConfigMaps with the label `of`) whose ReplicaSet is gone. wrong-absence takes it
// for gone when its cache does not have it. Two caches are two streams: a disk may arrive before
// its ReplicaSet, and is deleted while it is in use. right-absence asks the server before it
// deletes.
//
// Seen in kubernetes#88097: dependents of owners that live were deleted while the control plane was
// replaced, since the collector met them before their owners.
#include "ksim/controllers/samples/sample.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {
namespace {

class Sweeper : public Sample {
 public:
  using Sample::Sample;
  void Start() override {
    const auto disks_of = [this](const api::Object& set) {
      std::vector<std::string> keys;
      for (const api::Object& disk : Cache(maps_).List(set.ns()))
        if (disk.Label("of") == set.name()) keys.push_back(disk.key());
      return keys;
    };
    controller_ = Builder().For(maps_).Watches(sets_, disks_of).Build(*this);
  }

  sim::Task<Result> Reconcile(std::string key) override {
    const api::Object disk = Cached(maps_, key);
    if (disk.empty() || disk.Label("of").empty()) co_return Result::Done();
    if (!Cache(sets_).Get(disk.ns(), disk.Label("of")).empty()) co_return Result::Done();
    const Result result = co_await NoOwnerFor(disk);
    co_return result;
  }

 protected:
  sim::Task<Result> Remove(api::Object disk) {
    const std::string ns(disk.ns()), name(disk.name());
    api::DeleteOptions options;
    options.uid = std::string(disk.uid());
    const auto gone = co_await client_.Delete(maps_, ns, name, options);
    const bool over = gone.ok() || api::IsNotFound(gone.status()) || api::IsConflict(gone.status());
    if (!over) co_return Result::Error(gone.status());
    co_return Result::Done();
  }

 private:
  virtual sim::Task<Result> NoOwnerFor(api::Object disk) {
    const std::string ns(disk.ns()), owner(disk.Label("of"));
    const auto set = co_await client_.Get(sets_, ns, owner);
    // No event will tell of the end of a ReplicaSet that the cache never had: look again.
    if (set.ok()) co_return Result::RequeueAfter(Seconds(30));
    if (!api::IsNotFound(set.status())) co_return Result::Error(set.status());
    const Result removed = co_await Remove(disk);
    co_return removed;
  }
};

class WrongAbsence : public Sweeper {
 public:
  using Sweeper::Sweeper;
  sim::Task<Result> NoOwnerFor(api::Object disk) override {
    const Result removed = co_await Remove(disk);  // WRONG: it is not in the cache, that is all
    co_return removed;
  }
};

}  // namespace

ControllerRows AbsenceSamples() {
  return {{.name = "wrong-absence",
           .text = "Takes what its cache does not have for gone, and deletes what belongs to it.",
           .make = &MakeController<WrongAbsence>,
           .second_part = "handlers",
           .twin = "right-absence"},
          {.name = "right-absence",
           .text = "Deletes the disks of ReplicaSets that are gone.",
           .make = &MakeController<Sweeper>,
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
