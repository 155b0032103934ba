// ScalingHistory: what an autoscaler remembers of its recommendations and scalings, and how they
// bound the next one: stabilization windows, and policies of how fast a count may change. It is
// lost with the process, as upstream's is.
//
// Source: pkg/controller/podautoscaler/horizontal.go (stabilizeRecommendation,
// normalizeDesiredReplicas, convertDesiredReplicasWithRules, ...WithBehaviors, storeScaleEvent).
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// --horizontal-pod-autoscaler-downscale-stabilization.
inline constexpr Duration kDownscaleStabilization = Minutes(5);

struct ReplicaBounds {
  ReplicaBounds() = default;
  ReplicaBounds(std::int32_t least, std::int32_t most) : min(least), max(most) {}
  std::int32_t min = 1, max = 1;
};

// The count that an autoscaler settles for, and the conditions that say why.
struct NormalizedReplicas {
  NormalizedReplicas() = default;
  std::int32_t replicas = 0;
  std::string_view able_reason, able_message;  // AbleToScale, which is True
  bool limited = false;                        // ScalingLimited
  std::string_view limited_reason, limited_message;
};

class ScalingHistory {
 public:
  struct Recommendation {
    std::int32_t replicas = 0;
    VirtualTime at;
  };
  struct ScaleEvent {
    std::int32_t change = 0;  // never negative
    VirtualTime at;
    bool outdated = false;
  };
  using ScaleEvents = std::vector<ScaleEvent>;

  ScalingHistory() = default;
  // As if this had happened; for tests. Without a behavior a count may grow `factor` times.
  ScalingHistory(std::vector<Recommendation> recommendations, ScaleEvents ups, ScaleEvents downs,
                 std::int32_t factor)
      : recommendations_(std::move(recommendations)),
        ups_(std::move(ups)),
        downs_(std::move(downs)),
        up_limit_factor_(factor) {}

  // Called at each sync; the first time counts. The history is no longer empty then.
  void RecordInitialRecommendation(std::int32_t current, VirtualTime now);

  // `behavior`: spec.behavior; null: none, and the rules from before it hold.
  NormalizedReplicas Normalize(const value::Value& behavior, std::int32_t current,
                               std::int32_t desired, ReplicaBounds bounds, const Profile& profile,
                               VirtualTime now);
  // Without a behavior nothing is stored, for nothing would read it.
  void StoreScaleEvent(const value::Value& behavior, std::int32_t before, std::int32_t after,
                       VirtualTime now);

 private:
  std::int32_t Stabilize(std::int32_t desired, VirtualTime now);
  std::int32_t StabilizeWithBehavior(const value::Value& behavior, std::int32_t current,
                                     std::int32_t desired, VirtualTime now);
  void Replace(std::size_t old, bool found, std::int32_t desired, VirtualTime now);
  std::int32_t UpLimit(const value::Value& rules, std::int32_t current, const Profile& profile,
                       VirtualTime now) const;
  std::int32_t DownLimit(const value::Value& rules, std::int32_t current, const Profile& profile,
                         VirtualTime now) const;
  // The count that a policy's period began with.
  std::int32_t PeriodStart(const value::Value& policy, std::int32_t current, bool up,
                           const Profile& profile, VirtualTime now) const;
  void LimitRate(const value::Value& behavior, std::int32_t current, std::int32_t desired,
                 ReplicaBounds bounds, const Profile& profile, VirtualTime now,
                 NormalizedReplicas* out) const;

  std::vector<Recommendation> recommendations_;
  ScaleEvents ups_, downs_;
  std::int32_t up_limit_factor_ = 2;  // scaleUpLimitFactor
};

// The longest time for which what happened bounds what happens: windows and policies' periods.
Duration LongestMemory(const value::Value& behavior);

}  // namespace ksim::controllers
