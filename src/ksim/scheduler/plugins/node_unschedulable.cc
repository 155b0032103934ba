// Rejects cordoned nodes, unless the pod tolerates node.kubernetes.io/unschedulable:NoSchedule.
// Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.
#include "ksim/api/views/taints.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

bool IsCordoned(const api::Object& node) {
  return !node.empty() && node.spec().Get("unschedulable").AsBool();
}

bool ToleratesCordon(const api::Object& pod) {
  const Value taint = value::Obj({{"key", Value::Of("node.kubernetes.io/unschedulable")},
                                  {"effect", Value::Of("NoSchedule")}});
  return api::TolerationsTolerate(pod.spec().Get("tolerations"), taint);
}

class NodeUnschedulable : public Plugin {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }

  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (!IsCordoned(info.node())) return {};
    if (ToleratesCordon(pod)) return {};
    return {Status::Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable"};
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    constexpr std::uint32_t kTaint = ClusterEvent::kNodeUpdateTaint;
    if (profile.queueing_hints)
      return NodeEvents(profile, kTaint) | ClusterEvent::kTargetPodToleration;
    return profile.registers_for_pre_check ? NodeEvents(profile, kTaint)
                                           : ClusterEvent::kNodeAdd | kTaint;
  }
  bool QueueingHint(const api::Object&, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodToleration) return ToleratesCordon(after);
    const bool was_schedulable = !before.empty() && !IsCordoned(before);
    return !was_schedulable && !IsCordoned(after);
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeUnschedulable() { return std::make_unique<NodeUnschedulable>(); }

}  // namespace ksim::scheduler
