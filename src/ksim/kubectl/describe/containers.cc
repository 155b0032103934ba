// `kubectl describe` of containers.
//
// Source: kubectl pkg/describe/describe.go describeContainers and what it calls;
// pkg/util/resource/resource.go.
#include <algorithm>

#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/go_format.h"
#include "ksim/value/quantity.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// "80/TCP, 443/TCP"; `field`: containerPort or hostPort.
std::string Ports(const Value& ports, std::string_view field) {
  std::string out;
  for (const Value& p : ports.items())
    out += fmt::format("{}{}/{}{}", out.empty() ? "" : ", ", p.Get(field).AsInt(),
                       p.Get("protocol").AsString(),
                       p.Has("name") ? fmt::format(" ({})", p.Get("name").AsString()) : "");
  return out;
}

void WritePorts(TabWriter& w, std::string_view title, const std::string& ports) {
  const bool many = ports.find(',') != std::string::npos;
  w.Write(2, "{}{}:\t{}\n", title, many ? "s" : "", ports.empty() ? "<none>" : ports);
}

void WriteWords(TabWriter& w, std::string_view title, const Value& words) {
  if (words.empty()) return;
  w.Write(2, "{}:\n", title);
  for (const Value& word : words.items())
    for (const std::string_view line : LinesOf(word.AsString())) w.Write(3, "{}\n", line);
}

void WriteState(TabWriter& w, std::string_view title, const Value& state) {
  if (const Value& running = state.Get("running"); running.is_object()) {
    w.Write(2, "{}:\tRunning\n", title);
    w.Write(3, "Started:\t{}\n", LongTime(running.Get("startedAt")));
    return;
  }
  const Value& ended = state.Get("terminated");
  w.Write(2, "{}:\t{}\n", title, ended.is_object() ? "Terminated" : "Waiting");
  const Value& told = ended.is_object() ? ended : state.Get("waiting");
  if (!told.Get("reason").AsString().empty())
    w.Write(3, "Reason:\t{}\n", told.Get("reason").AsString());
  if (!ended.is_object()) return;
  if (!ended.Get("message").AsString().empty())
    w.Write(3, "Message:\t{}\n", ended.Get("message").AsString());
  w.Write(3, "Exit Code:\t{}\n", ended.Get("exitCode").AsInt());
  if (ended.Get("signal").AsInt() > 0) w.Write(3, "Signal:\t{}\n", ended.Get("signal").AsInt());
  w.Write(3, "Started:\t{}\n", LongTime(ended.Get("startedAt")));
  w.Write(3, "Finished:\t{}\n", LongTime(ended.Get("finishedAt")));
}

void WriteContainerStatus(TabWriter& w, const Value& status) {
  WriteState(w, "State", status.Get("state"));
  if (status.Get("lastState").Get("terminated").is_object())
    WriteState(w, "Last State", status.Get("lastState"));
  w.Write(2, "Ready:\t{}\n", status.Get("ready").AsBool() ? "True" : "False");
  w.Write(2, "Restart Count:\t{}\n", status.Get("restartCount").AsInt());
}

std::string ProbeText(const Value& probe) {
  const auto seconds = [&probe](std::string_view field) { return probe.Get(field).AsInt(); };
  const std::string attributes = fmt::format(
      "delay={}s timeout={}s period={}s #success={} #failure={}", seconds("initialDelaySeconds"),
      seconds("timeoutSeconds"), seconds("periodSeconds"), seconds("successThreshold"),
      seconds("failureThreshold"));
  if (const Value& exec = probe.Get("exec"); exec.is_object())
    return fmt::format("exec [{}] {}", JoinTexts(exec.Get("command"), " "), attributes);
  if (const Value& get = probe.Get("httpGet"); get.is_object()) {
    std::string scheme(get.Get("scheme").AsString());
    for (char& ch : scheme) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
    return fmt::format("http-get {}://{}:{}{} {}", scheme, get.Get("host").AsString(),
                       value::GoFormat(get.Get("port")), get.Get("path").AsString(), attributes);
  }
  if (const Value& tcp = probe.Get("tcpSocket"); tcp.is_object())
    return fmt::format("tcp-socket {}:{} {}", tcp.Get("host").AsString(),
                       value::GoFormat(tcp.Get("port")), attributes);
  if (const Value& grpc = probe.Get("grpc"); grpc.is_object())
    return fmt::format("grpc <pod>:{} {} {}", grpc.Get("port").AsInt(),
                       grpc.Get("service").AsString(), attributes);
  return fmt::format("unknown {}", attributes);
}

void WriteProbes(TabWriter& w, const Value& container) {
  for (const auto& [title, field] : {std::pair("Liveness", "livenessProbe"),
                                     {"Readiness", "readinessProbe"},
                                     {"Startup", "startupProbe"}})
    if (const Value& probe = container.Get(field); probe.is_object())
      w.Write(2, "{}:\t{}\n", title, ProbeText(probe));
}

void WriteSources(TabWriter& w, const Value& sources) {
  if (sources.empty()) return;
  w.Write(2, "Environment Variables from:\n");
  for (const Value& s : sources.items()) {
    const bool map = s.Has("configMapRef");
    const Value& from = map ? s.Get("configMapRef") : s.Get("secretRef");
    const std::string_view prefix = s.Get("prefix").AsString();
    w.Write(3, "{}\t{}{}\tOptional: {}\n", from.Get("name").AsString(),
            map ? "ConfigMap" : "Secret",
            prefix.empty() ? "" : fmt::format(" with prefix '{}'", prefix),
            from.Get("optional").AsBool());
  }
}

// EnvValueRetriever: kubectl's scheme converts no other field label of a pod than these two, and
// tells nothing of the rest. Of a template, which is no pod, nothing is known.
std::string FieldOf(const Value& pod, std::string_view path) {
  if (path != "metadata.name" && path != "metadata.namespace") return "";
  return std::string(pod.Get("metadata").Get(path.substr(path.find('.') + 1)).AsString());
}

// ExtractContainerResourceValue: so many divisors, rounded up.
std::string ResourceOf(const Value& container, const Value& reference) {
  const std::string_view resource = reference.Get("resource").AsString();
  const std::size_t dot = std::min(resource.find('.'), resource.size());
  const std::string_view name = resource.substr(std::min(dot + 1, resource.size()));
  const bool known = name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
                     name.starts_with("hugepages-");
  if (!known || (!resource.starts_with("limits.") && !resource.starts_with("requests."))) return "";
  const auto amount =
      value::Quantity::FromTree(container.Get("resources").Get(resource.substr(0, dot)).Get(name));
  auto divisor = value::Quantity::FromTree(reference.Get("divisor"));
  if (!amount.ok() || !divisor.ok()) return "";
  if (divisor->is_zero()) divisor = value::Quantity::FromInt(1);
  const auto units = [&name](const value::Quantity& q) {
    return name == "cpu" ? q.MilliValue() : q.Value();
  };
  const std::int64_t each = std::max<std::int64_t>(units(*divisor), 1);
  const std::int64_t count = units(*amount) / each + (units(*amount) % each > 0);
  if (count == 0 && (resource == "limits.cpu" || resource == "limits.memory"))
    return "node allocatable";
  return std::to_string(count);
}

void WriteReference(TabWriter& w, std::string_view name, const Value& from, const Value& container,
                    const Value& pod) {
  if (const Value& field = from.Get("fieldRef"); field.is_object()) {
    const std::string_view path = field.Get("fieldPath").AsString();
    w.Write(3, "{}:\t{} ({}:{})\n", name, FieldOf(pod, path), field.Get("apiVersion").AsString(),
            path);
  } else if (const Value& resource = from.Get("resourceFieldRef"); resource.is_object()) {
    w.Write(3, "{}:\t{} ({})\n", name, ResourceOf(container, resource),
            resource.Get("resource").AsString());
  } else if (const Value& secret = from.Get("secretKeyRef"); secret.is_object()) {
    w.Write(3, "{}:\t<set to the key '{}' in secret '{}'>\tOptional: {}\n", name,
            secret.Get("key").AsString(), secret.Get("name").AsString(),
            secret.Get("optional").AsBool());
  } else if (const Value& map = from.Get("configMapKeyRef"); map.is_object()) {
    w.Write(3, "{}:\t<set to the key '{}' of config map '{}'>\tOptional: {}\n", name,
            map.Get("key").AsString(), map.Get("name").AsString(), map.Get("optional").AsBool());
  }
}

void WriteEnvironment(TabWriter& w, const Value& container, const Value& pod) {
  const Value& variables = container.Get("env");
  w.Write(2, "Environment:{}\n", variables.empty() ? "\t<none>" : "");
  for (const Value& v : variables.items()) {
    const std::string_view name = v.Get("name").AsString();
    if (v.Has("valueFrom")) {
      WriteReference(w, name, v.Get("valueFrom"), container, pod);
      continue;
    }
    bool first = true;
    for (const std::string_view line : LinesOf(v.Get("value").AsString())) {
      w.Write(3, "{}\t{}\n", first ? fmt::format("{}:", name) : "", line);
      first = false;
    }
  }
}

void WriteMounts(TabWriter& w, const Value& mounts) {
  w.Write(2, "Mounts:{}\n", mounts.empty() ? "\t<none>" : "");
  std::vector<Value> sorted(mounts.items().begin(), mounts.items().end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Value& a, const Value& b) {
    return a.Get("mountPath").AsString() < b.Get("mountPath").AsString();
  });
  for (const Value& m : sorted) {
    std::string flags = m.Get("readOnly").AsBool() ? "ro" : "rw";
    if (const std::string_view sub = m.Get("subPath").AsString(); !sub.empty())
      flags += ",path=" + value::GoQuote(sub);
    w.Write(3, "{} from {} ({})\n", m.Get("mountPath").AsString(), m.Get("name").AsString(), flags);
  }
}

Value StatusOf(const Value& statuses, std::string_view container) {
  for (const Value& s : statuses.items())
    if (s.Get("name").AsString() == container) return s;
  return Value();
}

}  // namespace

void WriteResources(TabWriter& w, int level, const Value& resources) {
  for (const auto& [title, field] : {std::pair("Limits", "limits"), {"Requests", "requests"}}) {
    if (resources.Get(field).empty()) continue;
    w.Write(level, "{}:\n", title);
    for (const Value::Member& m : resources.Get(field).members())
      w.Write(level + 1, "{}:\t{}\n", m.name.text(), AmountText(m.value));
  }
}

void WriteSeccomp(TabWriter& w, int level, int profile_level, const Value& profile) {
  if (!profile.is_object()) return;
  w.Write(level, "SeccompProfile:\t{}\n", profile.Get("type").AsString());
  if (profile.Get("type").AsString() == "Localhost")
    w.Write(profile_level, "LocalhostProfile:\t{}\n", profile.Get("localhostProfile").AsString());
}

void WriteContainers(TabWriter& w, std::string_view title, const Value& containers,
                     const Value& statuses, const Value& pod, std::string_view indent) {
  w.Write(0, "{}{}:{}\n", indent, title, containers.empty() ? " <none>" : "");
  for (const Value& c : containers.items()) {
    const Value status = StatusOf(statuses, c.Get("name").AsString());
    w.Write(1, "{}{}:\n", indent.empty() ? "" : " ", c.Get("name").AsString());
    if (!status.is_null()) w.Write(2, "Container ID:\t{}\n", status.Get("containerID").AsString());
    w.Write(2, "Image:\t{}\n", c.Get("image").AsString());
    if (!status.is_null()) w.Write(2, "Image ID:\t{}\n", status.Get("imageID").AsString());
    WritePorts(w, "Port", Ports(c.Get("ports"), "containerPort"));
    WritePorts(w, "Host Port", Ports(c.Get("ports"), "hostPort"));
    WriteSeccomp(w, 2, 3, c.Get("securityContext").Get("seccompProfile"));
    WriteWords(w, "Command", c.Get("command"));
    WriteWords(w, "Args", c.Get("args"));
    if (!status.is_null()) WriteContainerStatus(w, status);
    WriteResources(w, 2, c.Get("resources"));
    WriteProbes(w, c);
    WriteSources(w, c.Get("envFrom"));
    WriteEnvironment(w, c, pod);
    WriteMounts(w, c.Get("volumeMounts"));
  }
}

}  // namespace ksim::kubectl
