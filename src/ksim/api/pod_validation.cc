#include "ksim/api/pod_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "ksim/api/meta_validation.h"
#include "ksim/api/name_rules.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom annotations{"annotations"}, conditions{"conditions"}, containers{"containers"},
      deadline{"activeDeadlineSeconds"}, dns_policy{"dnsPolicy"}, effect{"effect"},
      ephemeral{"ephemeralContainers"}, gates{"schedulingGates"}, hostname{"hostname"},
      image{"image"}, key{"key"}, labels{"labels"}, metadata{"metadata"}, name{"name"},
      node_name{"nodeName"}, node_selector{"nodeSelector"}, op{"operator"},
      preemption{"preemptionPolicy"}, priority_class{"priorityClassName"},
      restart_policy{"restartPolicy"}, scheduler{"schedulerName"}, seconds{"tolerationSeconds"},
      service_account{"serviceAccountName"}, spec{"spec"}, subdomain{"subdomain"},
      tolerations{"tolerations"}, value{"value"}, volumes{"volumes"};
};
const Names& N() {
  static const Names names;
  return names;
}

// Names and the number of sources; what each source needs is not looked at.
std::vector<std::string_view> CheckVolumes(const Value& volumes, const FieldPath& path,
                                           FieldErrorList* errors) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& volume = volumes.at(i);
    const std::string_view name = volume.Get(N().name).AsString();
    bool first = true;
    for (const Value::Member& m : volume.members()) {
      if (m.name == N().name) continue;
      if (!first) {
        errors->Forbidden(at.Child(m.name.text()), "may not specify more than 1 volume type");
      }
      first = false;
    }
    if (first) errors->Required(at, "must specify a volume type");
    if (name.empty()) {
      errors->Required(at.Child("name"));
      continue;
    }
    const NameProblems problems = Dns1123Label(name, errors->compat());
    errors->InvalidAll(at.Child("name"), name, problems);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      errors->Duplicate(at.Child("name"), name);
    }
    names.push_back(name);
  }
  return names;
}

void CheckToleration(const Value& toleration, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view key = toleration.Get(N().key).AsString();
  const std::string_view op = toleration.Get(N().op).AsString();
  const std::string_view effect = toleration.Get(N().effect).AsString();
  const std::string_view tolerated = toleration.Get(N().value).AsString();
  if (!key.empty()) {
    errors->InvalidAll(path.Child("key"), key, QualifiedName(key, errors->compat()));
  } else if (op != "Exists") {
    errors->Invalid(path.Child("operator"), op,
                    "operator must be Exists when `key` is empty, which means \"match all values "
                    "and all keys\"");
  }
  if (!toleration.Get(N().seconds).is_null() && effect != "NoExecute") {
    errors->Invalid(path.Child("effect"), effect,
                    "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    const NameProblems problems = LabelValue(tolerated, errors->compat());
    if (!problems.empty()) {
      errors->Invalid(path.Child("operator"), tolerated,
                      fmt::format("{}", fmt::join(problems, ";")));
    }
  } else if (op == "Exists") {
    if (!tolerated.empty()) {
      errors->Invalid(path.Child("operator"), toleration, GoShape::kOther,
                      "value must be empty when `operator` is 'Exists'");
    }
  } else {
    errors->NotSupported(path.Child("operator"), op, {"Equal", "Exists"});
  }
  if (!effect.empty()) ValidateTaintEffect(effect, path.Child("effect"), errors);
}

void CheckRestartPolicy(std::string_view policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.empty()) {
    errors->Required(path);
  } else if (policy != "Always" && policy != "OnFailure" && policy != "Never") {
    errors->NotSupported(path, policy, {"Always", "OnFailure", "Never"});
  }
}

void CheckDnsPolicy(std::string_view policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.empty()) {
    errors->Required(path);
  } else if (policy != "ClusterFirstWithHostNet" && policy != "ClusterFirst" &&
             policy != "Default" && policy != "None") {
    errors->NotSupported(path, policy,
                         {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  }
}

void CheckNamesOf(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  for (const Atom field : {N().service_account, N().node_name}) {
    const std::string_view name = spec.Get(field).AsString();
    if (!name.empty()) errors->InvalidAll(path.Child(field.text()), name, Dns1123Subdomain(name));
  }
  const Value& deadline = spec.Get(N().deadline);
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (deadline.is_int() && (deadline.AsInt() < 1 || deadline.AsInt() > kMax)) {
    errors->Invalid(path.Child("activeDeadlineSeconds"), deadline.AsInt(),
                    "must be between 1 and 2147483647, inclusive");
  }
  for (const Atom field : {N().hostname, N().subdomain}) {
    const std::string_view name = spec.Get(field).AsString();
    if (!name.empty()) {
      errors->InvalidAll(path.Child(field.text()), name, Dns1123Label(name, errors->compat()));
    }
  }
}

void CheckGates(const Value& gates, const FieldPath& path, FieldErrorList* errors) {
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = gates.at(i).Get(N().name).AsString();
    errors->InvalidAll(at.Child("name"), name, QualifiedName(name, errors->compat()));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      errors->Duplicate(at.Child("name"), name);
    }
    seen.push_back(name);
  }
}

// ValidatePodSpecificAnnotations, helper.GetDeletionCostFromPodAnnotations: no plus sign, no zeros
// before the number.
void CheckDeletionCost(const Value& metadata, const FieldPath& path, FieldErrorList* errors) {
  static const value::Path kCost{"annotations", "controller.kubernetes.io/pod-deletion-cost"};
  const Value& cost = metadata.Get(kCost);
  if (!cost.is_string()) return;
  const std::string_view text = cost.AsString();
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool zeros = text.size() > 1 && text[0] == '0';
  if (error == std::errc() && end == text.data() + text.size() && !zeros) return;
  errors->Invalid(path.Child("annotations").Key("controller.kubernetes.io/pod-deletion-cost"), text,
                  "must be a 32bit integer");
}

}  // namespace

void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrorList* errors) {
  if (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute") return;
  errors->NotSupported(path, effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void ValidatePodSpec(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::vector<std::string_view> volumes =
      CheckVolumes(spec.Get(N().volumes), path.Child("volumes"), errors);
  ValidateContainers(spec, volumes, path, errors);
  CheckRestartPolicy(spec.Get(N().restart_policy).AsString(), path.Child("restartPolicy"), errors);
  CheckDnsPolicy(spec.Get(N().dns_policy).AsString(), path.Child("dnsPolicy"), errors);
  ValidateLabels(spec.Get(N().node_selector), path.Child("nodeSelector"), errors);
  CheckGates(spec.Get(N().gates), path.Child("schedulingGates"), errors);
  CheckNamesOf(spec, path, errors);
  const Value& tolerations = spec.Get(N().tolerations);
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const FieldPath list = path.Child("tolerations");
    CheckToleration(tolerations.at(i), list.Index(i), errors);
  }
  const std::string_view priority = spec.Get(N().priority_class).AsString();
  if (!priority.empty()) {
    errors->InvalidAll(path.Child("priorityClassName"), priority, Dns1123Subdomain(priority));
  }
  const std::string_view preemption = spec.Get(N().preemption).AsString();
  if (!preemption.empty() && preemption != "PreemptLowerPriority" && preemption != "Never") {
    errors->NotSupported(path.Child("preemptionPolicy"), preemption,
                         {"PreemptLowerPriority", "Never"});
  }
}

void ValidatePodTemplate(const Value& pod_template, const FieldPath& path, FieldErrorList* errors) {
  const Value& metadata = pod_template.Get(N().metadata);
  // Upstream leaves "metadata" out of these two paths.
  ValidateLabels(metadata.Get(N().labels), path.Child("labels"), errors);
  ValidateAnnotations(metadata.Get(N().annotations), path.Child("annotations"), errors);
  CheckDeletionCost(metadata, path, errors);
  const FieldPath spec = path.Child("spec");
  ValidatePodSpec(pod_template.Get(N().spec), spec, errors);
  if (!pod_template.Get(N().spec).Get(N().ephemeral).empty()) {
    errors->Forbidden(spec.Child("ephemeralContainers"),
                      "ephemeral containers not allowed in pod template");
  }
}

void ValidatePodCreate(const Value& pod, FieldErrorList* errors) {
  CheckDeletionCost(pod.Get("metadata"), FieldPath("metadata"), errors);
  const FieldPath path("spec");
  const Value& spec = pod.Get(N().spec);
  ValidatePodSpec(spec, path, errors);
  const Value& containers = spec.Get(N().containers);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string_view image = containers.at(i).Get(N().image).AsString();
    if (image.empty() || (image.front() != ' ' && image.back() != ' ')) continue;
    const FieldPath list = path.Child("containers");
    const FieldPath at = list.Index(i);
    errors->Invalid(at.Child("image"), image, "must not have leading or trailing whitespace");
  }
  if (!spec.Get(N().ephemeral).empty()) {
    errors->Forbidden(path.Child("ephemeralContainers"), "cannot be set on create");
  }
  if (!spec.Get(N().node_name).AsString().empty() && !spec.Get(N().gates).empty()) {
    errors->Forbidden(path.Child("nodeName"),
                      "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace ksim::api
