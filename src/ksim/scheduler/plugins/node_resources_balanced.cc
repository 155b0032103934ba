// Nodes whose CPU and memory stay evenly used score best.
//
// Upstream computes the shares as float64; here each share is an exact fraction, and the standard
// deviation of two of them, |f1-f2|/2, is truncated to whole hundredths with integers.
// Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
#include <algorithm>

#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

// trunc((1 - |a/b - c/d| / 2) * 100) with both shares capped at 1. One resource alone has no
// deviation.
std::int64_t Balance(const api::Resources& used, const api::Resources& have) {
  if (have.milli_cpu == 0 || have.memory == 0) return kMaxNodeScore;
  using Wide = __int128;
  const Wide cpu = std::clamp<std::int64_t>(used.milli_cpu, 0, have.milli_cpu);
  const Wide memory = std::clamp<std::int64_t>(used.memory, 0, have.memory);
  const Wide denominator = Wide(have.milli_cpu) * have.memory;
  Wide difference = cpu * have.memory - memory * have.milli_cpu;
  if (difference < 0) difference = -difference;
  return static_cast<std::int64_t>((denominator * 2 - difference) * 100 / (denominator * 2));
}

class BalancedAllocation : public Plugin {
 public:
  explicit BalancedAllocation(const Profile& profile) : profile_(profile) {}
  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
  std::int64_t weight() const override { return 1; }

  Status PreScore(CycleState& state, const api::Object& pod, const NodeList&,
                  const NodeList&) const override {
    const api::Resources wanted = api::PodRequests(pod, /*nonzero=*/false);
    const bool best_effort = wanted.milli_cpu == 0 && wanted.memory == 0;
    if (best_effort && profile_.balance_skips_best_effort) return {Status::Code::kSkip, ""};
    state.Write(name(), wanted);
    return {};
  }
  std::int64_t Score(const CycleState& state, const api::Object&,
                     const NodeInfo& info) const override {
    api::Resources with = info.requested();
    with += *state.Read<api::Resources>(name());
    const std::int64_t after = Balance(with, info.allocatable());
    if (!profile_.balance_scores_change) return after;
    return 50 + (50 + after - Balance(info.requested(), info.allocatable())) / 2;
  }

 private:
  const Profile& profile_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeResourcesBalancedAllocation(const Profile& profile) {
  return std::make_unique<BalancedAllocation>(profile);
}

}  // namespace ksim::scheduler
