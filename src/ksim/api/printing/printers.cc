#include "ksim/api/printing/printers.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/node.h"
#include "ksim/api/printing/pod_printer.h"
#include "ksim/api/printing/rare_printers.h"
#include "ksim/api/replicaset.h"
#include "ksim/value/selector.h"

namespace ksim::api {

using value::Value;

namespace {

using Cells = std::vector<std::string>;

using cells::Age;
using cells::Join;
using cells::Labels;
using cells::Lower;
using cells::Name;
using cells::Text;

std::string Count(const Value& v) { return std::to_string(v.AsInt()); }
std::string OrUnknown(const Value& v) {
  return v.AsString().empty() ? "<unknown>" : std::string(v.AsString());
}

// metav1.FormatLabelSelector.
std::string Selector(const Value& selector) {
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (!parsed.ok()) return "<error>";
  const std::string text = parsed->ToString();
  return text.empty() ? "<none>" : text;
}

const Value& TemplateContainers(const Object& o) {
  static const value::Path kPath{"spec", "template", "spec", "containers"};
  return o.Get(kPath);
}

Cells WithTemplate(Cells cells, const Object& o) {
  cells.push_back(Join(TemplateContainers(o), "name"));
  cells.push_back(Join(TemplateContainers(o), "image"));
  return cells;
}

Cells WithSelector(Cells cells, const Object& o) {
  cells = WithTemplate(std::move(cells), o);
  cells.push_back(Selector(o.spec().Get("selector")));
  return cells;
}

Cells ReplicaSetCells(const Object& o, VirtualTime now) {
  const ReplicaSetView rs(o);
  return WithSelector({Name(o), std::to_string(rs.replicas()), std::to_string(rs.status_replicas()),
                       std::to_string(rs.ready_replicas()), Age(o, now)},
                      o);
}

Cells ReplicationControllerCells(const Object& o, VirtualTime now) {
  Cells cells = ReplicaSetCells(o, now);
  cells.back() = Labels(o.spec().Get("selector"));
  return cells;
}

std::string Ready(const Object& o) {
  return fmt::format("{}/{}", o.status().Get("readyReplicas").AsInt(),
                     o.spec().Get("replicas").AsInt());
}

Cells DeploymentCells(const Object& o, VirtualTime now) {
  return WithSelector({Name(o), Ready(o), Count(o.status().Get("updatedReplicas")),
                       Count(o.status().Get("availableReplicas")), Age(o, now)},
                      o);
}

Cells StatefulSetCells(const Object& o, VirtualTime now) {
  return WithTemplate({Name(o), Ready(o), Age(o, now)}, o);
}

Cells DaemonSetCells(const Object& o, VirtualTime now) {
  static const value::Path kNodeSelector{"spec", "template", "spec", "nodeSelector"};
  const Value& s = o.status();
  return WithSelector(
      {Name(o), Count(s.Get("desiredNumberScheduled")), Count(s.Get("currentNumberScheduled")),
       Count(s.Get("numberReady")), Count(s.Get("updatedNumberScheduled")),
       Count(s.Get("numberAvailable")), Labels(o.Get(kNodeSelector)), Age(o, now)},
      o);
}

std::string JobStatus(const Object& o) {
  const Value& conditions = o.status().Get("conditions");
  const auto has = [&](const char* type) { return ConditionStatus(conditions, type) == "True"; };
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (o.deleting()) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (has(type)) return type;
  return "Running";
}

Cells JobCells(const Object& o, VirtualTime now) {
  const std::int64_t done = o.status().Get("succeeded").AsInt();
  const Value& wanted = o.spec().Get("completions");
  const std::int64_t parallelism = o.spec().Get("parallelism").AsInt();
  std::string completions = fmt::format("{}/1", done);
  if (wanted.is_int()) {
    completions = fmt::format("{}/{}", done, wanted.AsInt());
  } else if (parallelism > 1) {
    completions += fmt::format(" of {}", parallelism);
  }
  const std::optional<VirtualTime> start = TimeOf(o.status().Get("startTime"));
  const std::optional<VirtualTime> end = TimeOf(o.status().Get("completionTime"));
  const std::string duration = start ? AgeSince(start, end.value_or(now)) : "";
  return WithSelector({Name(o), JobStatus(o), completions, duration, Age(o, now)}, o);
}

Cells NodeCells(const Object& o, VirtualTime now) {
  const NodeView node(o);
  const bool known = !node.ready_status().empty();
  std::string status = !known ? "Unknown" : node.ready() ? "Ready" : "NotReady";
  if (node.unschedulable()) status += ",SchedulingDisabled";
  const std::string roles = fmt::format("{}", fmt::join(node.Roles(), ","));
  const auto address = [&](std::string_view type) {
    const std::string_view found = node.Address(type);
    return found.empty() ? std::string("<none>") : std::string(found);
  };
  const Value& info = node.node_info();
  std::string kernel = OrUnknown(info.Get("kernelVersion"));
  if (const std::string arch = Text(info.Get("architecture")); !arch.empty())
    kernel += fmt::format(" ({})", arch);
  return {Name(o),
          status,
          roles.empty() ? "<none>" : roles,
          Age(o, now),
          Text(info.Get("kubeletVersion")),
          address("InternalIP"),
          address("ExternalIP"),
          OrUnknown(info.Get("osImage")),
          kernel,
          OrUnknown(info.Get("containerRuntimeVersion"))};
}

// The field of an event: of the group events.k8s.io it has a name of its own.
const Value& EventField(const Object& o, std::string_view core, std::string_view other) {
  return o.tree().Has(core) ? o.tree().Get(core) : o.tree().Get(other);
}

std::string EventSource(const Object& o) {
  const auto first = [](const Value& a, const Value& b) {
    return a.AsString().empty() ? b.AsString() : a.AsString();
  };
  const Value& source = EventField(o, "source", "deprecatedSource");
  const std::string_view component =
      first(source.Get("component"), EventField(o, "reportingComponent", "reportingController"));
  const std::string_view instance = first(source.Get("host"), o.tree().Get("reportingInstance"));
  if (instance.empty()) return std::string(component);
  return fmt::format("{}, {}", component, instance);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Cells EventCells(const Object& o, VirtualTime now) {
  const Value& tree = o.tree();
  std::optional<VirtualTime> first_time =
      TimeOf(EventField(o, "firstTimestamp", "deprecatedFirstTimestamp"));
  if (!first_time) first_time = TimeOf(tree.Get("eventTime"));
  const std::string first = AgeSince(first_time, now);
  const std::optional<VirtualTime> last_time =
      TimeOf(EventField(o, "lastTimestamp", "deprecatedLastTimestamp"));
  std::string last = last_time ? AgeSince(last_time, now) : first;
  std::int64_t count = EventField(o, "count", "deprecatedCount").AsInt();
  const Value& series = tree.Get("series");
  if (series.is_object()) {
    last = AgeSince(TimeOf(series.Get("lastObservedTime")), now);
    count = series.Get("count").AsInt();
  } else if (count == 0) {
    count = 1;
  }
  const Value& object = EventField(o, "involvedObject", "regarding");
  std::string target = Lower(object.Get("kind").AsString());
  if (!object.Get("name").AsString().empty()) target += "/" + Text(object.Get("name"));
  const Value& message = EventField(o, "message", "note");
  return {last,
          Text(tree.Get("type")),
          Text(tree.Get("reason")),
          target,
          Text(object.Get("fieldPath")),
          EventSource(o),
          std::string(Trimmed(message.AsString())),
          first,
          std::to_string(count),
          Name(o)};
}

Cells NamespaceCells(const Object& o, VirtualTime now) {
  return {Name(o), Text(o.status().Get("phase")), Age(o, now)};
}
Cells LeaseCells(const Object& o, VirtualTime now) {
  return {Name(o), Text(o.spec().Get("holderIdentity")), Age(o, now)};
}
Cells ConfigMapCells(const Object& o, VirtualTime now) {
  const std::size_t n = o.tree().Get("data").size() + o.tree().Get("binaryData").size();
  return {Name(o), std::to_string(n), Age(o, now)};
}
Cells SecretCells(const Object& o, VirtualTime now) {
  return {Name(o), Text(o.tree().Get("type")), std::to_string(o.tree().Get("data").size()),
          Age(o, now)};
}
Cells PriorityClassCells(const Object& o, VirtualTime now) {
  return {Name(o), Count(o.tree().Get("value")),
          o.tree().Get("globalDefault").AsBool() ? "true" : "false", Age(o, now),
          Text(o.tree().Get("preemptionPolicy"))};
}

std::string ServicePorts(const Value& ports) {
  std::vector<std::string> pieces;
  for (const Value& p : ports.items()) {
    const std::int64_t node_port = p.Get("nodePort").AsInt();
    const std::string node = node_port > 0 ? fmt::format(":{}", node_port) : "";
    pieces.push_back(
        fmt::format("{}{}/{}", p.Get("port").AsInt(), node, p.Get("protocol").AsString()));
  }
  return pieces.empty() ? "<none>" : fmt::format("{}", fmt::join(pieces, ","));
}

std::string ExternalIp(const Object& o) {
  const std::string_view type = o.spec().Get("type").AsString();
  if (type == "ExternalName") return Text(o.spec().Get("externalName"));
  std::vector<std::string_view> ips;
  static const value::Path kIngress{"status", "loadBalancer", "ingress"};
  if (type == "LoadBalancer") {
    for (const Value& i : o.Get(kIngress).items()) {
      ips.push_back(i.Has("ip") ? i.Get("ip").AsString() : i.Get("hostname").AsString());
    }
    std::sort(ips.begin(), ips.end());
  }
  for (const Value& ip : o.spec().Get("externalIPs").items()) ips.push_back(ip.AsString());
  if (!ips.empty()) return fmt::format("{}", fmt::join(ips, ","));
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

Cells ServiceCells(const Object& o, VirtualTime now) {
  const Value& ips = o.spec().Get("clusterIPs");
  std::string ip = Text(ips.empty() ? o.spec().Get("clusterIP") : ips.at(0));
  if (ip.empty()) ip = "<none>";
  return {Name(o),
          Text(o.spec().Get("type")),
          ip,
          ExternalIp(o),
          ServicePorts(o.spec().Get("ports")),
          Age(o, now),
          Labels(o.spec().Get("selector"))};
}

std::string IntOrStringText(const Value& v) {
  if (v.is_int()) return std::to_string(v.AsInt());
  return v.is_string() ? Text(v) : "N/A";
}

Cells BudgetCells(const Object& o, VirtualTime now) {
  return {Name(o), IntOrStringText(o.spec().Get("minAvailable")),
          IntOrStringText(o.spec().Get("maxUnavailable")),
          Count(o.status().Get("disruptionsAllowed")), Age(o, now)};
}

Cells CronJobCells(const Object& o, VirtualTime now) {
  const std::optional<VirtualTime> last = TimeOf(o.status().Get("lastScheduleTime"));
  const Value& zone = o.spec().Get("timeZone");
  static const value::Path kContainers{"spec",     "jobTemplate", "spec",
                                       "template", "spec",        "containers"};
  static const value::Path kSelector{"spec", "jobTemplate", "spec", "selector"};
  return {Name(o),
          Text(o.spec().Get("schedule")),
          zone.is_null() ? "<none>" : Text(zone),
          o.spec().Get("suspend").AsBool() ? "True" : "False",
          std::to_string(o.status().Get("active").size()),
          last ? AgeSince(last, now) : "<none>",
          Age(o, now),
          Join(o.Get(kContainers), "name"),
          Join(o.Get(kContainers), "image"),
          o.Get(kSelector).is_null() ? "<none>" : Selector(o.Get(kSelector))};
}

Cells GenericCells(const Object& o, VirtualTime now) { return {Name(o), Age(o, now)}; }

constexpr Printer kPrinters[] = {
    {"", "Pod", "Name|Ready|Status|Restarts|Age|~IP|~Node|~Nominated Node|~Readiness Gates",
     PodCells},
    {"apps", "ReplicaSet", "Name|Desired|Current|Ready|Age|~Containers|~Images|~Selector",
     ReplicaSetCells},
    {"", "ReplicationController", "Name|Desired|Current|Ready|Age|~Containers|~Images|~Selector",
     ReplicationControllerCells},
    {"apps", "Deployment", "Name|Ready|Up-to-date|Available|Age|~Containers|~Images|~Selector",
     DeploymentCells},
    {"apps", "StatefulSet", "Name|Ready|Age|~Containers|~Images", StatefulSetCells},
    {"apps", "DaemonSet",
     "Name|Desired|Current|Ready|Up-to-date|Available|Node Selector|Age|~Containers|~Images|"
     "~Selector",
     DaemonSetCells},
    {"batch", "Job", "Name|Status|Completions|Duration|Age|~Containers|~Images|~Selector",
     JobCells},
    {"batch", "CronJob",
     "Name|Schedule|Timezone|Suspend|Active|Last Schedule|Age|~Containers|~Images|~Selector",
     CronJobCells},
    {"", "Node",
     "Name|Status|Roles|Age|Version|~Internal-IP|~External-IP|~OS-Image|~Kernel-Version|"
     "~Container-Runtime",
     NodeCells},
    {"", "Event",
     "Last Seen|Type|Reason|Object|~Subobject|~Source|Message|~First Seen|~Count|~Name",
     EventCells},
    {"events.k8s.io", "Event",
     "Last Seen|Type|Reason|Object|~Subobject|~Source|Message|~First Seen|~Count|~Name",
     EventCells},
    {"", "Namespace", "Name|Status|Age", NamespaceCells},
    {"coordination.k8s.io", "Lease", "Name|Holder|Age", LeaseCells},
    {"", "ConfigMap", "Name|Data|Age", ConfigMapCells},
    {"", "Secret", "Name|Type|Data|Age", SecretCells},
    {"", "ServiceAccount", "Name|Age", GenericCells},
    {"scheduling.k8s.io", "PriorityClass", "Name|Value|Global-Default|Age|PreemptionPolicy",
     PriorityClassCells},
    {"", "Service", "Name|Type|Cluster-IP|External-IP|Port(s)|Age|~Selector", ServiceCells},
    {"policy", "PodDisruptionBudget", "Name|Min Available|Max Unavailable|Allowed Disruptions|Age",
     BudgetCells},
};
constexpr Printer kGeneric = {"", "", "Name|Age", GenericCells};

const Printer& PrinterOf(const ResourceInfo& kind) {
  if (kind.custom) return kGeneric;
  for (const Printer& p : kPrinters) {
    if (kind.kind == p.kind && kind.group == p.group) return p;
  }
  if (const Printer* rare = RarePrinterOf(kind)) return *rare;
  return kGeneric;
}

std::vector<TableColumn> Columns(std::string_view text) {
  std::vector<TableColumn> columns;
  while (!text.empty()) {
    std::string_view name = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    const bool wide = name.starts_with('~');
    columns.emplace_back(std::string(name.substr(wide ? 1 : 0)), wide ? 1 : 0);
  }
  return columns;
}

}  // namespace

Table PrintTable(const ResourceInfo& kind, const std::vector<Object>& objects, VirtualTime now) {
  const Printer& printer = PrinterOf(kind);
  Table table;
  table.columns = Columns(printer.columns);
  for (const Object& o : objects) table.rows.push_back(printer.cells(o, now));
  return table;
}

std::string SelectorText(const Value& selector) { return Selector(selector); }

}  // namespace ksim::api
