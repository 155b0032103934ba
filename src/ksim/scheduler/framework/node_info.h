// NodeInfo: a node as the scheduler counts it: the Node object, the pods on it (assumed ones too),
// what they ask for together, and the host ports they hold.
//
// Source: pkg/scheduler/framework/types.go NodeInfo, HostPortInfo.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/views/host_ports.h"
#include "ksim/api/views/resources.h"
#include "ksim/scheduler/framework/profile.h"
#include "ksim/value/value.h"

namespace ksim::scheduler {

// Pods of one namespace with the same labels, as one template makes them: a selector is compared
// with a few groups, not with every pod.
struct PodGroup {
  PodGroup(std::string_view n, value::Value l);
  std::string ns;
  value::Value labels;
  std::uint64_t hash;  // of the namespace and the labels, the same on every node
  std::int64_t count = 0;
};

class NodeInfo {
 public:
  NodeInfo() = default;

  // Empty while only pods name the node.
  const api::Object& node() const { return node_; }
  std::string_view name() const { return node_.name(); }
  const std::vector<api::Object>& pods() const { return pods_; }
  // The pods grouped by namespace and labels, without those that are being deleted.
  const std::vector<PodGroup>& pod_groups() const { return pod_groups_; }
  // The pods with affinity or anti-affinity terms.
  const std::vector<api::Object>& with_affinity() const { return with_affinity_; }
  const api::Resources& requested() const { return requested_; }
  const api::Resources& nonzero_requested() const { return nonzero_requested_; }
  const api::Resources& allocatable() const { return allocatable_; }
  bool PortConflict(const api::HostPort& port, const Profile& profile) const;

  void SetNode(const api::Object& node);
  void RemoveNode() { node_ = {}; }
  void AddPod(const api::Object& pod);
  void RemovePod(const api::Object& pod);  // by uid; nothing if it is not here
  // The same as RemovePod and AddPod, for a pod that is on the node and whose spec has not changed.
  void UpdatePodStatus(const api::Object& pod);

 private:
  void Account(const api::Object& pod, int sign);
  void CountInGroup(const api::Object& pod, int sign);

  api::Object node_;
  std::vector<api::Object> pods_, with_affinity_;
  std::vector<PodGroup> pod_groups_;
  api::Resources requested_, nonzero_requested_, allocatable_;
  std::multiset<api::HostPort> ports_, sidecar_ports_;
};

}  // namespace ksim::scheduler
