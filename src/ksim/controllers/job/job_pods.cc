// Part of job_controller.h: how a sync creates and deletes pods (manageJob).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/controllers/job/job_calls.h"
#include "ksim/controllers/job/job_controller.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kFirstBatch = 1;  // SlowStartInitialBatchSize

Value WithTrackingFinalizer(Value pod_template) {
  static const Path kFinalizers{"metadata", "finalizers"};
  const Value& finalizers = pod_template.Get(kFinalizers);
  for (const Value& finalizer : finalizers.items())
    if (finalizer.AsString() == kJobTrackingFinalizer) return pod_template;
  const Value added = finalizers.Append(Value::Of(std::string(kJobTrackingFinalizer)));
  return pod_template.Set(kFinalizers, added);
}

}  // namespace

sim::Task<JobController::CallError> JobController::ManagePods(JobSync* sync) {
  const std::string key = sync->job.key();
  // 1. Too many: a suspended Job has none.
  const std::int64_t wanted = sync->spec.suspended ? 0 : sync->WantedActive();
  JobPods surplus = sync->PodsToRemove(std::max<std::int64_t>(0, sync->active - wanted));
  if (!sync->spec.suspended && surplus.size() > kMaxJobPodsPerSync)
    surplus.resize(kMaxJobPodsPerSync);
  if (sync->spec.suspended || !surplus.empty()) {
    // A sync that deletes does not create.
    expectations_.Set(key, 0, static_cast<std::int64_t>(surplus.size()));
    CallError error = co_await RemovePods(sync, std::move(surplus));
    co_return error;
  }

  // 2. Too few, unless the failures of the last ones make it wait.
  const std::int64_t leaving = sync->spec.replaces_failed_only ? sync->terminating.value_or(0) : 0;
  std::int64_t missing = wanted - leaving - sync->active;
  if (missing <= 0) co_return std::nullopt;
  const VirtualTime now = context_.process.Now();
  Duration wait;
  if (!sync->spec.backoff_limit_per_index && profile_.job_backoff_record)
    wait = sync->backoff.Remaining(now);
  missing = std::min(missing, kMaxJobPodsPerSync);
  std::vector<std::int64_t> indexes;
  if (wait == Duration() && sync->spec.indexed) {
    indexes = sync->PendingIndexes(missing);
    if (sync->spec.backoff_limit_per_index) indexes = sync->DueIndexes(indexes, now, &wait);
    missing = static_cast<std::int64_t>(indexes.size());
  }
  if (wait > Duration()) {
    wait = std::max(wait, kSyncJobBatchPeriod);
    if (RepeatsAnother(sync->job, job_informer_.lister().List(sync->job.ns()))) {
      queue_.AddAfterInBackground(key, wait);
    } else {
      queue_.AddAfter(key, wait);
    }
    // Up to 1.35 the status then says that no pod is active, whatever runs.
    if (!profile_.job_waits_with_active_pods) sync->active = 0;
    co_return std::nullopt;
  }
  CallError error = co_await CreatePods(sync, missing, std::move(indexes));
  co_return error;
}

// 1, 2, 4, ... calls at once; the first batch with an error is the last.
sim::Task<JobController::CallError> JobController::CreatePods(JobSync* sync, std::int64_t count,
                                                              std::vector<std::int64_t> indexes) {
  const api::Object job = sync->job;
  const std::string key = job.key();
  expectations_.Set(key, count, 0);
  sync->active += count;
  Value shared = WithTrackingFinalizer(job.spec().Get("template"));
  if (sync->spec.indexed) shared = WithIndexVariable(std::move(shared), profile_);

  Calls calls(context_.env().sim);
  std::size_t next = 0;
  std::int64_t remaining = count;
  std::int64_t size = std::min(remaining, kFirstBatch);
  while (remaining > 0) {
    const std::int64_t errors_before = calls.errors;
    calls.running = size;
    for (std::int64_t i = 0; i < size; ++i) {
      Value pod_template = shared;
      std::string generate_name;
      if (next < indexes.size()) {
        const std::int64_t index = indexes[next++];
        const auto replaced = sync->delayed.find(index);
        pod_template = TemplateForIndex(
            std::move(pod_template), job.name(), index, sync->spec,
            replaced == sync->delayed.end() ? api::Object() : replaced->second, profile_);
        generate_name = GenerateNameForIndex(job.name(), index);
      }
      context_.process.Spawn(
          CreateOne(&calls, job, std::move(pod_template), std::move(generate_name)), context_.name);
    }
    while (calls.running > 0) co_await calls.finished.Wait();
    remaining -= size;
    // Pods that were never asked for will not be seen.
    if (calls.errors > errors_before && remaining > 0) {
      sync->active -= remaining;
      expectations_.Lower(key, remaining, 0);
      break;
    }
    size = std::min(2 * size, remaining);
  }
  sync->active -= calls.errors;
  co_return calls.first_error;
}

sim::Task<void> JobController::CreateOne(Calls* calls, api::Object job, Value pod_template,
                                         std::string generate_name) {
  client::Client::ObjectResult created =
      co_await pods_.Create(job, std::string(job.ns()), pod_template, generate_name);
  if (created.ok()) {
    consistency_.WroteAt(job.key(), job.uid(), pod_resource_->group_resource(),
                         created->resource_version());
  } else if (!api::HasCause(created.status(), "NamespaceTerminating")) {
    expectations_.CreationObserved(job.key());
    calls->Fail(created.status().message.str());
  }
  calls->Finish();
}

sim::Task<JobController::CallError> JobController::DeleteActivePods(JobSync* sync,
                                                                    std::int64_t* deleted) {
  const JobPods pods = sync->active_pods;
  Calls calls(context_.env().sim);
  calls.running = static_cast<std::int64_t>(pods.size());
  for (const api::Object& pod : pods)
    context_.process.Spawn(DeleteOne(&calls, sync->job, pod, false), context_.name);
  while (calls.running > 0) co_await calls.finished.Wait();
  CountDeleted(sync, calls);
  *deleted = calls.deleted;
  co_return calls.first_error;
}

sim::Task<JobController::CallError> JobController::RemovePods(JobSync* sync, JobPods pods) {
  Calls calls(context_.env().sim);
  calls.running = static_cast<std::int64_t>(pods.size());
  for (const api::Object& pod : pods)
    context_.process.Spawn(DeleteOne(&calls, sync->job, pod, true), context_.name);
  while (calls.running > 0) co_await calls.finished.Wait();
  CountDeleted(sync, calls);
  co_return calls.first_error;
}

void JobController::CountDeleted(JobSync* sync, const Calls& calls) {
  sync->active -= calls.deleted;
  // Earlier versions learn of it from the next sync.
  if (!profile_.job_counts_own_deletions) return;
  sync->ready -= calls.deleted_ready;
  if (sync->terminating) *sync->terminating += calls.deleted;
}

// `free_first`: the finalizer goes first, and the deletion is one that is expected.
sim::Task<void> JobController::DeleteOne(Calls* calls, api::Object job, api::Object pod,
                                         bool free_first) {
  bool gone = true;
  if (free_first && HasTrackingFinalizer(pod)) {
    std::optional<api::Status> error = co_await PatchFinalizer(pod);
    if (error) {
      expectations_.Lower(job.key(), 0, 1);
      if (api::IsNotFound(*error)) {
        ++calls->deleted;
      } else {
        calls->Fail(fmt::format("removing completion finalizer: {}", error->message));
      }
      calls->Finish();
      co_return;
    }
  }
  client::Client::ObjectResult deleted = co_await pods_.Delete(job, pod);
  if (!deleted.ok()) {
    if (free_first) expectations_.Lower(job.key(), 0, 1);  // no event will come for it
    if (!api::IsNotFound(deleted.status())) {
      gone = false;
      calls->Fail(fmt::format("unable to delete pods: {}", deleted.status().message));
    }
  }
  if (gone) ++calls->deleted;
  if (api::PodView(pod).ready()) ++calls->deleted_ready;
  calls->Finish();
}

}  // namespace ksim::controllers
