// Part of job_controller.h: how pods that have ended get into the counters of the status
// (trackJobStatusAndRemoveFinalizers, flushUncountedAndRemoveFinalizers).
#include <fmt/format.h>

#include <utility>

#include "ksim/controllers/job/job_calls.h"
#include "ksim/controllers/job/job_controller.h"

namespace ksim::controllers {

using value::Value;

sim::Task<JobController::CallError> JobController::Track(JobSync* sync, bool changed) {
  const std::string key = sync->job.key();
  // 1. Pods whose finalizers an earlier sync has removed are counted; those that have ended since
  // are told in the status.
  UidSet with_finalizer;
  for (const api::Object& pod : sync->pods)
    if (sync->IsTracked(pod)) with_finalizer.insert(std::string(pod.uid()));
  if (sync->status.CountThoseWithout(with_finalizer)) changed = true;
  bool reached_max = false;
  const JobPods to_free = sync->CollectUncounted(&changed, &reached_max);
  sync->AnnounceEnd(context_.process.Now(), &changed);
  if (changed) {
    const CallError error = co_await WriteStatus(sync);
    if (error) co_return fmt::format("adding uncounted pods to status: {}", *error);
    if (profile_.job_backoff_record) backoffs_.Update(key, sync->backoff);
    changed = false;
  }

  // 2. Their finalizers go.
  CallError free_error;
  if (!to_free.empty()) free_error = co_await RemoveFinalizers(sync, to_free, &with_finalizer);

  // 3. They are counted.
  if (sync->status.CountThoseWithout(with_finalizer)) changed = true;
  if (free_error && changed) {
    const CallError error = co_await WriteStatus(sync);
    if (error) co_return fmt::format("removing uncounted pods from status: {}", *error);
  }
  if (free_error) co_return free_error;

  // 4. The end of the Job.
  const bool finished = !reached_max && sync->EnactFinished(context_.process.Now());
  if (!finished && !changed) co_return std::nullopt;
  const CallError error = co_await WriteStatus(sync);
  if (error) co_return fmt::format("removing uncounted pods from status: {}", *error);
  if (finished) {
    RecordFinished(*sync);
    if (profile_.job_remembers_finished) finished_.insert(std::string(sync->job.uid()));
  }
  co_return std::nullopt;
}

sim::Task<JobController::CallError> JobController::WriteStatus(JobSync* sync) {
  const Value tree = sync->job.tree().Set("status", sync->status.ToTree());
  const api::Object wanted = api::Object::FromTree(tree, sync->job.resource_version());
  client::Client::ObjectResult written = co_await client_.UpdateStatus(resource_, wanted);
  if (!written.ok()) co_return written.status().message.str();
  sync->job = *written;
  sync->status = JobStatus::From(*written);
  consistency_.WroteAt(sync->job.key(), sync->job.uid(), resource_->group_resource(),
                       written->resource_version());
  co_return std::nullopt;
}

sim::Task<JobController::CallError> JobController::RemoveFinalizers(JobSync* sync, JobPods pods,
                                                                    UidSet* with_finalizer) {
  const std::string key = sync->job.key();
  for (const api::Object& pod : pods) removals_.Expect(key, std::string(pod.uid()));
  Calls calls(context_.env().sim);
  calls.running = static_cast<std::int64_t>(pods.size());
  for (const api::Object& pod : pods)
    context_.process.Spawn(RemoveFinalizer(&calls, key, pod, with_finalizer), context_.name);
  while (calls.running > 0) co_await calls.finished.Wait();
  co_return calls.first_error;
}

// A pod that is not there any more has no finalizer either.
sim::Task<void> JobController::RemoveFinalizer(Calls* calls, std::string key, api::Object pod,
                                               UidSet* with_finalizer) {
  const std::string uid(pod.uid());
  const std::optional<api::Status> error = co_await PatchFinalizer(pod);
  if (error) removals_.Observed(key, uid);  // no event will tell of it
  if (error && !api::IsNotFound(*error)) {
    calls->Fail(error->message.str());
  } else {
    with_finalizer->erase(uid);
  }
  calls->Finish();
}

// removeTrackingFinalizerPatch.
sim::Task<std::optional<api::Status>> JobController::PatchFinalizer(api::Object pod) {
  const Value list = value::Arr({Value::Of(std::string(kJobTrackingFinalizer))});
  const Value patch =
      value::Obj({{"metadata", value::Obj({{"$deleteFromPrimitiveList/finalizers", list}})}});
  const std::string ns(pod.ns());
  const std::string name(pod.name());
  client::Client::ObjectResult patched = co_await pods_.Patch(ns, name, patch);
  if (!patched.ok()) co_return patched.status();
  const std::optional<api::OwnerReference> owner = patched->controller();
  if (owner)
    consistency_.WroteAt(fmt::format("{}/{}", ns, owner->name), owner->uid,
                         pod_resource_->group_resource(), patched->resource_version());
  co_return std::nullopt;
}

void JobController::RecordFinished(const JobSync& sync) {
  if (sync.finished->type == "Complete") {
    if (sync.spec.completions && sync.status.succeeded > *sync.spec.completions)
      recorder_.Event(sync.job, "Warning", "TooManySucceededPods",
                      "Too many succeeded pods running after completion count reached");
    recorder_.Event(sync.job, "Normal", "Completed", "Job completed");
    return;
  }
  recorder_.Event(sync.job, "Warning", sync.finished->reason, sync.finished->message);
}

}  // namespace ksim::controllers
