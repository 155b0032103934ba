// surge.max: the Deployment controller never gives its ReplicaSets more pods than replicas and
// maxSurge allow; with Recreate none comes while an old one runs. bugs 24.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/oracles/workloads/rollouts.h"

namespace ksim::check {
namespace {

const OracleInfo& SurgeInfo() {
  static const OracleInfo info{
      "surge.max",
      Guarantee::kSafety,
      "The Deployment controller never gives the ReplicaSets of a Deployment more pods than its "
      "replicas and maxSurge together; with Recreate it gives none while old ones run.",
      {sim::EventKind::kCommit},
      {"what others did, a user's ReplicaSet that is adopted say: only its own writes are judged",
       "a size, or a Deployment, of which the controller was not told when the sync began: the "
       "smallest size, and the largest Deployment, that it can have known are taken",
       "a change of the size of the whole in the middle of a rollout: each ReplicaSet gets its "
       "share, the largest first, before others give theirs up",
       "with Recreate, a paused Deployment is only scaled, whatever runs"},
      "the Deployment controller raised no ReplicaSet"};
  return info;
}

class SurgeMax : public Rollouts {
 public:
  SurgeMax() : Rollouts(SurgeInfo()) {}

 private:
  void OnResize(const Resize& resize) override {
    if (resize.after.size < resize.before.size || MayScale(resize)) return;
    Judged();
    std::int64_t most = 0;
    bool recreates = true;
    for (const RolloutNumbers& d : resize.deployment) {
      most = std::max(most, d.replicas + d.surge);
      recreates = recreates && !d.rolls && !d.paused;
    }
    std::int64_t all = resize.after.size;
    std::int64_t old_pods = 0;
    for (const auto& known : resize.others) {
      const auto least = [&known](std::int64_t SetNumbers::* number) {
        return (*std::min_element(known.begin(), known.end(),
                                  [number](const SetNumbers& a, const SetNumbers& b) {
                                    return a.*number < b.*number;
                                  })).*
               number;
      };
      all += least(&SetNumbers::size);
      old_pods += least(&SetNumbers::replicas);
    }
    const Observation& o = resize.o;
    if (all > most)
      Violate(
          o.seq, std::string(o.by),
          fmt::format("{} raises {} to {}, which makes it {} pods of a Deployment that may have "
                      "{}",
                      o.by, ObjectOf(o), resize.after.size, all, most),
          {ObjectOf(o)});
    else if (recreates && old_pods > 0)
      Violate(o.seq, std::string(o.by),
              fmt::format("{} raises {} to {} while {} pods of old ReplicaSets run, though its "
                          "Deployment recreates",
                          o.by, ObjectOf(o), resize.after.size, old_pods),
              {ObjectOf(o)});
  }
};

}  // namespace

OracleEntry SurgeMaxOracle() {
  return {&SurgeInfo(), [] { return std::unique_ptr<Oracle>(new SurgeMax); }, ""};
}

}  // namespace ksim::check
