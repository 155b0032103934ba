#include "ksim/cli/describe_text.h"

#include <algorithm>

#include "ksim/api/printers.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using value::Value;

std::string PlainText(const Value& v) {
  return v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
}

std::string_view OrNone(std::string_view text) { return text.empty() ? "<none>" : text; }

// "80/TCP, 443/TCP"; `field`: containerPort or hostPort.
std::string Ports(const Value& ports, std::string_view field) {
  std::string out;
  for (const Value& p : ports.items())
    out += fmt::format("{}{}/{}", out.empty() ? "" : ", ", p.Get(field).AsInt(),
                       p.Get("protocol").AsString());
  return out;
}

void WritePorts(TabWriter& w, std::string_view title, const std::string& ports) {
  const bool many = ports.find(',') != std::string::npos;
  w.Write(2, "{}{}:\t{}\n", title, many ? "s" : "", OrNone(ports));
}

void WriteWords(TabWriter& w, std::string_view title, const Value& words) {
  if (words.empty()) return;
  w.Write(2, "{}:\n", title);
  for (const Value& word : words.items()) w.Write(3, "{}\n", word.AsString());
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
  w.Write(3, "Started:\t{}\n", LongTime(ended.Get("startedAt")));
  w.Write(3, "Finished:\t{}\n", LongTime(ended.Get("finishedAt")));
}

void WriteStatus(TabWriter& w, const Value& status) {
  WriteState(w, "State", status.Get("state"));
  if (status.Get("lastState").Get("terminated").is_object())
    WriteState(w, "Last State", status.Get("lastState"));
  w.Write(2, "Ready:\t{}\n", status.Get("ready").AsBool() ? "True" : "False");
  w.Write(2, "Restart Count:\t{}\n", status.Get("restartCount").AsInt());
}

void WriteResources(TabWriter& w, const Value& resources) {
  for (const auto& [title, field] : {std::pair("Limits", "limits"), {"Requests", "requests"}}) {
    if (resources.Get(field).empty()) continue;
    w.Write(2, "{}:\n", title);
    for (const Value::Member& m : resources.Get(field).members())
      w.Write(3, "{}:\t{}\n", m.name.text(), PlainText(m.value));
  }
}

void WriteEnvironment(TabWriter& w, const Value& variables) {
  w.Write(2, "Environment:{}\n", variables.empty() ? "\t<none>" : "");
  for (const Value& v : variables.items())
    w.Write(3, "{}:\t{}\n", v.Get("name").AsString(), v.Get("value").AsString());
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
      flags += fmt::format(",path=\"{}\"", sub);
    w.Write(3, "{} from {} ({})\n", m.Get("mountPath").AsString(), m.Get("name").AsString(), flags);
  }
}

Value StatusOf(const Value& statuses, std::string_view container) {
  for (const Value& s : statuses.items())
    if (s.Get("name").AsString() == container) return s;
  return Value();
}

void WriteProjected(TabWriter& w, const Value& projected) {
  w.Write(2, "Type:\tProjected (a volume that contains injected data from multiple sources)\n");
  const auto optional = [](const Value& v) { return v.Get("optional").AsBool(); };
  for (const Value& source : projected.Get("sources").items()) {
    if (const Value& secret = source.Get("secret"); secret.is_object()) {
      w.Write(2, "SecretName:\t{}\n", secret.Get("name").AsString());
      w.Write(2, "Optional:\t{}\n", optional(secret));
    } else if (source.Has("downwardAPI")) {
      w.Write(2, "DownwardAPI:\ttrue\n");
    } else if (const Value& map = source.Get("configMap"); map.is_object()) {
      w.Write(2, "ConfigMapName:\t{}\n", map.Get("name").AsString());
      w.Write(2, "Optional:\t{}\n", optional(map));
    } else if (const Value& token = source.Get("serviceAccountToken"); token.is_object()) {
      w.Write(2, "TokenExpirationSeconds:\t{}\n", token.Get("expirationSeconds").AsInt());
    }
  }
}

void WriteVolumeSource(TabWriter& w, const Value& volume) {
  if (const Value& path = volume.Get("hostPath"); path.is_object()) {
    w.Write(2, "Type:\tHostPath (bare host directory volume)\n");
    w.Write(2, "Path:\t{}\n", path.Get("path").AsString());
    w.Write(2, "HostPathType:\t{}\n", path.Get("type").AsString());
  } else if (const Value& dir = volume.Get("emptyDir"); dir.is_object()) {
    w.Write(2, "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)\n");
    w.Write(2, "Medium:\t{}\n", dir.Get("medium").AsString());
    w.Write(2, "SizeLimit:\t{}\n",
            dir.Has("sizeLimit") ? PlainText(dir.Get("sizeLimit")) : "<unset>");
  } else if (const Value& secret = volume.Get("secret"); secret.is_object()) {
    w.Write(2, "Type:\tSecret (a volume populated by a Secret)\n");
    w.Write(2, "SecretName:\t{}\n", secret.Get("secretName").AsString());
    w.Write(2, "Optional:\t{}\n", secret.Get("optional").AsBool());
  } else if (const Value& map = volume.Get("configMap"); map.is_object()) {
    w.Write(2, "Type:\tConfigMap (a volume populated by a ConfigMap)\n");
    w.Write(2, "Name:\t{}\n", map.Get("name").AsString());
    w.Write(2, "Optional:\t{}\n", map.Get("optional").AsBool());
  } else if (const Value& claim = volume.Get("persistentVolumeClaim"); claim.is_object()) {
    w.Write(2,
            "Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same "
            "namespace)\n");
    w.Write(2, "ClaimName:\t{}\n", claim.Get("claimName").AsString());
    w.Write(2, "ReadOnly:\t{}\n", claim.Get("readOnly").AsBool());
  } else if (const Value& projected = volume.Get("projected"); projected.is_object()) {
    WriteProjected(w, projected);
  } else {
    w.Write(1, "<unknown>\n");
  }
}

}  // namespace

std::string LongTime(const Value& timestamp) {
  const std::string_view t = timestamp.AsString();  // 2025-01-01T00:00:07Z
  int year = 0, month = 0, day = 0;
  if (t.size() < 19 || std::sscanf(std::string(t).c_str(), "%d-%d-%d", &year, &month, &day) != 3)
    return std::string(t);
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static constexpr int kShift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};  // Sakamoto's table
  if (month < 1 || month > 12) return std::string(t);
  const int y = month < 3 ? year - 1 : year;
  const int weekday = (y + y / 4 - y / 100 + y / 400 + kShift[month - 1] + day) % 7;
  return fmt::format("{}, {:02} {} {} {} +0000", kDays[weekday], day, kMonths[month - 1], year,
                     t.substr(11, 8));
}

void WriteLabels(TabWriter& w, std::string_view title, const Value& labels) {
  w.Write(0, "{}:\t{}", title, labels.empty() ? "<none>\n" : "");
  bool first = true;
  for (const Value::Member& m : labels.members()) {
    w.Write(0, "{}{}={}\n", first ? "" : "\t", m.name.text(), m.value.AsString());
    first = false;
  }
}

void WriteAnnotations(TabWriter& w, std::string_view title, const Value& annotations) {
  constexpr std::size_t kLongest = 140;
  static constexpr std::string_view kHidden = "kubectl.kubernetes.io/last-applied-configuration";
  w.Write(0, "{}:\t", title);
  bool first = true;
  for (const Value::Member& m : annotations.members()) {
    if (m.name.text() == kHidden) continue;
    const std::string_view value = m.value.AsString();
    const bool beside = m.name.text().size() + value.size() + 2 < kLongest &&
                        value.find('\n') == std::string_view::npos;
    w.Write(0, "{}{}:{}{}\n", first ? "" : "\t", m.name.text(), beside ? " " : "\n\t  ",
            value.substr(0, kLongest - 2));
    first = false;
  }
  if (first) w.Write(0, "<none>\n");
}

void WriteController(TabWriter& w, const api::Object& object) {
  if (const auto owner = object.controller())
    w.Write(0, "Controlled By:\t{}/{}\n", owner->kind, owner->name);
}

void WriteContainers(TabWriter& w, std::string_view title, const Value& containers,
                     const Value& statuses, std::string_view indent) {
  w.Write(0, "{}{}:{}\n", indent, title, containers.empty() ? " <none>" : "");
  for (const Value& c : containers.items()) {
    const Value status = StatusOf(statuses, c.Get("name").AsString());
    w.Write(1, "{}{}:\n", indent.empty() ? "" : " ", c.Get("name").AsString());
    if (!status.is_null()) w.Write(2, "Container ID:\t{}\n", status.Get("containerID").AsString());
    w.Write(2, "Image:\t{}\n", c.Get("image").AsString());
    if (!status.is_null()) w.Write(2, "Image ID:\t{}\n", status.Get("imageID").AsString());
    WritePorts(w, "Port", Ports(c.Get("ports"), "containerPort"));
    WritePorts(w, "Host Port", Ports(c.Get("ports"), "hostPort"));
    WriteWords(w, "Command", c.Get("command"));
    WriteWords(w, "Args", c.Get("args"));
    if (!status.is_null()) WriteStatus(w, status);
    WriteResources(w, c.Get("resources"));
    WriteEnvironment(w, c.Get("env"));
    WriteMounts(w, c.Get("volumeMounts"));
  }
}

void WriteVolumes(TabWriter& w, const Value& volumes, std::string_view indent) {
  w.Write(0, "{}Volumes:{}\n", indent, volumes.empty() ? "\t<none>" : "");
  for (const Value& v : volumes.items()) {
    w.Write(1, "{}{}:\n", indent.empty() ? "" : " ", v.Get("name").AsString());
    WriteVolumeSource(w, v);
  }
}

void WriteTolerations(TabWriter& w, std::string_view title, const Value& tolerations) {
  w.Write(0, "{}:\t{}", title, tolerations.empty() ? "<none>\n" : "");
  std::vector<Value> sorted(tolerations.items().begin(), tolerations.items().end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Value& a, const Value& b) {
    return a.Get("key").AsString() < b.Get("key").AsString();
  });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Value& t = sorted[i];
    std::string text(t.Get("key").AsString());
    if (!t.Get("value").AsString().empty()) text += fmt::format("={}", t.Get("value").AsString());
    if (!t.Get("effect").AsString().empty()) text += fmt::format(":{}", t.Get("effect").AsString());
    if (t.Get("operator").AsString() == "Exists" && t.Get("value").AsString().empty())
      text += text.empty() ? "op=Exists" : " op=Exists";
    if (t.Get("tolerationSeconds").is_int())
      text += fmt::format(" for {}s", t.Get("tolerationSeconds").AsInt());
    w.Write(0, "{}{}\n", i == 0 ? "" : "\t", text);
  }
}

void WriteEvents(TabWriter& w, std::vector<api::Object> events, VirtualTime now) {
  if (events.empty()) {
    w.Write(0, "Events:\t<none>\n");
    return;
  }
  w.Flush();
  w.Write(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n");
  w.Write(1, "----\t------\t----\t----\t-------\n");
  for (const api::EventCells& e : api::CellsOfEvents(std::move(events), now))
    w.Write(1, "{}\t{}\t{}\t{}\t{}\n", e.type, e.reason, e.age, e.from, e.message);
}

}  // namespace ksim::cli
