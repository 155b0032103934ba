#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ksim/api/name_rules.h"
#include "ksim/api/pod_validation.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom command{"command"}, container_port{"containerPort"}, containers{"containers"}, env{"env"},
      exec{"exec"}, failure{"failureThreshold"}, grpc{"grpc"}, host_ip{"hostIP"},
      host_port{"hostPort"}, http_get{"httpGet"}, image{"image"}, init_containers{"initContainers"},
      lifecycle{"lifecycle"}, liveness{"livenessProbe"}, message_policy{"terminationMessagePolicy"},
      mount_path{"mountPath"}, mounts{"volumeMounts"}, name{"name"}, path{"path"}, port{"port"},
      ports{"ports"}, post_start{"postStart"}, pre_stop{"preStop"}, protocol{"protocol"},
      pull_policy{"imagePullPolicy"}, readiness{"readinessProbe"}, resources{"resources"},
      restart_policy{"restartPolicy"}, scheme{"scheme"}, sleep{"sleep"}, startup{"startupProbe"},
      success{"successThreshold"}, tcp{"tcpSocket"}, value{"value"}, value_from{"valueFrom"};
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
  const std::string_view protocol = port.Get(N().protocol).AsString();
  if (protocol.empty()) {
    errors->Required(path.Child("protocol"));
  } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors->NotSupported(path.Child("protocol"), protocol, {"SCTP", "TCP", "UDP"});
  }
}

void CheckEnv(const Value& env, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < env.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& variable = env.at(i);
    const std::string_view name = variable.Get(N().name).AsString();
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else {
      errors->InvalidAll(at.Child("name"), name, EnvVarName(name, errors->compat()));
    }
    const Value& from = variable.Get(N().value_from);
    if (!from.is_object()) continue;
    if (from.empty()) {
      errors->Invalid(at.Child("valueFrom"), "",
                      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or "
                      "`secretKeyRef`");
    } else if (!variable.Get(N().value).AsString().empty()) {
      errors->Invalid(at.Child("valueFrom"), "", "may not be specified when `value` is not empty");
    } else if (from.size() > 1) {
      errors->Invalid(at.Child("valueFrom"), "",
                      "may not have more than one field specified at a "
                      "time");
    }
  }
}

void CheckMounts(const Value& mounts, const std::vector<std::string_view>& volumes,
                 const FieldPath& path, FieldErrorList* errors) {
  NameSet places;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = mounts.at(i).Get(N().name).AsString();
    const std::string_view place = mounts.at(i).Get(N().mount_path).AsString();
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else if (std::find(volumes.begin(), volumes.end(), name) == volumes.end()) {
      errors->NotFound(at.Child("name"), name);
    }
    if (place.empty()) {
      errors->Required(at.Child("mountPath"));
    } else if (!Insert(&places, std::string(place))) {
      errors->Invalid(at.Child("mountPath"), place, "must be unique");
    }
  }
}

// A number or a name: 1..65535, or a port's name.
void CheckHandlerPort(const Value& port, const FieldPath& path, FieldErrorList* errors) {
  if (port.is_string()) {
    errors->InvalidAll(path, port.AsString(), PortName(port.AsString()));
    return;
  }
  for (const std::string& problem : PortNumber(port.AsInt())) {
    errors->Invalid(path, port.AsInt(), problem);
  }
}

void CheckHandler(const Value& handler, const FieldPath& path, FieldErrorList* errors) {
  int handlers = 0;
  const auto first = [&](const char* field) {
    if (handlers++ == 0) return true;
    errors->Forbidden(path.Child(field), "may not specify more than 1 handler type");
    return false;
  };
  if (handler.Get(N().exec).is_object() && first("exec")) {
    const FieldPath exec = path.Child("exec");
    if (handler.Get(N().exec).Get(N().command).empty()) errors->Required(exec.Child("command"));
  }
  const Value& http = handler.Get(N().http_get);
  if (http.is_object() && first("httpGet")) {
    const FieldPath at = path.Child("httpGet");
    if (http.Get(N().path).AsString().empty()) errors->Required(at.Child("path"));
    CheckHandlerPort(http.Get(N().port), at.Child("port"), errors);
    const std::string_view scheme = http.Get(N().scheme).AsString();
    if (scheme != "HTTP" && scheme != "HTTPS") {
      errors->NotSupported(at.Child("scheme"), scheme, {"HTTP", "HTTPS"});
    }
  }
  const Value& tcp = handler.Get(N().tcp);
  if (tcp.is_object() && first("tcpSocket")) {
    const FieldPath at = path.Child("tcpSocket");
    CheckHandlerPort(tcp.Get(N().port), at.Child("port"), errors);
  }
  const Value& grpc = handler.Get(N().grpc);
  if (grpc.is_object() && first("grpc")) {
    const FieldPath at = path.Child("grpc");
    CheckHandlerPort(grpc.Get(N().port), at.Child("port"), errors);
  }
  if (handler.Get(N().sleep).is_object()) first("sleep");
  if (handlers == 0) errors->Required(path, "must specify a handler type");
}

void CheckProbe(const Value& probe, const FieldPath& path, bool must_succeed_once,
                FieldErrorList* errors) {
  if (!probe.is_object()) return;
  CheckHandler(probe, path, errors);
  for (const char* field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                            "successThreshold", "failureThreshold"}) {
    errors->NonNegative(path.Child(field), probe.Get(field));
  }
  const Value& grace = probe.Get("terminationGracePeriodSeconds");
  if (grace.is_int() && grace.AsInt() <= 0) {
    errors->Invalid(path.Child("terminationGracePeriodSeconds"), grace.AsInt(),
                    "must be greater than 0");
  }
  const std::int64_t success = probe.Get(N().success).AsInt();
  if (must_succeed_once && success != 1) {
    errors->Invalid(path.Child("successThreshold"), success, "must be 1");
  }
}

void CheckLifecycle(const Value& lifecycle, const FieldPath& path, FieldErrorList* errors) {
  const Value& post_start = lifecycle.Get(N().post_start);
  const Value& pre_stop = lifecycle.Get(N().pre_stop);
  if (post_start.is_object()) CheckHandler(post_start, path.Child("postStart"), errors);
  if (pre_stop.is_object()) CheckHandler(pre_stop, path.Child("preStop"), errors);
}

void CheckChoices(const Value& container, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view message = container.Get(N().message_policy).AsString();
  if (message.empty()) {
    errors->Required(path.Child("terminationMessagePolicy"));
  } else if (message != "File" && message != "FallbackToLogsOnError") {
    errors->NotSupported(path.Child("terminationMessagePolicy"), message,
                         {"File", "FallbackToLogsOnError"});
  }
}

void CheckPullPolicy(std::string_view policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.empty()) {
    errors->Required(path);
  } else if (policy != "Always" && policy != "IfNotPresent" && policy != "Never") {
    errors->NotSupported(path, policy, {"Always", "IfNotPresent", "Never"});
  }
}

// validateContainerCommon.
void CheckCommon(const Value& c, const std::vector<std::string_view>& volumes,
                 const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = c.Get(N().name).AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"));
  } else {
    errors->InvalidAll(path.Child("name"), name, Dns1123Label(name, errors->compat()));
  }
  if (c.Get(N().image).AsString().empty()) errors->Required(path.Child("image"));
  CheckChoices(c, path, errors);
  NameSet port_names;
  const Value& ports = c.Get(N().ports);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath list = path.Child("ports");
    CheckPort(ports.at(i), list.Index(i), &port_names, errors);
  }
  CheckEnv(c.Get(N().env), path.Child("env"), errors);
  CheckMounts(c.Get(N().mounts), volumes, path.Child("volumeMounts"), errors);
  CheckPullPolicy(c.Get(N().pull_policy).AsString(), path.Child("imagePullPolicy"), errors);
  ValidateResources(c.Get(N().resources), path.Child("resources"), errors);
}

void CheckProbes(const Value& c, const FieldPath& path, FieldErrorList* errors) {
  const Value& lifecycle = c.Get(N().lifecycle);
  if (lifecycle.is_object()) CheckLifecycle(lifecycle, path.Child("lifecycle"), errors);
  CheckProbe(c.Get(N().liveness), path.Child("livenessProbe"), true, errors);
  CheckProbe(c.Get(N().readiness), path.Child("readinessProbe"), false, errors);
  CheckProbe(c.Get(N().startup), path.Child("startupProbe"), true, errors);
}

void CheckHostPorts(const Value& containers, const FieldPath& path, FieldErrorList* errors) {
  NameSet taken;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Value& ports = containers.at(i).Get(N().ports);
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const Value& port = ports.at(j);
      const std::int64_t number = port.Get(N().host_port).AsInt();
      if (number == 0) continue;
      std::string place = fmt::format("{}/{}/{}", port.Get(N().protocol).AsString(),
                                      port.Get(N().host_ip).AsString(), number);
      if (Insert(&taken, place)) continue;
      const FieldPath container = path.Index(i);
      const FieldPath list = container.Child("ports");
      const FieldPath at = list.Index(j);
      errors->Duplicate(at.Child("hostPort"), place);
    }
  }
}

void CheckRegular(const Value& containers, const std::vector<std::string_view>& volumes,
                  const FieldPath& path, NameSet* names, FieldErrorList* errors) {
  if (containers.empty()) {
    errors->Required(path);
    return;
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckCommon(c, volumes, at, errors);
    const std::string_view name = c.Get(N().name).AsString();
    if (!Insert(names, std::string(name))) errors->Duplicate(at.Child("name"), name);
    CheckProbes(c, at, errors);
    // ContainerRestartRules lets regular containers have their own policy from 1.35.
    if (!c.Get(N().restart_policy).is_null() && errors->compat() == Compat::k1_30) {
      errors->Forbidden(at.Child("restartPolicy"), "may not be set for non-init containers");
    }
  }
  CheckHostPorts(containers, path, errors);
}

void CheckInit(const Value& containers, const std::vector<std::string_view>& volumes,
               const FieldPath& path, NameSet* names, FieldErrorList* errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const FieldPath at = path.Index(i);
    const Value& c = containers.at(i);
    CheckCommon(c, volumes, at, errors);
    const std::string_view name = c.Get(N().name).AsString();
    if (!name.empty() && !Insert(names, std::string(name))) {
      errors->Duplicate(at.Child("name"), name);
    }
    const bool sidecar =
        errors->compat() != Compat::k1_25 && c.Get(N().restart_policy).AsString() == "Always";
    if (sidecar) {
      CheckProbes(c, at, errors);
      continue;
    }
    const char* const why = errors->compat() == Compat::k1_25
                                ? "must not be set for init containers"
                                : "may not be set for init containers without restartPolicy=Always";
    for (const Atom field : {N().lifecycle, N().liveness, N().readiness, N().startup}) {
      if (!c.Get(field).is_null()) errors->Forbidden(at.Child(field.text()), why);
    }
  }
}

}  // namespace

void ValidateContainers(const Value& spec, const std::vector<std::string_view>& volumes,
                        const FieldPath& path, FieldErrorList* errors) {
  NameSet names;
  CheckRegular(spec.Get(N().containers), volumes, path.Child("containers"), &names, errors);
  CheckInit(spec.Get(N().init_containers), volumes, path.Child("initContainers"), &names, errors);
}

}  // namespace ksim::api
