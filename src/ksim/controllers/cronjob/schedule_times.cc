#include "ksim/controllers/cronjob/schedule_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/rules/cron_schedule.h"

namespace ksim::controllers {
namespace {

constexpr std::int64_t kManyMissed = 100;

}  // namespace

absl::StatusOr<CronSchedule> ParseCronSchedule(const api::Object& cron_job) {
  const std::string_view schedule = cron_job.spec().Get("schedule").AsString();
  const value::Value& zone = cron_job.spec().Get("timeZone");
  const bool zoned = schedule.find("TZ") == schedule.npos && zone.is_string() &&
                     api::TimeZoneProblem(zone.AsString()).empty();
  if (!zoned) return CronSchedule::Parse(schedule);
  return CronSchedule::Parse(fmt::format("TZ={} {}", zone.AsString(), schedule));
}

ScheduleTimes MostRecentScheduleTime(const api::Object& cron_job, VirtualTime now,
                                     const CronSchedule& schedule, bool with_deadline) {
  ScheduleTimes times;
  const std::optional<VirtualTime> last = api::TimeOf(cron_job.status().Get("lastScheduleTime"));
  times.earliest = last ? *last : cron_job.creation_time().value_or(VirtualTime());
  const value::Value& deadline = cron_job.spec().Get(api::Fields().starting_deadline_seconds);
  if (with_deadline && deadline.is_int())
    times.earliest = std::max(times.earliest, now - Seconds(deadline.AsInt()));

  const std::optional<VirtualTime> first = schedule.Next(times.earliest);
  if (first && now < *first) return times;
  const std::optional<VirtualTime> second = first ? schedule.Next(*first) : std::nullopt;
  if (second && now < *second) {
    times.most_recent = first;
    return times;
  }
  // 31 February never comes.
  const std::int64_t between = second ? (*second - *first).whole_seconds() : 0;
  if (between < 1) {
    times.invalid = true;
    return times;
  }
  // A rough count, as if all starts were as far apart as the first two.
  const std::int64_t missed = (now - *first).whole_seconds() / between + 1;
  const VirtualTime potential = *first + Seconds((missed - 2) * between);
  for (std::optional<VirtualTime> t = schedule.Next(potential); t && *t <= now;
       t = schedule.Next(*t))
    times.most_recent = t;
  times.missed = missed > kManyMissed ? ScheduleTimes::Missed::kMany : ScheduleTimes::Missed::kFew;
  return times;
}

Duration NextScheduleDuration(const api::Object& cron_job, VirtualTime now,
                              const CronSchedule& schedule) {
  const ScheduleTimes times = MostRecentScheduleTime(cron_job, now, schedule, false);
  VirtualTime from = now;
  if (times.most_recent) {
    from = *times.most_recent;
  } else if (!times.invalid && times.missed == ScheduleTimes::Missed::kNone) {
    from = times.earliest;
  }
  const std::optional<VirtualTime> next = schedule.Next(from);
  return next ? *next + kNextScheduleDelta - now : Duration();
}

}  // namespace ksim::controllers
