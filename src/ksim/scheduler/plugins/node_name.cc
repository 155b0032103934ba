// Rejects nodes that are not the one in spec.nodeName.
// Source: pkg/scheduler/framework/plugins/nodename/node_name.go.
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

class NodeName : public Plugin {
 public:
  std::string_view name() const override { return "NodeName"; }

  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (pod.node_name().empty() || pod.node_name() == info.name()) return {};
    return {Status::Code::kUnschedulableAndUnresolvable,
            "node(s) didn't match the requested node name"};
  }
  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return NodeEvents(profile, 0);
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeName() { return std::make_unique<NodeName>(); }

}  // namespace ksim::scheduler
