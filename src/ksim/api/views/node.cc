#include "ksim/api/node.h"

#include <algorithm>

#include "ksim/api/conditions.h"

namespace ksim::api {

using value::Value;

bool NodeView::unschedulable() const { return node_.spec().Get("unschedulable").AsBool(); }
const Value& NodeView::taints() const { return node_.spec().Get("taints"); }
bool NodeView::HasTaint(std::string_view key, std::string_view effect) const {
  const auto items = taints().items();
  return std::any_of(items.begin(), items.end(), [&](const Value& taint) {
    return taint.Get("key").AsString() == key && taint.Get("effect").AsString() == effect;
  });
}
const Value& NodeView::capacity() const { return node_.status().Get("capacity"); }
const Value& NodeView::allocatable() const { return node_.status().Get("allocatable"); }
const Value& NodeView::conditions() const { return node_.status().Get("conditions"); }
std::string_view NodeView::ready_status() const { return ConditionStatus(conditions(), "Ready"); }
std::string_view NodeView::Address(std::string_view type) const {
  for (const Value& address : node_.status().Get("addresses").items()) {
    if (address.Get("type").AsString() == type) return address.Get("address").AsString();
  }
  return {};
}
const Value& NodeView::node_info() const { return node_.status().Get("nodeInfo"); }

std::vector<std::string> NodeView::Roles() const {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const Value::Member& label : node_.labels().members()) {
    const std::string_view name = label.name.text();
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
      roles.emplace_back(name.substr(kPrefix.size()));
    } else if (name == "kubernetes.io/role" && !label.value.AsString().empty()) {
      roles.emplace_back(label.value.AsString());
    }
  }
  std::sort(roles.begin(), roles.end());
  roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
  return roles;
}

}  // namespace ksim::api
