// Rejects nodes where another pod holds one of the pod's host ports.
// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go.
#include <algorithm>

#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

class NodePorts : public Plugin {
 public:
  explicit NodePorts(const Profile& profile) : profile_(profile) {}
  std::string_view name() const override { return "NodePorts"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList&) const override {
    std::vector<api::HostPort> wanted = api::HeldHostPorts(pod, profile_.compat);
    if (wanted.empty()) return {Status::Code::kSkip, ""};
    state.Write(name(), std::move(wanted));
    return {};
  }
  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    const auto* wanted = state.Read<std::vector<api::HostPort>>(name());
    const bool taken = wanted != nullptr &&
                       std::any_of(wanted->begin(), wanted->end(), [&](const api::HostPort& p) {
                         return info.PortConflict(p, profile_);
                       });
    if (!taken) return {};
    return {Status::Code::kUnschedulable,
            "node(s) didn't have free ports for the requested pod ports"};
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return ClusterEvent::kAssignedPodDelete | NodeEvents(profile, 0);
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object&) const override {
    if (!(event.bits & ClusterEvent::kAssignedPodDelete)) return true;
    if (!IsAssignedOrNominated(before)) return false;
    NodeInfo freed;
    freed.AddPod(before);
    const std::vector<api::HostPort> wanted = api::HeldHostPorts(pod, profile_.compat);
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const api::HostPort& p) { return freed.PortConflict(p, profile_); });
  }

 private:
  const Profile& profile_;
};

}  // namespace

std::unique_ptr<Plugin> MakeNodePorts(const Profile& profile) {
  return std::make_unique<NodePorts>(profile);
}

}  // namespace ksim::scheduler
