#include "ksim/api/rules/pod/pod_status_validation.h"

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

bool IsSidecarNamed(const Value& spec, std::string_view name) {
  const auto items = spec.Get(Fields().init_containers).items();
  return std::any_of(items.begin(), items.end(), [&](const Value& c) {
    return c.Get(Fields().name).AsString() == name && PodView::IsSidecar(c);
  });
}

// A container that ended stays so unless the restart policy starts it again.
void CheckEndedContainers(const Value& statuses, const Value& old_statuses, const Value& spec,
                          bool init, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view policy = spec.Get(Fields().restart_policy).AsString();
  if (policy == "Always") return;
  for (std::size_t i = 0; i < old_statuses.size(); ++i) {
    const Value& before = old_statuses.at(i);
    const Value& ended = before.Get(Fields().state).Get(Fields().terminated);
    if (!ended.is_object()) continue;
    if (policy == "OnFailure" && ended.Get(Fields().exit_code).AsInt() != 0) continue;
    if (init && IsSidecarNamed(spec, before.Get(Fields().name).AsString())) continue;
    for (const Value& after : statuses.items()) {
      if (after.Get(Fields().name) != before.Get(Fields().name)) continue;
      if (after.Get(Fields().state).Get(Fields().terminated).is_object()) continue;
      const FieldPath at = path.Index(i);
      errors->Forbidden(at.Child("state"), "may not be transitioned to non-terminated state");
    }
  }
}

void CheckPodConditions(const Value& conditions, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::int64_t generation = conditions.at(i).Get(Fields().observed_generation).AsInt();
    if (errors->profile().pod_observed_generation && generation < 0) {
      errors->Invalid(at.Child("observedGeneration"), generation, "must be a non-negative integer");
    }
    const std::string_view type = conditions.at(i).Get(Fields().type).AsString();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    errors->InvalidAll(at.Child("Type"), type, QualifiedName(type, errors->compat()));
  }
}

void CheckPodIps(const Value& ips, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = ips.at(i).Get(Fields().ip).AsString();
    errors->InvalidAll(path.Index(i), ip, IpAddress(ip));
  }
}

void CheckNominatedNode(const Value& updated, const Value& old, const FieldPath& path,
                        FieldErrorList* errors) {
  const std::string_view name = updated.Get(Fields().nominated_node_name).AsString();
  if (name.empty() || name == old.Get(Fields().nominated_node_name).AsString()) return;
  errors->InvalidAll(path.Child("nominatedNodeName"), name, Dns1123Subdomain(name));
}

}  // namespace

void ValidatePodStatusUpdate(const Value& pod, const Value& old, FieldErrorList* errors) {
  const Value& updated = pod.Get(Fields().status);
  const Value& before = old.Get(Fields().status);
  const Value& spec = old.Get(Fields().spec);
  const FieldPath path("status");
  // Upstream named metadata.conditions until 1.33.
  const FieldPath conditions(errors->profile().status_conditions_under_status ? "status"
                                                                              : "metadata");
  CheckPodConditions(updated.Get(Fields().conditions), conditions.Child("conditions"), errors);
  CheckNominatedNode(updated, before, path, errors);
  if (errors->profile().status_update_keeps_qos) {
    ValidateImmutable(updated.Get(Fields().qos_class), before.Get(Fields().qos_class),
                      GoShape::kOther, path.Child("qosClass"), errors);
  }
  CheckEndedContainers(updated.Get(Fields().container_statuses),
                       before.Get(Fields().container_statuses), spec, false,
                       path.Child("containerStatuses"), errors);
  CheckEndedContainers(updated.Get(Fields().init_container_statuses),
                       before.Get(Fields().init_container_statuses), spec, true,
                       path.Child("initContainerStatuses"), errors);
  CheckPodIps(updated.Get(Fields().pod_ips), path.Child("podIPs"), errors);
  const Value& host_ips = updated.Get(Fields().host_ips);
  const FieldPath list = path.Child("hostIPs");
  if (!host_ips.empty() && updated.Get(Fields().host_ip) != host_ips.at(0).Get(Fields().ip)) {
    const FieldPath first = list.Index(0);
    errors->Invalid(first.Child("ip"), host_ips.at(0).Get(Fields().ip).AsString(),
                    "must be equal to `hostIP`");
  }
  CheckPodIps(host_ips, list, errors);
}

}  // namespace ksim::api
