#include "ksim/controllers/job/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"
#include "ksim/client/workqueue/rate_limiters.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Value;

namespace {

// A run that has nothing else to do waits for a deadline that is not further away.
constexpr Duration kDeadlineHorizon = Minutes(10);
// Up to 1.27 the queue itself holds a Job back whose pods fail (DefaultJobBackOff, MaxJobBackOff).
constexpr Duration kKeyBackoff = Seconds(10);
constexpr Duration kMaxKeyBackoff = Seconds(360);
constexpr Duration kApiBackoff = Seconds(1);
constexpr Duration kMaxApiBackoff = Minutes(1);
constexpr std::string_view kOrphanPod = "pod ";
constexpr std::string_view kOrphanSelector = "selector ";

std::unique_ptr<client::RateLimiter> JobLimiter(const Profile& profile) {
  using Limiter = client::ItemExponentialFailureRateLimiter;
  if (profile.job_backoff_record) return std::make_unique<Limiter>(kApiBackoff, kMaxApiBackoff);
  return std::make_unique<Limiter>(kKeyBackoff, kMaxKeyBackoff);
}

// getBackoff, up to 1.27.
Duration BackoffOfKey(int requeues) {
  if (requeues <= 0) return Duration();
  Duration backoff = kKeyBackoff;
  for (int i = 1; i < requeues && backoff < kMaxKeyBackoff; ++i) backoff = backoff * 2;
  return std::min(backoff, kMaxKeyBackoff);
}

bool SameJobOwner(const std::optional<api::OwnerReference>& a,
                  const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind;
}

}  // namespace

JobController::JobController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource("batch", "jobs")),
      pod_resource_(context_.Resource("", "pods")),
      client_(context_.connection, context_.actor(), ManagerClient(context_, "job-controller")),
      recorder_(context_.connection, context_.actor(), "job-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      pods_(client_, recorder_),
      job_informer_(context_.informers.For(resource_)),
      pod_informer_(context_.informers.For(pod_resource_)),
      queue_(context_.process, JobLimiter(profile_)),
      orphans_(context_.process, JobLimiter(profile_)),
      expectations_(context_.process),
      forgets_removals_(context_.env().variants.job_finalizer_uids ==
                        api::Variants::FinalizerUIDs::kOff),
      backoffs_(profile_),
      consistency_(profile_.job_reads_own_writes, [this](std::string_view resource) {
        const client::SharedInformer& informer =
            resource == pod_resource_->group_resource() ? pod_informer_ : job_informer_;
        return informer.applied_resource_version();
      }) {}

JobController::~JobController() = default;

void JobController::Start() {
  AddPodOwnerIndex(pod_informer_);
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kJobWorkers, {&pod_informer_, &job_informer_});
  context_.process.Spawn(StartOrphanWorkers(), context_.name);
}

bool JobController::HasWorkAhead(const Heartbeats&) const {
  const VirtualTime now = context_.process.Now();
  const std::vector<api::Object> jobs = job_informer_.lister().List("");
  return std::any_of(jobs.begin(), jobs.end(), [&](const api::Object& job) {
    const JobSpec spec(job, profile_);
    const std::optional<VirtualTime> start = api::TimeOf(job.status().Get("startTime"));
    if (!spec.active_deadline || !start || spec.suspended || spec.managed_by) return false;
    const Duration left = *start + *spec.active_deadline - now;
    return !IsJobFinished(job) && !job.deleting() && left > Duration() && left < kDeadlineHorizon &&
           !RepeatsAnother(job, jobs);
  });
}

// --- handlers ----------------------------------------------------------------------------------

void JobController::RegisterHandlers() {
  job_handlers_.add = [this](const api::Object& job, bool) { queue_.Add(job.key()); };
  job_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdateJob(a, b); };
  job_handlers_.del = [this](const client::Deleted& d) { DeleteJob(d.object); };
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object, true); };
  job_informer_.AddHandler(context_.actor(), &job_handlers_);
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
}

api::Object JobController::OwnerOf(const api::Object& pod) const {
  const std::optional<api::OwnerReference> owner = pod.controller();
  if (!owner || owner->kind != "Job") return {};
  api::Object job = job_informer_.lister().Get(pod.ns(), owner->name);
  if (job.empty() || job.uid() != owner->uid) return {};
  return job;
}

void JobController::EnqueueBatched(const std::string& key, bool pod_failed) {
  Duration delay = kSyncJobBatchPeriod;
  if (pod_failed && !profile_.job_backoff_record)
    delay = std::max(delay, BackoffOfKey(queue_.NumRequeues(key)));
  queue_.AddAfter(key, delay);
}

// JobLister.GetPodJobs: a pod without labels matches nothing.
void JobController::EnqueueMatchingJobs(const api::Object& pod) {
  if (pod.labels().empty()) return;
  for (const api::Object& job : job_informer_.lister().List(pod.ns())) {
    const auto selector = value::LabelSelector::FromObject(job.spec().Get("selector"));
    if (selector.ok() && selector->Matches(pod.labels())) EnqueueBatched(job.key());
  }
}

void JobController::AddPod(const api::Object& pod) {
  // After a restart a new pod may show up already being deleted: never a creation.
  if (pod.deleting()) {
    DeletePod(pod, false);
    return;
  }
  if (pod.controller()) {
    const api::Object job = OwnerOf(pod);
    if (job.empty()) return;
    expectations_.CreationObserved(job.key());
    EnqueueBatched(job.key());
    return;
  }
  if (HasTrackingFinalizer(pod)) EnqueueOrphan(pod);
  EnqueueMatchingJobs(pod);
}

void JobController::UpdatePod(const api::Object& old_pod, const api::Object& new_pod) {
  if (old_pod.resource_version() == new_pod.resource_version()) return;
  if (new_pod.deleting()) {
    DeletePod(new_pod, false);
    return;
  }
  // Whatever the old version had: in a change of owners the finalizer may go and come back unseen.
  const bool is_free = !HasTrackingFinalizer(new_pod);
  const std::string uid(new_pod.uid());
  const bool failed = api::PodView(new_pod).phase() == "Failed";
  const bool owner_changed = !SameJobOwner(old_pod.controller(), new_pod.controller());
  const api::Object old_job = owner_changed ? OwnerOf(old_pod) : api::Object();
  if (!old_job.empty()) {
    if (is_free) removals_.Observed(old_job.key(), uid);
    EnqueueBatched(old_job.key(), failed);
  }
  if (new_pod.controller()) {
    const api::Object job = OwnerOf(new_pod);
    if (job.empty()) return;
    if (is_free) removals_.Observed(job.key(), uid);
    EnqueueBatched(job.key(), failed);
    return;
  }
  if (!is_free) EnqueueOrphan(new_pod);
  if (owner_changed || old_pod.labels() != new_pod.labels()) EnqueueMatchingJobs(new_pod);
}

void JobController::DeletePod(const api::Object& pod, bool is_gone) {
  if (pod.empty()) return;
  const bool has_finalizer = HasTrackingFinalizer(pod);
  const api::Object job = OwnerOf(pod);
  if (job.empty() || IsJobFinished(job)) {
    // No sync will remove the finalizer.
    if (has_finalizer) EnqueueOrphan(pod);
    return;
  }
  const std::string key = job.key();
  expectations_.Lower(key, 0, 1);
  if (is_gone || !has_finalizer) removals_.Observed(key, std::string(pod.uid()));
  EnqueueBatched(key);
}

void JobController::UpdateJob(const api::Object& old_job, const api::Object& new_job) {
  const std::string key = new_job.key();
  // No Job should be finished with pods that have finalizers; in case of doubt they are freed.
  if (IsJobFinished(new_job) && profile_.job_frees_by_selector) {
    EnqueueOrphansOf(new_job);
    return;
  }
  if (new_job.generation() == old_job.generation() && profile_.job_backoff_record) {
    EnqueueBatched(key);
  } else {
    queue_.Add(key);
  }
  if (IsJobFinished(new_job)) EnqueueOrphansOf(new_job);

  // A new deadline counts from the start.
  const JobSpec spec(new_job, profile_);
  const std::optional<VirtualTime> start = api::TimeOf(new_job.status().Get("startTime"));
  if (!start || !spec.active_deadline) return;
  if (JobSpec(old_job, profile_).active_deadline == spec.active_deadline) return;
  queue_.AddAfterInBackground(key, *start + *spec.active_deadline - context_.process.Now());
}

void JobController::DeleteJob(const api::Object& job) {
  if (job.empty()) return;
  const std::string key = job.key();
  queue_.Add(key);
  consistency_.Clear(key, job.uid());
  finished_.erase(std::string(job.uid()));
  EnqueueOrphansOf(job);
  if (profile_.job_frees_by_selector) backoffs_.Remove(key);
}

// --- orphans -----------------------------------------------------------------------------------

void JobController::EnqueueOrphan(const api::Object& pod) {
  orphans_.Add(fmt::format("{}{}", kOrphanPod, pod.key()));
}

// enqueueLabelSelector; up to 1.33 cleanupPodFinalizers, at once.
void JobController::EnqueueOrphansOf(const api::Object& job) {
  const auto selector = value::LabelSelector::FromObject(job.spec().Get("selector"));
  if (!selector.ok()) return;
  if (profile_.job_frees_by_selector) {
    orphans_.Add(fmt::format("{}{}/{}", kOrphanSelector, job.ns(), selector->ToString()));
    return;
  }
  for (const api::Object& pod : pod_informer_.lister().List(job.ns())) {
    const std::optional<api::OwnerReference> owner = pod.controller();
    if (owner && owner->uid == job.uid() && selector->Matches(pod.labels()) &&
        HasTrackingFinalizer(pod))
      EnqueueOrphan(pod);
  }
}

// A worker that began before the caches are full would take the pods of Jobs for orphans.
sim::Task<void> JobController::StartOrphanWorkers() {
  const std::vector<client::SharedInformer*> informers = {&pod_informer_, &job_informer_};
  co_await WaitForSync(context_.process.simulation(), informers);
  const int workers = profile_.job_frees_by_selector ? kJobWorkers : 1;
  for (int i = 0; i < workers; ++i) context_.process.Spawn(OrphanWorker(), context_.name);
}

sim::Task<void> JobController::OrphanWorker() {
  for (;;) {
    const std::optional<std::string> key = co_await orphans_.Get();
    if (!key) co_return;
    const bool done = co_await SyncOrphans(*key);
    if (done)
      orphans_.Forget(*key);
    else
      orphans_.AddRateLimited(*key);
    orphans_.Done(*key);
  }
}

sim::Task<bool> JobController::SyncOrphans(std::string key) {
  const bool by_name = key.starts_with(kOrphanPod);
  const std::string rest = key.substr(by_name ? kOrphanPod.size() : kOrphanSelector.size());
  const std::size_t slash = rest.find('/');
  const std::string ns = rest.substr(0, slash);
  const std::string name = rest.substr(slash + 1);
  if (by_name) {
    const api::Object pod = pod_informer_.lister().Get(ns, name);
    if (pod.empty()) co_return true;
    const bool freed = co_await FreeOrphan(pod);
    co_return freed;
  }
  const auto selector = value::LabelSelector::Parse(name);
  if (!selector.ok()) co_return false;
  // A pod that cannot be freed now is not tried again here (syncOrphanPodsBySelector).
  const JobPods pods = pod_informer_.lister().List(ns);
  for (const api::Object& pod : pods) {
    if (selector->Matches(pod.labels())) co_await FreeOrphan(pod);
  }
  co_return true;
}

// handleSingleOrphanPod: the pod may have found an owner meanwhile.
sim::Task<bool> JobController::FreeOrphan(api::Object pod) {
  if (!HasTrackingFinalizer(pod)) co_return true;
  const std::optional<api::OwnerReference> owner = pod.controller();
  if (owner) {
    const bool is_jobs = owner->kind == "Job" && owner->api_version == "batch/v1";
    if (!is_jobs && profile_.job_frees_by_selector) co_return true;
    const api::Object job = OwnerOf(pod);
    if (!job.empty() && (JobSpec(job, profile_).managed_by || !IsJobFinished(job))) co_return true;
  }
  const std::optional<api::Status> error = co_await PatchFinalizer(pod);
  co_return !error || api::IsNotFound(*error);
}

}  // namespace ksim::controllers
