#include "ksim/scheduler/framework/framework.h"

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::scheduler {

void NormalizeScores(Scores& scores, bool reverse) {
  const std::int64_t most = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (std::int64_t& score : scores) {
    if (most == 0) {
      score = reverse ? kMaxNodeScore : score;
      continue;
    }
    score = kMaxNodeScore * score / most;
    if (reverse) score = kMaxNodeScore - score;
  }
}

std::uint32_t NodeEvents(const Profile& profile, std::uint32_t hinted) {
  const std::uint32_t all = ClusterEvent::kNodeUpdate;
  return ClusterEvent::kNodeAdd | (profile.queueing_hints ? hinted : all);
}

bool IsAssignedOrNominated(const api::Object& pod) {
  return !pod.node_name().empty() || !api::PodView(pod).nominated_node_name().empty();
}

}  // namespace ksim::scheduler
