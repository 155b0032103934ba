// A rolling update of a DaemonSet, and what it does next: which old pods go and on which nodes new
// ones come, within maxUnavailable and maxSurge. Pure functions over the pods as the cache has
// them.
//
// Source: pkg/controller/daemon/update.go rollingUpdate, findUpdatedPodsOnNode,
// updatedDesiredNodeCounts; pkg/controller/daemon/util/daemonset_util.go SurgeCount,
// UnavailableCount, AllowsSurge.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/daemonset/daemon_pods.h"

namespace ksim::controllers {

// How many pods beyond one a node there may be, and how many nodes may have no available pod, of so
// many nodes; 0 of another strategy. nullopt: what is given is neither a number nor a percentage.
std::optional<std::int64_t> SurgeCount(const api::Object& daemon_set, std::int64_t nodes);
std::optional<std::int64_t> UnavailableCount(const api::Object& daemon_set, std::int64_t nodes);
// Whether a node may have two pods.
bool AllowsSurge(const api::Object& daemon_set);

// The names of pods to delete, and of nodes on which to make one, in the order of sending.
struct DaemonChanges {
  DaemonChanges() = default;
  std::vector<std::string> pods_to_delete;
  std::vector<std::string> nodes_needing_pods;
  std::string error;  // "" = none; else nothing is to be done
};

struct RolloutInput {
  RolloutInput() = default;
  api::Object daemon_set;
  std::vector<api::Object> nodes;  // as the sync read them when it began
  PodsByNode pods;
  std::string hash;  // of the template
  VirtualTime now;
  const Profile* profile = nullptr;  // never null
  // A node and a pod of the DaemonSet's namespace as the caches have them; empty: not there.
  std::function<api::Object(std::string_view name)> node_in_cache, pod_in_cache;
};

DaemonChanges PlanRollingUpdate(RolloutInput input);

// The pod of the template and the one that is not, of those on a node that are not being deleted.
struct PodsOfNode {
  PodsOfNode() = default;
  api::Object updated, old;
  bool excess = false;  // there are two of a kind, and neither is given
};
PodsOfNode FindPodsOfNode(const std::vector<api::Object>& pods, std::string_view hash,
                          std::optional<std::int64_t> generation);

}  // namespace ksim::controllers
