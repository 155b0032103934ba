// What /status may say of a pod.
//
// Source: pkg/apis/core/validation/validation.go ValidatePodStatusUpdate, validatePodConditions,
// ValidateContainerStateTransition, validatePodIPs, validateHostIPs.
#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom conditions{"conditions"}, exit_code{"exitCode"}, host_ip{"hostIP"}, host_ips{"hostIPs"},
      init_containers{"initContainers"}, init_statuses{"initContainerStatuses"}, ip{"ip"},
      name{"name"}, node_name{"nodeName"}, nominated{"nominatedNodeName"},
      observed{"observedGeneration"}, pod_ips{"podIPs"}, qos{"qosClass"},
      restart_policy{"restartPolicy"}, spec{"spec"}, state{"state"}, status{"status"},
      statuses{"containerStatuses"}, terminated{"terminated"}, type{"type"};
};
const Names& N() {
  static const Names names;
  return names;
}

bool IsSidecar(const Value& spec, std::string_view name) {
  const auto items = spec.Get(N().init_containers).items();
  return std::any_of(items.begin(), items.end(), [&](const Value& c) {
    return c.Get(N().name).AsString() == name && PodView::IsSidecar(c);
  });
}

// A container that has ended stays so, where nothing restarts it.
void CheckEnded(const Value& statuses, const Value& old_statuses, const Value& spec, bool init,
                const FieldPath& path, FieldErrorList* errors) {
  const std::string_view policy = spec.Get(N().restart_policy).AsString();
  if (policy == "Always") return;
  for (std::size_t i = 0; i < old_statuses.size(); ++i) {
    const Value& before = old_statuses.at(i);
    const Value& ended = before.Get(N().state).Get(N().terminated);
    if (!ended.is_object()) continue;
    if (policy == "OnFailure" && ended.Get(N().exit_code).AsInt() != 0) continue;
    if (init && IsSidecar(spec, before.Get(N().name).AsString())) continue;
    for (const Value& after : statuses.items()) {
      if (after.Get(N().name) != before.Get(N().name)) continue;
      if (after.Get(N().state).Get(N().terminated).is_object()) continue;
      const FieldPath at = path.Index(i);
      errors->Forbidden(at.Child("state"), "may not be transitioned to non-terminated state");
    }
  }
}

void CheckConditions(const Value& conditions, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::int64_t generation = conditions.at(i).Get(N().observed).AsInt();
    if (errors->compat() == Compat::k1_36 && generation < 0) {
      errors->Invalid(at.Child("observedGeneration"), generation, "must be a non-negative integer");
    }
    const std::string_view type = conditions.at(i).Get(N().type).AsString();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    errors->InvalidAll(at.Child("Type"), type, QualifiedName(type, errors->compat()));
  }
}

void CheckIps(const Value& ips, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = ips.at(i).Get(N().ip).AsString();
    errors->InvalidAll(path.Index(i), ip, IpAddress(ip));
  }
}

void CheckNominated(const Value& updated, const Value& old, const FieldPath& path,
                    FieldErrorList* errors) {
  const std::string_view name = updated.Get(N().nominated).AsString();
  if (name.empty() || name == old.Get(N().nominated).AsString()) return;
  errors->InvalidAll(path.Child("nominatedNodeName"), name, Dns1123Subdomain(name));
}

}  // namespace

void ValidatePodStatusUpdate(const Value& pod, const Value& old, FieldErrorList* errors) {
  const Value& updated = pod.Get(N().status);
  const Value& before = old.Get(N().status);
  const Value& spec = old.Get(N().spec);
  const FieldPath path("status");
  // Upstream looked for the conditions in the metadata until 1.33.
  const FieldPath conditions(errors->compat() == Compat::k1_36 ? "status" : "metadata");
  CheckConditions(updated.Get(N().conditions), conditions.Child("conditions"), errors);
  CheckNominated(updated, before, path, errors);
  if (errors->compat() == Compat::k1_36) {
    ValidateImmutable(updated.Get(N().qos), before.Get(N().qos), GoShape::kOther,
                      path.Child("qosClass"), errors);
  }
  CheckEnded(updated.Get(N().statuses), before.Get(N().statuses), spec, false,
             path.Child("containerStatuses"), errors);
  CheckEnded(updated.Get(N().init_statuses), before.Get(N().init_statuses), spec, true,
             path.Child("initContainerStatuses"), errors);
  CheckIps(updated.Get(N().pod_ips), path.Child("podIPs"), errors);
  const Value& host_ips = updated.Get(N().host_ips);
  const FieldPath list = path.Child("hostIPs");
  if (!host_ips.empty() && updated.Get(N().host_ip) != host_ips.at(0).Get(N().ip)) {
    const FieldPath first = list.Index(0);
    errors->Invalid(first.Child("ip"), host_ips.at(0).Get(N().ip).AsString(),
                    "must be equal to `hostIP`");
  }
  CheckIps(host_ips, list, errors);
}

}  // namespace ksim::api
