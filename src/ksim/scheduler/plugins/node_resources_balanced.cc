// Nodes whose CPU and memory stay evenly used score best.
//
// The shares round as upstream's float64 do (float64.h); the standard deviation of two of them is
// |f1-f2|/2.
// Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
#include <algorithm>

#include "ksim/base/float64.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

Float64 ShareOf(std::int64_t used, std::int64_t have) {
  return Float64::Of(std::clamp<std::int64_t>(used, 0, have)) / Float64::Of(have);
}

// balancedResourceScore: (1 - |f1 - f2| / 2) * 100, cut to an integer. One resource alone has no
// deviation.
std::int64_t Balance(const api::Resources& used, const api::Resources& have) {
  if (have.milli_cpu == 0 || have.memory == 0) return kMaxNodeScore;
  const Float64 cpu = ShareOf(used.milli_cpu, have.milli_cpu);
  const Float64 memory = ShareOf(used.memory, have.memory);
  const Float64 difference = cpu < memory ? memory - cpu : cpu - memory;
  return ((Float64::Of(1) - difference / Float64::Of(2)) * Float64::Of(kMaxNodeScore)).Floor();
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
