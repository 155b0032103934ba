// SchedulerCache: nodes and the pods on them, as the informers and the scheduler's own assumptions
// have it. A pod is assumed on its node the moment it is chosen, before it is bound; the informer's
// add confirms it. Assumed pods do not expire: they stay until confirmed, forgotten or deleted.
//
// Source: pkg/scheduler/backend/cache/{cache,node_tree}.go. SCHED-10..12.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "ksim/api/object.h"
#include "ksim/scheduler/framework/node_info.h"

namespace ksim::scheduler {

class SchedulerCache {
 public:
  SchedulerCache() = default;
  SchedulerCache(SchedulerCache&&) = default;  // not to be copied: its lists point into it
  SchedulerCache& operator=(SchedulerCache&&) = default;

  // Error if the pod is in the cache already. `pod` carries its spec.nodeName.
  absl::Status AssumePod(const api::Object& pod);
  // Only for an assumed pod; nothing for one that has been confirmed or is unknown.
  absl::Status ForgetPod(const api::Object& pod);
  bool IsAssumed(const api::Object& pod) const;

  void AddPod(const api::Object& pod);  // confirms, moves, or adds
  // Error for an assumed pod and for one that is not in the cache.
  absl::Status UpdatePod(const api::Object& old_pod, const api::Object& new_pod);
  void RemovePod(const api::Object& pod);

  void AddNode(const api::Object& node);
  void UpdateNode(const api::Object& node) { AddNode(node); }
  void RemoveNode(const api::Object& node);

  // The nodes that have a Node object: round robin over the zones, within a zone in the order they
  // came. A scheduling cycle runs without waiting, so this list is its snapshot.
  std::vector<const NodeInfo*> ListNodes() const;
  const NodeInfo* Find(std::string_view node) const;  // null if neither node nor pods name it
  std::size_t node_count() const;

 private:
  struct PodState {
    api::Object pod;
    bool assumed = false;
  };
  void AddToNode(const api::Object& pod);
  void RemoveFromNode(const api::Object& pod);
  // As RemoveFromNode(known) and AddToNode(pod).
  void Replace(const api::Object& known, const api::Object& pod);

  absl::btree_map<std::string, PodState> pods_;         // by uid
  std::map<std::string, NodeInfo, std::less<>> infos_;  // by node name; addresses stay
  // Zones in the order their first node came, each with its nodes in order (node_tree.go).
  struct Zone {
    std::string name;
    std::vector<const NodeInfo*> nodes;  // in infos_
  };
  void AddToTree(const std::string& key, const NodeInfo& info);
  void RemoveFromTree(const NodeInfo& info);
  std::vector<Zone> zones_;
};

}  // namespace ksim::scheduler
