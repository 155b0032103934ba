// What `kubectl describe` says of pods and ReplicaSets.
//
// Source: kubectl pkg/describe/describe.go describePod, describeReplicaSet, DescribePodTemplate.
#include "ksim/api/pod_printer.h"
#include "ksim/api/printers.h"
#include "ksim/api/timestamps.h"
#include "ksim/cli/describe.h"
#include "ksim/cli/describe_text.h"
#include "ksim/value/selector.h"

namespace ksim::cli {
namespace {

using value::Value;

void WriteIf(TabWriter& w, std::string_view title, const Value& text) {
  if (!text.AsString().empty()) w.Write(0, "{}:\t{}\n", title, text.AsString());
}

// Condition types and their status, one a line.
void WriteConditions(TabWriter& w, const Value& conditions) {
  if (conditions.empty()) return;
  w.Write(0, "Conditions:\n  Type\tStatus\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{} \t{} \n", c.Get("type").AsString(), c.Get("status").AsString());
}

void WritePodStatus(TabWriter& w, const Value& metadata, const Value& status, VirtualTime now) {
  const std::string_view phase = status.Get("phase").AsString();
  const bool over = phase == "Failed" || phase == "Succeeded";
  if (metadata.Has("deletionTimestamp") && !over) {
    w.Write(0, "Status:\tTerminating (lasts {})\n",
            api::AgeSince(api::TimeOf(metadata.Get("deletionTimestamp")), now));
    w.Write(0, "Termination Grace Period:\t{}s\n",
            metadata.Get("deletionGracePeriodSeconds").AsInt());
  } else {
    w.Write(0, "Status:\t{}\n", phase);
  }
  WriteIf(w, "Reason", status.Get("reason"));
  WriteIf(w, "Message", status.Get("message"));
  w.Write(0, "IP:\t{}\n", status.Get("podIP").AsString());
  w.Write(0, "IPs:{}\n", status.Get("podIPs").empty() ? "\t<none>" : "");
  for (const Value& ip : status.Get("podIPs").items())
    w.Write(1, "IP:\t{}\n", ip.Get("ip").AsString());
}

std::string DescribePod(const api::Object& pod, const trace::State& state) {
  const Value tree = pod.ToTree();
  const Value& spec = tree.Get("spec");
  const Value& status = tree.Get("status");
  const VirtualTime now(state.time());
  TabWriter w;
  w.Write(0, "Name:\t{}\nNamespace:\t{}\n", pod.name(), pod.ns());
  if (spec.Get("priority").is_int()) w.Write(0, "Priority:\t{}\n", spec.Get("priority").AsInt());
  WriteIf(w, "Priority Class Name", spec.Get("priorityClassName"));
  WriteIf(w, "Service Account", spec.Get("serviceAccountName"));
  if (const std::string_view node = spec.Get("nodeName").AsString(); node.empty())
    w.Write(0, "Node:\t<none>\n");
  else
    w.Write(0, "Node:\t{}/{}\n", node, status.Get("hostIP").AsString());
  if (status.Has("startTime")) w.Write(0, "Start Time:\t{}\n", LongTime(status.Get("startTime")));
  WriteLabels(w, "Labels", pod.labels());
  WriteAnnotations(w, "Annotations", pod.annotations());
  WritePodStatus(w, tree.Get("metadata"), status, now);
  WriteController(w, pod);
  WriteIf(w, "NominatedNodeName", status.Get("nominatedNodeName"));
  if (!spec.Get("initContainers").empty())
    WriteContainers(w, "Init Containers", spec.Get("initContainers"),
                    status.Get("initContainerStatuses"), "");
  WriteContainers(w, "Containers", spec.Get("containers"), status.Get("containerStatuses"), "");
  WriteConditions(w, status.Get("conditions"));
  WriteVolumes(w, spec.Get("volumes"), "");
  w.Write(0, "QoS Class:\t{}\n", status.Get("qosClass").AsString());
  WriteLabels(w, "Node-Selectors", spec.Get("nodeSelector"));
  WriteTolerations(w, "Tolerations", spec.Get("tolerations"));
  WriteEvents(w, EventsAbout(state, pod.ns(), pod.kind(), pod.name()), now);
  return w.Take();
}

// getPodStatusForController: the pods that it controls.
std::string PodsStatus(const api::Object& owner, const trace::State& state) {
  int running = 0, waiting = 0, succeeded = 0, failed = 0;
  for (const api::Object& pod : state.List("pods", owner.ns())) {
    const auto controller = pod.controller();
    if (!controller || controller->uid != owner.uid()) continue;
    const std::string_view phase = pod.tree().Get("status").Get("phase").AsString();
    running += phase == "Running" ? 1 : 0;
    waiting += phase == "Pending" ? 1 : 0;
    succeeded += phase == "Succeeded" ? 1 : 0;
    failed += phase == "Failed" ? 1 : 0;
  }
  return fmt::format("{} Running / {} Waiting / {} Succeeded / {} Failed", running, waiting,
                     succeeded, failed);
}

void WriteTemplate(TabWriter& w, const Value& pod_template) {
  const Value& metadata = pod_template.Get("metadata");
  const Value& spec = pod_template.Get("spec");
  w.Write(0, "Pod Template:\n");
  WriteLabels(w, "  Labels", metadata.Get("labels"));
  if (!metadata.Get("annotations").empty())
    WriteAnnotations(w, "  Annotations", metadata.Get("annotations"));
  WriteIf(w, "  Service Account", spec.Get("serviceAccountName"));
  if (!spec.Get("initContainers").empty())
    WriteContainers(w, "Init Containers", spec.Get("initContainers"), Value(), "  ");
  WriteContainers(w, "Containers", spec.Get("containers"), Value(), "  ");
  WriteVolumes(w, spec.Get("volumes"), "  ");
  WriteIf(w, "  Priority Class Name", spec.Get("priorityClassName"));
  WriteLabels(w, "  Node-Selectors", spec.Get("nodeSelector"));
  WriteTolerations(w, "  Tolerations", spec.Get("tolerations"));
}

std::string DescribeReplicaSet(const api::Object& rs, const trace::State& state) {
  const Value& spec = rs.tree().Get("spec");
  const Value& status = rs.tree().Get("status");
  TabWriter w;
  w.Write(0, "Name:\t{}\nNamespace:\t{}\n", rs.name(), rs.ns());
  w.Write(0, "Selector:\t{}\n", api::SelectorText(spec.Get("selector")));
  WriteLabels(w, "Labels", rs.labels());
  WriteAnnotations(w, "Annotations", rs.annotations());
  WriteController(w, rs);
  w.Write(0, "Replicas:\t{} current / {} desired\n", status.Get("replicas").AsInt(),
          spec.Get("replicas").AsInt());
  w.Write(0, "Pods Status:\t{}\n", PodsStatus(rs, state));
  WriteTemplate(w, spec.Get("template"));
  if (!status.Get("conditions").empty()) {
    w.Write(0, "Conditions:\n  Type\tStatus\tReason\n");
    w.Write(1, "----\t------\t------\n");
    for (const Value& c : status.Get("conditions").items())
      w.Write(1, "{} \t{}\t{}\n", c.Get("type").AsString(), c.Get("status").AsString(),
              c.Get("reason").AsString());
  }
  WriteEvents(w, EventsAbout(state, rs.ns(), rs.kind(), rs.name()), VirtualTime(state.time()));
  return w.Take();
}

}  // namespace

std::string DescribeObject(const api::Object& object, const trace::State& state) {
  if (object.kind() == "Pod" && object.api_version() == "v1") return DescribePod(object, state);
  if (object.kind() == "ReplicaSet" && object.api_version() == "apps/v1")
    return DescribeReplicaSet(object, state);
  return DescribeGenerically(object, state);
}

}  // namespace ksim::cli
