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

// Pods of one namespace with the same labels, as one template makes them: what selects pods looks
// at a few of these, not at every pod.
struct PodsAlike {
  PodsAlike(std::string_view n, value::Value l) : ns(n), labels(std::move(l)) {}
  std::string ns;
  value::Value labels;
  std::int64_t count = 0;
};

class NodeInfo {
 public:
  NodeInfo() = default;

  // Empty while only pods name the node.
  const api::Object& node() const { return node_; }
  std::string_view name() const { return node_.name(); }
  const std::vector<api::Object>& pods() const { return pods_; }
  // The pods by what they have in common, without those that are being deleted.
  const std::vector<PodsAlike>& alike() const { return alike_; }
  // Those that want to be near other pods, or far from them.
  const std::vector<api::Object>& with_affinity() const { return with_affinity_; }
  const api::Resources& requested() const { return requested_; }
  const api::Resources& nonzero_requested() const { return nonzero_requested_; }
  const api::Resources& allocatable() const { return allocatable_; }
  bool PortConflict(const api::HostPort& port, const Profile& profile) const;

  void SetNode(const api::Object& node);
  void RemoveNode() { node_ = {}; }
  void AddPod(const api::Object& pod);
  void RemovePod(const api::Object& pod);  // by uid; nothing if it is not here
  // As RemovePod and AddPod of a pod that is here, and whose spec is what it was.
  void RenewPod(const api::Object& pod);

 private:
  void Account(const api::Object& pod, int sign);
  void CountAlike(const api::Object& pod, int sign);

  api::Object node_;
  std::vector<api::Object> pods_, with_affinity_;
  std::vector<PodsAlike> alike_;
  api::Resources requested_, nonzero_requested_, allocatable_;
  std::multiset<api::HostPort> ports_, sidecar_ports_;
};

}  // namespace ksim::scheduler
