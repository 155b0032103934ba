// Part of check_parts.h: the checks of the level baseline.
#include <algorithm>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/admission/podsecurity/check_parts.h"

namespace ksim::apiserver::podsecurity {

namespace {

bool IsAllowedAppArmor(const Value& context, TextSet* bad) {
  const Value& profile = context.Get("appArmorProfile");
  const std::string type(profile.Get("type").AsString());
  if (profile.is_null() || type == "RuntimeDefault" || type == "Localhost") return true;
  bad->insert(type);
  return false;
}

Texts ForbiddenAppArmorAnnotations(const Pod& pod) {
  Texts forbidden;
  for (const Value::Member& m : pod.metadata.Get("annotations").members()) {
    const std::string_view value = m.value.AsString();
    const bool allowed =
        value.empty() || value == "runtime/default" || value.starts_with("localhost/");
    if (m.name.text().starts_with("container.apparmor.security.beta.kubernetes.io/") && !allowed)
      forbidden.push_back(fmt::format("{}={}", m.name.text(), api::GoQuote(value)));
  }
  std::sort(forbidden.begin(), forbidden.end());
  return forbidden;
}

}  // namespace

// Servers of 1.25 know the annotations alone.
Result AppArmorProfile(const Pod& pod) {
  constexpr int kFieldsSince = 29;
  const Texts annotations = ForbiddenAppArmorAnnotations(pod);
  if (pod.newest < kFieldsSince) {
    if (annotations.empty()) return std::nullopt;
    return Forbidden(std::string(Plural("forbidden AppArmor profile", "forbidden AppArmor profiles",
                                        annotations)),
                     fmt::format("{}", fmt::join(annotations, ", ")));
  }
  TextSet bad;
  const bool by_pod = !IsAllowedAppArmor(pod.context(), &bad);
  const Texts containers = BadContainers(
      pod, [&bad](const Value& context) { return !IsAllowedAppArmor(context, &bad); });
  Texts values(bad.begin(), bad.end());
  values.insert(values.end(), annotations.begin(), annotations.end());
  if (values.empty()) return std::nullopt;
  std::string setters = Setters(by_pod, containers);
  if (!annotations.empty())
    setters += fmt::format("{}{}", setters.empty() ? "" : " and ",
                           Plural("annotation", "annotations", annotations));
  return Forbidden(
      std::string(Plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values)),
      fmt::format("{} must not set AppArmor profile type to {}", setters, JoinQuote(values)));
}

Result CapabilitiesBaseline(const Pod& pod) {
  static const TextSet kAllowed{"AUDIT_WRITE", "CHOWN",  "DAC_OVERRIDE",     "FOWNER",  "FSETID",
                                "KILL",        "MKNOD",  "NET_BIND_SERVICE", "SETFCAP", "SETGID",
                                "SETPCAP",     "SETUID", "SYS_CHROOT"};
  TextSet added;
  const Texts bad = BadContainers(pod, [&added](const Value& context) {
    bool good = true;
    for (const Value& c : context.Get("capabilities").Get("add").items()) {
      if (kAllowed.contains(std::string(c.AsString()))) continue;
      good = false;
      added.emplace(c.AsString());
    }
    return !good;
  });
  if (bad.empty()) return std::nullopt;
  return Forbidden("non-default capabilities",
                   fmt::format("{} must not include {} in securityContext.capabilities.add",
                               Containers(bad), JoinQuote(added)));
}

Result HostNamespaces(const Pod& pod) {
  Texts used;
  for (const char* field : {"hostNetwork", "hostPID", "hostIPC"})
    if (pod.spec.Get(field).AsBool()) used.push_back(fmt::format("{}=true", field));
  if (used.empty()) return std::nullopt;
  return Forbidden("host namespaces", fmt::format("{}", fmt::join(used, ", ")));
}

Result HostPathVolumes(const Pod& pod) {
  Texts volumes;
  for (const Value& volume : pod.spec.Get("volumes").items())
    if (volume.Has("hostPath")) volumes.emplace_back(volume.Get("name").AsString());
  if (volumes.empty()) return std::nullopt;
  return Forbidden("hostPath volumes",
                   fmt::format("{} {}", Plural("volume", "volumes", volumes), JoinQuote(volumes)));
}

Result HostPorts(const Pod& pod) {
  Texts bad;
  TextSet ports;
  VisitContainers(pod, [&](const Value& container, const std::string& name) {
    bool good = true;
    for (const Value& port : container.Get("ports").items()) {
      if (port.Get("hostPort").AsInt() == 0) continue;
      good = false;
      ports.insert(std::to_string(port.Get("hostPort").AsInt()));
    }
    if (!good) bad.push_back(name);
  });
  if (bad.empty()) return std::nullopt;
  return Forbidden("hostPort",
                   fmt::format("{} {} {} {}", Containers(bad), Plural("uses", "use", bad),
                               Plural("hostPort", "hostPorts", ports), fmt::join(ports, ", ")));
}

Result HostProbes(const Pod& pod) {
  TextSet bad, hosts;
  VisitContainers(pod, [&](const Value& container, const std::string& name) {
    const Value& lifecycle = container.Get("lifecycle");
    for (const Value* handler :
         {&container.Get("livenessProbe"), &container.Get("readinessProbe"),
          &container.Get("startupProbe"), &lifecycle.Get("postStart"), &lifecycle.Get("preStop")})
      for (const char* way : {"httpGet", "tcpSocket"}) {
        const std::string host(handler->Get(way).Get("host").AsString());
        if (host.empty()) continue;
        bad.insert(name);
        hosts.insert(host);
      }
  });
  if (bad.empty()) return std::nullopt;
  return Forbidden("probe or lifecycle host",
                   fmt::format("{} {} {} {}", Containers(Texts(bad.begin(), bad.end())),
                               Plural("uses", "use", bad),
                               Plural("probe or lifecycle host", "probe or lifecycle hosts", hosts),
                               JoinQuote(hosts)));
}

Result Privileged(const Pod& pod) {
  const Texts bad =
      BadContainers(pod, [](const Value& context) { return context.Get("privileged").AsBool(); });
  if (bad.empty()) return std::nullopt;
  return Forbidden("privileged",
                   fmt::format("{} must not set securityContext.privileged=true", Containers(bad)));
}

Result ProcMountAlways(const Pod& pod) {
  TextSet types;
  const Texts bad = BadContainers(pod, [&types](const Value& context) {
    const Value& mount = context.Get("procMount");
    if (mount.is_null() || mount.AsString() == "Default") return false;
    types.emplace(mount.AsString());
    return true;
  });
  if (bad.empty()) return std::nullopt;
  return Forbidden("procMount", fmt::format("{} must not set securityContext.procMount to {}",
                                            Containers(bad), JoinQuote(types)));
}

Result ProcMount(const Pod& pod) { return IsRelaxed(pod) ? std::nullopt : ProcMountAlways(pod); }

Result SeLinuxOptions(const Pod& pod) {
  TextSet allowed{"", "container_t", "container_init_t", "container_kvm_t"};
  if (pod.minor >= 31) allowed.insert("container_engine_t");
  TextSet types;
  bool user = false, role = false;
  const auto is_bad = [&](const Value& context) {
    const Value& options = context.Get("seLinuxOptions");
    const std::string type(options.Get("type").AsString());
    const bool has_user = !options.Get("user").AsString().empty();
    const bool has_role = !options.Get("role").AsString().empty();
    if (!allowed.contains(type)) types.insert(type);
    user = user || has_user;
    role = role || has_role;
    return !allowed.contains(type) || has_user || has_role;
  };
  const bool by_pod = is_bad(pod.context());
  const Texts containers = BadContainers(pod, is_bad);
  if (!by_pod && containers.empty()) return std::nullopt;
  Texts data;
  if (!types.empty())
    data.push_back(fmt::format("{} {}", Plural("type", "types", types), JoinQuote(types)));
  if (user) data.emplace_back("user may not be set");
  if (role) data.emplace_back("role may not be set");
  return Forbidden("seLinuxOptions",
                   fmt::format("{} set forbidden securityContext.seLinuxOptions: {}",
                               Setters(by_pod, containers), fmt::join(data, "; ")));
}

namespace {

bool IsValidSeccomp(const Value& context, TextSet* bad) {
  const std::string type(context.Get("seccompProfile").Get("type").AsString());
  if (type == "Localhost" || type == "RuntimeDefault") return true;
  bad->insert(type);
  return false;
}

// Before 1.19 there were annotations alone.
Result SeccompAnnotations(const Pod& pod) {
  TextSet forbidden;
  const Value& annotations = pod.metadata.Get("annotations");
  const auto look = [&](const std::string& key) {
    if (!annotations.Has(key)) return;
    const std::string_view value = annotations.Get(key).AsString();
    const bool valid =
        value == "runtime/default" || value == "docker/default" || value.starts_with("localhost/");
    if (!valid) forbidden.insert(fmt::format("{}={}", key, api::GoQuote(value)));
  };
  look("seccomp.security.alpha.kubernetes.io/pod");
  VisitContainers(pod, [&](const Value&, const std::string& name) {
    look("container.seccomp.security.alpha.kubernetes.io/" + name);
  });
  if (forbidden.empty()) return std::nullopt;
  return Forbidden("seccompProfile",
                   fmt::format("forbidden {} {}", Plural("annotation", "annotations", forbidden),
                               fmt::join(forbidden, ", ")));
}

}  // namespace

Result BadSeccompSetters(const Pod& pod) {
  TextSet values;
  const auto is_bad = [&values](const Value& context) {
    return context.Has("seccompProfile") && !IsValidSeccomp(context, &values);
  };
  const bool by_pod = is_bad(pod.context());
  const Texts containers = BadContainers(pod, is_bad);
  if (!by_pod && containers.empty()) return std::nullopt;
  return Forbidden("seccompProfile",
                   fmt::format("{} must not set securityContext.seccompProfile.type to {}",
                               Setters(by_pod, containers), JoinQuote(values)));
}

Result SeccompProfileBaseline(const Pod& pod) {
  return pod.minor < 19 ? SeccompAnnotations(pod) : BadSeccompSetters(pod);
}

Result Sysctls(const Pod& pod) {
  static constexpr std::pair<int, std::string_view> kAllowed[] = {
      {0, "kernel.shm_rmid_forced"},
      {0, "net.ipv4.ip_local_port_range"},
      {0, "net.ipv4.tcp_syncookies"},
      {0, "net.ipv4.ping_group_range"},
      {0, "net.ipv4.ip_unprivileged_port_start"},
      {27, "net.ipv4.ip_local_reserved_ports"},
      {29, "net.ipv4.tcp_keepalive_time"},
      {29, "net.ipv4.tcp_fin_timeout"},
      {29, "net.ipv4.tcp_keepalive_intvl"},
      {29, "net.ipv4.tcp_keepalive_probes"},
      {32, "net.ipv4.tcp_rmem"},
      {32, "net.ipv4.tcp_wmem"}};
  Texts forbidden;
  for (const Value& sysctl : pod.context().Get("sysctls").items()) {
    const std::string_view name = sysctl.Get("name").AsString();
    const bool allowed = std::any_of(std::begin(kAllowed), std::end(kAllowed), [&](const auto& a) {
      return a.second == name && a.first <= pod.minor;
    });
    if (!allowed) forbidden.emplace_back(name);
  }
  if (forbidden.empty()) return std::nullopt;
  return Forbidden("forbidden sysctls", fmt::format("{}", fmt::join(forbidden, ", ")));
}

Result WindowsHostProcess(const Pod& pod) {
  const auto is_bad = [](const Value& context) {
    return context.Get("windowsOptions").Get("hostProcess").AsBool();
  };
  const bool by_pod = is_bad(pod.context());
  const Texts containers = BadContainers(pod, is_bad);
  if (!by_pod && containers.empty()) return std::nullopt;
  return Forbidden("hostProcess",
                   fmt::format("{} must not set securityContext.windowsOptions.hostProcess=true",
                               Setters(by_pod, containers)));
}

}  // namespace ksim::apiserver::podsecurity
