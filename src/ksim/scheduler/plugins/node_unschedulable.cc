// Cordoned nodes, unless the pod tolerates node.kubernetes.io/unschedulable:NoSchedule.
// Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.
#include "ksim/api/taints.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

bool Unschedulable(const api::Object& node) {
  return !node.empty() && node.spec().Get("unschedulable").AsBool();
}

class NodeUnschedulable : public Plugin {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }

  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (!Unschedulable(info.node())) return {};
    const Value taint = value::Obj({{"key", Value::Of("node.kubernetes.io/unschedulable")},
                                    {"effect", Value::Of("NoSchedule")}});
    if (api::TolerationsTolerate(pod.spec().Get("tolerations"), taint)) return {};
    return {Status::Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable"};
  }

  std::uint32_t EventsToRegister() const override {
    return ClusterEvent::kNodeAdd | ClusterEvent::kNodeUpdateTaint | ClusterEvent::kTargetPodUpdate;
  }
  bool QueueingHint(const api::Object&, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodUpdate) return true;
    const bool was_schedulable = !before.empty() && !Unschedulable(before);
    return !was_schedulable && !Unschedulable(after);
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeUnschedulable() { return std::make_unique<NodeUnschedulable>(); }

}  // namespace ksim::scheduler
