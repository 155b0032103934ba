// DefaultTolerationSeconds: lets a pod tolerate a node that is not ready or unreachable for five
// minutes, unless the pod says otherwise.
//
// Source: plugin/pkg/admission/defaulttolerationseconds/admission.go.
#include "ksim/apiserver/admission/plugin.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::Path;
using value::Value;

constexpr int kSeconds = 300;
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

bool Tolerates(const Value& tolerations, std::string_view taint) {
  for (const Value& t : tolerations.items()) {
    const std::string_view key = t.Get("key").AsString();
    const std::string_view effect = t.Get("effect").AsString();
    if ((key == taint || key.empty()) && (effect == "NoExecute" || effect.empty())) return true;
  }
  return false;
}

class DefaultTolerationSeconds final : public Plugin {
 public:
  std::string_view name() const override { return "DefaultTolerationSeconds"; }
  bool Handles(const Attributes& a) const override {
    return a.operation != Operation::kDelete && a.Is("", "pods");
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kTolerations{"spec", "tolerations"};
    const Value given = a.object.Get(kTolerations);
    Value all = given;
    for (const std::string_view taint : {kNotReady, kUnreachable}) {
      if (Tolerates(given, taint)) continue;
      all = all.Append(Obj({{"key", Value::Of(taint)},
                            {"operator", Value::Of("Exists")},
                            {"effect", Value::Of("NoExecute")},
                            {"tolerationSeconds", Value::Of(kSeconds)}}));
    }
    if (!all.SameTree(given)) a.object = a.object.Set(kTolerations, all);
    co_return api::Status();
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeDefaultTolerationSeconds(const PluginContext&) {
  return std::make_unique<DefaultTolerationSeconds>();
}

}  // namespace ksim::apiserver
