// TaintNodesByCondition: taints a new node NoSchedule until the node controller finds it ready.
//
// Source: plugin/pkg/admission/nodetaint/admission.go.
#include "ksim/apiserver/admission/plugin.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::Path;
using value::Value;

class TaintNodesByCondition final : public Plugin {
 public:
  std::string_view name() const override { return "TaintNodesByCondition"; }
  bool Handles(const Attributes& a) const override {
    return a.operation == Operation::kCreate && a.Is("", "nodes");
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kTaints{"spec", "taints"};
    for (const Value& taint : a.object.Get(kTaints).items()) {
      if (taint.Get("key").AsString() == kKey && taint.Get("effect").AsString() == kEffect)
        co_return api::Status();
    }
    const Value taint = Obj({{"key", Value::Of(kKey)}, {"effect", Value::Of(kEffect)}});
    a.object = a.object.Set(kTaints, a.object.Get(kTaints).Append(taint));
    co_return api::Status();
  }

 private:
  static constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  static constexpr std::string_view kEffect = "NoSchedule";
};

}  // namespace

std::unique_ptr<Plugin> MakeTaintNodesByCondition(const PluginContext&) {
  return std::make_unique<TaintNodesByCondition>();
}

}  // namespace ksim::apiserver
