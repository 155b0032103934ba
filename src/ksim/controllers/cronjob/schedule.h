// CronSchedule: when a schedule comes round: five fields, @daily and its like, or @every.
//
// Source: github.com/robfig/cron/v3@v3.0.1 parser.go ParseStandard, spec.go SpecSchedule.Next,
// constantdelay.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/base/time_zone.h"

namespace ksim::controllers {

class CronSchedule {
 public:
  // A time zone may stand in front: "TZ=Europe/Berlin 0 9 * * 1-5". InvalidArgument with the words
  // of upstream's parser.
  static absl::StatusOr<CronSchedule> Parse(std::string_view text);

  // The first time after `after`; nothing if there is none within five years.
  std::optional<VirtualTime> Next(VirtualTime after) const;

 private:
  bool DayMatches(const CivilTime& day) const;
  std::optional<std::int64_t> NextUnix(std::int64_t unix) const;

  const TimeZone* zone_ = &TimeZone::Utc();
  Duration every_;  // 0: by the fields
  // A bit for each number that matches.
  std::uint64_t minutes_ = 0, hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  // The day of the month, or of the week, is free; else either of them is enough.
  bool any_day_ = false;
};

}  // namespace ksim::controllers
