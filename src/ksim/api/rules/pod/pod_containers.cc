#include "ksim/api/rules/pod/pod_containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/container_env.h"
#include "ksim/api/rules/pod/container_handlers.h"
#include "ksim/api/rules/pod/container_mounts.h"
#include "ksim/api/rules/pod/container_ports.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/api/rules/pod/name_set.h"
#include "ksim/api/rules/pod/pod_security.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// validateContainerCommon.
void CheckContainer(const Value& c, const PodFacts& pod, const FieldPath& path,
                    FieldErrorList* errors) {
  const std::string_view name = c.Get(Fields().name).AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, Dns1123Label(name, errors->compat()));
  }
  if (c.Get(Fields().image).AsString().empty()) errors->Required(path.Child("image"));
  ValidateChoice(c.Get(Fields().termination_message_policy).AsString(), true,
                 path.Child("terminationMessagePolicy"), {"File", "FallbackToLogsOnError"}, errors);
  ValidateContainerPorts(c.Get(Fields().ports), path.Child("ports"), errors);
  ValidateEnv(c.Get(Fields().env), path.Child("env"), errors);
  ValidateEnvFrom(c.Get(Fields().env_from), path.Child("envFrom"), errors);
  ValidateMounts(c, pod, path, errors);
  ValidateChoice(c.Get(Fields().image_pull_policy).AsString(), true, path.Child("imagePullPolicy"),
                 {"Always", "IfNotPresent", "Never"}, errors);
  ValidateResources(c.Get(Fields().resources), path.Child("resources"), errors);
  ValidateResizePolicy(c.Get(Fields().resize_policy), pod, path.Child("resizePolicy"), errors);
  ValidateSecurityContext(c.Get(Fields().security_context), pod, path.Child("securityContext"),
                          errors);
}

void CheckRegularContainers(const Value& containers, const PodFacts& pod, const FieldPath& path,
                            NameSet* names, FieldErrorList* errors) {
  if (containers.empty()) {
    errors->Required(path);
    return;
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckContainer(c, pod, at, errors);
    const std::string_view name = c.Get(Fields().name).AsString();
    if (!Insert(names, std::string(name))) errors->Duplicate(at.Child("name"), name);
    ValidateHandlers(c, pod, at, errors);
    const Value& policy = c.Get(Fields().restart_policy);
    if (policy.is_null()) continue;
    if (errors->profile().container_restart_rules) {
      ValidateChoice(policy.AsString(), false, at.Child("restartPolicy"),
                     {"Always", "Never", "OnFailure"}, errors);
    } else if (errors->profile().sidecar_containers) {
      errors->Forbidden(at.Child("restartPolicy"), "may not be set for non-init containers");
    }
  }
  ValidateHostPorts(containers, 0, containers.size(), path, errors);
}

void CheckInitRestartPolicy(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null() || !errors->profile().sidecar_containers) return;
  if (errors->profile().container_restart_rules) {
    ValidateChoice(policy.AsString(), false, path, {"Always", "Never", "OnFailure"}, errors);
  } else {
    ValidateChoice(policy.AsString(), false, path, {"Always"}, errors);
  }
}

// Only a sidecar has probes and hooks among the init containers.
void CheckInitHandlers(const Value& c, const PodFacts& pod, const FieldPath& path,
                       FieldErrorList* errors) {
  const bool sidecars = errors->profile().sidecar_containers;
  if (sidecars && c.Get(Fields().restart_policy).AsString() == "Always") {
    ValidateHandlers(c, pod, path, errors);
    return;
  }
  const char* const why = sidecars
                              ? "may not be set for init containers without restartPolicy=Always"
                              : "must not be set for init containers";
  for (const Atom field : {Fields().lifecycle, Fields().liveness_probe, Fields().readiness_probe,
                           Fields().startup_probe}) {
    if (!c.Get(field).is_null()) errors->Forbidden(path.Child(field.text()), why);
  }
}

void CheckInitContainers(const Value& containers, const PodFacts& pod, const FieldPath& path,
                         NameSet* names, FieldErrorList* errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckContainer(c, pod, at, errors);
    CheckInitRestartPolicy(c.Get(Fields().restart_policy), at.Child("restartPolicy"), errors);
    const std::string_view name = c.Get(Fields().name).AsString();
    const bool known = std::find(names->begin(), names->end(), name) != names->end();
    if (known) {
      errors->Duplicate(at.Child("name"), name);
    } else if (!name.empty()) {
      names->emplace_back(name);
    }
    ValidateHostPorts(containers, i, i + 1, path, errors);
    CheckInitHandlers(c, pod, at, errors);
    if (errors->profile().init_resize_policy_refused && !c.Get(Fields().resize_policy).empty()) {
      errors->Invalid(at.Child("resizePolicy"), c.Get(Fields().resize_policy), GoShape::kOther,
                      "must not be set for init containers");
    }
  }
}

// Fields that an ephemeral container may not have (allowedEphemeralContainerFields), in Go's order.
constexpr std::string_view kNotEphemeral[] = {
    "ports",         "resources",      "resizePolicy", "restartPolicy", "restartPolicyRules",
    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"};

// validateEphemeralContainers. `names`: those of all other containers.
void CheckEphemeralContainers(const Value& containers, const PodFacts& pod, const FieldPath& path,
                              const NameSet& others, FieldErrorList* errors) {
  constexpr std::string_view kWhy = "cannot be set for an Ephemeral Container";
  NameSet names = others;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckContainer(c, pod, at, errors);
    const std::string_view image = c.Get(Fields().image).AsString();
    if (!image.empty() && (image.front() == ' ' || image.back() == ' '))
      errors->Invalid(at.Child("image"), image, "must not have leading or trailing whitespace");
    const std::string_view name = c.Get(Fields().name).AsString();
    if (!Insert(&names, std::string(name))) errors->Duplicate(at.Child("name"), name);
    const std::string_view target = c.Get("targetContainerName").AsString();
    if (!target.empty() && std::find(others.begin(), others.end(), target) == others.end())
      errors->NotFound(at.Child("targetContainerName"), target);
    for (const std::string_view field : kNotEphemeral) {
      const Value& v = c.Get(field);
      const bool zero = v.is_null() || (field == "resources" && v.empty());
      if (!zero) errors->Forbidden(at.Child(field), kWhy);
    }
    const Value& mounts = c.Get(Fields().volume_mounts);
    const FieldPath list = at.Child("volumeMounts");
    for (std::size_t m = 0; m < mounts.size(); ++m) {
      for (const char* field : {"subPath", "subPathExpr"}) {
        if (mounts.at(m).Get(field).AsString().empty()) continue;
        const FieldPath mount = list.Index(m);
        errors->Forbidden(mount.Child(field), kWhy);
      }
    }
  }
}

}  // namespace

void ValidateContainers(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors) {
  NameSet names;
  const FieldPath containers = path.Child("containers");
  CheckRegularContainers(pod.spec.Get(Fields().containers), pod, containers, &names, errors);
  CheckInitContainers(pod.spec.Get(Fields().init_containers), pod, path.Child("initContainers"),
                      &names, errors);
  const Value& ephemeral = pod.spec.Get(Fields().ephemeral_containers);
  if (!ephemeral.empty())
    CheckEphemeralContainers(ephemeral, pod, path.Child("ephemeralContainers"), names, errors);
  ValidateHostNetwork(pod, containers, errors);
}

}  // namespace ksim::api
