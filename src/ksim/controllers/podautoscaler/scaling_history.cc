#include "ksim/controllers/podautoscaler/scaling_history.h"

#include <algorithm>
#include <limits>

#include "ksim/base/float64.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::int32_t kLeastCount = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMostCount = std::numeric_limits<std::int32_t>::max();

constexpr std::string_view kRising =
    "the desired replica count is increasing faster than the maximum scale rate";
constexpr std::string_view kFalling =
    "the desired replica count is decreasing faster than the maximum scale rate";
constexpr std::string_view kTooMany =
    "the desired replica count is more than the maximum replica count";
constexpr std::string_view kTooFew =
    "the desired replica count is less than the minimum replica count";
constexpr std::string_view kInRange = "the desired count is within the acceptable range";
constexpr std::string_view kHigherBefore =
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation";
constexpr std::string_view kLowerBefore =
    "recent recommendations were lower than current one, applying the lowest recent recommendation";

// A sum as Go's int32 has it.
std::int32_t ToCount(std::int64_t n) { return static_cast<std::int32_t>(n); }

void SetLimit(NormalizedReplicas* out, std::int32_t replicas, std::string_view reason,
              std::string_view message) {
  out->replicas = replicas;
  out->limited_reason = reason;
  out->limited_message = message;
}

// maybeInitScaleDownStabilizationWindow: of a scale-down it may be missing.
Duration WindowOf(const Value& rules) {
  const Value& window = rules.Get("stabilizationWindowSeconds");
  return window.is_null() ? kDownscaleStabilization : Seconds(window.AsInt());
}

Duration LongestPeriod(const Value& rules) {
  Duration longest;
  for (const Value& policy : rules.Get("policies").items())
    longest = std::max(longest, Seconds(policy.Get("periodSeconds").AsInt()));
  return longest;
}

// convertDesiredReplicasWithRules.
void LimitByRules(std::int32_t current, std::int32_t factor, std::int32_t desired,
                  ReplicaBounds bounds, NormalizedReplicas* out) {
  // calculateScaleUpLimit: so many times as many, or four.
  const std::int32_t up = std::max(ToCount(std::int64_t{factor} * current), 4);
  const std::int32_t most = std::min(bounds.max, up);
  if (desired < bounds.min)
    SetLimit(out, bounds.min, "TooFewReplicas", kTooFew);
  else if (desired > most)
    SetLimit(out, most, bounds.max > up ? "ScaleUpLimit" : "TooManyReplicas",
             bounds.max > up ? kRising : kTooMany);
  else
    SetLimit(out, desired, "DesiredWithinRange", kInRange);
}

// int32(math.Ceil(n * (1 + percent/100))): rounded up, or one percent of little would be nothing.
std::int32_t GrownBy(std::int32_t n, std::int64_t percent) {
  const Float64 factor = Float64::Of(1) + Float64::Of(percent) / Float64::Of(100);
  if (n >= 0) return (Float64::Of(n) * factor).Ceil32();
  return ToCount(-(Float64::Of(-std::int64_t{n}) * factor).Floor());
}

// int32(n * (1 - percent/100)): towards zero.
std::int32_t ShrunkBy(std::int32_t n, std::int64_t percent) {
  const Float64 share = Float64::Of(percent) / Float64::Of(100);
  const bool below_zero = percent > 100;
  const Float64 factor = below_zero ? share - Float64::Of(1) : Float64::Of(1) - share;
  const std::int64_t size = (Float64::Of(n < 0 ? -std::int64_t{n} : n) * factor).Floor();
  return ToCount((n < 0) != below_zero ? -size : size);
}

}  // namespace

Duration LongestMemory(const Value& behavior) {
  if (behavior.is_null()) return kDownscaleStabilization;
  Duration longest;
  for (const char* way : {"scaleUp", "scaleDown"}) {
    const Value& rules = behavior.Get(way);
    longest = std::max({longest, WindowOf(rules), LongestPeriod(rules)});
  }
  return longest;
}

void ScalingHistory::RecordInitialRecommendation(std::int32_t current, VirtualTime now) {
  if (recommendations_.empty()) recommendations_.push_back({current, now});
}

NormalizedReplicas ScalingHistory::Normalize(const Value& behavior, std::int32_t current,
                                             std::int32_t desired, ReplicaBounds bounds,
                                             const Profile& profile, VirtualTime now) {
  NormalizedReplicas out;
  const bool rules = behavior.is_null();
  const std::int32_t stable =
      rules ? Stabilize(desired, now) : StabilizeWithBehavior(behavior, current, desired, now);
  if (stable == desired) {
    out.able_reason = "ReadyForNewScale";
    out.able_message = "recommended size matches current size";
  } else if (rules || desired < current) {
    out.able_reason = "ScaleDownStabilized";
    out.able_message = kHigherBefore;
  } else {
    out.able_reason = "ScaleUpStabilized";
    out.able_message = kLowerBefore;
  }
  if (rules)
    LimitByRules(current, up_limit_factor_, stable, bounds, &out);
  else
    LimitRate(behavior, current, stable, bounds, profile, now, &out);
  out.limited = out.replicas != stable;
  return out;
}

// --- stabilization -------------------------------------------------------------------------------

void ScalingHistory::Replace(std::size_t old, bool found, std::int32_t desired, VirtualTime now) {
  if (found)
    recommendations_[old] = {desired, now};
  else
    recommendations_.push_back({desired, now});
}

std::int32_t ScalingHistory::Stabilize(std::int32_t desired, VirtualTime now) {
  std::int32_t highest = desired;
  bool found = false;
  std::size_t old = 0;
  const VirtualTime cutoff = now - kDownscaleStabilization;
  for (std::size_t i = 0; i < recommendations_.size(); ++i) {
    if (recommendations_[i].at < cutoff) {
      found = true;
      old = i;
    } else {
      highest = std::max(highest, recommendations_[i].replicas);
    }
  }
  Replace(old, found, desired, now);
  return highest;
}

std::int32_t ScalingHistory::StabilizeWithBehavior(const Value& behavior, std::int32_t current,
                                                   std::int32_t desired, VirtualTime now) {
  std::int32_t up = desired, down = desired;
  const VirtualTime up_cutoff = now - WindowOf(behavior.Get("scaleUp"));
  const VirtualTime down_cutoff = now - WindowOf(behavior.Get("scaleDown"));
  bool found = false;
  std::size_t old = 0;
  for (std::size_t i = 0; i < recommendations_.size(); ++i) {
    const Recommendation& r = recommendations_[i];
    if (r.at > up_cutoff) up = std::min(up, r.replicas);
    if (r.at > down_cutoff) down = std::max(down, r.replicas);
    if (r.at < up_cutoff && r.at < down_cutoff) {
      found = true;
      old = i;
    }
  }
  Replace(old, found, desired, now);
  return std::min(std::max(current, up), down);
}

// --- rates ---------------------------------------------------------------------------------------

std::int32_t ScalingHistory::PeriodStart(const Value& policy, std::int32_t current, bool up,
                                         const Profile& profile, VirtualTime now) const {
  const VirtualTime cutoff = now - Seconds(policy.Get("periodSeconds").AsInt());
  const auto changes = [cutoff](const ScaleEvents& events) {
    std::int64_t sum = 0;
    for (const ScaleEvent& e : events)
      if (e.at > cutoff) sum += e.change;
    return sum;
  };
  const bool both = profile.hpa_counts_opposite_scalings;
  return ToCount(current - (up || both ? changes(ups_) : 0) + (!up || both ? changes(downs_) : 0));
}

std::int32_t ScalingHistory::UpLimit(const Value& rules, std::int32_t current,
                                     const Profile& profile, VirtualTime now) const {
  const std::string_view select = rules.Get("selectPolicy").AsString();
  if (select == "Disabled") return current;
  const bool least = select == "Min";
  std::int32_t limit = least ? kMostCount : kLeastCount;
  std::int32_t proposed = 0;
  for (const Value& policy : rules.Get("policies").items()) {
    const std::int32_t start = PeriodStart(policy, current, true, profile, now);
    const std::int64_t amount = policy.Get("value").AsInt();
    proposed =
        policy.Get("type").AsString() == "Pods" ? ToCount(start + amount) : GrownBy(start, amount);
    limit = least ? std::min(limit, proposed) : std::max(limit, proposed);
  }
  return limit;
}

std::int32_t ScalingHistory::DownLimit(const Value& rules, std::int32_t current,
                                       const Profile& profile, VirtualTime now) const {
  const std::string_view select = rules.Get("selectPolicy").AsString();
  if (select == "Disabled") return current;
  const bool least = select == "Min";  // the smallest change is the largest count
  std::int32_t limit = least ? kLeastCount : kMostCount;
  std::int32_t proposed = 0;
  for (const Value& policy : rules.Get("policies").items()) {
    const std::int32_t start = PeriodStart(policy, current, false, profile, now);
    const std::int64_t amount = policy.Get("value").AsInt();
    proposed =
        policy.Get("type").AsString() == "Pods" ? ToCount(start - amount) : ShrunkBy(start, amount);
    limit = least ? std::max(limit, proposed) : std::min(limit, proposed);
  }
  return limit;
}

// convertDesiredReplicasWithBehaviorRate.
void ScalingHistory::LimitRate(const Value& behavior, std::int32_t current, std::int32_t desired,
                               ReplicaBounds bounds, const Profile& profile, VirtualTime now,
                               NormalizedReplicas* out) const {
  if (desired > current) {
    const std::int32_t limit =
        std::max(UpLimit(behavior.Get("scaleUp"), current, profile, now), current);
    const std::int32_t most = std::min(bounds.max, limit);
    if (desired > most)
      return SetLimit(out, most, bounds.max > limit ? "ScaleUpLimit" : "TooManyReplicas",
                      bounds.max > limit ? kRising : kTooMany);
  } else if (desired < current) {
    const std::int32_t limit =
        std::min(DownLimit(behavior.Get("scaleDown"), current, profile, now), current);
    const std::int32_t least = std::max(bounds.min, limit);
    if (desired < least)
      return SetLimit(out, least, bounds.min < limit ? "ScaleDownLimit" : "TooFewReplicas",
                      bounds.min < limit ? kFalling : kTooFew);
  }
  SetLimit(out, desired, "DesiredWithinRange", kInRange);
}

void ScalingHistory::StoreScaleEvent(const Value& behavior, std::int32_t before, std::int32_t after,
                                     VirtualTime now) {
  if (behavior.is_null()) return;
  const bool up = after > before;
  ScaleEvents& events = up ? ups_ : downs_;
  const VirtualTime cutoff = now - LongestPeriod(behavior.Get(up ? "scaleUp" : "scaleDown"));
  ScaleEvent* place = nullptr;
  for (ScaleEvent& e : events) {
    e.outdated = e.outdated || e.at < cutoff;
    if (e.outdated) place = &e;
  }
  ScaleEvent event;
  event.change = up ? after - before : before - after;
  event.at = now;
  if (place != nullptr)
    *place = event;
  else
    events.push_back(event);
}

}  // namespace ksim::controllers
