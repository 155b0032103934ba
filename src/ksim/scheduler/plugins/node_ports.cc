// Host ports that somebody on the node holds already.
// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go.
#include <algorithm>

#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

class NodePorts : public Plugin {
 public:
  explicit NodePorts(api::Compat compat) : compat_(compat) {}
  std::string_view name() const override { return "NodePorts"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList&) const override {
    std::vector<api::HostPort> wanted = api::HeldHostPorts(pod, compat_);
    if (wanted.empty()) return {Status::Code::kSkip, ""};
    state.Write(name(), std::move(wanted));
    return {};
  }
  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    const auto* wanted = state.Read<std::vector<api::HostPort>>(name());
    const bool taken = wanted != nullptr &&
                       std::any_of(wanted->begin(), wanted->end(), [&](const api::HostPort& p) {
                         return info.PortConflict(p, compat_);
                       });
    if (!taken) return {};
    return {Status::Code::kUnschedulable,
            "node(s) didn't have free ports for the requested pod ports"};
  }

  std::uint32_t EventsToRegister(api::Compat compat) const override {
    return ClusterEvent::kAssignedPodDelete | NodeEvents(compat, 0);
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object&) const override {
    if (!(event.bits & ClusterEvent::kAssignedPodDelete)) return true;
    if (!HoldsPlace(before)) return false;
    NodeInfo freed;
    freed.AddPod(before);
    const std::vector<api::HostPort> wanted = api::HeldHostPorts(pod, compat_);
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const api::HostPort& p) { return freed.PortConflict(p, compat_); });
  }

 private:
  api::Compat compat_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodePorts(api::Compat compat) {
  return std::make_unique<NodePorts>(compat);
}

}  // namespace ksim::scheduler
