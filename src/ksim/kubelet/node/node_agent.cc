#include "ksim/kubelet/node/node_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/patch_schema.h"
#include "ksim/kubelet/node/node_conditions.h"
#include "ksim/value/edit.h"
#include "ksim/value/patch.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kRegisterBackoff = Milliseconds(100);
constexpr Duration kMaxRegisterBackoff = Seconds(7);
constexpr Duration kStatusFrequency = Seconds(10);
constexpr Duration kReportFrequency = Minutes(5);
constexpr int kStatusTries = 5;
constexpr Duration kReportPoll = Milliseconds(100);  // while a report is under way

std::string KubeletVersion(api::Compat compat) {
  return fmt::format("v{}.0", api::ToString(compat));
}

Value NodeInfoOf(api::Compat compat) {
  return value::Obj({{"architecture", Value::Of("amd64")},
                     {"bootID", Value::Of("")},
                     {"containerRuntimeVersion", Value::Of("containerd://1.7.20")},
                     {"kernelVersion", Value::Of("6.1.0")},
                     {"kubeProxyVersion", Value::String(KubeletVersion(compat))},
                     {"kubeletVersion", Value::String(KubeletVersion(compat))},
                     {"machineID", Value::Of("")},
                     {"operatingSystem", Value::Of("linux")},
                     {"osImage", Value::Of("ksim")},
                     {"systemUUID", Value::Of("")}});
}

Value Address(const char* type, const std::string& address) {
  return value::Obj({{"type", Value::Of(type)}, {"address", Value::String(address)}});
}

// A part of the status as a Node of the initial state has it.
Value FoundOr(const NodeOptions& options, std::string_view field, Value otherwise) {
  const Value& found = options.found.Get("status").Get(field);
  return found.empty() ? otherwise : found;
}

// updateDefaultLabels, kubelet_node_status.go.
constexpr const char* kDefaultLabels[] = {"kubernetes.io/hostname",
                                          "topology.kubernetes.io/zone",
                                          "topology.kubernetes.io/region",
                                          "failure-domain.beta.kubernetes.io/zone",
                                          "failure-domain.beta.kubernetes.io/region",
                                          "node.kubernetes.io/instance-type",
                                          "beta.kubernetes.io/instance-type",
                                          "kubernetes.io/os",
                                          "kubernetes.io/arch",
                                          "node.kubernetes.io/windows-build",
                                          "beta.kubernetes.io/os",
                                          "beta.kubernetes.io/arch"};

constexpr const char* kHeartbeat = "lastHeartbeatTime";
constexpr const char* kTransition = "lastTransitionTime";

// The condition with its times still to be set. Made once a thread: there are four, well or ill.
Value ConditionWithoutTimes(const ConditionTexts& texts, const ConditionText& text) {
  // NOLINT(ksim-static): trees that never change; making them anew gives equal ones.
  thread_local std::array<Value, 2 * std::size(kNodeConditions)> known;
  const auto of = static_cast<std::size_t>(&texts - std::begin(kNodeConditions));
  Value& place = known[2 * of + (&text == &texts.ill ? 1 : 0)];
  if (place.is_null())
    place = api::MakeCondition(ConditionOf(texts.trouble), text.status, text.reason, text.message)
                .Set(kHeartbeat, Value())
                .Set(kTransition, Value());
  return place;
}

// The two statuses differ in heartbeat times only.
bool SameButHeartbeats(const Value& a, const Value& b) {
  const api::FieldNames& f = api::Fields();
  const Value& before = a.Get(f.conditions);
  const Value& after = b.Get(f.conditions);
  if (before.size() != after.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (value::EraseField(before.at(i), f.last_heartbeat_time) !=
        value::EraseField(after.at(i), f.last_heartbeat_time))
      return false;
  }
  return a.Set(f.conditions, Value()) == b.Set(f.conditions, Value());
}

}  // namespace

void NodeOptions::UseNode(Value node) {
  found = std::move(node);
  const Value& has = found.Get("status").Get("capacity");
  if (!has.empty()) capacity = has;
}

std::string NodeOptions::internal_ip() const {
  for (const Value& address : found.Get("status").Get("addresses").items())
    if (address.Get("type").AsString() == "InternalIP")
      return std::string(address.Get("address").AsString());
  const int n = ordinal + 10;
  return fmt::format("192.168.{}.{}", n / 250, n % 250);
}

std::string NodeOptions::pod_network() const {
  constexpr std::string_view kEnd = ".0/24";
  const std::string_view cidr = found.Get("spec").Get("podCIDR").AsString();
  if (cidr.ends_with(kEnd)) return std::string(cidr.substr(0, cidr.size() - kEnd.size()));
  // From 10.244 up, and after 10.255 from 10.0 on: 27,648 nodes before the services' 10.96.
  return fmt::format("10.{}.{}", (244 + ordinal / 256) % 256, ordinal % 256);
}

Value DefaultNodeCapacity() {
  return value::Obj({{"cpu", Value::Of("4")},
                     {"ephemeral-storage", Value::Of("100Gi")},
                     {"memory", Value::Of("8Gi")},
                     {"pods", Value::Of("110")}});
}

NodeAgent::NodeAgent(sim::Process& process, client::Client& client, client::Client& heartbeats,
                     client::SharedInformer& nodes, NodeOptions options,
                     client::EventRecorder& recorder, VolumesInUse& volumes,
                     std::function<bool(Trouble)> has)
    : process_(process),
      client_(client),
      heartbeats_(heartbeats),
      nodes_(nodes),
      options_(std::move(options)),
      recorder_(recorder),
      volumes_(volumes),
      has_(std::move(has)),
      fixed_(options_, client.connection().env().compat),
      node_resource_(client.connection().env().kinds.ByResource("", "nodes")),
      lease_resource_(client.connection().env().kinds.ByResource("coordination.k8s.io", "leases")),
      lease_site_(process.simulation().decisions().Site("lease/" + process.name())),
      status_site_(process.simulation().decisions().Site("nodeStatus/" + process.name())) {}

void NodeAgent::Start() {
  volumes_.OnNews([this] { AwaitReport(); });
  process_.Spawn(Register());
}

api::Object NodeAgent::InitialNode() const {
  value::ObjectBuilder labels;
  for (const Value::Member& m : options_.labels.members()) labels.Add(m.name.text(), m.value);
  labels.Add("beta.kubernetes.io/arch", Value::Of("amd64"))
      .Add("beta.kubernetes.io/os", Value::Of("linux"))
      .Add("kubernetes.io/arch", Value::Of("amd64"))
      .Add("kubernetes.io/hostname", Value::String(options_.name))
      .Add("kubernetes.io/os", Value::Of("linux"));
  value::ObjectBuilder spec;
  spec.AddIf(!options_.taints.empty(), "taints", options_.taints);
  return api::Object::FromTree(value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Node")},
       {"metadata",
        value::Obj({{"name", Value::String(options_.name)}, {"labels", labels.Build()}})},
       {"spec", spec.Build()},
       {"status", Status(Value())}}));
}

sim::Task<void> NodeAgent::Register() {
  Duration backoff = kRegisterBackoff;
  const bool was_there = !options_.found.is_null() && process_.incarnation() == 1;
  if (was_there) node_uid_ = std::string(options_.found.Get("metadata").Get("uid").AsString());
  while (!was_there) {
    const bool done = co_await TryRegister();
    if (done) break;
    co_await process_.simulation().Sleep(backoff, sim::TimerKind::kWork, "node registration");
    backoff = std::min(backoff * 2, kMaxRegisterBackoff);
  }
  registered_ = true;
  last_report_ = process_.SteadyNow();
  process_.Spawn(ReportStatus(), {}, /*background=*/true);
  process_.Spawn(RenewLease(), {}, /*background=*/true);
}

// POST; when the Node is there already (a restart), it gets back the labels that are the kubelet's
// to give (updateDefaultLabels), and resources if it has none. Others' labels are left alone, also
// those that it had from the kubelet's options at first.
sim::Task<bool> NodeAgent::TryRegister() {
  const api::Object node = InitialNode();
  client::Client::ObjectResult created = co_await client_.Create(node_resource_, node);
  if (created.ok()) {
    node_uid_ = created->uid();
    co_return true;
  }
  if (!api::IsAlreadyExists(created.status())) co_return false;
  client::Client::ObjectResult existing = co_await client_.Get(node_resource_, "", options_.name);
  if (!existing.ok()) co_return false;
  node_uid_ = existing->uid();
  Value wanted = existing->tree();
  for (const char* name : kDefaultLabels) {
    const value::Path label{"metadata", "labels", name};
    if (!node.Get(label).is_null()) wanted = wanted.Set(label, node.Get(label));
  }
  static const value::Path kResources[] = {{"status", "capacity"}, {"status", "allocatable"}};
  for (const value::Path& resources : kResources)
    if (wanted.Get(resources).is_null()) wanted = wanted.Set(resources, node.Get(resources));
  const auto diff =
      value::CreateTwoWayMergePatch(existing->tree(), wanted, api::FindPatchSchema("v1", "Node"));
  if (!diff.ok() || diff->empty()) co_return true;
  const Value patch = *diff;
  const client::PatchOptions options(api::PatchType::kStrategic, "status");
  client::Client::ObjectResult patched =
      co_await client_.Patch(node_resource_, "", options_.name, patch, options);
  co_return patched.ok();
}

sim::Task<void> NodeAgent::ReportStatus() {
  sim::Simulation& sim = process_.simulation();
  // Nodes do not report in step (kubelet.go: the loop is jittered).
  const Duration offset = sim.decisions().DrawDuration(status_site_, 0, {}, kStatusFrequency);
  next_report_ = process_.SteadyNow() + offset;
  co_await sim.Sleep(offset, sim::TimerKind::kPeriodic, "node status");
  while (true) {
    const api::Object cached = nodes_.lister().Get("", options_.name);
    bool done = !cached.empty() && IsUpToDate(cached);
    for (int i = 0; i < kStatusTries && !done; ++i) done = co_await TryUpdateStatus(/*live=*/i > 0);
    next_report_ = process_.SteadyNow() + kStatusFrequency;
    co_await sim.Sleep(kStatusFrequency, sim::TimerKind::kPeriodic, "node status");
  }
}

void NodeAgent::AwaitReport() {
  if (std::exchange(awaits_report_, true)) return;
  process_.Spawn(WaitForReport());
}

sim::Task<void> NodeAgent::WaitForReport() {
  sim::Simulation& sim = process_.simulation();
  while (volumes_.HasNews()) {
    const Duration left = next_report_ - process_.SteadyNow();
    co_await sim.Sleep(std::max(left, kReportPoll), sim::TimerKind::kWork, "node status");
  }
  awaits_report_ = false;
}

bool NodeAgent::ReportIsDue() const {
  return process_.SteadyNow() - last_report_ >= kReportFrequency;
}

bool NodeAgent::IsUpToDate(const api::Object& node) const {
  return !ReportIsDue() && Troubles() == last_equal_troubles_ && !volumes_.HasNews() &&
         last_equal_status_.SameTree(node.status());
}

// PATCHes when something changed, or when the last report is five minutes old.
sim::Task<bool> NodeAgent::TryUpdateStatus(bool live) {
  api::Object node = nodes_.lister().Get("", options_.name);
  if (live || node.empty()) {
    client::Client::ObjectResult got = co_await heartbeats_.Get(node_resource_, "", options_.name);
    if (!got.ok()) co_return false;
    node = *got;
  }

  // 1. Nothing to report: only heartbeats differ, and the last report is recent.
  if (IsUpToDate(node)) co_return true;
  const bool report = ReportIsDue();
  const unsigned troubles = Troubles();
  const Value in_use = volumes_.any() ? volumes_.List() : Value();
  const Value status = Status(node.status());
  if (!report && SameButHeartbeats(status, node.status())) {
    last_equal_status_ = node.status();
    last_equal_troubles_ = troubles;
    volumes_.SetTold(in_use);
    co_return true;
  }

  // 2. Taints, then the status.
  const bool tainted = co_await UpdateTaints(node);
  if (!tainted) co_return false;
  static const value::Path kStatus{"status"};
  const auto diff = value::CreateTwoWayMergePatch(node.tree(), node.tree().Set(kStatus, status),
                                                  api::FindPatchSchema("v1", "Node"));
  if (!diff.ok()) co_return false;
  const Value patch = *diff;
  const client::PatchOptions options(api::PatchType::kStrategic, "status");
  client::Client::ObjectResult patched =
      co_await heartbeats_.Patch(node_resource_, "", options_.name, patch, options);
  if (patched.ok()) {
    last_report_ = process_.SteadyNow();
    volumes_.SetTold(in_use);
    RecordTransitions(node, status);
  }
  co_return patched.ok();
}

sim::Task<bool> NodeAgent::UpdateTaints(api::Object node) {
  if (!options_.taints_by_conditions) co_return true;
  const Value& taints = node.spec().Get("taints");
  const Value wanted = TaintsFor(taints, node.status().Get("conditions"), has_);
  if (wanted == taints || (wanted.empty() && taints.empty())) co_return true;
  static const value::Path kTaints{"spec", "taints"};
  const auto diff = value::CreateTwoWayMergePatch(node.tree(), node.tree().Set(kTaints, wanted),
                                                  api::FindPatchSchema("v1", "Node"));
  if (!diff.ok()) co_return false;
  const Value patch = *diff;
  const client::PatchOptions options(api::PatchType::kStrategic);
  client::Client::ObjectResult patched =
      co_await heartbeats_.Patch(node_resource_, "", options_.name, patch, options);
  co_return patched.ok();
}

void NodeAgent::RecordTransitions(const api::Object& node, const Value& status) {
  const Value& conditions_before = node.status().Get("conditions");
  const Value& conditions = status.Get("conditions");
  for (const ConditionTexts& texts : kNodeConditions) {
    const std::string_view type = ConditionOf(texts.trouble);
    const std::string_view before = api::ConditionStatus(conditions_before, type);
    const std::string_view now = api::ConditionStatus(conditions, type);
    if (before == now || before.empty()) continue;
    const ConditionText& side = now == texts.ill.status ? texts.ill : texts.well;
    recorder_.Event(node, "Normal", side.event,
                    fmt::format("Node {} status is now: {}", options_.name, side.event));
  }
}

unsigned NodeAgent::Troubles() const {
  unsigned bits = 0;
  for (const ConditionTexts& texts : kNodeConditions) bits = bits << 1 | has_(texts.trouble);
  return bits;
}

NodeAgent::Fixed::Fixed(const NodeOptions& options, api::Compat compat)
    : addresses(FoundOr(options, "addresses",
                        value::Arr({Address("InternalIP", options.internal_ip()),
                                    Address("Hostname", options.name)}))),
      capacity(options.capacity.empty() ? DefaultNodeCapacity() : options.capacity),
      endpoints(
          FoundOr(options, "daemonEndpoints",
                  value::Obj({{"kubeletEndpoint", value::Obj({{"Port", Value::Int(10250)}})}}))),
      info(FoundOr(options, "nodeInfo", NodeInfoOf(compat))) {}

// As api::UpdateCondition does for each, in one pass.
Value NodeAgent::Conditions(const Value& conditions) const {
  const api::FieldNames& f = api::Fields();
  const Value now = value::TimestampValue(process_.Now());
  std::vector<Value> list;
  list.reserve(conditions.size() + std::size(kNodeConditions));
  list.assign(conditions.items().begin(), conditions.items().end());
  bool changed = false;
  for (const ConditionTexts& texts : kNodeConditions) {
    const ConditionText& text = has_(texts.trouble) ? texts.ill : texts.well;
    const Value condition = ConditionWithoutTimes(texts, text);
    const auto old = std::find_if(list.begin(), list.end(), [&](const Value& c) {
      return c.Get(f.type).AsString() == condition.Get(f.type).AsString();
    });
    const bool same = old != list.end() && old->Get(f.status) == condition.Get(f.status);
    const Value& since = same ? old->Get(f.last_transition_time) : now;
    Value updated = value::SetAll(
        condition,
        {{f.last_heartbeat_time, now}, {f.last_transition_time, since.is_null() ? now : since}});
    if (old == list.end()) {
      list.push_back(std::move(updated));
    } else if (*old != updated) {
      *old = std::move(updated);
    } else {
      continue;
    }
    changed = true;
  }
  return changed ? Value::Array(std::move(list)) : conditions;
}

Value NodeAgent::Status(const Value& current) const {
  const api::FieldNames& f = api::Fields();
  const Value* const allocatable = current.Find(f.allocatable);
  const Value all = value::SetAll(
      current, {{f.addresses, fixed_.addresses},
                {f.allocatable, allocatable != nullptr ? *allocatable : fixed_.capacity},
                {f.capacity, fixed_.capacity},
                {f.conditions, Conditions(current.Get(f.conditions))},
                {f.daemon_endpoints, fixed_.endpoints},
                {f.node_info, fixed_.info}});
  if (!volumes_.any()) return all;
  const Value in_use = volumes_.List();
  return in_use.empty() ? all.Erase("volumesInUse") : all.Set("volumesInUse", in_use);
}

}  // namespace ksim::kubelet
