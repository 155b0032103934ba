// The part of the scheduler that makes room for a pod: it asks the victims to go, and remembers on
// which node. Up to 1.30 the scheduling cycle waits for the answers, in 1.25 for one after another;
// 1.36 goes on with other pods, and does not try this one again before it has asked the last
// victim.
//
// Source: pkg/scheduler/framework/preemption/executor.go (1.36), preemption.go prepareCandidate
// (1.25, 1.30).
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/scheduler/scheduler.h"
#include "ksim/sim/mailbox.h"

namespace ksim::scheduler {

using value::Value;

namespace {

// What DynamicResources says of pods without resource claims, which none has here.
constexpr const char* kNothingToDeallocate = " no new claims to deallocate, ";

}  // namespace

// Victims that are asked at the same time.
struct Scheduler::Eviction {
  explicit Eviction(sim::Simulation& sim) : finished(sim) {}
  std::size_t running = 0;
  std::optional<api::Status> first_error;
  sim::Signal finished;
};

// What becomes of a pod that fits nowhere: DefaultPreemption, then the failure handler.
sim::Task<void> Scheduler::PostFilter(QueuedPod queued, ScheduleResult result) {
  Nomination nomination = Nomination::Clear();
  std::string message = std::move(result.message);
  if (result.evaluated > 0 && NoClaims(result)) {
    nomination = Nomination();
    message += " not found";
  } else if (result.evaluated > 0) {
    const api::Object pod = pods_.lister().Get(queued.pod.ns(), queued.pod.name());
    PreemptionPlan plan;
    if (pod.empty()) {
      plan.message = fmt::format("pod \"{}\" not found", queued.pod.name());
    } else {
      const std::uint64_t identity = env_.IdentityOf("pods", pod.ns(), pod.name());
      plan = preemption_.Plan(cache_.ListNodes(), pod, result.statuses, identity, process_.Now());
    }
    nomination = plan.nomination;
    if (!plan.best.node.empty()) {
      const std::optional<api::Status> refused = co_await Evict(std::move(plan.best), pod);
      if (refused) {
        nomination = Nomination();
        plan.message = refused->message;
      } else {
        Nominate(pod, nomination);
      }
    }
    if (!plan.message.empty()) {
      const bool two = profile_.dynamic_resources && !pod.empty();
      message += two ? kNothingToDeallocate : " ";
      message += fmt::format("preemption: {}", plan.message);
    }
  }
  co_await HandleFailure(std::move(queued), "Unschedulable", message, nomination);
}

// 1.36: DynamicResources comes before DefaultPreemption. Where a PreFilter plugin has rejected the
// pod it misses what its own would have left, and its error is the end: nobody is preempted
// (plugins/dynamicresources/dynamicresources.go PostFilter, runtime/framework.go
// RunPostFilterPlugins).
bool Scheduler::NoClaims(const ScheduleResult& result) const {
  return profile_.dynamic_resources && result.by_prefilter;
}

sim::Task<std::optional<api::Status>> Scheduler::Evict(Candidate candidate, api::Object pod) {
  const std::string node = candidate.node;
  if (profile_.async_preemption) {
    std::erase_if(candidate.victims, [](const api::Object& victim) { return victim.deleting(); });
    if (candidate.victims.empty()) co_return std::nullopt;
    preempting_.emplace(pod.uid(), std::nullopt);
    process_.Spawn(EvictBeside(std::move(candidate), pod));
    co_return std::nullopt;
  }
  if (profile_.evicts_in_parallel) {
    const std::optional<api::Status> refused =
        co_await EvictAll(std::move(candidate.victims), pod, node);
    if (refused) co_return refused;
  } else {
    for (const api::Object& victim : candidate.victims) {
      const std::optional<api::Status> refused = co_await EvictOne(victim, pod, node);
      if (refused) co_return refused;
    }
  }
  co_await ClearLowerNominations(pod, node);
  co_return std::nullopt;
}

// prepareCandidateAsync. The last victim is asked when the others have been, so that its going,
// which wakes the pod, comes when nothing more is to be done.
sim::Task<void> Scheduler::EvictBeside(Candidate candidate, api::Object pod) {
  const std::string uid(pod.uid());
  const std::string node = candidate.node;
  co_await ClearLowerNominations(pod, node);
  const api::Object last = candidate.victims.back();
  candidate.victims.pop_back();
  std::optional<api::Status> refused = co_await EvictAll(std::move(candidate.victims), pod, node);
  if (!refused) {
    preempting_[uid] = last;
    refused = co_await EvictOne(last, pod, node);
  }
  preempting_.erase(uid);
  if (refused) queue_.Activate(uid);  // nobody's going will wake it
}

sim::Task<std::optional<api::Status>> Scheduler::EvictAll(std::vector<api::Object> victims,
                                                          api::Object pod, std::string node) {
  Eviction eviction(env_.sim);
  eviction.running = victims.size();
  for (const api::Object& victim : victims) process_.Spawn(EvictInto(&eviction, victim, pod, node));
  while (eviction.running > 0) co_await eviction.finished.Wait();
  co_return eviction.first_error;
}

sim::Task<void> Scheduler::EvictInto(Eviction* eviction, api::Object victim, api::Object pod,
                                     std::string node) {
  const std::optional<api::Status> refused = co_await EvictOne(victim, pod, node);
  if (refused && !eviction->first_error) eviction->first_error = refused;
  if (--eviction->running == 0) eviction->finished.Notify();
}

// From 1.30 on it says first why the victim goes. To 1.36 one that is gone already is no error.
sim::Task<std::optional<api::Status>> Scheduler::EvictOne(api::Object victim, api::Object pod,
                                                          std::string node) {
  const bool gone_is_fine = profile_.victim_may_be_gone;
  const std::string ns(victim.ns());
  const std::string name(victim.name());
  Value status;
  if (profile_.disruption_conditions) {
    const std::string message = fmt::format("{}: preempting to accommodate a higher priority pod",
                                            pod.spec().Get("schedulerName").AsString());
    status = StatusWith(victim, "DisruptionTarget", "True", "PreemptionByScheduler", message);
  }
  if (!status.is_null()) {
    const client::Client::ObjectResult patched = co_await PatchStatus(victim, status);
    if (!patched.ok() && gone_is_fine && api::IsNotFound(patched.status())) co_return std::nullopt;
    if (!patched.ok()) co_return patched.status();
  }
  const api::DeleteOptions graceful;
  const client::Client::ObjectResult deleted =
      co_await client_.Delete(pod_resource_, ns, name, graceful);
  if (!deleted.ok() && gone_is_fine && api::IsNotFound(deleted.status())) co_return std::nullopt;
  if (!deleted.ok()) co_return deleted.status();
  const std::string note = profile_.preempted_event_names_pod
                               ? fmt::format("Preempted by pod {} on node {}", pod.uid(), node)
                               : fmt::format("Preempted by a pod on node {}", node);
  // executor.go wraps the pod from 1.36 on, and no reference can be made to the wrapper.
  const api::Object* related = profile_.preempted_event_without_related ? nullptr : &pod;
  recorder_.Event(victim, "Normal", "Preempted", note, "Preempting", {}, related);
  co_return std::nullopt;
}

// Pods of a lower priority that were promised the node may find another one sooner.
sim::Task<void> Scheduler::ClearLowerNominations(api::Object pod, std::string node) {
  const std::int64_t priority = api::PodView(pod).priority();
  const std::vector<api::Object> nominated = nominator_.On(node);
  for (const api::Object& other : nominated) {
    const api::PodView view(other);
    if (view.priority() >= priority || view.nominated_node_name().empty()) continue;
    const Value none = value::Obj({{"nominatedNodeName", Value()}});
    co_await PatchStatus(other, none);
  }
}

// IsPodRunningPreemption: its victims are still being asked. Once the last one's deletion is seen,
// they are not, though its answer may be on its way.
bool Scheduler::Preempting(const api::Object& pod) const {
  const auto it = preempting_.find(pod.uid());
  if (it == preempting_.end()) return false;
  if (!it->second) return true;
  const api::Object last = pods_.lister().Get(it->second->ns(), it->second->name());
  return !last.empty() && !last.deleting();
}

}  // namespace ksim::scheduler
