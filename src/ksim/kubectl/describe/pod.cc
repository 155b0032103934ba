// `kubectl describe` of a pod.
//
// Source: kubectl pkg/describe/describe.go describePod.
#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"

namespace ksim::kubectl {
namespace {

using value::Value;

void WriteWhat(TabWriter& w, const Described& d) {
  const Value& spec = d.spec();
  WriteHead(w, d.object);
  if (spec.Get("priority").is_int()) w.Write(0, "Priority:\t{}\n", spec.Get("priority").AsInt());
  WriteIf(w, 0, "Priority Class Name", spec.Get("priorityClassName"));
  WriteIf(w, 0, "Runtime Class Name", spec.Get("runtimeClassName"));
  WriteIf(w, 0, "Service Account", spec.Get("serviceAccountName"));
  if (const std::string_view node = spec.Get("nodeName").AsString(); node.empty())
    w.Write(0, "Node:\t<none>\n");
  else
    w.Write(0, "Node:\t{}/{}\n", node, d.status().Get("hostIP").AsString());
  if (d.status().Has("startTime"))
    w.Write(0, "Start Time:\t{}\n", LongTime(d.status().Get("startTime")));
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
}

void WritePodStatus(TabWriter& w, const Described& d) {
  const Value& status = d.status();
  const Value& metadata = d.tree.Get("metadata");
  const std::string_view phase = status.Get("phase").AsString();
  const bool over = phase == "Failed" || phase == "Succeeded";
  if (metadata.Has("deletionTimestamp") && !over) {
    w.Write(0, "Status:\tTerminating (lasts {})\n",
            api::AgeSince(api::TimeOf(metadata.Get("deletionTimestamp")), d.now()));
    w.Write(0, "Termination Grace Period:\t{}s\n",
            metadata.Get("deletionGracePeriodSeconds").AsInt());
  } else {
    w.Write(0, "Status:\t{}\n", phase);
  }
  WriteIf(w, 0, "Reason", status.Get("reason"));
  WriteIf(w, 0, "Message", status.Get("message"));
  WriteSeccomp(w, 0, 0, d.spec().Get("securityContext").Get("seccompProfile"));
  w.Write(0, "IP:\t{}\n", status.Get("podIP").AsString());
  w.Write(0, "IPs:{}\n", status.Get("podIPs").empty() ? "\t<none>" : "");
  for (const Value& ip : status.Get("podIPs").items())
    w.Write(1, "IP:\t{}\n", ip.Get("ip").AsString());
}

void WritePodConditions(TabWriter& w, const Described& d) {
  const Value& conditions = d.status().Get("conditions");
  if (const Value& gates = d.spec().Get("readinessGates"); !gates.empty()) {
    w.Write(0, "Readiness Gates:\n  Type\tStatus\n");
    for (const Value& g : gates.items()) {
      const std::string_view type = g.Get("conditionType").AsString();
      const std::string_view is = api::ConditionStatus(conditions, type);
      w.Write(1, "{} \t{} \n", type, is.empty() ? "<none>" : is);
    }
  }
  if (conditions.empty()) return;
  w.Write(0, "Conditions:\n  Type\tStatus\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{} \t{} \n", c.Get("type").AsString(), c.Get("status").AsString());
}

}  // namespace

std::string DescribePod(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  TabWriter w;
  WriteWhat(w, d);
  WritePodStatus(w, d);
  WriteController(w, d.object);
  WriteIf(w, 0, "NominatedNodeName", status.Get("nominatedNodeName"));
  if (const Value& resources = spec.Get("resources"); resources.is_object()) {
    w.Write(0, "Resources:\n");
    WriteResources(w, 1, resources);
  }
  if (!spec.Get("initContainers").empty())
    WriteContainers(w, "Init Containers", spec.Get("initContainers"),
                    status.Get("initContainerStatuses"), d.tree, "");
  WriteContainers(w, "Containers", spec.Get("containers"), status.Get("containerStatuses"), d.tree,
                  "");
  if (!spec.Get("ephemeralContainers").empty())
    WriteContainers(w, "Ephemeral Containers", spec.Get("ephemeralContainers"),
                    status.Get("ephemeralContainerStatuses"), d.tree, "");
  WritePodConditions(w, d);
  WriteVolumes(w, spec.Get("volumes"), "");
  w.Write(0, "QoS Class:\t{}\n", status.Get("qosClass").AsString());
  WriteLabels(w, "Node-Selectors", spec.Get("nodeSelector"));
  WriteTolerations(w, "Tolerations", spec.Get("tolerations"));
  WriteSpreading(w, spec.Get("topologySpreadConstraints"), "");
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
