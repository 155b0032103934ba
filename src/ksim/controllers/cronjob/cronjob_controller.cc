#include "ksim/controllers/cronjob/cronjob_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/rules/cron_schedule.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/cronjob/schedule_times.h"
#include "ksim/controllers/job/job_spec.h"
#include "ksim/value/text.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

bool SameCronOwner(const std::optional<api::OwnerReference>& a,
                   const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind;
}

}  // namespace

CronJobController::CronJobController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource("batch", "cronjobs")),
      job_resource_(context_.Resource("batch", "jobs")),
      client_(context_.connection, context_.actor(), ManagerClient(context_, "cronjob-controller")),
      recorder_(context_.connection, context_.actor(), "cronjob-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      cron_informer_(context_.informers.For(resource_)),
      job_informer_(context_.informers.For(job_resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

CronJobController::~CronJobController() = default;

void CronJobController::Start() {
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kCronJobWorkers, {&job_informer_, &cron_informer_});
}

bool CronJobController::HasWorkAhead(const Heartbeats&) const {
  const VirtualTime now = context_.process.Now();
  const Jobs cron_jobs = cron_informer_.lister().List("");
  return std::any_of(cron_jobs.begin(), cron_jobs.end(), [now](const api::Object& cron_job) {
    const bool waits = !cron_job.deleting() && !cron_job.spec().Get("suspend").AsBool() &&
                       !cron_job.status().Has("lastScheduleTime");
    if (!waits) return false;
    const auto schedule = ParseCronSchedule(cron_job);
    if (!schedule.ok()) return false;
    const std::optional<VirtualTime> first =
        schedule->Next(cron_job.creation_time().value_or(VirtualTime()));
    return first && *first > now && *first - now < kFirstStartHorizon;
  });
}

// --- handlers ----------------------------------------------------------------------------------

void CronJobController::RegisterHandlers() {
  job_handlers_.add = [this](const api::Object& job, bool) { EnqueueOwner(job); };
  job_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdateJob(a, b); };
  job_handlers_.del = [this](const client::Deleted& d) { EnqueueOwner(d.object); };
  cron_handlers_.add = [this](const api::Object& cron, bool) { queue_.Add(cron.key()); };
  cron_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    UpdateCronJob(a, b);
  };
  cron_handlers_.del = [this](const client::Deleted& d) { queue_.Add(d.object.key()); };
  job_informer_.AddHandler(context_.actor(), &job_handlers_);
  cron_informer_.AddHandler(context_.actor(), &cron_handlers_);
}

void CronJobController::EnqueueOwner(const api::Object& job) {
  const std::optional<api::OwnerReference> owner = job.controller();
  if (!owner || owner->kind != "CronJob") return;
  const api::Object cron_job = cron_informer_.lister().Get(job.ns(), owner->name);
  if (!cron_job.empty() && cron_job.uid() == owner->uid) queue_.Add(cron_job.key());
}

void CronJobController::UpdateJob(const api::Object& old_job, const api::Object& new_job) {
  if (old_job.resource_version() == new_job.resource_version()) return;
  if (!SameCronOwner(old_job.controller(), new_job.controller())) EnqueueOwner(old_job);
  EnqueueOwner(new_job);
}

// A new schedule moves the next look, and is no reason to look now.
void CronJobController::UpdateCronJob(const api::Object& old_cron, const api::Object& new_cron) {
  const Value& old_spec = old_cron.spec();
  const Value& spec = new_cron.spec();
  if (old_spec.Get("schedule") == spec.Get("schedule") &&
      old_spec.Get("timeZone") == spec.Get("timeZone")) {
    queue_.Add(new_cron.key());
    return;
  }
  const auto schedule = ParseCronSchedule(new_cron);
  if (!schedule.ok()) {
    recorder_.Event(
        new_cron, "Warning", "UnParseableCronJobSchedule",
        fmt::format("unparseable schedule for cronjob: {}", spec.Get("schedule").AsString()));
    return;
  }
  queue_.AddAfterInBackground(new_cron.key(),
                              NextScheduleDuration(new_cron, context_.process.Now(), *schedule));
}

// --- sync --------------------------------------------------------------------------------------

const Value& CronJobController::Work::active() const {
  return object.status().Get(api::Fields().active);
}

bool CronJobController::Work::Has(std::string_view uid) const {
  const auto items = active().items();
  return std::any_of(items.begin(), items.end(),
                     [uid](const Value& job) { return job.Get("uid").AsString() == uid; });
}

bool CronJobController::Work::HasName(std::string_view ns, std::string_view name) const {
  const auto items = active().items();
  return std::any_of(items.begin(), items.end(), [&](const Value& job) {
    return job.Get("name").AsString() == name && job.Get("namespace").AsString() == ns;
  });
}

void CronJobController::Work::Remove(std::string_view uid) {
  std::vector<Value> left;
  for (const Value& job : active().items())
    if (job.Get("uid").AsString() != uid) left.push_back(job);
  SetStatus("active", Value::Array(std::move(left)));
}

// An empty list is left out, as Go does.
void CronJobController::Work::SetStatus(std::string_view field, Value v) {
  const Path place{"status", field};
  const bool gone = v.is_array() && v.empty();
  object = api::Object::FromTree(
      gone ? object.tree().Erase(place) : object.tree().Set(place, std::move(v)),
      object.resource_version());
}

sim::Task<client::ReconcileResult> CronJobController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object cron_job = cron_informer_.lister().Get(id->ns, id->name);
  if (cron_job.empty()) co_return client::ReconcileResult::Done();
  const Jobs jobs = JobsOf(cron_job);
  Work work(cron_job);
  const bool cleaned_up = co_await CleanUp(&work, jobs);
  const Outcome outcome = co_await Sync(&work, jobs);
  if (cleaned_up || outcome.changed) {
    client::Client::ObjectResult written = co_await client_.UpdateStatus(resource_, work.object);
    if (!written.ok()) co_return client::ReconcileResult::Error(written.status());
  }
  if (outcome.next) {
    queue_.Forget(key);
    queue_.AddAfterInBackground(key, *outcome.next);
    co_return client::ReconcileResult::Done();
  }
  if (outcome.error) co_return client::ReconcileResult::Error(*outcome.error);
  co_return client::ReconcileResult::Done();
}

// getJobsToBeReconciled: a controller of that name is enough.
CronJobController::Jobs CronJobController::JobsOf(const api::Object& cron_job) const {
  Jobs jobs;
  for (api::Object& job : job_informer_.lister().List(cron_job.ns())) {
    const std::optional<api::OwnerReference> owner = job.controller();
    if (owner && owner->name == cron_job.name()) jobs.push_back(std::move(job));
  }
  return jobs;
}

sim::Task<bool> CronJobController::CleanUp(Work* work, Jobs jobs) {
  const Value failed_limit = work->object.spec().Get(api::Fields().failed_jobs_history_limit);
  const Value successful_limit =
      work->object.spec().Get(api::Fields().successful_jobs_history_limit);
  Jobs failed, successful;
  for (const api::Object& job : jobs) {
    const std::string_view end = JobFinishedBy(job);
    if (end == "Complete") successful.push_back(job);
    if (end == "Failed") failed.push_back(job);
  }
  bool changed = false;
  if (successful_limit.is_int()) {
    const bool removed = co_await RemoveOldest(work, successful, successful_limit.AsInt());
    changed = changed || removed;
  }
  if (failed_limit.is_int()) {
    const bool removed = co_await RemoveOldest(work, failed, failed_limit.AsInt());
    changed = changed || removed;
  }
  co_return changed;
}

sim::Task<bool> CronJobController::RemoveOldest(Work* work, Jobs jobs, std::int64_t limit) {
  const std::int64_t surplus = static_cast<std::int64_t>(jobs.size()) - limit;
  if (surplus <= 0) co_return false;
  // byJobStartTime: those that have not started last.
  std::sort(jobs.begin(), jobs.end(), [](const api::Object& a, const api::Object& b) {
    const std::optional<VirtualTime> start_a = api::TimeOf(a.status().Get("startTime"));
    const std::optional<VirtualTime> start_b = api::TimeOf(b.status().Get("startTime"));
    if (start_a == start_b) return a.name() < b.name();
    if (!start_a || !start_b) return start_a.has_value();
    return *start_a < *start_b;
  });
  bool changed = false;
  for (std::int64_t i = 0; i < surplus; ++i) {
    const bool deleted = co_await DeleteJob(work, jobs[static_cast<std::size_t>(i)]);
    changed = changed || deleted;
  }
  co_return changed;
}

sim::Task<bool> CronJobController::DeleteJob(Work* work, api::Object job) {
  api::DeleteOptions options;
  options.propagation_policy = "Background";
  client::Client::ObjectResult deleted = co_await client_.Delete(
      job_resource_, std::string(job.ns()), std::string(job.name()), options);
  if (!deleted.ok()) {
    recorder_.Event(work->object, "Warning", "FailedDelete",
                    fmt::format("Deleted job: {}", deleted.status().message));
    co_return false;
  }
  work->Remove(job.uid());
  recorder_.Event(work->object, "Normal", "SuccessfulDelete",
                  fmt::format("Deleted job {}", job.name()));
  co_return true;
}

// The Jobs that are there: which go on, and which have ended.
sim::Task<std::optional<std::string>> CronJobController::SeeJobs(Work** current, Work* fresh,
                                                                 Jobs jobs, bool* changed) {
  for (const api::Object& job : jobs) {
    const std::string uid(job.uid());
    const bool found = (*current)->Has(uid);
    if (IsJobFinished(job)) {
      SeeFinished(*current, job, found, changed);
      continue;
    }
    if (found) continue;
    const std::string ns((*current)->object.ns());
    const std::string name((*current)->object.name());
    client::Client::ObjectResult read = co_await client_.Get(resource_, ns, name);
    if (!read.ok()) co_return read.status().message.str();
    if (Work(*read).Has(uid)) {
      // From here on upstream changes this copy, and writes the other.
      fresh->object = *read;
      *current = fresh;
      continue;
    }
    recorder_.Event(
        (*current)->object, "Warning", "UnexpectedJob",
        fmt::format("Saw a job that the controller did not create or forgot: {}", job.name()));
  }
  co_return std::nullopt;
}

void CronJobController::SeeFinished(Work* work, const api::Object& job, bool was_active,
                                    bool* changed) {
  if (was_active) {
    work->Remove(job.uid());
    recorder_.Event(work->object, "Normal", "SawCompletedJob",
                    fmt::format("Saw completed job: {}, {}: {}", job.name(),
                                profile_.cron_sees_success_at_once ? "condition" : "status",
                                JobFinishedBy(job)));
    *changed = true;
    // Up to 1.32 its success is seen when it is not in the list any more.
    if (!profile_.cron_sees_success_at_once) return;
  }
  SeeSuccess(work, job, changed);
}

void CronJobController::SeeSuccess(Work* work, const api::Object& job, bool* changed) {
  const Value& conditions = job.status().Get(api::Fields().conditions);
  const auto items = conditions.items();
  const bool succeeded = std::any_of(items.begin(), items.end(), [](const Value& condition) {
    return condition.Get("type").AsString() == "Complete" &&
           condition.Get("status").AsString() == "True";
  });
  if (!succeeded) return;
  const Value& completion = job.status().Get("completionTime");
  const std::optional<VirtualTime> at = api::TimeOf(completion);
  const std::optional<VirtualTime> last =
      api::TimeOf(work->object.status().Get("lastSuccessfulTime"));
  if (last && (!at || *at <= *last)) return;
  if (at) work->SetStatus("lastSuccessfulTime", completion);
  *changed = true;
}

// The cache may be behind: only a Job that the server does not have is missing.
sim::Task<std::optional<std::string>> CronJobController::ForgetMissingJobs(Work* work, Jobs jobs,
                                                                           bool* changed) {
  const Value active = work->active();
  for (const Value& reference : active.items()) {
    const std::string uid(reference.Get("uid").AsString());
    const bool is_there = std::any_of(jobs.begin(), jobs.end(),
                                      [&uid](const api::Object& job) { return job.uid() == uid; });
    if (is_there) continue;
    const std::string ns(reference.Get("namespace").AsString());
    const std::string name(reference.Get("name").AsString());
    client::Client::ObjectResult read = co_await client_.Get(job_resource_, ns, name);
    if (read.ok()) continue;
    if (!api::IsNotFound(read.status())) co_return read.status().message.str();
    recorder_.Event(work->object, "Normal", "MissingJob",
                    fmt::format("Active job went missing: {}", name));
    work->Remove(uid);
    *changed = true;
  }
  co_return std::nullopt;
}

sim::Task<CronJobController::Outcome> CronJobController::Sync(Work* work, Jobs jobs) {
  // 1. What has become of the Jobs.
  Outcome outcome;
  Work fresh(work->object);
  Work* current = work;
  outcome.error = co_await SeeJobs(&current, &fresh, jobs, &outcome.changed);
  if (outcome.error) co_return outcome;
  outcome.error = co_await ForgetMissingJobs(current, jobs, &outcome.changed);
  if (outcome.error) co_return outcome;

  // 2. A new one, if it is time.
  if (current->object.deleting()) co_return outcome;
  const std::optional<CronSchedule> schedule = ScheduleOf(current->object);
  if (!schedule) co_return outcome;
  const Outcome started = co_await StartDue(current, *schedule, outcome.changed);
  co_return started;
}

std::optional<CronSchedule> CronJobController::ScheduleOf(const api::Object& cron_job) {
  const Value& zone = cron_job.spec().Get("timeZone");
  const std::string problem = zone.is_string() ? api::TimeZoneProblem(zone.AsString()) : "";
  if (!problem.empty()) {
    recorder_.Event(
        cron_job, "Warning", "UnknownTimeZone",
        fmt::format("invalid timeZone: {}: {}", value::GoQuote(zone.AsString()), problem));
    return std::nullopt;
  }
  if (cron_job.spec().Get("suspend").AsBool()) return std::nullopt;
  const std::string_view text = cron_job.spec().Get("schedule").AsString();
  if (text.find("TZ") != text.npos)
    recorder_.Event(
        cron_job, "Warning", "UnsupportedSchedule",
        fmt::format("CRON_TZ or TZ used in schedule {} is not officially supported, see "
                    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more "
                    "details",
                    value::GoQuote(text)));
  const auto schedule = ParseCronSchedule(cron_job);
  if (schedule.ok()) return *schedule;
  recorder_.Event(cron_job, "Warning", "UnparseableSchedule",
                  fmt::format("unparseable schedule: {} : {}", value::GoQuote(text),
                              Message(schedule.status())));
  return std::nullopt;
}

}  // namespace ksim::controllers
