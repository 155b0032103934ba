#include "ksim/controllers/cronjob/schedule.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/rules/cron_schedule.h"

namespace ksim::controllers {
namespace {

constexpr std::int64_t kSecondsOfMinute = 60;
constexpr std::int64_t kSecondsOfHour = 3600;

struct CronBounds {
  unsigned min, max;
  std::string_view names;  // of three letters each, from the number `min` on
};
constexpr CronBounds kMinuteBounds{0, 59, ""};
constexpr CronBounds kHourBounds{0, 23, ""};
constexpr CronBounds kDayBounds{1, 31, ""};
constexpr CronBounds kMonthBounds{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"};
constexpr CronBounds kWeekdayBounds{0, 6, "sunmontuewedthufrisat"};

struct CronField {
  std::uint64_t bits = 0;
  bool free = false;  // "*" without a step
};

unsigned CronNumber(std::string_view text, const CronBounds& bounds) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (std::size_t i = 0; lower.size() == 3 && i < bounds.names.size(); i += 3)
    if (bounds.names.substr(i, 3) == lower) return bounds.min + static_cast<unsigned>(i / 3);
  if (text.starts_with('+')) text.remove_prefix(1);
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// getRange, of an expression that has no problem.
void AddCronRange(std::string_view expr, const CronBounds& bounds, CronField* field) {
  const std::size_t slash = expr.find('/');
  const std::string_view range = expr.substr(0, slash);
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const bool all = low == "*" || low == "?";
  unsigned start = bounds.min, end = bounds.max, step = 1;
  if (!all) {
    start = end = CronNumber(low, bounds);
    if (dash != range.npos) end = CronNumber(range.substr(dash + 1), bounds);
  }
  if (slash != expr.npos) {
    step = CronNumber(expr.substr(slash + 1), kMinuteBounds);
    if (dash == range.npos) end = bounds.max;
  }
  for (std::uint64_t i = start; i <= end; i += step) field->bits |= std::uint64_t{1} << i;
  if (all && step <= 1) field->free = true;
}

CronField ParseCronField(std::string_view text, const CronBounds& bounds) {
  CronField field;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) AddCronRange(text.substr(0, comma), bounds, &field);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return field;
}

std::vector<std::string_view> CronWords(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (;;) {
    const std::size_t start = text.find_first_not_of(kSpace);
    if (start == text.npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string_view FieldsOfDescriptor(std::string_view name) {
  if (name == "@yearly" || name == "@annually") return "0 0 1 1 *";
  if (name == "@monthly") return "0 0 1 * *";
  if (name == "@weekly") return "0 0 * * 0";
  if (name == "@hourly") return "0 * * * *";
  return "0 0 * * *";  // @daily, @midnight
}

bool HasBit(std::uint64_t bits, std::int64_t number) { return (bits >> number & 1) != 0; }

}  // namespace

absl::StatusOr<CronSchedule> CronSchedule::Parse(std::string_view text) {
  const std::string problem = api::CronProblem(text);
  if (!problem.empty()) return absl::InvalidArgumentError(problem);
  CronSchedule schedule;
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const std::size_t name = text.find('=') + 1;
    const std::size_t space = text.find(' ');
    const TimeZone* zone = TimeZone::Find(text.substr(name, space - name));
    if (zone != nullptr) schedule.zone_ = zone;  // "Local" is UTC, as in a container
    text.remove_prefix(space);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const absl::StatusOr<Duration> every = ParseDuration(text.substr(kEvery.size()));
    // Every: whole seconds, at least one.
    schedule.every_ = Seconds(std::max<std::int64_t>(1, every->whole_seconds()));
    return schedule;
  }
  if (text.starts_with('@')) text = FieldsOfDescriptor(text);
  const std::vector<std::string_view> words = CronWords(text);
  const CronField day = ParseCronField(words[2], kDayBounds);
  const CronField weekday = ParseCronField(words[4], kWeekdayBounds);
  schedule.minutes_ = ParseCronField(words[0], kMinuteBounds).bits;
  schedule.hours_ = ParseCronField(words[1], kHourBounds).bits;
  schedule.days_ = day.bits;
  schedule.months_ = ParseCronField(words[3], kMonthBounds).bits;
  schedule.weekdays_ = weekday.bits;
  schedule.any_day_ = day.free || weekday.free;
  return schedule;
}

bool CronSchedule::DayMatches(const CivilTime& day) const {
  const bool of_month = HasBit(days_, day.day);
  const bool of_week = HasBit(weekdays_, day.weekday);
  return any_day_ ? of_month && of_week : of_month || of_week;
}

std::optional<VirtualTime> CronSchedule::Next(VirtualTime after) const {
  constexpr std::int64_t kSecond = Seconds(1).ns();
  const std::int64_t second =
      after.ns() / kSecond - (after.ns() % kSecond < 0 ? 1 : 0);  // rounded down
  if (every_ > Duration()) return VirtualTime(second * kSecond) + every_;
  const std::optional<std::int64_t> unix = NextUnix(kEpochUnixSeconds + second + 1);
  if (!unix) return std::nullopt;
  return VirtualTime((*unix - kEpochUnixSeconds) * kSecond);
}

// SpecSchedule.Next, step by step: what it makes of hours that a clock skips or shows twice comes
// of the order of these steps.
std::optional<std::int64_t> CronSchedule::NextUnix(std::int64_t unix) const {
  CivilTime t = CivilOf(unix, *zone_);
  const std::int64_t last_year = t.year + 5;
  bool added = false;
  const auto set = [&](const CivilTime& time) {
    unix = UnixOf(time, *zone_);
    t = CivilOf(unix, *zone_);
  };
  const auto add = [&](std::int64_t seconds) {
    unix += seconds;
    t = CivilOf(unix, *zone_);
  };
  const auto begin = [&](bool month, bool day) {
    CivilTime first = t;
    if (month) first.day = 1;
    if (day) first.hour = 0;
    first.minute = first.second = 0;
    set(first);
  };
  // Each round begins anew when a field has come back to its first value.
  for (;;) {
    if (t.year > last_year) return std::nullopt;
    bool wrapped = false;
    while (!wrapped && !HasBit(months_, t.month)) {
      if (!std::exchange(added, true)) begin(true, true);
      CivilTime next = t;
      ++next.month;
      set(next);
      wrapped = t.month == 1;
    }
    while (!wrapped && !DayMatches(t)) {
      if (!std::exchange(added, true)) begin(false, true);
      CivilTime next = t;
      ++next.day;
      set(next);
      // Where midnight does not exist.
      if (t.hour != 0) add((t.hour > 12 ? 24 - t.hour : -t.hour) * kSecondsOfHour);
      wrapped = t.day == 1;
    }
    while (!wrapped && !HasBit(hours_, t.hour)) {
      if (!std::exchange(added, true)) begin(false, false);
      add(kSecondsOfHour);
      wrapped = t.hour == 0;
    }
    while (!wrapped && !HasBit(minutes_, t.minute)) {
      if (!std::exchange(added, true)) add(-t.second);
      add(kSecondsOfMinute);
      wrapped = t.minute == 0;
    }
    while (!wrapped && t.second != 0) {
      added = true;
      add(1);
      wrapped = t.second == 0;
    }
    if (!wrapped) return unix;
  }
}

}  // namespace ksim::controllers
