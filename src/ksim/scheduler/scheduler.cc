#include "ksim/scheduler/scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/client/rest/component_limits.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/sim/probe.h"
#include "ksim/value/timestamp.h"

namespace ksim::scheduler {

using value::Value;

namespace {

constexpr const char* kDefaultSchedulerName = "default-scheduler";
constexpr std::size_t kMaxEventNote = 1024;

client::ClientOptions SchedulerClientOptions(api::Compat compat) {
  return client::LimitedAs(client::Limits::kScheduler, compat, "system:kube-scheduler");
}

// The scheduler watches no finished pods (scheduler.go NewInformerFactory).
client::InformerOptions PodInformerOptions() {
  client::InformerOptions options;
  options.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  return options;
}

// truncateMessage
std::string Truncated(const std::string& message) {
  constexpr std::string_view kSuffix = " ...";
  if (message.size() <= kMaxEventNote) return message;
  return message.substr(0, kMaxEventNote - kSuffix.size()) + std::string(kSuffix);
}

bool Assigned(const api::Object& pod) { return !pod.node_name().empty(); }

// events.go NodeSchedulingPropertiesChange.
std::uint32_t NodeChange(const api::Object& before, const api::Object& after,
                         const Profile& profile) {
  std::uint32_t bits = 0;
  const auto differs = [&](const value::Path& path) { return before.Get(path) != after.Get(path); };
  static const value::Path kUnschedulable{"spec", "unschedulable"};
  static const value::Path kTaints{"spec", "taints"};
  static const value::Path kAllocatable{"status", "allocatable"};
  const bool cordoned = after.Get(kUnschedulable).AsBool();
  if (before.Get(kUnschedulable).AsBool() && !cordoned) bits |= ClusterEvent::kNodeUpdateTaint;
  const auto more = [&] { return profile.all_node_changes || bits == 0; };
  if (more() && differs(kAllocatable)) bits |= ClusterEvent::kNodeUpdateAllocatable;
  if (more() && before.labels() != after.labels()) bits |= ClusterEvent::kNodeUpdateLabel;
  if (more() && differs(kTaints)) bits |= ClusterEvent::kNodeUpdateTaint;
  const auto statuses = [](const api::Object& node) {
    absl::btree_map<std::string, std::string> by_type;
    for (const Value& c : node.status().Get("conditions").items()) {
      by_type.emplace(c.Get("type").AsString(), c.Get("status").AsString());
    }
    return by_type;
  };
  if (more() && statuses(before) != statuses(after)) bits |= ClusterEvent::kNodeUpdateCondition;
  if (profile.all_node_changes && before.annotations() != after.annotations())
    bits |= ClusterEvent::kNodeUpdateAnnotation;
  return bits;
}

}  // namespace

Scheduler::Scheduler(sim::Process& process, client::Connection& connection,
                     client::InformerFactory& informers, const SchedulerOptions& options)
    : process_(process),
      env_(connection.env()),
      profile_(ProfileOf(env_.compat)),
      informers_(informers),
      pod_resource_(env_.kinds.ByResource("", "pods")),
      client_(connection, process.actor(), SchedulerClientOptions(env_.compat)),
      recorder_(connection, process.actor(), kDefaultSchedulerName, "",
                client::EventRecorder::Api::kEventsV1, SchedulerClientOptions(env_.compat)),
      patch_jitter_(env_, fmt::format("retry/{}/pods/status", process.name())),
      volumes_(options.claims_are_bound
                   ? std::make_unique<VolumeBinder>(
                         process, connection, informers, client_,
                         informers.For(pod_resource_, PodInformerOptions()),
                         informers.For(env_.kinds.ByResource("", "nodes")), profile_)
                   : nullptr),
      plugins_(DefaultPlugins(
          profile_, [this](const api::Object& pod) { return DefaultSelectors(pod); },
          volumes_.get())),
      algorithm_(profile_, env_.sim.decisions(), plugins_, nominator_,
                 options.percentage_of_nodes_to_score),
      preemption_(profile_, env_.sim.decisions(), plugins_, nominator_),
      queue_(
          process, profile_,
          [this](const QueuedPod& pod, const ClusterEvent& event, const api::Object& before,
                 const api::Object& after) {
            const bool hints = profile_.queueing_hints;
            // Rejected by none (there was no node at all): any event is worth another try.
            if (pod.rejected_by.empty()) return true;
            return std::any_of(plugins_.begin(), plugins_.end(), [&](const auto& plugin) {
              if (!pod.rejected_by.contains(std::string(plugin->name()))) return false;
              if (!(plugin->EventsToRegister(profile_) & event.bits)) return false;
              return !hints || event.bits == ClusterEvent::kWildcard ||
                     plugin->QueueingHint(pod.pod, event, before, after);
            });
          },
          [this](const api::Object& pod) { return IsPreempting(pod); }),
      pods_(informers.For(pod_resource_, PodInformerOptions())),
      nodes_(informers.For(env_.kinds.ByResource("", "nodes"))),
      budgets_(informers.For(env_.kinds.ByResource("policy", "poddisruptionbudgets"))) {
  for (const auto& [group, resource] :
       {std::pair("", "replicationcontrollers"), std::pair("apps", "replicasets"),
        std::pair("", "services"), std::pair("apps", "statefulsets")}) {
    workloads_.push_back(&informers.For(env_.kinds.ByResource(group, resource)));
  }
}

Scheduler::~Scheduler() = default;

void Scheduler::Start() {
  RegisterHandlers();
  process_.Spawn(Run());
}

// --- event handlers ----------------------------------------------------------------------------

void Scheduler::RegisterHandlers() {
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object); };
  node_handlers_.add = [this](const api::Object& node, bool) { AddNode(node); };
  node_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdateNode(a, b); };
  node_handlers_.del = [this](const client::Deleted& d) { DeleteNode(d); };
  pods_.AddHandler(process_.actor(), &pod_handlers_);
  nodes_.AddHandler(process_.actor(), &node_handlers_);
  if (volumes_ == nullptr) return;
  volumes_->Start([this](const api::ResourceInfo& kind, const api::Object& before,
                         const api::Object& after) { LookAtVolumeEvent(kind, before, after); });
}

bool Scheduler::IsResponsibleFor(const api::Object& pod) const {
  const std::string_view name = pod.spec().Get("schedulerName").AsString();
  return name.empty() || name == kDefaultSchedulerName;
}

void Scheduler::AddPod(const api::Object& pod) {
  if (Assigned(pod)) {
    AddToCache(pod);
  } else if (IsResponsibleFor(pod)) {
    queue_.Add(pod);
    nominator_.Add(pod);
  }
}

void Scheduler::AddToCache(const api::Object& pod) {
  cache_.AddPod(pod);
  queue_.MoveOnEvent({ClusterEvent::kAssignedPodAdd, "AssignedPodAdd"}, {}, pod,
                     PodsWithAffinityTo(pod));
}

void Scheduler::UpdatePod(const api::Object& before, const api::Object& after) {
  if (before.resource_version() == after.resource_version()) return;
  // Deleted and created again under one name between two lists. The variant scheduler.podUID:
  // ignore, as before kubernetes#106102, takes it for a change of the old pod, which keeps its
  // place on its node.
  if (before.uid() != after.uid()) {
    KSIM_PROBE("variant/scheduler.podUID");
    if (env_.variants.scheduler_pod_uid == api::Variants::PodUID::kCheck) {
      DeletePod(before);
      AddPod(after);
      return;
    }
  }
  if (!Assigned(after)) {
    if (IsResponsibleFor(after) && !cache_.IsAssumed(after)) UpdatePending(before, after);
    return;
  }
  if (!Assigned(before)) {
    queue_.Delete(before);
    nominator_.Remove(before);
    AddToCache(after);
    return;
  }
  const absl::Status updated = cache_.UpdatePod(before, after);
  if (!updated.ok()) cache_.AddPod(after);
  // With hints some plugins ask for changed labels, none for anything else.
  if (profile_.queueing_hints && before.labels() == after.labels()) return;
  const auto bits =
      profile_.queueing_hints ? ClusterEvent::kAssignedPodLabel : ClusterEvent::kAssignedPodUpdate;
  queue_.MoveOnEvent({bits, "AssignedPodUpdate"}, before, after, PodsWithAffinityTo(after));
}

// getUnschedulablePodsWithMatchingAffinityTerm: without hints the pods that want to be near this
// one.
PodCheck Scheduler::PodsWithAffinityTo(const api::Object& pod) const {
  if (profile_.queueing_hints) return nullptr;
  return [pod](const api::Object& waiting) { return HasAffinityTo(waiting, pod); };
}

// preCheckForNode: without hints the pods that have a chance on the node.
PodCheck Scheduler::PodsThatPassPreCheck(const api::Object& node) const {
  if (profile_.queueing_hints) return nullptr;
  return [this, info = cache_.Find(node.name())](const api::Object& pod) {
    return info != nullptr && PassesPreCheck(plugins_, pod, *info);
  };
}

void Scheduler::UpdatePending(const api::Object& before, const api::Object& after) {
  queue_.Update(before, after);
  nominator_.Update(before, after);
  if (api::PodView(before).nominated_node_name() != api::PodView(after).nominated_node_name())
    ReleaseNominatedNode(before);
}

// With nominated_node_release: pods of its priority or a lower one may use the room on that node.
void Scheduler::ReleaseNominatedNode(const api::Object& pod) {
  const api::PodView view(pod);
  if (!profile_.nominated_node_release || view.nominated_node_name().empty()) return;
  queue_.MoveOnEvent({ClusterEvent::kAssignedPodDelete, "AssignedPodDelete"}, pod, {},
                     [most = view.priority()](const api::Object& waiting) {
                       return api::PodView(waiting).priority() <= most;
                     });
}

void Scheduler::DeletePod(const api::Object& pod) {
  if (pod.empty()) return;
  NotifyVolumes();
  if (!Assigned(pod)) {
    queue_.Delete(pod);
    nominator_.Remove(pod);
    // A bind that is still under way may have assumed it.
    if (!cache_.IsAssumed(pod)) return ReleaseNominatedNode(pod);
  }
  cache_.RemovePod(pod);
  queue_.MoveOnEvent({ClusterEvent::kAssignedPodDelete, "AssignedPodDelete"}, pod, {});
}

void Scheduler::AddNode(const api::Object& node) {
  cache_.AddNode(node);
  queue_.MoveOnEvent({ClusterEvent::kNodeAdd, "NodeAdd"}, {}, node, PodsThatPassPreCheck(node));
}

void Scheduler::UpdateNode(const api::Object& before, const api::Object& after) {
  cache_.UpdateNode(after);
  NotifyVolumes();
  const std::uint32_t change = NodeChange(before, after, profile_);
  if (change != 0)
    queue_.MoveOnEvent({change, "NodeUpdate"}, before, after, PodsThatPassPreCheck(after));
}

// The variant scheduler.ghostNode: keep misses deletions that were not seen as such
// (kubernetes#56261): the node stays a candidate.
void Scheduler::DeleteNode(const client::Deleted& deleted) {
  const api::Object& node = deleted.object;
  if (deleted.tombstone) {
    KSIM_PROBE("variant/scheduler.ghostNode");
    if (env_.variants.scheduler_ghost_node == api::Variants::GhostNode::kKeep) return;
  }
  cache_.RemoveNode(node);
  NotifyVolumes();
  queue_.MoveOnEvent({ClusterEvent::kNodeDelete, "NodeDelete"}, node, {});
}

api::Object Scheduler::OnNode(const api::Object& pod, const std::string& node) {
  static const value::Path kNodeName{"spec", "nodeName"};
  return api::Object::FromTree(pod.tree().Set(kNodeName, Value::String(node)),
                               pod.resource_version());
}

// --- scheduling --------------------------------------------------------------------------------

sim::Task<void> Scheduler::Run() {
  const bool synced = co_await informers_.WaitForCacheSync();
  if (!synced) co_return;
  if (env_.variants.scheduler_move_request == api::Variants::MoveRequest::kIgnore)
    queue_.IgnoreMovesInFlight();
  queue_.Start();
  while (true) {
    QueuedPod next = co_await queue_.Pop();
    if (IsSkipped(next.pod)) {
      queue_.Done(next.uid());
      continue;
    }
    co_await ScheduleOne(std::move(next));
  }
}

bool Scheduler::IsSkipped(const api::Object& pod) {
  if (pod.deleting()) {
    recorder_.Event(pod, "Warning", "FailedScheduling",
                    fmt::format("skip schedule deleting pod: {}", pod.key()), "Scheduling");
    return true;
  }
  return cache_.IsAssumed(pod);
}

// The scheduling cycle. It finds a node without a wait, so that it sees one state of the cache. It
// waits for the report on a pod that fits nowhere and, without async_preemption, for the eviction
// of victims. The binding cycle runs beside the next pod's scheduling cycle.
sim::Task<void> Scheduler::ScheduleOne(QueuedPod queued) {
  // 1. Find a node; without one, try preemption and report.
  const std::uint64_t identity = env_.IdentityOf("pods", queued.pod.ns(), queued.pod.name());
  ScheduleResult result = algorithm_.Schedule(cache_, queued.pod, identity);
  if (!result.node) {
    queued.rejected_by = std::move(result.rejected_by);
    queued.no_nodes = queued.rejected_by.empty();
    co_await PostFilter(std::move(queued), std::move(result));
    co_return;
  }

  // 2. Assume the pod on the node.
  queued.no_nodes = false;
  const api::Object assumed = OnNode(queued.pod, *result.node);
  const absl::Status status = cache_.AssumePod(assumed);
  if (!status.ok()) {
    const Nomination nomination = Nomination::Clear();
    co_await HandleFailure(std::move(queued), "SchedulerError", std::string(Message(status)),
                           nomination);
    co_return;
  }

  // 3. Assume that its claims are bound to volumes of that node.
  PodVolumes volumes;
  if (volumes_ != nullptr)
    volumes = volumes_->Assume(queued.pod, cache_.Find(*result.node)->node());

  // 4. Bind it, in a task of its own.
  nominator_.Remove(queued.pod);
  process_.Spawn(Bind(std::move(queued), *result.node, std::move(volumes)));
}

// handleSchedulingFailure. The event and the PATCH are sent even if the pod is gone or bound by
// now. A pod that is not queued again stays in flight until they are sent.
sim::Task<void> Scheduler::HandleFailure(QueuedPod queued, std::string reason, std::string message,
                                         Nomination nomination) {
  const std::string uid = queued.uid();
  api::Object pod = queued.pod;
  const bool error = reason == "SchedulerError" || queued.no_nodes;
  const api::Object cached = pods_.lister().Get(pod.ns(), pod.name());
  api::Object nominee = pod;
  bool in_flight = true;
  if (!cached.empty() && !Assigned(cached)) {
    const bool other = cached.uid() != pod.uid();
    if (other && profile_.failure_checks_uid) {
      queue_.Done(uid);
      co_return;
    }
    queued.pod = nominee = cached;
    if (profile_.failure_reports_cached_pod) pod = cached;
    queue_.AddUnschedulable(std::move(queued), error);
    in_flight = other;
  }
  Nominate(nominee, nomination);
  recorder_.Event(pod, "Warning", "FailedScheduling", Truncated(message), "Scheduling");
  co_await PatchUnscheduled(pod, reason, message, nomination);
  if (in_flight) queue_.Done(uid);
}

// addNominatedPodUnlocked: a pod that is gone or bound by now is nominated to no node.
void Scheduler::Nominate(const api::Object& pod, const Nomination& nomination) {
  const api::Object cached = pods_.lister().Get(pod.ns(), pod.name());
  if (cached.empty() || Assigned(cached)) {
    nominator_.Remove(pod);
  } else {
    nominator_.Add(pod, nomination);
  }
}

// updatePod
sim::Task<void> Scheduler::PatchUnscheduled(api::Object pod, std::string reason,
                                            std::string message, Nomination nomination) {
  Value status = StatusWith(pod, "PodScheduled", "False", reason, message);
  if (nomination.overrides && nomination.node != api::PodView(pod).nominated_node_name()) {
    if (status.is_null()) status = Value::EmptyObject();
    const Value node = nomination.node.empty() ? Value() : Value::String(nomination.node);
    status = status.Set("nominatedNodeName", node);
  }
  if (!status.is_null()) co_await PatchStatus(pod, status);
}

// util.Retriable.
bool Scheduler::Retriable(const api::Status& status) const {
  if (api::IsConnectionRefused(status)) return true;
  if (!profile_.retries_server_errors) return false;
  if (api::IsInternalError(status) || api::IsServiceUnavailable(status)) return true;
  return profile_.retries_conflicts && api::IsConflict(status);
}

// util.PatchPodStatus.
sim::Task<client::Client::ObjectResult> Scheduler::PatchStatus(api::Object pod, Value status) {
  const std::string ns(pod.ns());
  const std::string name(pod.name());
  const Value patch = value::Obj({{"status", status}});
  const client::PatchOptions options(api::PatchType::kStrategic, "status");
  client::ExponentialPoll poll(client::DefaultBackoff(), patch_jitter_);
  while (true) {
    client::Client::ObjectResult patched =
        co_await client_.Patch(pod_resource_, ns, name, patch, options);
    if (patched.ok() || !Retriable(patched.status())) co_return patched;
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!sleep) co_return patched;
    co_await env_.sim.Sleep(*sleep, sim::TimerKind::kWork, "retry of a status patch");
  }
}

// pkg/api/v1/pod UpdatePodCondition, as PatchPodStatus sends it.
Value Scheduler::StatusWith(const api::Object& pod, std::string_view type, std::string_view status,
                            std::string_view reason, std::string_view message) const {
  std::vector<Value> order;
  Value current;
  for (const Value& c : pod.status().Get("conditions").items()) {
    order.push_back(value::Obj({{"type", c.Get("type")}}));
    if (c.Get("type").AsString() == type) current = c;
  }
  if (current.is_null()) order.push_back(value::Obj({{"type", Value::String(type)}}));
  const bool same_status = current.Get("status").AsString() == status;
  if (same_status && current.Get("reason").AsString() == reason &&
      current.Get("message").AsString() == message)
    return Value();
  value::ObjectBuilder condition;
  condition.Add("type", Value::String(type))
      .Add("status", Value::String(status))
      .Add("reason", Value::String(reason))
      .Add("message", Value::String(message))
      .Add("lastProbeTime", Value())
      .Add("lastTransitionTime",
           same_status ? current.Get("lastTransitionTime") : value::TimestampValue(process_.Now()));
  if (profile_.observed_generation)
    condition.Add("observedGeneration", Value::Int(pod.generation()));
  return value::Obj({{"$setElementOrder/conditions", Value::Array(std::move(order))},
                     {"conditions", value::Arr({condition.Build()})}});
}

// plugins/helper/spread.go DefaultSelector: the Services that select the pod, and its owner's
// selector.
std::vector<value::LabelSelector> Scheduler::DefaultSelectors(const api::Object& pod) const {
  std::vector<value::LabelSelector> selectors;
  const std::optional<api::OwnerReference> owner = pod.controller();
  for (const client::SharedInformer* informer : workloads_) {
    const std::string& kind = informer->resource()->kind;
    if (kind == "Service") {
      for (const api::Object& service : informer->lister().List(pod.ns())) {
        const Value& labels = service.spec().Get("selector");
        const auto selector =
            value::LabelSelector::FromObject(value::Obj({{"matchLabels", labels}}));
        if (labels.empty() || !selector.ok() || !selector->Matches(pod.labels())) continue;
        selectors.push_back(*selector);
      }
      continue;
    }
    if (!owner || owner->kind != kind) continue;
    const api::Object workload = informer->lister().Get(pod.ns(), owner->name);
    if (workload.empty() || workload.uid() != owner->uid) continue;
    const bool plain = kind == "ReplicationController";
    const Value own = workload.spec().Get("selector");
    const auto selector =
        value::LabelSelector::FromObject(plain ? value::Obj({{"matchLabels", own}}) : own);
    if (selector.ok() && !selector->empty()) selectors.push_back(*selector);
  }
  return selectors;
}

}  // namespace ksim::scheduler
