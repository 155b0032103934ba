// Part of cronjob_controller.h: whether a Job is to be started now, and its start.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/controllers/cronjob/cronjob_controller.h"
#include "ksim/controllers/cronjob/schedule_times.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

std::int64_t UnixSeconds(VirtualTime t) {
  constexpr std::int64_t kSecond = Seconds(1).ns();
  return kEpochUnixSeconds + t.ns() / kSecond - (t.ns() % kSecond < 0 ? 1 : 0);
}

// getJobName: with the minute for which it was scheduled.
std::string CronJobsJobName(const api::Object& cron_job, VirtualTime scheduled) {
  return fmt::format("{}-{}", cron_job.name(), UnixSeconds(scheduled) / 60);
}

// Go's time.RFC3339 in the time zone of the CronJob.
std::string Rfc3339In(std::string_view zone_name, VirtualTime t) {
  const TimeZone* found = TimeZone::Find(zone_name);
  const TimeZone& zone = found == nullptr ? TimeZone::Utc() : *found;
  const std::int64_t offset = zone.OffsetAt(UnixSeconds(t));
  const CivilTime c = CivilOf(UnixSeconds(t), zone);
  const std::string local = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month,
                                        c.day, c.hour, c.minute, c.second);
  if (offset == 0) return local + "Z";
  const std::int64_t minutes = (offset < 0 ? -offset : offset) / 60;
  return fmt::format("{}{}{:02}:{:02}", local, offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

Value ReferenceTo(const api::Object& job) {
  return value::Obj({{"apiVersion", Value::Of("batch/v1")},
                     {"kind", Value::Of("Job")},
                     {"name", Value::Of(job.name())},
                     {"namespace", Value::Of(job.ns())},
                     {"resourceVersion", Value::Of(fmt::format("{}", job.resource_version()))},
                     {"uid", Value::Of(job.uid())}});
}

}  // namespace

sim::Task<CronJobController::Outcome> CronJobController::StartDue(Work* work, CronSchedule schedule,
                                                                  bool changed) {
  // 1. The start that is due, if there is one.
  Outcome outcome;
  outcome.changed = changed;
  const api::Object cron_job = work->object;
  const VirtualTime now = context_.process.Now();
  const ScheduleTimes times = MostRecentScheduleTime(cron_job, now, schedule, true);
  const Value& spec = cron_job.spec();
  if (times.invalid) {
    recorder_.Event(cron_job, "Warning", "InvalidSchedule",
                    fmt::format("invalid schedule: {} : time difference between two schedules is "
                                "less than 1 second",
                                spec.Get("schedule").AsString()));
    co_return outcome;
  }
  outcome.next = NextScheduleDuration(cron_job, now, schedule);
  if (!times.most_recent || *times.most_recent > now) co_return outcome;
  const VirtualTime scheduled = *times.most_recent;
  if (times.missed == ScheduleTimes::Missed::kMany)
    recorder_.Event(cron_job, "Warning", "TooManyMissedTimes",
                    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
                    "check clock skew");

  // 2. Reasons to leave it out: it is too late, it was done before, another one is at work.
  const Value& deadline = spec.Get(api::Fields().starting_deadline_seconds);
  if (deadline.is_int() && scheduled + Seconds(deadline.AsInt()) < now) {
    recorder_.Event(cron_job, "Warning", "MissSchedule",
                    fmt::format("Missed scheduled time to start a job: {}",
                                value::FormatRfc1123(scheduled, "+0000")));
    co_return outcome;
  }
  const Value last = cron_job.status().Get("lastScheduleTime");
  if (work->HasName(cron_job.ns(), CronJobsJobName(cron_job, scheduled)) ||
      last == value::TimestampValue(scheduled))
    co_return outcome;
  const std::string policy(spec.Get(api::Fields().concurrency_policy).AsString());
  if (policy == "Forbid" && !work->active().empty()) {
    recorder_.Event(
        cron_job, "Normal", "JobAlreadyActive",
        "Not starting job because prior execution is running and concurrency policy is Forbid");
    co_return outcome;
  }

  // 3. In the place of those that go on, or beside them.
  if (policy == "Replace") {
    outcome.error = co_await ReplaceActive(work, &outcome.changed);
    if (outcome.error) {
      outcome.next.reset();
      co_return outcome;
    }
  }
  const Outcome started = co_await StartJob(work, scheduled, schedule, outcome.changed);
  co_return started;
}

sim::Task<std::optional<std::string>> CronJobController::ReplaceActive(Work* work, bool* changed) {
  const Value active = work->active();
  for (const Value& reference : active.items()) {
    const std::string ns(reference.Get("namespace").AsString());
    const std::string name(reference.Get("name").AsString());
    client::Client::ObjectResult read = co_await client_.Get(job_resource_, ns, name);
    if (!read.ok()) {
      recorder_.Event(work->object, "Warning", "FailedGet",
                      fmt::format("Get job: {}", read.status().message));
      co_return read.status().message.str();
    }
    const bool deleted = co_await DeleteJob(work, *read);
    if (!deleted) co_return fmt::format("could not replace job {}/{}", ns, name);
    *changed = true;
  }
  co_return std::nullopt;
}

// getJobFromTemplate2.
api::Object CronJobController::MakeJob(const api::Object& cron_job, VirtualTime scheduled) const {
  const Value& job_template = cron_job.spec().Get(api::Fields().job_template);
  const Value& metadata = job_template.Get(api::Fields().metadata);
  Value annotations = metadata.Get(api::Fields().annotations);
  if (profile_.cron_scheduled_annotation) {
    if (!annotations.is_object()) annotations = Value::EmptyObject();
    const std::string at = Rfc3339In(cron_job.spec().Get("timeZone").AsString(), scheduled);
    annotations = annotations.Set("batch.kubernetes.io/cronjob-scheduled-timestamp", Value::Of(at));
  }
  const Value owner = value::Obj({{"apiVersion", Value::Of("batch/v1")},
                                  {"kind", Value::Of("CronJob")},
                                  {"name", Value::Of(cron_job.name())},
                                  {"uid", Value::Of(cron_job.uid())},
                                  {"controller", Value::Bool(true)},
                                  {"blockOwnerDeletion", Value::Bool(true)}});
  const Value& labels = metadata.Get(api::Fields().labels);
  return api::Object::FromTree(
      value::ObjectBuilder()
          .Add("apiVersion", Value::Of("batch/v1"))
          .Add("kind", Value::Of("Job"))
          .Add("metadata", value::ObjectBuilder()
                               .Add("name", Value::Of(CronJobsJobName(cron_job, scheduled)))
                               .Add("namespace", Value::Of(cron_job.ns()))
                               .Add("creationTimestamp", value::TimestampValue(scheduled))
                               .AddIf(!labels.empty(), "labels", labels)
                               .AddIf(!annotations.empty(), "annotations", annotations)
                               .Add("ownerReferences", value::Arr({owner}))
                               .Build())
          .Add("spec", job_template.Get(api::Fields().spec))
          .Build());
}

sim::Task<CronJobController::Outcome> CronJobController::StartJob(Work* work, VirtualTime scheduled,
                                                                  CronSchedule schedule,
                                                                  bool changed) {
  Outcome outcome;
  outcome.changed = changed;
  const VirtualTime now = context_.process.Now();
  const api::Object wanted = MakeJob(work->object, scheduled);
  client::Client::ObjectResult created = co_await client_.Create(job_resource_, wanted);
  api::Object job;
  if (created.ok()) {
    job = *created;
    recorder_.Event(work->object, "Normal", "SuccessfulCreate",
                    fmt::format("Created job {}", job.name()));
  } else if (api::HasCause(created.status(), "NamespaceTerminating")) {
    outcome.error = created.status().message.str();
    co_return outcome;
  } else if (api::IsAlreadyExists(created.status())) {
    // Upstream means to read that Job, and to write it down if it is its own. But the Job that it
    // made has no namespace, and client-go asks for no name without one; so the start is tried
    // again and again, until the informer has the Job.
    outcome.error = "an empty namespace may not be set when a resource name is provided";
    co_return outcome;
  } else {
    recorder_.Event(work->object, "Warning", "FailedCreate",
                    fmt::format("Error creating job: {}", created.status().message));
    outcome.error = created.status().message.str();
    co_return outcome;
  }
  work->SetStatus("active", work->active().Append(ReferenceTo(job)));
  work->SetStatus("lastScheduleTime", value::TimestampValue(scheduled));
  outcome.changed = true;
  outcome.next = NextScheduleDuration(work->object, now, schedule);
  co_return outcome;
}

}  // namespace ksim::controllers
