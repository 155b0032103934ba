// RuntimeClass: gives a pod the overhead of its RuntimeClass, and the nodes and tolerations that
// the class asks for. A class that does not exist, or an overhead that is not its own, is refused.
//
// Source: plugin/pkg/admission/runtimeclass/admission.go, pkg/util/tolerations/tolerations.go.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// isSuperset: an empty operator is Equal, but only of what says Equal.
bool Includes(const Value& wide, const Value& narrow) {
  if (wide == narrow) return true;
  const auto text = [](const Value& t, const char* field) { return t.Get(field).AsString(); };
  const std::string_view op = text(wide, "operator");
  const bool any_key = text(wide, "key").empty() && op == "Exists";
  if (text(narrow, "key") != text(wide, "key") && !any_key) return false;
  const std::string_view effect = text(wide, "effect");
  if (text(narrow, "effect") != effect && !effect.empty()) return false;
  const Value& longest = wide.Get("tolerationSeconds");
  if (effect == "NoExecute" && !longest.is_null()) {
    const Value& seconds = narrow.Get("tolerationSeconds");
    if (seconds.is_null() || seconds.AsInt() > longest.AsInt()) return false;
  }
  if (op == "Exists") return true;
  return (op.empty() || op == "Equal") && text(narrow, "operator") == "Equal" &&
         text(narrow, "value") == text(wide, "value");
}

// MergeTolerations: of two of which one includes the other, the wider one stays.
Value MergeTolerations(const Value& first, const Value& second) {
  std::vector<Value> all(first.items().begin(), first.items().end());
  all.insert(all.end(), second.items().begin(), second.items().end());
  std::vector<Value> merged;
  for (auto t = all.begin(); t != all.end(); ++t) {
    const bool had = std::any_of(merged.begin(), merged.end(),
                                 [&t](const Value& kept) { return Includes(kept, *t); });
    // The first of equal ones stays.
    const bool comes = std::any_of(
        t + 1, all.end(), [&t](const Value& later) { return later != *t && Includes(later, *t); });
    if (!had && !comes) merged.push_back(*t);
  }
  return Value::Array(std::move(merged));
}

class RuntimeClass final : public Plugin {
 public:
  explicit RuntimeClass(const PluginContext& context) : context_(context) {}
  std::string_view name() const override { return "RuntimeClass"; }
  bool Handles(const Attributes& a) const override { return Concerns(a); }
  // Nearly all pods have no class: from the first on that has, each is judged again at the end.
  bool Judges() const override { return seen_; }
  bool Validates(const Attributes& a) const override { return Concerns(a); }

  sim::Task<api::Status> Admit(Attributes& a) override {
    seen_ = true;
    const api::Result<api::Object> found = co_await ClassOf(a);
    if (!found.ok()) co_return found.status();
    const api::Status refused = SetOverhead(a, found->tree());
    if (!refused.ok()) co_return refused;
    co_return SetScheduling(a, found->tree());
  }

  // validateOverhead.
  sim::Task<api::Status> Validate(Attributes& a) override {
    const api::Result<api::Object> found = co_await ClassOf(a);
    if (!found.ok()) co_return found.status();
    const Value& overhead = found->tree().Get("overhead");
    const Value& given = a.object.Get(OverheadPath());
    if (overhead.is_null() && !given.is_null())
      co_return AdmissionForbidden(
          a, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    if (!overhead.is_null() && !Equal(overhead.Get("podFixed"), given))
      co_return AdmissionForbidden(a, kOtherOverhead);
    co_return api::Status();
  }

 private:
  static const Path& OverheadPath() {
    static const Path path{"spec", "overhead"};
    return path;
  }

  // New pods alone, and of those the ones that could be refused or changed.
  static bool Concerns(const Attributes& a) {
    static const Path kName{"spec", "runtimeClassName"};
    return a.operation == Operation::kCreate && a.Is("", "pods") &&
           (!a.object.Get(kName).is_null() || !a.object.Get(OverheadPath()).is_null());
  }

  static bool Equal(const Value& a, const Value& b) {
    return api::ResourceListOf(a) == api::ResourceListOf(b);
  }

  // prepareObjects. Empty for a pod without a class. What the cache lacks is looked up in etcd.
  sim::Task<api::Result<api::Object>> ClassOf(const Attributes& a) {
    static const Path kName{"spec", "runtimeClassName"};
    const Value asked = a.object.Get(kName);
    if (asked.is_null()) co_return api::Object();
    const std::string name(asked.AsString());
    api::Object cached = Classes().Suggestion("", name);
    if (!cached.empty()) co_return cached;
    api::Result<api::Object> live = co_await Classes().storage().Get("", name, 0);
    if (!live.ok() && api::IsNotFound(live.status()))
      co_return AdmissionForbidden(
          a, fmt::format("pod rejected: RuntimeClass {} not found", api::GoQuote(name)));
    co_return live;
  }

  static api::Status SetOverhead(Attributes& a, const Value& runtime) {
    const Value& overhead = runtime.Get("overhead");
    if (overhead.is_null()) return api::Status();
    const Value& given = a.object.Get(OverheadPath());
    const Value& fixed = overhead.Get("podFixed");
    if (!given.empty() && !Equal(fixed, given)) return AdmissionForbidden(a, kOtherOverhead);
    a.object = fixed.empty() ? a.object.Erase(OverheadPath()) : a.object.Set(OverheadPath(), fixed);
    return api::Status();
  }

  static api::Status SetScheduling(Attributes& a, const Value& runtime) {
    static const Path kSelector{"spec", "nodeSelector"};
    static const Path kTolerations{"spec", "tolerations"};
    const Value& scheduling = runtime.Get("scheduling");
    if (scheduling.is_null()) return api::Status();
    Value selector = a.object.Get(kSelector);
    for (const Value::Member& m : scheduling.Get("nodeSelector").members()) {
      const Value& given = selector.Get(m.name);
      if (!given.is_null() && given != m.value)
        return AdmissionForbidden(
            a, fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
                           "pod.spec.nodeSelector[{0}] = {2}",
                           m.name.text(), m.value.AsString(), given.AsString()));
      if (selector.is_null()) selector = Value::EmptyObject();
      selector = selector.Set(m.name, m.value);
    }
    if (!selector.is_null()) a.object = a.object.Set(kSelector, selector);
    const Value merged =
        MergeTolerations(a.object.Get(kTolerations), scheduling.Get("tolerations"));
    if (!merged.empty()) a.object = a.object.Set(kTolerations, merged);
    return api::Status();
  }

  CacheDelegator& Classes() const {
    return context_.resources.StorageFor(
        *context_.kinds.ByResource("node.k8s.io", "runtimeclasses"));
  }

  PluginContext context_;
  bool seen_ = false;
};

}  // namespace

std::unique_ptr<Plugin> MakeRuntimeClass(const PluginContext& context) {
  return std::make_unique<RuntimeClass>(context);
}

}  // namespace ksim::apiserver
