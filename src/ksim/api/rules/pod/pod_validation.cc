#include "ksim/api/rules/pod/pod_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/api/rules/pod/pod_affinity.h"
#include "ksim/api/rules/pod/pod_containers.h"
#include "ksim/api/rules/pod/pod_dns.h"
#include "ksim/api/rules/pod/pod_facts.h"
#include "ksim/api/rules/pod/pod_os.h"
#include "ksim/api/rules/pod/pod_security.h"
#include "ksim/api/rules/pod/pod_volumes.h"
#include "ksim/api/rules/pod/tolerations.h"
#include "ksim/api/rules/pod/topology_spread.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

const Value& DeletionCost(const Value& metadata) {
  static const value::Path kCost{"annotations", value::PathStep(kPodDeletionCost)};
  return metadata.Get(kCost);
}

bool IsBadCost(const Value& cost) {
  return cost.is_string() && !ParseDeletionCost(cost.AsString());
}

// ValidatePodSpecificAnnotations.
void CheckDeletionCost(const Value& metadata, const FieldPath& path, FieldErrorList* errors) {
  const Value& cost = DeletionCost(metadata);
  if (!IsBadCost(cost)) return;
  errors->Invalid(path.Child("annotations").Key(kPodDeletionCost), cost.AsString(),
                  "must be a 32bit integer");
}

void CheckNamesOf(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  for (const Atom field : {Fields().service_account_name, Fields().node_name}) {
    const std::string_view name = spec.Get(field).AsString();
    if (!name.empty()) errors->InvalidAll(path.Child(field.text()), name, Dns1123Subdomain(name));
  }
  const Value& deadline = spec.Get(Fields().active_deadline_seconds);
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (deadline.is_int() && (deadline.AsInt() < 1 || deadline.AsInt() > kMax)) {
    errors->Invalid(path.Child("activeDeadlineSeconds"), deadline.AsInt(),
                    "must be between 1 and 2147483647, inclusive");
  }
  for (const Atom field : {Fields().hostname, Fields().subdomain}) {
    const std::string_view name = spec.Get(field).AsString();
    if (!name.empty()) {
      errors->InvalidAll(path.Child(field.text()), name, Dns1123Label(name, errors->compat()));
    }
  }
}

// Upstream names the entry, not its name.
void CheckSchedulingGates(const Value& gates, const FieldPath& path, FieldErrorList* errors) {
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = gates.at(i).Get(Fields().name).AsString();
    errors->InvalidAll(at, name, QualifiedName(name, errors->compat()));
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) errors->Duplicate(at, name);
    seen.push_back(name);
  }
}

void CheckReadinessGates(const Value& gates, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view type = gates.at(i).Get(Fields().condition_type).AsString();
    errors->InvalidAll(at.Child("conditionType"), type, QualifiedName(type, errors->compat()));
  }
}

void CheckPreemption(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null()) return;
  ValidateChoice(policy.AsString(), true, path, {"PreemptLowerPriority", "Never"}, errors);
}

// The last fields of a spec: classes of priority and runtime, overhead, the operating system.
void CheckClasses(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view priority = spec.Get(Fields().priority_class_name).AsString();
  if (!priority.empty()) {
    errors->InvalidAll(path.Child("priorityClassName"), priority, Dns1123Subdomain(priority));
  }
  const Value& runtime = spec.Get(Fields().runtime_class_name);
  if (!runtime.is_null()) {
    errors->InvalidAll(path.Child("runtimeClassName"), runtime.AsString(),
                       Dns1123Subdomain(runtime.AsString()));
  }
  CheckPreemption(spec.Get(Fields().preemption_policy), path.Child("preemptionPolicy"), errors);
  const Value& overhead = spec.Get(Fields().overhead);
  if (overhead.is_object()) {
    ValidateResources(value::Obj({{"limits", overhead}}), path.Child("overhead"), errors);
  }
  ValidateOs(spec, path, errors);
}

// validateContainersOnlyForPod.
void CheckImages(const Value& containers, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string_view image = containers.at(i).Get(Fields().image).AsString();
    if (image.empty() || (image.front() != ' ' && image.back() != ' ')) continue;
    const FieldPath at = path.Index(i);
    errors->Invalid(at.Child("image"), image, "must not have leading or trailing whitespace");
  }
}

// validatePodMetadataAndSpec: a token needs an account.
void CheckTokens(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  if (!spec.Get(Fields().service_account_name).AsString().empty()) return;
  const Value& volumes = spec.Get(Fields().volumes);
  const FieldPath list = path.Child("volumes");
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Value& sources = volumes.at(i).Get(Fields().projected).Get(Fields().sources);
    for (std::size_t j = 0; j < sources.size(); ++j) {
      if (!sources.at(j).Get(Fields().service_account_token).is_object()) continue;
      const FieldPath at = list.Index(i);
      const FieldPath projected = at.Child("projected");
      const FieldPath source_list = projected.Child("sources");
      const FieldPath source = source_list.Index(j);
      errors->Forbidden(source.Child("serviceAccountToken"),
                        "must not be specified when serviceAccountName is not set");
    }
  }
}

}  // namespace

void ValidatePodSpec(const Value& spec, const Value& pod_metadata, const FieldPath& path,
                     FieldErrorList* errors) {
  PodFacts pod(spec, pod_metadata.is_object());
  pod.volumes =
      ValidateVolumes(spec.Get(Fields().volumes), pod_metadata.Get(Fields().name).AsString(),
                      path.Child("volumes"), errors);
  ValidateContainers(pod, path, errors);
  ValidateChoice(spec.Get(Fields().restart_policy).AsString(), true, path.Child("restartPolicy"),
                 {"Always", "OnFailure", "Never"}, errors);
  const std::string_view dns_policy = spec.Get(Fields().dns_policy).AsString();
  ValidateChoice(dns_policy, true, path.Child("dnsPolicy"),
                 {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, errors);
  ValidateLabels(spec.Get(Fields().node_selector), path.Child("nodeSelector"), errors);
  ValidatePodSecurityContext(spec, path.Child("securityContext"), errors);
  ValidateAffinity(spec.Get(Fields().affinity), path.Child("affinity"), errors);
  ValidateDnsConfig(spec.Get(Fields().dns_config), dns_policy, path.Child("dnsConfig"), errors);
  CheckReadinessGates(spec.Get(Fields().readiness_gates), path.Child("readinessGates"), errors);
  CheckSchedulingGates(spec.Get(Fields().scheduling_gates), path.Child("schedulingGates"), errors);
  ValidateTopologySpread(spec.Get(Fields().topology_spread_constraints),
                         path.Child("topologySpreadConstraints"), errors);
  ValidateHostUsers(spec, path, errors);
  CheckNamesOf(spec, path, errors);
  ValidateTolerations(spec.Get(Fields().tolerations), path.Child("tolerations"), errors);
  ValidateHostAliases(spec.Get(Fields().host_aliases), path.Child("hostAliases"), errors);
  CheckClasses(spec, path, errors);
}

void ValidatePodTemplate(const Value& pod_template, const FieldPath& path, FieldErrorList* errors) {
  const Value& metadata = pod_template.Get(Fields().metadata);
  // Upstream leaves "metadata" out of these two paths.
  ValidateLabels(metadata.Get(Fields().labels), path.Child("labels"), errors);
  ValidateAnnotations(metadata.Get(Fields().annotations), path.Child("annotations"), errors);
  CheckDeletionCost(metadata, path, errors);
  const FieldPath spec = path.Child("spec");
  ValidatePodSpec(pod_template.Get(Fields().spec), Value(), spec, errors);
  if (!pod_template.Get(Fields().spec).Get(Fields().ephemeral_containers).empty()) {
    errors->Forbidden(spec.Child("ephemeralContainers"),
                      "ephemeral containers not allowed in pod template");
  }
}

// A deletion cost that was bad before may stay so, since /status does not check it:
// pkg/api/pod/util.go GetValidationOptionsFromPodSpecAndMeta.
void ValidatePodMetadataAndSpec(const Value& pod, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = pod.Get(Fields().spec);
  if (!IsBadCost(DeletionCost(old.Get(Fields().metadata))))
    CheckDeletionCost(pod.Get(Fields().metadata), FieldPath("metadata"), errors);
  ValidatePodSpec(spec, pod.Get(Fields().metadata), path, errors);
  CheckTokens(spec, path, errors);
  CheckImages(spec.Get(Fields().containers), path.Child("containers"), errors);
  CheckImages(spec.Get(Fields().init_containers), path.Child("initContainers"), errors);
}

void ValidatePodCreate(const Value& pod, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = pod.Get(Fields().spec);
  ValidatePodMetadataAndSpec(pod, Value(), errors);
  if (!spec.Get(Fields().ephemeral_containers).empty()) {
    errors->Forbidden(path.Child("ephemeralContainers"), "cannot be set on create");
  }
  if (!spec.Get(Fields().node_name).AsString().empty() &&
      !spec.Get(Fields().scheduling_gates).empty()) {
    errors->Forbidden(path.Child("nodeName"),
                      "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace ksim::api
