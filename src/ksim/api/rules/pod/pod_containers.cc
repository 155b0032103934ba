// Containers and init containers.
//
// Source: pkg/apis/core/validation/validation.go validateContainers, validateInitContainers,
// validateContainerCommon, validatePodHostNetworkDeps.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_parts.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom container_port{"containerPort"}, containers{"containers"}, env{"env"}, env_from{"envFrom"},
      host_ip{"hostIP"}, host_network{"hostNetwork"}, host_port{"hostPort"}, image{"image"},
      init_containers{"initContainers"}, lifecycle{"lifecycle"}, liveness{"livenessProbe"},
      message_policy{"terminationMessagePolicy"}, name{"name"}, ports{"ports"},
      protocol{"protocol"}, pull_policy{"imagePullPolicy"}, readiness{"readinessProbe"},
      resize_policy{"resizePolicy"}, resource_name{"resourceName"}, resources{"resources"},
      restart_policy{"restartPolicy"}, security{"securityContext"}, startup{"startupProbe"};
};
const Names& N() {
  static const Names names;
  return names;
}

using NameSet = std::vector<std::string>;

// Adds `name`; false if it was there.
bool Insert(NameSet* set, std::string name) {
  if (std::find(set->begin(), set->end(), name) != set->end()) return false;
  set->push_back(std::move(name));
  return true;
}

void CheckPort(const Value& port, const FieldPath& path, NameSet* names, FieldErrorList* errors) {
  const std::string_view name = port.Get(N().name).AsString();
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
  if (port.Get(N().container_port).AsInt() == 0) {
    errors->Required(path.Child("containerPort"));
  } else {
    number(N().container_port);
  }
  if (port.Get(N().host_port).AsInt() != 0) number(N().host_port);
  ValidateChoice(port.Get(N().protocol).AsString(), true, path.Child("protocol"),
                 {"SCTP", "TCP", "UDP"}, errors);
}

// validateResizePolicy; from 1.27 on. Upstream names the list where an entry is wrong.
void CheckResizePolicy(const Value& policies, const PodFacts& pod, const FieldPath& path,
                       FieldErrorList* errors) {
  if (errors->compat() == Compat::k1_25) return;
  NameSet seen;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string_view resource = policies.at(i).Get(N().resource_name).AsString();
    const std::string_view restart = policies.at(i).Get(N().restart_policy).AsString();
    if (!Insert(&seen, std::string(resource))) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}", GoValue(Value::String(resource),
                                                             GoShape::kStringer, errors->compat())),
                  path.Index(i).ToString());
    }
    ValidateChoice(resource, true, path, {"cpu", "memory"}, errors);
    ValidateChoice(restart, true, path, {"NotRequired", "RestartContainer"}, errors);
    if (pod.spec.Get(N().restart_policy).AsString() == "Never" && restart != "NotRequired") {
      errors->Invalid(path, restart,
                      fmt::format("must be 'NotRequired' when {}`restartPolicy` is 'Never'",
                                  errors->compat() == Compat::k1_36 ? "pod " : ""));
    }
  }
}

// validateContainerCommon.
void CheckCommon(const Value& c, const PodFacts& pod, const FieldPath& path,
                 FieldErrorList* errors) {
  const std::string_view name = c.Get(N().name).AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, Dns1123Label(name, errors->compat()));
  }
  if (c.Get(N().image).AsString().empty()) errors->Required(path.Child("image"));
  ValidateChoice(c.Get(N().message_policy).AsString(), true, path.Child("terminationMessagePolicy"),
                 {"File", "FallbackToLogsOnError"}, errors);
  NameSet port_names;
  const Value& ports = c.Get(N().ports);
  const FieldPath port_list = path.Child("ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    CheckPort(ports.at(i), port_list.Index(i), &port_names, errors);
  }
  ValidateEnv(c.Get(N().env), path.Child("env"), errors);
  ValidateEnvFrom(c.Get(N().env_from), path.Child("envFrom"), errors);
  ValidateMounts(c, pod, path, errors);
  ValidateChoice(c.Get(N().pull_policy).AsString(), true, path.Child("imagePullPolicy"),
                 {"Always", "IfNotPresent", "Never"}, errors);
  ValidateResources(c.Get(N().resources), path.Child("resources"), errors);
  CheckResizePolicy(c.Get(N().resize_policy), pod, path.Child("resizePolicy"), errors);
  ValidateSecurityContext(c.Get(N().security), pod, path.Child("securityContext"), errors);
}

// AccumulateUniqueHostPorts for containers `first` to before `last`; upstream counts from `first`.
void CheckHostPorts(const Value& containers, std::size_t first, std::size_t last,
                    const FieldPath& path, FieldErrorList* errors) {
  NameSet taken;
  for (std::size_t i = first; i < last; ++i) {
    const Value& ports = containers.at(i).Get(N().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const Value& port = ports.at(j);
      const std::int64_t number = port.Get(N().host_port).AsInt();
      if (number == 0) continue;
      std::string place = fmt::format("{}/{}/{}", port.Get(N().protocol).AsString(),
                                      port.Get(N().host_ip).AsString(), number);
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
    const std::string_view name = c.Get(N().name).AsString();
    if (!Insert(names, std::string(name))) errors->Duplicate(at.Child("name"), name);
    ValidateHandlers(c, pod, at, errors);
    const Value& policy = c.Get(N().restart_policy);
    if (policy.is_null()) continue;
    // ContainerRestartRules lets regular containers have their own policy from 1.35 on.
    if (errors->compat() == Compat::k1_30) {
      errors->Forbidden(at.Child("restartPolicy"), "may not be set for non-init containers");
    } else if (errors->compat() == Compat::k1_36) {
      ValidateChoice(policy.AsString(), false, at.Child("restartPolicy"),
                     {"Always", "Never", "OnFailure"}, errors);
    }
  }
  CheckHostPorts(containers, 0, containers.size(), path, errors);
}

void CheckInitPolicy(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null() || errors->compat() == Compat::k1_25) return;
  if (errors->compat() == Compat::k1_30) {
    ValidateChoice(policy.AsString(), false, path, {"Always"}, errors);
  } else {
    ValidateChoice(policy.AsString(), false, path, {"Always", "Never", "OnFailure"}, errors);
  }
}

void CheckInit(const Value& containers, const PodFacts& pod, const FieldPath& path, NameSet* names,
               FieldErrorList* errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckCommon(c, pod, at, errors);
    CheckInitPolicy(c.Get(N().restart_policy), at.Child("restartPolicy"), errors);
    const std::string_view name = c.Get(N().name).AsString();
    const bool known = std::find(names->begin(), names->end(), name) != names->end();
    if (known) {
      errors->Duplicate(at.Child("name"), name);
    } else if (!name.empty()) {
      names->emplace_back(name);
    }
    CheckHostPorts(containers, i, i + 1, path, errors);
    const bool sidecar =
        errors->compat() != Compat::k1_25 && c.Get(N().restart_policy).AsString() == "Always";
    if (sidecar) {
      ValidateHandlers(c, pod, at, errors);
    } else {
      const char* const why =
          errors->compat() == Compat::k1_25
              ? "must not be set for init containers"
              : "may not be set for init containers without restartPolicy=Always";
      for (const Atom field : {N().lifecycle, N().liveness, N().readiness, N().startup}) {
        if (!c.Get(field).is_null()) errors->Forbidden(at.Child(field.text()), why);
      }
    }
    if (errors->compat() == Compat::k1_30 && !c.Get(N().resize_policy).empty()) {
      errors->Invalid(at.Child("resizePolicy"), c.Get(N().resize_policy), GoShape::kOther,
                      "must not be set for init containers");
    }
  }
}

// validatePodHostNetworkDeps.
void CheckHostNetwork(const PodFacts& pod, const FieldPath& path, FieldErrorList* errors) {
  if (!pod.spec.Get(N().host_network).AsBool()) return;
  const Value& containers = pod.spec.Get(N().containers);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const FieldPath list = at.Child("ports");
    const Value& ports = containers.at(i).Get(N().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const std::int64_t host_port = ports.at(j).Get(N().host_port).AsInt();
      const bool counts = pod.is_pod || host_port != 0;
      if (!counts || host_port == ports.at(j).Get(N().container_port).AsInt()) continue;
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
  CheckRegular(pod.spec.Get(N().containers), pod, containers, &names, errors);
  CheckInit(pod.spec.Get(N().init_containers), pod, path.Child("initContainers"), &names, errors);
  CheckHostNetwork(pod, containers, errors);
}

}  // namespace ksim::api
