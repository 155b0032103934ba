// Containers and init containers.
//
// Source: pkg/apis/core/validation/validation.go validateContainers, validateInitContainers,
// validateContainerCommon, validatePodHostNetworkDeps.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_parts.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

using NameSet = std::vector<std::string>;

// Adds `name`; false if it was there.
bool Insert(NameSet* set, std::string name) {
  if (std::find(set->begin(), set->end(), name) != set->end()) return false;
  set->push_back(std::move(name));
  return true;
}

void CheckPort(const Value& port, const FieldPath& path, NameSet* names, FieldErrorList* errors) {
  const std::string_view name = port.Get(Fields().name).AsString();
  if (!name.empty()) {
    const NameProblems problems = PortName(name);
    errors->InvalidAll(path.Child("name"), name, problems);
    if (problems.empty() && !Insert(names, std::string(name))) {
      errors->Duplicate(path.Child("name"), name);
    }
  }
  const auto number = [&](Atom field) {
    const std::int64_t n = port.Get(field).AsInt();
    for (const std::string& problem : PortNumber(n)) {
      errors->Invalid(path.Child(field.text()), n, problem);
    }
  };
  if (port.Get(Fields().container_port).AsInt() == 0) {
    errors->Required(path.Child("containerPort"));
  } else {
    number(Fields().container_port);
  }
  if (port.Get(Fields().host_port).AsInt() != 0) number(Fields().host_port);
  ValidateChoice(port.Get(Fields().protocol).AsString(), true, path.Child("protocol"),
                 {"SCTP", "TCP", "UDP"}, errors);
}

// validateResizePolicy; from 1.27 on. Upstream names the list where an entry is wrong.
void CheckResizePolicy(const Value& policies, const PodFacts& pod, const FieldPath& path,
                       FieldErrorList* errors) {
  if (!errors->profile().resize_policy) return;
  NameSet seen;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string_view resource = policies.at(i).Get(Fields().resource_name).AsString();
    const std::string_view restart = policies.at(i).Get(Fields().restart_policy).AsString();
    if (!Insert(&seen, std::string(resource))) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}", GoValue(Value::String(resource),
                                                             GoShape::kStringer, errors->compat())),
                  path.Index(i).ToString());
    }
    ValidateChoice(resource, true, path, {"cpu", "memory"}, errors);
    ValidateChoice(restart, true, path, {"NotRequired", "RestartContainer"}, errors);
    if (pod.spec.Get(Fields().restart_policy).AsString() == "Never" && restart != "NotRequired") {
      errors->Invalid(path, restart,
                      fmt::format("must be 'NotRequired' when {}`restartPolicy` is 'Never'",
                                  errors->profile().resize_text_names_pod ? "pod " : ""));
    }
  }
}

// validateContainerCommon.
void CheckCommon(const Value& c, const PodFacts& pod, const FieldPath& path,
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
  NameSet port_names;
  const Value& ports = c.Get(Fields().ports);
  const FieldPath port_list = path.Child("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    CheckPort(ports.at(i), port_list.Index(i), &port_names, errors);
  }
  ValidateEnv(c.Get(Fields().env), path.Child("env"), errors);
  ValidateEnvFrom(c.Get(Fields().env_from), path.Child("envFrom"), errors);
  ValidateMounts(c, pod, path, errors);
  ValidateChoice(c.Get(Fields().image_pull_policy).AsString(), true, path.Child("imagePullPolicy"),
                 {"Always", "IfNotPresent", "Never"}, errors);
  ValidateResources(c.Get(Fields().resources), path.Child("resources"), errors);
  CheckResizePolicy(c.Get(Fields().resize_policy), pod, path.Child("resizePolicy"), errors);
  ValidateSecurityContext(c.Get(Fields().security_context), pod, path.Child("securityContext"),
                          errors);
}

// AccumulateUniqueHostPorts for containers `first` to before `last`; upstream counts from `first`.
void CheckHostPorts(const Value& containers, std::size_t first, std::size_t last,
                    const FieldPath& path, FieldErrorList* errors) {
  NameSet taken;
  for (std::size_t i = first; i < last; ++i) {
    const Value& ports = containers.at(i).Get(Fields().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const Value& port = ports.at(j);
      const std::int64_t number = port.Get(Fields().host_port).AsInt();
      if (number == 0) continue;
      std::string place = fmt::format("{}/{}/{}", port.Get(Fields().protocol).AsString(),
                                      port.Get(Fields().host_ip).AsString(), number);
      if (Insert(&taken, place)) continue;
      const FieldPath container = path.Index(i - first);
      const FieldPath list = container.Child("ports");
      const FieldPath at = list.Index(j);
      errors->Duplicate(at.Child("hostPort"), place);
    }
  }
}

void CheckRegular(const Value& containers, const PodFacts& pod, const FieldPath& path,
                  NameSet* names, FieldErrorList* errors) {
  if (containers.empty()) {
    errors->Required(path);
    return;
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckCommon(c, pod, at, errors);
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
  CheckHostPorts(containers, 0, containers.size(), path, errors);
}

void CheckInitPolicy(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null() || !errors->profile().sidecar_containers) return;
  if (errors->profile().container_restart_rules) {
    ValidateChoice(policy.AsString(), false, path, {"Always", "Never", "OnFailure"}, errors);
  } else {
    ValidateChoice(policy.AsString(), false, path, {"Always"}, errors);
  }
}

void CheckInit(const Value& containers, const PodFacts& pod, const FieldPath& path, NameSet* names,
               FieldErrorList* errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckCommon(c, pod, at, errors);
    CheckInitPolicy(c.Get(Fields().restart_policy), at.Child("restartPolicy"), errors);
    const std::string_view name = c.Get(Fields().name).AsString();
    const bool known = std::find(names->begin(), names->end(), name) != names->end();
    if (known) {
      errors->Duplicate(at.Child("name"), name);
    } else if (!name.empty()) {
      names->emplace_back(name);
    }
    CheckHostPorts(containers, i, i + 1, path, errors);
    const bool sidecar = errors->profile().sidecar_containers &&
                         c.Get(Fields().restart_policy).AsString() == "Always";
    if (sidecar) {
      ValidateHandlers(c, pod, at, errors);
    } else {
      const char* const why =
          errors->profile().sidecar_containers
              ? "may not be set for init containers without restartPolicy=Always"
              : "must not be set for init containers";
      for (const Atom field : {Fields().lifecycle, Fields().liveness_probe,
                               Fields().readiness_probe, Fields().startup_probe}) {
        if (!c.Get(field).is_null()) errors->Forbidden(at.Child(field.text()), why);
      }
    }
    if (errors->profile().init_resize_policy_refused && !c.Get(Fields().resize_policy).empty()) {
      errors->Invalid(at.Child("resizePolicy"), c.Get(Fields().resize_policy), GoShape::kOther,
                      "must not be set for init containers");
    }
  }
}

// validatePodHostNetworkDeps.
void CheckHostNetwork(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors) {
  if (!pod.spec.Get(Fields().host_network).AsBool()) return;
  const Value& containers = pod.spec.Get(Fields().containers);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const FieldPath list = at.Child("ports");
    const Value& ports = containers.at(i).Get(Fields().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const std::int64_t host_port = ports.at(j).Get(Fields().host_port).AsInt();
      const bool counts = pod.is_pod || host_port != 0;
      if (!counts || host_port == ports.at(j).Get(Fields().container_port).AsInt()) continue;
      const FieldPath port = list.Index(j);
      errors->Invalid(port.Child("hostPort"), host_port,
                      "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

}  // namespace

void ValidateContainers(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors) {
  NameSet names;
  const FieldPath containers = path.Child("containers");
  CheckRegular(pod.spec.Get(Fields().containers), pod, containers, &names, errors);
  CheckInit(pod.spec.Get(Fields().init_containers), pod, path.Child("initContainers"), &names,
            errors);
  CheckHostNetwork(pod, containers, errors);
}

}  // namespace ksim::api
