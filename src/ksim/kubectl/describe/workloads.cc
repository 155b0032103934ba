// `kubectl describe` of the kinds whose controllers make pods.
//
// Source: kubectl pkg/describe/describe.go describeReplicaSet, describeReplicationController,
// describeDeployment, describeStatefulSet, describeDaemonSet, describeJob, describeCronJob,
// DescribePodTemplate; pkg/util/deployment/deployment.go.
#include <algorithm>

#include "ksim/api/core/timestamps.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/printing/printers.h"
#include "ksim/kubectl/describe/describe.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/go_format.h"
#include "ksim/value/selector.h"

namespace ksim::kubectl {
namespace {

using value::Value;

bool IsControlledBy(const api::Object& object, const api::Object& owner) {
  const auto controller = object.controller();
  return controller && controller->uid == owner.uid();
}

// labels.Selector's own text: nothing for one that selects everything.
std::string SelectorOf(const Value& selector) {
  const auto parsed = value::LabelSelector::FromObject(selector);
  return parsed.ok() ? parsed->ToString() : "";
}

// getPodStatusForController: the pods that it controls.
void WritePodsStatus(TabWriter& w, const Described& d) {
  int running = 0, waiting = 0, succeeded = 0, failed = 0;
  for (const api::Object& pod : d.cluster.List("pods", d.object.ns())) {
    if (!IsControlledBy(pod, d.object)) continue;
    const std::string_view phase = pod.tree().Get("status").Get("phase").AsString();
    running += phase == "Running" ? 1 : 0;
    waiting += phase == "Pending" ? 1 : 0;
    succeeded += phase == "Succeeded" ? 1 : 0;
    failed += phase == "Failed" ? 1 : 0;
  }
  w.Write(0, "Pods Status:\t{} Running / {} Waiting / {} Succeeded / {} Failed\n", running, waiting,
          succeeded, failed);
}

void WriteTemplate(TabWriter& w, const Value& pod_template) {
  const Value& metadata = pod_template.Get("metadata");
  const Value& spec = pod_template.Get("spec");
  w.Write(0, "Pod Template:\n");
  WriteLabels(w, "  Labels", metadata.Get("labels"));
  if (!metadata.Get("annotations").empty())
    WriteAnnotations(w, "  Annotations", metadata.Get("annotations"));
  WriteIf(w, 1, "Service Account", spec.Get("serviceAccountName"));
  if (!spec.Get("initContainers").empty())
    WriteContainers(w, "Init Containers", spec.Get("initContainers"), Value(), Value(), "  ");
  WriteContainers(w, "Containers", spec.Get("containers"), Value(), Value(), "  ");
  WriteVolumes(w, spec.Get("volumes"), "  ");
  WriteSpreading(w, spec.Get("topologySpreadConstraints"), "  ");
  WriteIf(w, 1, "Priority Class Name", spec.Get("priorityClassName"));
  WriteLabels(w, "  Node-Selectors", spec.Get("nodeSelector"));
  WriteTolerations(w, "  Tolerations", spec.Get("tolerations"));
}

void WriteWorkloadConditions(TabWriter& w, const Value& conditions) {
  if (conditions.empty()) return;
  w.Write(0, "Conditions:\n  Type\tStatus\tReason\n");
  w.Write(1, "----\t------\t------\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{} \t{}\t{}\n", c.Get("type").AsString(), c.Get("status").AsString(),
            c.Get("reason").AsString());
}

void WriteMetadata(TabWriter& w, const Described& d) {
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
}

void WriteCreated(TabWriter& w, const Described& d) {
  w.Write(0, "CreationTimestamp:\t{}\n", LongTime(d.tree.Get("metadata").Get("creationTimestamp")));
}

// Without the label that tells ReplicaSets of a Deployment apart (equalIgnoreHash).
Value WithoutHash(const Value& pod_template) {
  static const value::Path kHash{"metadata", "labels", "pod-template-hash"};
  return pod_template.Erase(kHash);
}

std::string Created(const std::vector<api::Object>& sets) {
  std::string out;
  for (const api::Object& rs : sets)
    out += fmt::format("{}{} ({}/{} replicas created)", out.empty() ? "" : ", ", rs.name(),
                       rs.status().Get("replicas").AsInt(), rs.spec().Get("replicas").AsInt());
  return out.empty() ? "<none>" : out;
}

void WriteReplicaSets(TabWriter& w, const Described& d) {
  std::vector<api::Object> old;
  const auto selector = value::LabelSelector::FromObject(d.spec().Get("selector"));
  for (api::Object& rs : d.cluster.List("replicasets", d.object.ns()))
    if (selector.ok() && selector->Matches(rs.labels()) && IsControlledBy(rs, d.object))
      old.push_back(std::move(rs));
  if (old.empty()) return;
  std::stable_sort(old.begin(), old.end(), [](const api::Object& a, const api::Object& b) {
    return a.creation_time() < b.creation_time();
  });
  const Value wanted = WithoutHash(d.spec().Get("template"));
  const auto newest = std::find_if(old.begin(), old.end(), [&wanted](const api::Object& rs) {
    return WithoutHash(rs.spec().Get("template")) == wanted;
  });
  std::vector<api::Object> current;
  if (newest != old.end()) {
    current.push_back(*newest);
    old.erase(newest);
  }
  w.Write(0, "OldReplicaSets:\t{}\n", Created(old));
  w.Write(0, "NewReplicaSet:\t{}\n", Created(current));
}

// "Title:<tab>5s", or <unset>; nothing if it is not to be told when it is not set.
void WriteCount(TabWriter& w, std::string_view title, const Value& v, std::string_view unit = "",
                bool tell_unset = true) {
  if (v.is_null() && !tell_unset) return;
  w.Write(0, "{}:\t{}{}\n", title, v.is_null() ? "<unset>" : value::GoFormat(v),
          v.is_null() ? "" : unit);
}

// At most some 50 characters of a list of indexes (capIndexesListOrNone).
std::string Indexes(std::string_view indexes) {
  constexpr std::size_t kSoftLimit = 50;
  if (indexes.empty()) return "<none>";
  const std::size_t comma = indexes.find(',', kSoftLimit);
  if (comma == std::string_view::npos) return std::string(indexes);
  return std::string(indexes.substr(0, comma + 1)) + "...";
}

void WriteJobTimes(TabWriter& w, const Described& d) {
  const auto start = api::TimeOf(d.status().Get("startTime"));
  const auto end = api::TimeOf(d.status().Get("completionTime"));
  if (start) w.Write(0, "Start Time:\t{}\n", LongTime(d.status().Get("startTime")));
  if (end) w.Write(0, "Completed At:\t{}\n", LongTime(d.status().Get("completionTime")));
  if (start && end) w.Write(0, "Duration:\t{}\n", api::AgeSince(start, *end));
}

void WriteVolumeClaims(TabWriter& w, const Value& templates) {
  w.Write(0, "Volume Claims:{}\n", templates.empty() ? "\t<none>" : "");
  for (const Value& claim : templates.items()) {
    const Value& metadata = claim.Get("metadata");
    const Value& storage = claim.Get("spec").Get("resources").Get("requests").Get("storage");
    w.Write(1, "Name:\t{}\n", metadata.Get("name").AsString());
    w.Write(1, "StorageClass:\t{}\n", claim.Get("spec").Get("storageClassName").AsString());
    WriteLabels(w, "  Labels", metadata.Get("labels"));
    WriteLabels(w, "  Annotations", metadata.Get("annotations"));
    w.Write(1, "Capacity:\t{}\n", storage.is_null() ? "<default>" : AmountText(storage));
    w.Write(1, "Access Modes:\t{}\n", value::GoFormat(claim.Get("spec").Get("accessModes")));
  }
}

}  // namespace

std::string DescribePodTemplate(const Value& pod_template) {
  TabWriter w;
  WriteTemplate(w, pod_template);
  return w.Take();
}

std::string DescribeReplicaSet(const Described& d) {
  const bool is_set = d.object.kind() == "ReplicaSet";
  TabWriter w;
  WriteHead(w, d.object);
  w.Write(
      0, "Selector:\t{}\n",
      is_set ? api::SelectorText(d.spec().Get("selector")) : LabelsText(d.spec().Get("selector")));
  WriteMetadata(w, d);
  if (is_set) WriteController(w, d.object);
  w.Write(0, "Replicas:\t{} current / {} desired\n", d.status().Get("replicas").AsInt(),
          d.spec().Get("replicas").AsInt());
  WritePodsStatus(w, d);
  WriteTemplate(w, d.spec().Get("template"));
  WriteWorkloadConditions(w, d.status().Get("conditions"));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeDeployment(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  const auto count = [&status](std::string_view field) { return status.Get(field).AsInt(); };
  TabWriter w;
  WriteHead(w, d.object);
  WriteCreated(w, d);
  WriteMetadata(w, d);
  w.Write(0, "Selector:\t{}\n", SelectorOf(spec.Get("selector")));
  w.Write(0, "Replicas:\t{} desired | {} updated | {} total | {} available | {} unavailable\n",
          spec.Get("replicas").AsInt(), count("updatedReplicas"), count("replicas"),
          count("availableReplicas"), count("unavailableReplicas"));
  w.Write(0, "StrategyType:\t{}\n", spec.Get("strategy").Get("type").AsString());
  w.Write(0, "MinReadySeconds:\t{}\n", spec.Get("minReadySeconds").AsInt());
  if (const Value& rolling = spec.Get("strategy").Get("rollingUpdate"); rolling.is_object())
    w.Write(0, "RollingUpdateStrategy:\t{} max unavailable, {} max surge\n",
            value::GoFormat(rolling.Get("maxUnavailable")),
            value::GoFormat(rolling.Get("maxSurge")));
  WriteTemplate(w, spec.Get("template"));
  WriteWorkloadConditions(w, status.Get("conditions"));
  WriteReplicaSets(w, d);
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeStatefulSet(const Described& d) {
  const Value& spec = d.spec();
  const Value& strategy = spec.Get("updateStrategy");
  TabWriter w;
  WriteHead(w, d.object);
  WriteCreated(w, d);
  w.Write(0, "Selector:\t{}\n", SelectorOf(spec.Get("selector")));
  WriteMetadata(w, d);
  w.Write(0, "Replicas:\t{} desired | {} total\n", spec.Get("replicas").AsInt(),
          d.status().Get("replicas").AsInt());
  w.Write(0, "Update Strategy:\t{}\n", strategy.Get("type").AsString());
  if (const Value& rolling = strategy.Get("rollingUpdate"); rolling.Get("partition").is_int()) {
    w.Write(1, "Partition:\t{}\n", rolling.Get("partition").AsInt());
    if (rolling.Has("maxUnavailable"))
      w.Write(1, "MaxUnavailable:\t{}\n", value::GoFormat(rolling.Get("maxUnavailable")));
  }
  WritePodsStatus(w, d);
  WriteTemplate(w, spec.Get("template"));
  WriteVolumeClaims(w, spec.Get("volumeClaimTemplates"));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeDaemonSet(const Described& d) {
  static const value::Path kNodeSelector{"template", "spec", "nodeSelector"};
  const Value& status = d.status();
  TabWriter w;
  WriteHead(w, d.object);
  w.Write(0, "Selector:\t{}\n", SelectorOf(d.spec().Get("selector")));
  w.Write(0, "Node-Selector:\t{}\n", LabelsText(d.spec().Get(kNodeSelector)));
  WriteMetadata(w, d);
  w.Write(0, "Desired Number of Nodes Scheduled: {}\n",
          status.Get("desiredNumberScheduled").AsInt());
  w.Write(0, "Current Number of Nodes Scheduled: {}\n",
          status.Get("currentNumberScheduled").AsInt());
  w.Write(0, "Number of Nodes Scheduled with Up-to-date Pods: {}\n",
          status.Get("updatedNumberScheduled").AsInt());
  w.Write(0, "Number of Nodes Scheduled with Available Pods: {}\n",
          status.Get("numberAvailable").AsInt());
  w.Write(0, "Number of Nodes Misscheduled: {}\n", status.Get("numberMisscheduled").AsInt());
  WritePodsStatus(w, d);
  WriteTemplate(w, d.spec().Get("template"));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeJob(const Described& d) {
  const Value& spec = d.spec();
  const Value& status = d.status();
  TabWriter w;
  WriteHead(w, d.object);
  w.Write(0, "Selector:\t{}\n", SelectorOf(spec.Get("selector")));
  WriteMetadata(w, d);
  WriteController(w, d.object);
  WriteCount(w, "Parallelism", spec.Get("parallelism"), "", false);
  WriteCount(w, "Completions", spec.Get("completions"));
  WriteIf(w, 0, "Completion Mode", spec.Get("completionMode"));
  WriteCount(w, "Suspend", spec.Get("suspend"), "", false);
  WriteCount(w, "Backoff Limit", spec.Get("backoffLimit"), "", false);
  WriteCount(w, "TTL Seconds After Finished", spec.Get("ttlSecondsAfterFinished"), "", false);
  WriteJobTimes(w, d);
  WriteCount(w, "Active Deadline Seconds", spec.Get("activeDeadlineSeconds"), "s", false);
  const Value& ready = status.Get("ready");
  w.Write(0, "Pods Statuses:\t{} Active{} / {} Succeeded / {} Failed\n",
          status.Get("active").AsInt(),
          ready.is_null() ? "" : fmt::format(" ({} Ready)", ready.AsInt()),
          status.Get("succeeded").AsInt(), status.Get("failed").AsInt());
  if (spec.Get("completionMode").AsString() == "Indexed")
    w.Write(0, "Completed Indexes:\t{}\n", Indexes(status.Get("completedIndexes").AsString()));
  WriteTemplate(w, spec.Get("template"));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeCronJob(const Described& d) {
  const Value& spec = d.spec();
  const Value& job = spec.Get("jobTemplate").Get("spec");
  const Value& last = d.status().Get("lastScheduleTime");
  TabWriter w;
  WriteHead(w, d.object);
  WriteMetadata(w, d);
  w.Write(0, "Schedule:\t{}\n", spec.Get("schedule").AsString());
  w.Write(0, "Concurrency Policy:\t{}\n", spec.Get("concurrencyPolicy").AsString());
  w.Write(0, "Suspend:\t{}\n",
          !spec.Has("suspend")           ? "<unset>"
          : spec.Get("suspend").AsBool() ? "True"
                                         : "False");
  WriteCount(w, "Time Zone", spec.Get("timeZone"));
  WriteCount(w, "Successful Job History Limit", spec.Get("successfulJobsHistoryLimit"));
  WriteCount(w, "Failed Job History Limit", spec.Get("failedJobsHistoryLimit"));
  WriteCount(w, "Starting Deadline Seconds", spec.Get("startingDeadlineSeconds"), "s");
  w.Write(0, "Selector:\t{}\n", job.Has("selector") ? SelectorOf(job.Get("selector")) : "<unset>");
  WriteCount(w, "Parallelism", job.Get("parallelism"));
  WriteCount(w, "Completions", job.Get("completions"));
  WriteCount(w, "Active Deadline Seconds", job.Get("activeDeadlineSeconds"), "s", false);
  WriteTemplate(w, job.Get("template"));
  w.Write(0, "Last Schedule Time:\t{}\n", last.is_null() ? "<unset>" : LongTime(last));
  std::string active;
  for (const Value& j : d.status().Get("active").items())
    active += fmt::format("{}{}", active.empty() ? "" : ", ", j.Get("name").AsString());
  w.Write(0, "Active Jobs:\t{}\n", active.empty() ? "<none>" : active);
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
