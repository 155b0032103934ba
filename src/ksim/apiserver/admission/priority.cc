// Priority: a pod's priority and preemption policy from its PriorityClass. The two system classes
// are known without their objects.
//
// Source: plugin/pkg/admission/priority/admission.go.
#include <fmt/format.h>

#include <optional>

#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

struct PriorityClass {
  PriorityClass(std::string n, std::int64_t v, std::string p)
      : name(std::move(n)), value(v), policy(std::move(p)) {}
  std::string name;
  std::int64_t value;
  std::string policy;
};

constexpr std::string_view kPreempt = "PreemptLowerPriority";

PriorityClass ClassOf(const api::Object& object) {
  std::string policy(object.tree().Get("preemptionPolicy").AsString());
  if (policy.empty()) policy = kPreempt;
  return PriorityClass(std::string(object.name()), object.tree().Get("value").AsInt(), policy);
}

class Priority final : public Plugin {
 public:
  explicit Priority(const PluginContext& context)
      : classes_(context.resources.StorageFor(
            *context.kinds.ByResource("scheduling.k8s.io", "priorityclasses"))) {}
  std::string_view name() const override { return "Priority"; }
  bool Handles(const Attributes& a) const override {
    return a.operation != Operation::kDelete && (a.Is("", "pods") || IsDefaultClass(a));
  }
  // From the first class on that is to be the default.
  bool Judges() const override { return default_seen_; }
  bool Validates(const Attributes& a) const override {
    return a.operation != Operation::kDelete && IsDefaultClass(a);
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    default_seen_ = default_seen_ || IsDefaultClass(a);
    if (IsDefaultClass(a)) co_return api::Status();
    if (a.operation == Operation::kUpdate) co_return RestoreOmittedFields(a);
    co_return AdmitNewPod(a);
  }

  // validatePriorityClass.
  sim::Task<api::Status> Validate(Attributes& a) override {
    const PriorityClass best = *GlobalDefault();
    const std::string_view name = a.object.Get("metadata").Get("name").AsString();
    const bool same = a.operation == Operation::kUpdate && best.name == name;
    if (best.name.empty() || same) co_return api::Status();
    co_return AdmissionForbidden(
        a, fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                       best.name));
  }

 private:
  static bool IsDefaultClass(const Attributes& a) {
    return a.Is("scheduling.k8s.io", "priorityclasses") && a.object.Get("globalDefault").AsBool();
  }

  // Values that a client leaves out of an update are those of the stored pod.
  static api::Status RestoreOmittedFields(Attributes& a) {
    for (const char* field : {"priority", "preemptionPolicy"}) {
      const Path path{"spec", field};
      if (a.object.Get(path).is_null() && !a.old.Get(path).is_null())
        a.object = a.object.Set(path, a.old.Get(path));
    }
    return api::Status();
  }

  api::Status AdmitNewPod(Attributes& a) const {
    static const Path kName{"spec", "priorityClassName"};
    static const Path kPriority{"spec", "priority"};
    static const Path kPolicy{"spec", "preemptionPolicy"};
    const std::string asked(a.object.Get(kName).AsString());
    const std::optional<PriorityClass> found = asked.empty() ? GlobalDefault() : ByName(asked);
    if (!found)
      return AdmissionForbidden(a, fmt::format("no PriorityClass with name {} was found", asked));
    const Value& priority = a.object.Get(kPriority);
    if (priority.is_int() && priority.AsInt() != found->value)
      return AdmissionForbidden(
          a, fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                         "priority admission controller computed {} from the given PriorityClass "
                         "name",
                         priority.AsInt(), found->value));
    const Value& policy = a.object.Get(kPolicy);
    if (policy.is_string() && policy.AsString() != found->policy)
      return AdmissionForbidden(
          a, fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod "
                         "spec; priority admission controller computed {} from the given "
                         "PriorityClass name",
                         policy.AsString(), found->policy));
    if (!found->name.empty()) a.object = a.object.Set(kName, Value::Of(found->name));
    a.object =
        a.object.Set(kPriority, Value::Of(found->value)).Set(kPolicy, Value::Of(found->policy));
    return api::Status();
  }

  std::optional<PriorityClass> ByName(const std::string& name) const {
    if (name == "system-cluster-critical")
      return PriorityClass(name, 2'000'000'000, std::string(kPreempt));
    if (name == "system-node-critical")
      return PriorityClass(name, 2'000'001'000, std::string(kPreempt));
    const api::Object object = classes_.Suggestion("", name);
    if (object.empty()) return std::nullopt;
    return ClassOf(object);
  }

  // The global default with the lowest value, as upstream; without one priority 0.
  std::optional<PriorityClass> GlobalDefault() const {
    std::optional<PriorityClass> best;
    for (const api::Object& object : classes_.cacher()->cache().List("", "")) {
      if (!object.tree().Get("globalDefault").AsBool()) continue;
      const PriorityClass candidate = ClassOf(object);
      if (!best || candidate.value < best->value) best = candidate;
    }
    return best ? best : PriorityClass("", 0, std::string(kPreempt));
  }

  CacheDelegator& classes_;
  bool default_seen_ = false;
};

}  // namespace

std::unique_ptr<Plugin> MakePriority(const PluginContext& context) {
  return std::make_unique<Priority>(context);
}

}  // namespace ksim::apiserver
