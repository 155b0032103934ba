#include "ksim/controllers/common/pod_ranking.h"

#include <algorithm>
#include <bit>

#include "ksim/api/pod.h"

namespace ksim::controllers {

namespace {

int PhaseRank(std::string_view phase) {
  if (phase == "Unknown") return 1;
  if (phase == "Running") return 2;
  return 0;
}

// Negative if `a` is the shorter-lived and so goes first, 0 if the times tell nothing. A missing
// time counts as later than any.
int CompareTimes(const RankedPod& a, std::optional<VirtualTime> ta, const RankedPod& b,
                 std::optional<VirtualTime> tb, VirtualTime now) {
  if (ta == tb) return 0;
  if (!ta || !tb) return ta ? 1 : -1;
  const int bucket_a = AgeBucket(now - *ta);
  const int bucket_b = AgeBucket(now - *tb);
  if (bucket_a != bucket_b) return bucket_a < bucket_b ? -1 : 1;
  return a.pod.uid() < b.pod.uid() ? -1 : 1;
}

}  // namespace

RankedPod::RankedPod(api::Object p, std::int64_t related_on_node)
    : pod(std::move(p)), rank(related_on_node) {
  const api::PodView view(pod);
  assigned = !pod.node_name().empty();
  phase = PhaseRank(view.phase());
  ready = view.ready();
  deletion_cost = api::ParseDeletionCost(pod.Annotation(api::kPodDeletionCost)).value_or(0);
  if (ready) ready_since = view.ready_since();
  created = pod.creation_time();
  restarts = view.MaxContainerRestarts();
  sidecar_restarts = view.MaxSidecarRestarts();
}

int AgeBucket(Duration age) {
  if (age.ns() <= 0) return -1;
  return std::bit_width(static_cast<std::uint64_t>(age.ns())) - 1;
}

bool DeletedBefore(const RankedPod& a, const RankedPod& b, VirtualTime now,
                   const Profile& profile) {
  if (a.assigned != b.assigned) return !a.assigned;
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.ready != b.ready) return !a.ready;
  if (a.deletion_cost != b.deletion_cost) return a.deletion_cost < b.deletion_cost;
  if (a.rank != b.rank) return a.rank > b.rank;
  if (a.ready && b.ready) {
    const int order = CompareTimes(a, a.ready_since, b, b.ready_since, now);
    if (order != 0) return order < 0;
  }
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  if (profile.ranks_sidecar_restarts && a.sidecar_restarts != b.sidecar_restarts) {
    return a.sidecar_restarts > b.sidecar_restarts;
  }
  return CompareTimes(a, a.created, b, b.created, now) < 0;
}

void SortForDeletion(std::vector<RankedPod>& pods, VirtualTime now, const Profile& profile) {
  std::sort(pods.begin(), pods.end(), [&](const RankedPod& a, const RankedPod& b) {
    if (DeletedBefore(a, b, now, profile)) return true;
    if (DeletedBefore(b, a, now, profile)) return false;
    return a.pod.name() < b.pod.name();
  });
}

}  // namespace ksim::controllers
