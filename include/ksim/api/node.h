// NodeView: names and types over a node's tree.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/object.h"

namespace ksim::api {

class NodeView {
 public:
  explicit NodeView(Object node) : node_(std::move(node)) {}
  const Object& object() const { return node_; }

  bool unschedulable() const;          // spec.unschedulable
  const value::Value& taints() const;  // array of {key, value, effect}
  bool HasTaint(std::string_view key, std::string_view effect) const;
  const value::Value& capacity() const;  // resource name -> quantity
  const value::Value& allocatable() const;
  const value::Value& conditions() const;
  std::string_view ready_status() const;  // "True" "False" "Unknown", "" if missing
  bool ready() const { return ready_status() == "True"; }
  std::string_view Address(std::string_view type) const;  // InternalIP, Hostname, ...; "" if none
  const value::Value& node_info() const;                  // status.nodeInfo
  // From the labels node-role.kubernetes.io/ROLE and kubernetes.io/role=ROLE, sorted, no repeats.
  std::vector<std::string> Roles() const;

 private:
  Object node_;
};

}  // namespace ksim::api
