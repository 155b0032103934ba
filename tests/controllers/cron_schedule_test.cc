// Cases of robfig/cron spec_test.go and of pkg/controller/cronjob/utils_test.go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/controllers/cronjob/schedule.h"
#include "ksim/controllers/cronjob/schedule_times.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

VirtualTime TimeAt(std::string_view text) { return *value::ParseTimestamp(text); }

std::string NextText(std::string_view spec, std::string_view after) {
  const auto schedule = CronSchedule::Parse(spec);
  if (!schedule.ok()) return std::string(Message(schedule.status()));
  const std::optional<VirtualTime> next = schedule->Next(TimeAt(after));
  return next ? value::FormatTimestamp(*next) : "never";
}

// CTRL-CJ-06
TEST(CronSchedule, FindsTheNextTime) {
  const std::array<const char*, 3> table[] = {
      {"2012-07-09T14:45:00Z", "0/15 * * * *", "2012-07-09T15:00:00Z"},
      {"2012-07-09T14:59:59Z", "0/15 * * * *", "2012-07-09T15:00:00Z"},
      {"2012-07-09T15:45:00Z", "20-35/15 * * * *", "2012-07-09T16:20:00Z"},
      {"2012-07-09T23:46:00Z", "*/15 * * * *", "2012-07-10T00:00:00Z"},
      {"2012-07-09T23:45:00Z", "20-35/15 * * * *", "2012-07-10T00:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 1/2 * * *", "2012-07-10T01:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 10-12 * * *", "2012-07-10T10:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 1/2 */2 * *", "2012-07-11T01:20:00Z"},
      {"2012-07-09T23:35:51Z", "20-35/15 * 9-20 Jul *", "2012-07-10T00:20:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 9 Apr-Oct ?", "2012-08-09T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 */5 Apr,Aug,Oct Mon", "2012-08-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 */5 Oct Mon", "2012-10-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 * Feb Mon", "2013-02-04T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 * Feb Mon/2", "2013-02-01T00:00:00Z"},
      {"2012-12-31T23:59:45Z", "* * * * *", "2013-01-01T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 29 Feb ?", "2016-02-29T00:00:00Z"},
      {"2012-07-09T23:35:00Z", "0 0 30 Feb ?", "never"},
      {"2012-07-09T23:35:00Z", "0 0 31 Apr ?", "never"},
      {"2025-01-01T00:00:00Z", "@hourly", "2025-01-01T01:00:00Z"},
      {"2025-01-01T00:00:00Z", "@daily", "2025-01-02T00:00:00Z"},
      {"2025-01-01T00:00:00Z", "@weekly", "2025-01-05T00:00:00Z"},
      {"2025-01-01T00:00:00Z", "@monthly", "2025-02-01T00:00:00Z"},
      {"2025-01-01T00:00:00Z", "@yearly", "2026-01-01T00:00:00Z"},
      {"2025-01-01T00:00:07Z", "@every 1h30m", "2025-01-01T01:30:07Z"},
      {"2025-01-01T00:00:07Z", "@every 10ms", "2025-01-01T00:00:08Z"},
  };
  for (const auto& [after, spec, next] : table) EXPECT_EQ(NextText(spec, after), next) << spec;
}

// CTRL-CJ-06: where a clock is put forward or back.
TEST(CronSchedule, GoesByTheTimeZone) {
  const std::array<const char*, 3> table[] = {
      {"2012-03-11T05:00:00Z", "TZ=America/New_York 30 2 11 Mar ?", "2013-03-11T06:30:00Z"},
      {"2012-03-11T05:00:00Z", "TZ=America/New_York 0 * * * ?", "2012-03-11T06:00:00Z"},
      {"2012-03-11T06:00:00Z", "CRON_TZ=America/New_York 0 * * * ?", "2012-03-11T07:00:00Z"},
      {"2012-03-11T06:00:00Z", "TZ=America/New_York 0 1 * * ?", "2012-03-12T05:00:00Z"},
      {"2012-03-11T05:00:00Z", "TZ=America/New_York 0 2 * * ?", "2012-03-12T06:00:00Z"},
      {"2012-11-04T04:00:00Z", "TZ=America/New_York 30 2 04 Nov ?", "2012-11-04T07:30:00Z"},
      {"2012-11-04T05:45:00Z", "TZ=America/New_York 30 1 04 Nov ?", "2012-11-04T06:30:00Z"},
      {"2012-11-04T05:00:00Z", "TZ=America/New_York 0 1 * * ?", "2012-11-04T06:00:00Z"},
      {"2012-11-04T06:00:00Z", "TZ=America/New_York 0 1 * * ?", "2012-11-05T06:00:00Z"},
      {"2012-11-04T04:00:00Z", "TZ=America/New_York 0 3 3 * ?", "2012-12-03T08:00:00Z"},
      {"2016-01-03T07:39:03Z", "TZ=Asia/Kolkata 14 14 * * *", "2016-01-03T08:44:00Z"},
  };
  for (const auto& [after, spec, next] : table) EXPECT_EQ(NextText(spec, after), next) << spec;
}

// CTRL-CJ-06
TEST(CronSchedule, RefusesWhatUpstreamRefuses) {
  for (const char* spec : {"xyz", "60 0 * * *", "0 60 * * *", "0 0 * * XYZ", "* * * *", "",
                           "@never", "@every x", "TZ=Mars/Olympus 0 * * * *", "TZ=0"})
    EXPECT_FALSE(CronSchedule::Parse(spec).ok()) << spec;
  EXPECT_EQ(NextText("TZ=Mars/Olympus 0 * * * *", "2025-01-01T00:00:00Z"),
            "provided bad location Mars/Olympus: unknown time zone Mars/Olympus");
}

struct MissedCase {
  const char* schedule;
  Duration created;  // all times are counted from 10 o'clock on 19 May 2016
  std::optional<Duration> last;
  std::optional<int> deadline;
  bool with_deadline;
  Duration now;
  Duration earliest;
  std::optional<Duration> recent;
  ScheduleTimes::Missed missed;
};

api::Object CronJobOf(const char* schedule, Duration created, std::optional<Duration> last,
                      std::optional<int> deadline) {
  const VirtualTime top = TimeAt("2016-05-19T10:00:00Z");
  return api::Object::FromTree(*value::ParseJson(fmt::format(
      R"({{"metadata":{{"creationTimestamp":"{}"}},"spec":{{"schedule":"{}"{}}},"status":{{{}}}}})",
      value::FormatTimestamp(top + created), schedule,
      deadline ? fmt::format(R"(,"startingDeadlineSeconds":{})", *deadline) : "",
      last ? fmt::format(R"("lastScheduleTime":"{}")", value::FormatTimestamp(top + *last)) : "")));
}

// CTRL-CJ-02
TEST(ScheduleTimes, FindsTheStartThatIsDue) {
  using Missed = ScheduleTimes::Missed;
  const VirtualTime top = TimeAt("2016-05-19T10:00:00Z");
  const Duration zero;
  const MissedCase table[] = {
      {"0 * * * *", zero, {}, {}, false, Seconds(30), zero, {}, Missed::kNone},
      {"0 * * * *", zero, {}, {}, false, Minutes(61), zero, Minutes(60), Missed::kNone},
      {"0 * * * *",
       Seconds(10),
       {},
       {},
       false,
       Minutes(301),
       Seconds(10),
       Minutes(300),
       Missed::kFew},
      {"30 6-16/4 * * 1-5",
       zero,
       Minutes(30),
       {},
       false,
       Hours(24) + Minutes(31),
       Minutes(30),
       Hours(24) + Minutes(30),
       Missed::kFew},
      {"30 10,11,12 * * 1-5",
       zero,
       Minutes(30),
       {},
       false,
       Hours(30) + Minutes(30),
       Minutes(30),
       {},
       Missed::kFew},
      {"30 6-16/4 * * 1-5",
       zero,
       Minutes(30),
       {},
       false,
       Hours(96) + Minutes(31),
       Minutes(30),
       Hours(96) + Minutes(30),
       Missed::kFew},
      {"30 6-16/4 * * 1-5",
       zero,
       {},
       {},
       false,
       Hours(24) + Minutes(31),
       zero,
       Hours(24) + Minutes(30),
       Missed::kFew},
      {"@every 1h", Minutes(-59), Minutes(1), 10, false, Hours(168), Minutes(1),
       Hours(167) + Minutes(1), Missed::kMany},
      {"0 * * * *", zero, zero, {}, false, Seconds(30), zero, {}, Missed::kNone},
      {"*/5 * * * *", zero, Minutes(30), {}, false, Minutes(31), Minutes(30), {}, Missed::kNone},
      {"*/5 * * * *", zero, Minutes(30), 60, false, Minutes(31), Minutes(30), {}, Missed::kNone},
      {"*/5 * * * *", zero, Minutes(30), 60, true, Minutes(32), Minutes(31), {}, Missed::kNone},
  };
  for (const MissedCase& c : table) {
    const ScheduleTimes times =
        MostRecentScheduleTime(CronJobOf(c.schedule, c.created, c.last, c.deadline), top + c.now,
                               *CronSchedule::Parse(c.schedule), c.with_deadline);
    EXPECT_EQ((times.earliest - top).ns(), c.earliest.ns()) << c.schedule;
    EXPECT_EQ(times.most_recent.has_value(), c.recent.has_value()) << c.schedule;
    if (times.most_recent && c.recent) {
      EXPECT_EQ((*times.most_recent - top).ns(), c.recent->ns()) << c.schedule;
    }
    EXPECT_EQ(times.missed, c.missed) << c.schedule;
    EXPECT_FALSE(times.invalid);
  }
  EXPECT_TRUE(MostRecentScheduleTime(CronJobOf("59 23 31 2 *", Seconds(10), {}, {}), top + Hours(1),
                                     *CronSchedule::Parse("59 23 31 2 *"), false)
                  .invalid);
}

// CTRL-CJ-02
TEST(ScheduleTimes, SaysWhenToLookNext) {
  const VirtualTime top = TimeAt("2016-05-19T10:00:00Z");
  struct Case {
    const char* schedule;
    std::optional<Duration> last;
    Duration now, next;
  };
  const Case table[] = {
      {"30 6-16/4 * * 1-5", Minutes(30), Hours(24) + Minutes(31), Hours(3) + Minutes(59)},
      {"30 10,11,12 * * 1-5", Minutes(30), Hours(30) + Minutes(30), Hours(66)},
      {"0 12 * * 4", Hours(2), Hours(19 * 24 + 1) + Minutes(30), Hours(48) + Minutes(30)},
      {"0 12 * * 5", {}, Hours(6), Hours(20)},
  };
  for (const Case& c : table)
    EXPECT_EQ(NextScheduleDuration(CronJobOf(c.schedule, {}, c.last, {}), top + c.now,
                                   *CronSchedule::Parse(c.schedule))
                  .ns(),
              (c.next + Milliseconds(100)).ns())
        << c.schedule;
}

}  // namespace
}  // namespace ksim::controllers
