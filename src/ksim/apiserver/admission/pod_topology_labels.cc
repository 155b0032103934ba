// PodTopologyLabels: gives a pod the zone and region of its node as labels, when it is bound to the
// node or created with it.
//
// Source: plugin/pkg/admission/podtopologylabels/admission.go.
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

class PodTopologyLabels final : public Plugin {
 public:
  explicit PodTopologyLabels(const PluginContext& context)
      : nodes_(context.resources.StorageFor(*context.kinds.ByResource("", "nodes"))) {}
  std::string_view name() const override { return "PodTopologyLabels"; }
  bool Handles(const Attributes& a) const override {
    return a.operation == Operation::kCreate && a.resource.resource == "pods";
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kTarget{"target", "name"};
    static const Path kTargetKind{"target", "kind"};
    static const Path kNode{"spec", "nodeName"};
    if (a.Is("", "pods", "binding") && a.object.Get(kTargetKind).AsString() == "Node")
      a.object = WithNodeLabels(a.object, a.object.Get(kTarget).AsString());
    if (a.Is("", "pods") && !a.object.Get(kNode).AsString().empty())
      a.object = WithNodeLabels(a.object, a.object.Get(kNode).AsString());
    co_return api::Status();
  }

 private:
  // A node that is not there adds nothing.
  Value WithNodeLabels(Value object, std::string_view node_name) const {
    static const Path kLabels{"metadata", "labels"};
    const api::Object node = nodes_.Suggestion("", node_name);
    if (node.empty()) return object;
    for (const std::string_view key :
         {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
      const Value* label = node.labels().Find(value::Atom(key));
      if (label != nullptr) object = object.Set(kLabels.Child(key), *label);
    }
    return object;
  }

  CacheDelegator& nodes_;
};

}  // namespace

std::unique_ptr<Plugin> MakePodTopologyLabels(const PluginContext& context) {
  return std::make_unique<PodTopologyLabels>(context);
}

}  // namespace ksim::apiserver
