// Scenario -> tree, in the shape that the reader takes: every default written out, every reference
// to a file or document replaced by the objects themselves.
#include "ksim/check/invariant_tree.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/scenario.h"
#include "ksim/scenario/step_arguments.h"

namespace ksim::scenario {
namespace {

using value::Obj;
using value::ObjectBuilder;
using value::Value;

Value Of(Duration d) { return Value::Of(FormatDuration(d)); }

Value Strings(const std::vector<std::string>& list) {
  std::vector<Value> items;
  for (const std::string& s : list) items.push_back(Value::Of(s));
  return Value::Array(std::move(items));
}

Value Map(const std::vector<std::pair<std::string, std::string>>& map) {
  ObjectBuilder out;
  for (const auto& [k, v] : map) out.Add(k, Value::Of(v));
  return out.Build();
}

Value NodeTree(const NodeSpec& node) {
  ObjectBuilder out;
  out.Add("name", Value::Of(node.name)).Add("count", Value::Of(node.count));
  out.AddIf(!node.capacity.empty(), "capacity", Map(node.capacity));
  out.AddIf(!node.labels.empty(), "labels", Map(node.labels));
  std::vector<Value> taints;
  for (const NodeSpec::Taint& t : node.taints)
    taints.push_back(Obj({{"key", Value::Of(t.key)},
                          {"value", Value::Of(t.value)},
                          {"effect", Value::Of(t.effect)}}));
  if (!taints.empty()) out.Add("taints", Value::Array(std::move(taints)));
  return out.Build();
}

Value DenyTree(const DenySpec& rule) {
  ObjectBuilder out;
  out.AddIf(!rule.user.empty(), "user", Value::Of(rule.user));
  out.AddIf(!rule.verb.empty(), "verb", Value::Of(rule.verb));
  out.AddIf(!rule.resource.empty(), "resource", Value::Of(rule.resource));
  out.AddIf(!rule.ns.empty(), "namespace", Value::Of(rule.ns));
  out.AddIf(!rule.name.empty(), "name", Value::Of(rule.name));
  return out.Build();
}

Value MetricTree(const MetricSpec& metric) {
  std::vector<Value> load;
  for (const MetricSpec::Level& level : metric.load)
    load.push_back(
        Obj({{"at", Of(level.at)}, {level.each ? "each" : "total", Value::Of(level.amount)}}));
  ObjectBuilder out;
  out.AddIf(!metric.resource.empty(), "resource", Value::Of(metric.resource));
  out.AddIf(!metric.metric.empty(), "metric", Value::Of(metric.metric));
  out.AddIf(!metric.pods.empty(), "pods", Value::Of(metric.pods));
  out.AddIf(!metric.container.empty(), "container", Value::Of(metric.container));
  out.AddIf(!metric.object_kind.empty(), "object",
            Value::Of(metric.object_kind + "/" + metric.object_name));
  out.Add("namespace", Value::Of(metric.ns));
  out.AddIf(!metric.labels.empty(), "labels", Map(metric.labels));
  return out.Add("load", Value::Array(std::move(load))).Build();
}

Value ImageTree(const ImageSpec& image) {
  ObjectBuilder out;
  out.Add("image", Value::Of(image.image));
  out.AddIf(!image.user.empty(), "user", Value::Of(image.user));
  out.AddIf(!image.digest.empty(), "digest", Value::Of(image.digest));
  out.AddIf(!image.size.empty(), "size", Value::Of(image.size));
  if (image.pull_time) out.Add("pullTime", Of(*image.pull_time));
  out.AddIf(!image.exit.empty(), "exit", Value::Of(image.exit));
  out.AddIf(image.present, "present", Value::Of(true));
  out.AddIf(image.missing, "missing", Value::Of(true));
  return out.Build();
}

Value ClusterTree(const ClusterSpec& c) {
  std::vector<Value> nodes;
  for (const NodeSpec& n : c.nodes) nodes.push_back(NodeTree(n));
  std::vector<Value> deny;
  for (const DenySpec& rule : c.deny) deny.push_back(DenyTree(rule));
  ObjectBuilder processes;
  for (const auto& [name, parts] : c.processes) processes.Add(name, Strings(parts));
  std::vector<Value> controllers;
  for (const std::string& name : c.controllers) controllers.push_back(Value::Of(name));
  for (const auto& [name, replicas] : c.replicated)
    controllers.push_back(Obj({{"name", Value::Of(name)}, {"replicas", Value::Of(replicas)}}));
  value::Value out =
      Obj({{"nodes", Value::Array(std::move(nodes))},
           {"apiServers", Value::Of(c.api_servers)},
           {"deny", Value::Array(std::move(deny))},
           {"maxRequestsInflight", Value::Of(c.max_requests_inflight)},
           {"maxMutatingRequestsInflight", Value::Of(c.max_mutating_requests_inflight)},
           {"controllers", Value::Array(std::move(controllers))},
           {"network",
            Obj({{"latency", Obj({{"min", Of(c.latency_min)}, {"max", Of(c.latency_max)}})}})},
           {"variants", Map(c.variants)},
           {"processes", processes.Build()}});
  if (c.rbac) out = out.Set("authorization", Value::Of("rbac"));
  if (c.service_cidr != ClusterSpec().service_cidr)
    out = out.Set("serviceClusterIPRange", Value::Of(c.service_cidr));
  if (c.jobs_end_after != Duration()) out = out.Set("jobsEndAfter", Of(c.jobs_end_after));
  if (c.kubernetes_service) out = out.Set("kubernetesService", Value::Of(true));
  if (c.any_kind) out = out.Set("anyKind", Value::Of(true));
  if (c.terminated_pod_threshold != ClusterSpec().terminated_pod_threshold)
    out = out.Set("terminatedPodGCThreshold", Value::Of(c.terminated_pod_threshold));
  if (!c.service_accounts.empty()) out = out.Set("serviceAccounts", Map(c.service_accounts));
  if (c.admission_plugins != ClusterSpec().admission_plugins)
    out = out.Set("admissionPlugins", Strings(c.admission_plugins));
  if (!c.guests.empty()) {
    std::vector<Value> guests;
    for (const GuestSpec& guest : c.guests) guests.push_back(GuestTree(guest));
    out = out.Set("guests", Value::Array(std::move(guests)));
  }
  if (!c.metrics.empty()) {
    std::vector<Value> metrics;
    for (const MetricSpec& metric : c.metrics) metrics.push_back(MetricTree(metric));
    out = out.Set("metrics", Value::Array(std::move(metrics)));
  }
  if (!c.images.empty()) {
    std::vector<Value> images;
    for (const ImageSpec& image : c.images) images.push_back(ImageTree(image));
    out = out.Set("images", Value::Array(std::move(images)));
  }
  if (!c.stages.empty()) {
    std::vector<Value> stages;
    for (const Manifest& stage : c.stages) stages.push_back(stage.tree);
    out = out.Set("stages", Value::Array(std::move(stages)));
  }
  if (c.components != ClusterSpec().components) out = out.Set("components", Strings(c.components));
  if (c.percentage_of_nodes_to_score == 0) return out;
  return out.Set("scheduler",
                 Obj({{"percentageOfNodesToScore", Value::Of(c.percentage_of_nodes_to_score)}}));
}

Value TriggerTree(const Trigger& t) {
  ObjectBuilder out;
  out.Add("event", Value::Of(t.event)).Add("count", Value::Of(t.count));
  for (const auto& [field, value] : t.fields) out.Add(field, Value::Of(value));
  return out.Build();
}

void AddStart(ObjectBuilder* out, const std::optional<Duration>& at,
              const std::optional<Trigger>& when) {
  if (at) out->Add("at", Of(*at));
  if (when) out->Add("when", TriggerTree(*when));
}

// `for` of a wait: a list only where there are several.
Value OneOrList(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? Value::Of(texts.front()) : Strings(texts);
}

Value ObjectList(const Step& step) {
  std::vector<Value> objects;
  for (const Manifest& m : step.objects) objects.push_back(m.tree);
  return Value::Array(std::move(objects));
}

std::string TypeSlashName(const std::string& resource, const std::string& name) {
  return name.empty() ? resource : resource + "/" + name;
}

Value Changes(const Step& step) {
  ObjectBuilder out;
  for (const auto& [key, value] : step.set) out.Add(key, value ? Value::Of(*value) : Value());
  return out.Build();
}

void AddGrace(ObjectBuilder* out, const Step& step) {
  if (step.grace_period_seconds)
    out->Add("gracePeriodSeconds", Value::Of(*step.grace_period_seconds));
}

void AddTarget(ObjectBuilder* out, const Step& step) {
  out->Add("resource", Value::Of(TypeSlashName(step.resource, step.name)));
  out->Add("namespace", Value::Of(step.ns));
  out->AddIf(!step.selector.empty(), "selector", Value::Of(step.selector));
}

Value DeleteTree(const Step& step) {
  ObjectBuilder out;
  if (step.resource.empty())
    out.Add("objects", ObjectList(step));
  else
    AddTarget(&out, step);
  out.Add("namespace", Value::Of(step.ns));
  out.AddIf(step.all, "all", Value::Of(true));
  if (step.limit) out.Add("limit", Value::Of(*step.limit));
  AddGrace(&out, step);
  out.Add("cascade", Value::Of(step.cascade)).Add("wait", Value::Of(step.wait));
  return out.Build();
}

Value NodeStepTree(const Step& step) {
  ObjectBuilder out;
  out.Add("node", Value::Of(step.name));
  if (step.kind != StepKind::kDrain) return out.Build();
  AddGrace(&out, step);
  out.Add("force", Value::Of(step.force));
  out.Add("ignoreDaemonSets", Value::Of(step.ignore_daemon_sets));
  out.Add("timeout", Of(step.timeout));
  return out.Build();
}

Value ApplyTree(const Step& step) {
  ObjectBuilder out;
  out.Add("objects", ObjectList(step));
  if (!step.server_side) return out.Build();
  out.Add("serverSide", Value::Of(true)).Add("forceConflicts", Value::Of(step.force));
  out.Add("fieldManager", Value::Of(step.field_manager));
  return out.Build();
}

// The arguments of rollout, setImage, expose, autoscale and createJob beside their target.
void AddRolloutArguments(ObjectBuilder* out, const Step& step) {
  const auto number = [out](const char* name, std::int64_t n) {
    out->AddIf(n != 0, name, Value::Of(n));
  };
  const auto text = [out](const char* name, const std::string& t) {
    out->AddIf(!t.empty(), name, Value::Of(t));
  };
  if (step.kind == StepKind::kRollout) {
    out->Add("command", Value::Of(step.command));
    number("revision", step.revision);
    out->Add("timeout", Of(step.timeout));
  }
  if (step.kind == StepKind::kSetImage) out->Add("images", Changes(step));
  text("name", step.new_name);
  number("port", step.port);
  text("targetPort", step.target_port);
  text("type", step.service_type);
  number("min", step.min_replicas);
  number("max", step.max_replicas);
  number("cpuPercent", step.cpu_percent);
}

}  // namespace

Value StepArguments(const Step& step) {
  ObjectBuilder out;
  switch (step.kind) {
    case StepKind::kCreate:
    case StepKind::kReplace:
      return Obj({{"objects", ObjectList(step)}});
    case StepKind::kApply:
      return ApplyTree(step);
    case StepKind::kDelete:
      return DeleteTree(step);
    case StepKind::kCordon:
    case StepKind::kUncordon:
    case StepKind::kRemoveNode:
    case StepKind::kDrain:
      return NodeStepTree(step);
    case StepKind::kAddNode:
      return NodeTree(step.node);
    case StepKind::kEvict:
      out.Add("pod", Value::Of(step.name)).Add("namespace", Value::Of(step.ns));
      AddGrace(&out, step);
      return out.Build();
    default:
      break;
  }
  AddTarget(&out, step);
  AddRolloutArguments(&out, step);
  if (step.kind == StepKind::kScale) out.Add("replicas", Value::Of(step.replicas));
  if (step.kind == StepKind::kPatch) {
    out.Add("type", Value::Of(step.patch_type)).Add("patch", step.patch);
    out.AddIf(!step.subresource.empty(), "subresource", Value::Of(step.subresource));
  }
  if (step.kind == StepKind::kLabel || step.kind == StepKind::kAnnotate)
    out.Add("set", Changes(step)).Add("overwrite", Value::Of(step.overwrite));
  if (step.kind == StepKind::kWait) {
    out.AddIf(!step.wait_for.empty(), "for", OneOrList(step.wait_for));
    out.AddIf(!step.where.terms().empty(), "where", Value::Of(step.where.ToString()));
    out.Add("timeout", Of(step.timeout));
  }
  return out.Build();
}

namespace {

Value StepTree(const Step& step) {
  ObjectBuilder out;
  AddStart(&out, step.at, step.when);
  out.AddIf(!step.as.empty(), "as", Value::Of(step.as));
  out.Add(ToString(step.kind), StepArguments(step));
  return out.Build();
}

Value FaultTree(const FaultSpec& fault) {
  ObjectBuilder out;
  AddStart(&out, fault.at, fault.when);
  out.Add(fault.verb, fault.args);
  return out.Build();
}

Value OverrideTree(const sim::Override& o) {
  return Obj({{"site", Value::Of(o.site)},
              {"key", Value::Of(std::to_string(o.key))},
              {"answer", Value::Of(static_cast<std::int64_t>(o.answer))}});
}

Value ExpectationTree(const Expectation& e) {
  ObjectBuilder condition;
  condition.Add("resource", Value::Of(TypeSlashName(e.resource, e.name)));
  condition.Add("namespace", Value::Of(e.ns));
  condition.AddIf(!e.selector.empty(), "selector", Value::Of(e.selector));
  condition.AddIf(!e.where.terms().empty(), "where", Value::Of(e.where.ToString()));
  if (e.min || e.max) {
    ObjectBuilder count;
    if (e.min) count.Add("min", Value::Of(*e.min));
    if (e.max) count.Add("max", Value::Of(*e.max));
    condition.Add("count", count.Build());
  }
  ObjectBuilder out;
  out.Add(ToString(e.word), condition.Build());
  if (e.lasts) out.Add("lasts", Value::Of(*e.lasts));
  if (e.within) out.Add("within", Of(*e.within));
  if (e.after) out.Add("after", Of(*e.after));
  return out.Build();
}

template <class T, class F>
Value List(const std::vector<T>& items, F tree) {
  std::vector<Value> out;
  for (const T& item : items) out.push_back(tree(item));
  return Value::Array(std::move(out));
}

}  // namespace

Value ToTree(const Scenario& s) {
  ObjectBuilder spec;
  spec.Add("seed", Value::Of(static_cast<std::int64_t>(s.seed)));
  if (s.boot_seed) spec.Add("bootSeed", Value::Of(static_cast<std::int64_t>(*s.boot_seed)));
  spec.Add("compat", Value::Of(api::ToString(s.compat)));
  spec.Add("until", s.until ? Of(*s.until) : Value::Of("quiescent"));
  spec.Add("quietFor", Of(s.quiet_for));
  spec.Add("limit", Obj({{"time", Of(s.limit.time)},
                         {"events", Value::Of(s.limit.events)},
                         {"instant", Value::Of(s.limit.instant)}}));
  spec.Add("cluster", ClusterTree(s.cluster));
  if (!s.initial.empty())
    spec.Add("initial",
             Obj({{"objects", List(s.initial, [](const Manifest& m) { return m.tree; })}}));
  spec.Add("steps", List(s.steps, StepTree));
  spec.Add("faults", List(s.faults, FaultTree));
  if (!s.overrides.empty()) spec.Add("overrides", List(s.overrides, OverrideTree));
  spec.Add("fuzz", Obj({{"faults", Strings(s.fuzz.faults)},
                        {"window", s.fuzz.window ? Of(*s.fuzz.window) : Value::Of("auto")},
                        {"settle", Of(s.fuzz.settle)}}));
  spec.Add("expect", List(s.expect, ExpectationTree));
  if (!s.invariants.empty())
    spec.Add("invariants",
             List(s.invariants, [](const check::Invariant& i) { return check::ToTree(i); }));
  spec.Add("checks", Strings(s.checks));
  ObjectBuilder metadata;
  metadata.Add("name", Value::Of(s.name));
  metadata.AddIf(!s.description.empty(), "description", Value::Of(s.description));
  return Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
              {"kind", Value::Of("Scenario")},
              {"metadata", metadata.Build()},
              {"spec", spec.Build()}});
}

}  // namespace ksim::scenario
