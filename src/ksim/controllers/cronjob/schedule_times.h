// ScheduleTimes: which starts of a CronJob are due, missed, and next.
//
// Source: pkg/controller/cronjob/utils.go mostRecentScheduleTime, nextScheduleTimeDuration.
#pragma once
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/cronjob/schedule.h"

namespace ksim::controllers {

// A run that has nothing else to do waits for a first start that is not further away.
inline constexpr Duration kFirstStartHorizon = Minutes(10);
// Added to the time of the next start, against clocks that disagree (nextScheduleDelta).
inline constexpr Duration kNextScheduleDelta = Milliseconds(100);

// The CronJob's schedule in its time zone (formatSchedule, without its Event).
absl::StatusOr<CronSchedule> ParseCronSchedule(const api::Object& cron_job);

struct ScheduleTimes {
  ScheduleTimes() = default;
  enum class Missed : std::uint8_t { kNone, kFew, kMany };
  VirtualTime earliest;  // the last start, or the creation; the deadline, if that is later
  std::optional<VirtualTime> most_recent;  // a start that is due
  Missed missed = Missed::kNone;
  bool invalid = false;  // the schedule never comes round
};
// `with_deadline`: nothing older than startingDeadlineSeconds counts.
ScheduleTimes MostRecentScheduleTime(const api::Object& cron_job, VirtualTime now,
                                     const CronSchedule& schedule, bool with_deadline);

// From now to the next look.
Duration NextScheduleDuration(const api::Object& cron_job, VirtualTime now,
                              const CronSchedule& schedule);

}  // namespace ksim::controllers
