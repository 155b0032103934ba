// Part of Scheduler: it evicts the victims of a preemption and nominates the pod to their node. The
// scheduling cycle waits for the answers (without evicts_in_parallel for one after another). With
// async_preemption it goes on with other pods, and does not try this one again before the last
// victim has been evicted.
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

// The message of DynamicResources about pods without resource claims. No pod of ksim has any.
constexpr const char* kNothingToDeallocate = " no new claims to deallocate, ";

}  // namespace

// Victims that are evicted at the same time.
struct Scheduler::Eviction {
  explicit Eviction(sim::Simulation& sim) : finished(sim) {}
  std::size_t running = 0;
  std::optional<api::Status> first_error;
  sim::Signal finished;
};

// A pod fits nowhere: DefaultPreemption tries to make room, then the failure handler runs.
sim::Task<void> Scheduler::PostFilter(QueuedPod queued, ScheduleResult result) {
  Nomination nomination = Nomination::Clear();
  std::string message = std::move(result.message);
  if (result.evaluated > 0 && EndsInDynamicResources(result)) {
    nomination = Nomination();
    message += " not found";
  } else if (result.evaluated > 0) {
    const api::Object pod = pods_.lister().Get(queued.pod.ns(), queued.pod.name());
    PreemptionPlan plan;
    if (pod.empty()) {
      plan.message = fmt::format("pod \"{}\" not found", queued.pod.name());
    } else {
      const std::uint64_t identity = env_.IdentityOf("pods", pod.ns(), pod.name());
      plan =
          preemption_.Plan(cache_.ListNodes(), pod, result.statuses,
                           DisruptionBudgets(budgets_.lister().List("")), identity, process_.Now());
    }
    nomination = plan.nomination;
    if (plan.hopeless && profile_.clears_void_nomination_twice) co_await ClearNomination(pod);
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
bool Scheduler::EndsInDynamicResources(const ScheduleResult& result) const {
  return profile_.dynamic_resources && result.by_prefilter;
}

sim::Task<std::optional<api::Status>> Scheduler::Evict(Candidate candidate, api::Object pod) {
  const std::string node = candidate.node;
  if (profile_.async_preemption) {
    std::erase_if(candidate.victims, [](const api::Object& victim) { return victim.deleting(); });
    if (candidate.victims.empty()) co_return std::nullopt;
    preempting_.emplace(pod.uid(), std::nullopt);
    process_.Spawn(EvictInBackground(std::move(candidate), pod));
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

// prepareCandidateAsync. The last victim is evicted after the others, so that its deletion, which
// wakes the pod, comes when nothing is left to do.
sim::Task<void> Scheduler::EvictInBackground(Candidate candidate, api::Object pod) {
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
  for (const api::Object& victim : victims)
    process_.Spawn(EvictInBatch(&eviction, victim, pod, node));
  while (eviction.running > 0) co_await eviction.finished.Wait();
  co_return eviction.first_error;
}

sim::Task<void> Scheduler::EvictInBatch(Eviction* eviction, api::Object victim, api::Object pod,
                                        std::string node) {
  const std::optional<api::Status> refused = co_await EvictOne(victim, pod, node);
  if (refused && !eviction->first_error) eviction->first_error = refused;
  if (--eviction->running == 0) eviction->finished.Notify();
}

// PreemptPod: sets the condition that says why the victim goes, deletes the victim, and records an
// event.
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

  // 1. The condition DisruptionTarget.
  if (!status.is_null()) {
    const client::Client::ObjectResult patched = co_await PatchStatus(victim, status);
    if (!patched.ok() && gone_is_fine && api::IsNotFound(patched.status())) co_return std::nullopt;
    if (!patched.ok()) co_return patched.status();
  }

  // 2. The deletion, with the pod's own grace period.
  const api::DeleteOptions graceful;
  const client::Client::ObjectResult deleted =
      co_await client_.Delete(pod_resource_, ns, name, graceful);
  if (!deleted.ok() && gone_is_fine && api::IsNotFound(deleted.status())) co_return std::nullopt;
  if (!deleted.ok()) co_return deleted.status();

  // 3. The event on the victim.
  const std::string note = profile_.preempted_event_names_pod
                               ? fmt::format("Preempted by pod {} on node {}", pod.uid(), node)
                               : fmt::format("Preempted by a pod on node {}", node);
  // executor.go wraps the pod from 1.36 on, and no reference can be made to the wrapper.
  const api::Object* related = profile_.preempted_event_without_related ? nullptr : &pod;
  recorder_.Event(victim, "Normal", "Preempted", note, "Preempting", {}, related);
  co_return std::nullopt;
}

// Pods of a lower priority that are nominated to the node may find another one sooner.
sim::Task<void> Scheduler::ClearLowerNominations(api::Object pod, std::string node) {
  const std::int64_t priority = api::PodView(pod).priority();
  const std::vector<api::Object> nominated = nominator_.On(node);
  for (const api::Object& other : nominated) {
    if (api::PodView(other).priority() < priority) co_await ClearNomination(other);
  }
}

// util.ClearNominatedNodeName
sim::Task<void> Scheduler::ClearNomination(api::Object pod) {
  if (api::PodView(pod).nominated_node_name().empty()) co_return;
  const Value none = value::Obj({{"nominatedNodeName", Value()}});
  co_await PatchStatus(pod, none);
}

// IsPodRunningPreemption: the pod's victims are still being evicted. Once the cache has seen the
// deletion of the last one they are not, though its answer may be on its way.
bool Scheduler::IsPreempting(const api::Object& pod) const {
  const auto it = preempting_.find(pod.uid());
  if (it == preempting_.end()) return false;
  if (!it->second) return true;
  const api::Object last = pods_.lister().Get(it->second->ns(), it->second->name());
  return !last.empty() && !last.deleting();
}

}  // namespace ksim::scheduler
