// Cordoned nodes, unless the pod tolerates node.kubernetes.io/unschedulable:NoSchedule.
// Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.
#include "ksim/api/views/taints.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

bool Unschedulable(const api::Object& node) {
  return !node.empty() && node.spec().Get("unschedulable").AsBool();
}

bool Tolerates(const api::Object& pod) {
  const Value taint = value::Obj({{"key", Value::Of("node.kubernetes.io/unschedulable")},
                                  {"effect", Value::Of("NoSchedule")}});
  return api::TolerationsTolerate(pod.spec().Get("tolerations"), taint);
}

class NodeUnschedulable : public Plugin {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }

  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (!Unschedulable(info.node())) return {};
    if (Tolerates(pod)) return {};
    return {Status::Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable"};
  }

  std::uint32_t EventsToRegister(api::Compat compat) const override {
    constexpr std::uint32_t kTaint = ClusterEvent::kNodeUpdateTaint;
    if (compat == api::Compat::k1_25) return ClusterEvent::kNodeAdd | kTaint;
    if (compat == api::Compat::k1_30) return NodeEvents(compat, kTaint);
    return NodeEvents(compat, kTaint) | ClusterEvent::kTargetPodToleration;
  }
  bool QueueingHint(const api::Object&, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodToleration) return Tolerates(after);
    const bool was_schedulable = !before.empty() && !Unschedulable(before);
    return !was_schedulable && !Unschedulable(after);
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeUnschedulable() { return std::make_unique<NodeUnschedulable>(); }

}  // namespace ksim::scheduler
