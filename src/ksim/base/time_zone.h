// TimeZone: what a clock on the wall shows, by a copy of the IANA tz database that is compiled in,
// never by the machine's. Before the begin of a run's calendar (1 January 2025) a zone goes by its
// present rule, not by its history.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim {

class TimeZone {
 public:
  // By its name in the database ("Europe/Berlin"); "" and "UTC" are UTC. Null: there is none.
  static const TimeZone* Find(std::string_view name);
  static const TimeZone& Utc();

  // Seconds east of Greenwich at a moment, in seconds since 1970.
  std::int64_t OffsetAt(std::int64_t unix) const;

 private:
  // Day `weekday` of week `week` (5: the last) of a month, at a time of day.
  struct Change {
    int month = 0, week = 0, weekday = 0;
    std::int64_t second = 7200;
  };
  struct Summer {
    std::int64_t offset = 0;
    Change begin, end;
  };
  friend struct TimeZoneParser;
  static std::int64_t MomentOf(const Change& change, std::int64_t year);
  std::int64_t ByRule(std::int64_t unix) const;

  std::int64_t standard_ = 0;
  std::optional<Summer> summer_;
  // Changes that no rule gives, in order; `first_` holds before the first of them.
  std::int64_t first_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> listed_;  // moment, offset
};

// The lines of time_zone_rules.cc: a zone's rule, as POSIX writes it in TZ, and the names of the
// zones that have it; a line that begins with a space goes on with the one before. In front of the
// rule may be listed changes: @OFFSET MOMENT:OFFSET ..., in minutes, the moments since the begin of
// the calendar.
std::string_view TimeZoneRules();

// --- calendar days ---

struct CivilTime {
  std::int64_t year = 1970;
  int month = 1, day = 1;
  std::int64_t hour = 0, minute = 0, second = 0;
  int weekday = 4;  // 0: Sunday
};
CivilTime CivilOf(std::int64_t unix, const TimeZone& zone);
// Seconds since 1970 of a time in a zone. Fields may be too large or too small, as for Go's
// time.Date; of a time that a clock skips or shows twice it is what Go gives.
std::int64_t UnixOf(const CivilTime& time, const TimeZone& zone);

}  // namespace ksim
