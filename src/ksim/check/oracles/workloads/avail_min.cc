// avail.min: the Deployment controller's rolling update takes no available pod that replicas less
// maxUnavailable need. bugs 24.
//
// It counts as upstream does: a ReplicaSet that gets smaller loses first the pods that are not
// available.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/oracles/workloads/rollouts.h"

namespace ksim::check {
namespace {

const OracleInfo& AvailInfo() {
  static const OracleInfo info{
      "avail.min",
      Guarantee::kSafety,
      "A rolling update takes no available pod away if that leaves a Deployment fewer than its "
      "replicas less maxUnavailable.",
      {sim::EventKind::kCommit},
      {"pods that others delete, that fail or lose their node: the update only does not add to "
       "that",
       "counts of which the controller was not told when the sync began: the largest counts, and "
       "the smallest Deployment, that it can have known are taken",
       "pods that are not available: these go first, also below that number, or else they would "
       "block the update",
       "a change of the size of the whole, whose shares look at no pod",
       "Recreate: all old pods go at once"},
      "the Deployment controller took no available pod"};
  return info;
}

class AvailMin : public Rollouts {
 public:
  AvailMin() : Rollouts(AvailInfo()) {}

 private:
  void OnResize(const Resize& resize) override {
    const SetNumbers& before = resize.before;
    if (resize.after.size > before.size || MayScale(resize)) return;
    const std::int64_t spare = std::max<std::int64_t>(0, before.size - before.available);
    const std::int64_t taken = before.size - resize.after.size - spare;
    if (taken <= 0) return;
    std::int64_t least = before.size;
    bool first = true;
    for (const RolloutNumbers& d : resize.deployment) {
      if (!d.rolls) return;
      const std::int64_t wanted = std::max<std::int64_t>(0, d.replicas - d.unavailable);
      least = first ? wanted : std::min(least, wanted);
      first = false;
    }
    Judged();
    if (resize.sync.begin != sync_) taken_ = 0;
    sync_ = resize.sync.begin;
    taken_ += taken;
    std::int64_t available = before.available - taken_;
    for (const auto& known : resize.others)
      available += std::max_element(known.begin(), known.end(),
                                    [](const SetNumbers& a, const SetNumbers& b) {
                                      return a.available < b.available;
                                    })
                       ->available;
    if (available >= least) return;
    const Observation& o = resize.o;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} lowers {} to {}, which leaves {} available pods to a Deployment that "
                        "needs {}",
                        o.by, ObjectOf(o), resize.after.size, available, least),
            {ObjectOf(o)});
  }

  std::uint64_t sync_ = 0;  // the sync of the last write, by its begin
  std::int64_t taken_ = 0;  // what that sync has taken so far
};

}  // namespace

OracleEntry AvailMinOracle() {
  return {&AvailInfo(), [] { return std::unique_ptr<Oracle>(new AvailMin); }, ""};
}

}  // namespace ksim::check
