// Ranking: which pods go first when there are too many.
//
// Source: pkg/controller/controller_utils.go ActivePodsWithRanks.Less, logarithmicRankDiff,
// afterOrZero.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"

namespace ksim::controllers {

// The properties of one pod that the ranking compares.
struct RankedPod {
  RankedPod() = default;
  // `related_on_node`: active related pods on the pod's node, itself included; 0 without relations.
  RankedPod(api::Object p, std::int64_t related_on_node);

  api::Object pod;
  std::int64_t rank = 0;
  bool assigned = false;
  int phase = 0;  // Pending and unknown text 0, Unknown 1, Running 2
  bool ready = false;
  std::int32_t deletion_cost = 0;
  std::optional<VirtualTime> ready_since;
  std::optional<VirtualTime> created;
  std::int64_t restarts = 0;          // highest of the containers
  std::int64_t sidecar_restarts = 0;  // highest of the restartable init containers
};

// True if `a` is deleted before `b`; first differing criterion decides.
bool DeletedBefore(const RankedPod& a, const RankedPod& b, VirtualTime now, const Profile& profile);

// Victims first; pods equal in every criterion by name.
void SortForDeletion(std::vector<RankedPod>& pods, VirtualTime now, const Profile& profile);

// floor(log2(nanoseconds)); -1 for ages of zero and less.
int AgeBucket(Duration age);

}  // namespace ksim::controllers
