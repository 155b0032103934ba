#include "ksim/kubectl/describe/sections.h"

#include <algorithm>

#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/printing/event_list.h"
#include "ksim/value/go_format.h"
#include "ksim/value/quantity.h"

namespace ksim::kubectl {
namespace {

using value::Value;

constexpr std::size_t kMaxAttributeLine = 140;  // maxAnnotationLen

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

}  // namespace

// printCSIPersistentVolumeAttributesMultiline, whose lines are indented at each of their parts.
void WriteVolumeAttributes(TabWriter& w, const Value& attributes) {
  w.Write(2, "VolumeAttributes:\t{}", attributes.empty() ? "<none>\n" : "");
  bool first = true;
  for (const Value::Member& m : attributes.members()) {
    if (!first) w.Write(4, "\t");
    first = false;
    std::string line = fmt::format("{}={}", m.name.text(), m.value.AsString());
    if (line.size() > kMaxAttributeLine) line = line.substr(0, kMaxAttributeLine) + "...";
    w.Write(2, "{}\n", line);
  }
}

void WriteVolumeSource(TabWriter& w, const Value& volume) {
  if (const Value& path = volume.Get("hostPath"); path.is_object()) {
    w.Write(2, "Type:\tHostPath (bare host directory volume)\n");
    w.Write(2, "Path:\t{}\n", path.Get("path").AsString());
    w.Write(2, "HostPathType:\t{}\n", path.Has("type") ? path.Get("type").AsString() : "<none>");
  } else if (const Value& dir = volume.Get("emptyDir"); dir.is_object()) {
    w.Write(2, "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)\n");
    w.Write(2, "Medium:\t{}\n", dir.Get("medium").AsString());
    w.Write(2, "SizeLimit:\t{}\n",
            dir.Has("sizeLimit") ? AmountText(dir.Get("sizeLimit")) : "<unset>");
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
  } else if (const Value& downward = volume.Get("downwardAPI"); downward.is_object()) {
    w.Write(2, "Type:\tDownwardAPI (a volume populated by information about the pod)\n");
    w.Write(2, "Items:\n");
    for (const Value& item : downward.Get("items").items()) {
      const Value& field = item.Get("fieldRef");
      w.Write(3, "{} -> {}\n",
              field.is_object() ? field.Get("fieldPath").AsString()
                                : item.Get("resourceFieldRef").Get("resource").AsString(),
              item.Get("path").AsString());
    }
  } else if (const Value& projected = volume.Get("projected"); projected.is_object()) {
    WriteProjected(w, projected);
  } else if (const Value& nfs = volume.Get("nfs"); nfs.is_object()) {
    w.Write(2, "Type:\tNFS (an NFS mount that lasts the lifetime of a pod)\n");
    w.Write(2, "Server:\t{}\n", nfs.Get("server").AsString());
    w.Write(2, "Path:\t{}\n", nfs.Get("path").AsString());
    w.Write(2, "ReadOnly:\t{}\n", nfs.Get("readOnly").AsBool());
  } else if (const Value& image = volume.Get("image"); image.is_object()) {
    w.Write(2, "Type:\tImage (a container image or OCI artifact)\n");
    w.Write(2, "Reference:\t{}\n", image.Get("reference").AsString());
    w.Write(2, "PullPolicy:\t{}\n", image.Get("pullPolicy").AsString());
  } else if (const Value& csi = volume.Get("csi"); csi.is_object()) {
    w.Write(2, "Type:\tCSI (a Container Storage Interface (CSI) volume source)\n");
    w.Write(2, "Driver:\t{}\n", csi.Get("driver").AsString());
    w.Write(2, "FSType:\t{}\n", csi.Get("fsType").AsString());
    w.Write(2, "ReadOnly:\t{}\n", csi.Get("readOnly").AsBool());
    WriteVolumeAttributes(w, csi.Get("volumeAttributes"));
  } else {
    w.Write(1, "<unknown>\n");
  }
}

std::string LongTime(const Value& timestamp) {
  const std::string_view t = timestamp.AsString();  // 2025-01-01T00:00:07Z
  int year = 0, month = 0, day = 0;
  if (t.empty()) return "Mon, 01 Jan 0001 00:00:00 +0000";  // Go's zero time
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

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string AmountText(const Value& quantity) {
  const auto amount = value::Quantity::FromTree(quantity);
  return amount.ok() ? amount->ToString() : value::GoFormat(quantity);
}

std::string JoinTexts(const Value& texts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i)
    out += fmt::format("{}{}", i > 0 ? separator : "", texts.at(i).AsString());
  return out;
}

void WriteHead(TabWriter& w, const api::Object& object) {
  w.Write(0, "Name:\t{}\nNamespace:\t{}\n", object.name(), object.ns());
}

void WriteIf(TabWriter& w, int level, std::string_view title, const Value& text) {
  if (!text.AsString().empty()) w.Write(level, "{}:\t{}\n", title, text.AsString());
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
    const std::string_view key = m.name.text();
    if (key == kHidden) continue;
    std::string_view value = m.value.AsString();
    if (value.ends_with('\n')) value.remove_suffix(1);
    w.Write(0, "{}{}:", first ? "" : "\t", key);
    first = false;
    if (key.size() + value.size() + 2 <= kLongest && value.find('\n') == std::string_view::npos) {
      w.Write(0, " {}\n", value);
      continue;
    }
    w.Write(0, "\n");
    for (const std::string_view line : LinesOf(value))
      w.Write(0, "\t  {}{}\n", line.substr(0, kLongest - 2),
              line.size() > kLongest - 2 ? "..." : "");
  }
  if (first) w.Write(0, "<none>\n");
}

void WriteController(TabWriter& w, const api::Object& object) {
  if (const auto owner = object.controller())
    w.Write(0, "Controlled By:\t{}/{}\n", owner->kind, owner->name);
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

void WriteTaints(TabWriter& w, std::string_view title, const Value& taints) {
  w.Write(0, "{}:\t{}", title, taints.empty() ? "<none>\n" : "");
  std::vector<Value> sorted(taints.items().begin(), taints.items().end());
  const auto key = [](const Value& t) {
    return fmt::format("{},{}", t.Get("effect").AsString(), t.Get("key").AsString());
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&key](const Value& a, const Value& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Value& t = sorted[i];
    std::string text(t.Get("key").AsString());
    const std::string_view is = t.Get("value").AsString();
    const std::string_view effect = t.Get("effect").AsString();
    if (!is.empty()) text += fmt::format("={}", is);
    if (!is.empty() || !effect.empty()) text += fmt::format(":{}", effect);
    w.Write(0, "{}{}\n", i == 0 ? "" : "\t", text);
  }
}

void WriteSpreading(TabWriter& w, const Value& constraints, std::string_view indent) {
  if (constraints.empty()) return;
  std::vector<Value> sorted(constraints.items().begin(), constraints.items().end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Value& a, const Value& b) {
    return a.Get("topologyKey").AsString() < b.Get("topologyKey").AsString();
  });
  w.Write(0, "{}Topology Spread Constraints:\t", indent);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Value& c = sorted[i];
    if (i > 0) w.Write(0, "{}\t", indent);
    w.Write(0, "{}:{} when max skew {} is exceeded", c.Get("topologyKey").AsString(),
            c.Get("whenUnsatisfiable").AsString(), c.Get("maxSkew").AsInt());
    if (c.Has("labelSelector"))
      w.Write(0, " for selector {}", api::SelectorText(c.Get("labelSelector")));
    w.Write(0, "\n");
  }
}

void WriteEvents(TabWriter& w, const Described& d) {
  if (!d.show_events) return;
  EventSubject subject;
  subject.ns = d.object.ns();
  subject.kind = d.object.kind();
  subject.name = d.object.name();
  subject.uid = d.object.uid();
  subject.of_namespace = true;
  std::vector<api::Object> events = EventsAbout(d.cluster, subject);
  // Kubelets take their node's name for its uid.
  subject.uid = subject.name;
  if (subject.kind == "Node")
    for (api::Object& e : EventsAbout(d.cluster, subject)) events.push_back(std::move(e));
  if (events.empty()) {
    w.Write(0, "Events:\t<none>\n");
    return;
  }
  w.Flush();
  w.Write(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n");
  w.Write(1, "----\t------\t----\t----\t-------\n");
  for (const EventRow& e : RowsOfEvents(std::move(events), d.now()))
    w.Write(1, "{}\t{}\t{}\t{}\t{}\n", e.type, e.reason, e.age, e.from, e.message);
}

}  // namespace ksim::kubectl
