#include "ksim/base/time_zone.h"

#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ksim/base/check.h"
#include "ksim/base/time.h"

namespace ksim {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kMinute = 60;

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Days since 1970 of a day of the proleptic Gregorian calendar (Hinnant's days_from_civil).
std::int64_t DaysOf(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = FloorDiv(year, 400);
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

}  // namespace

// Reads the lines of the table. They are part of the program: what it cannot read is a bug.
struct TimeZoneParser {
  std::string_view rest;

  bool Take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::int64_t Number() {
    std::int64_t number = 0;
    Take('+');
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    KSIM_CHECK(error == std::errc()) << "time zone: no number at " << rest;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return number;
  }
  // [-]HOURS[:MINUTES]
  std::int64_t TimeOfDay() {
    const bool negative = rest.starts_with('-');
    std::int64_t seconds = Number() * 3600;
    if (Take(':')) seconds += Number() * (negative ? -kMinute : kMinute);
    return seconds;
  }
  void SkipName() {
    if (Take('<')) {
      rest.remove_prefix(rest.find('>') + 1);
      return;
    }
    while (!rest.empty() &&
           ((rest[0] >= 'A' && rest[0] <= 'Z') || (rest[0] >= 'a' && rest[0] <= 'z')))
      rest.remove_prefix(1);
  }
  TimeZone::Change ParseChange() {
    TimeZone::Change change;
    KSIM_CHECK(Take(',') && Take('M')) << "time zone: no rule at " << rest;
    change.month = static_cast<int>(Number());
    Take('.');
    change.week = static_cast<int>(Number());
    Take('.');
    change.weekday = static_cast<int>(Number());
    if (Take('/')) change.second = TimeOfDay();
    return change;
  }
  // POSIX counts offsets westwards.
  void ParseRule(TimeZone* zone) {
    SkipName();
    zone->standard_ = -TimeOfDay();
    if (rest.empty()) return;
    SkipName();
    TimeZone::Summer summer;
    summer.offset = rest.starts_with(',') ? zone->standard_ + 3600 : -TimeOfDay();
    summer.begin = ParseChange();
    summer.end = ParseChange();
    zone->summer_ = summer;
  }
  void ParseListed(std::string_view word, TimeZone* zone) {
    rest = word;
    if (Take('@')) {
      zone->first_ = Number() * kMinute;
      return;
    }
    const std::int64_t moment = kEpochUnixSeconds + Number() * kMinute;
    Take(':');
    zone->listed_.emplace_back(moment, Number() * kMinute);
  }
};

namespace {

using ZonesByName = std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>>;

ZonesByName ReadZones() {
  ZonesByName zones;
  std::shared_ptr<TimeZone> zone;
  bool has_rule = false;
  std::string_view text = TimeZoneRules();
  while (!text.empty()) {
    // A word, and whether it begins a line.
    const bool begins = text.front() == '\n';
    if (text.front() == ' ' || begins) {
      text.remove_prefix(1);
      if (text.empty()) break;
      if (begins && text.front() != ' ') {
        zone = std::make_shared<TimeZone>();
        has_rule = false;
      }
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (has_rule) {
      zones.emplace(word, zone);
    } else if (word[0] == '@' || (word[0] >= '0' && word[0] <= '9')) {
      TimeZoneParser{}.ParseListed(word, zone.get());
    } else {
      TimeZoneParser{word}.ParseRule(zone.get());
      has_rule = true;
    }
  }
  return zones;
}

}  // namespace

const TimeZone* TimeZone::Find(std::string_view name) {
  if (name.empty() || name == "UTC") return &Utc();
  static const ZonesByName& zones = *new ZonesByName(ReadZones());  // never destroyed
  const auto it = zones.find(name);
  return it == zones.end() ? nullptr : it->second.get();
}

const TimeZone& TimeZone::Utc() {
  static const TimeZone& utc = *new TimeZone();  // never destroyed
  return utc;
}

std::int64_t TimeZone::OffsetAt(std::int64_t unix) const {
  if (listed_.empty()) return ByRule(unix);
  if (unix >= listed_.back().first && summer_) return ByRule(unix);
  std::int64_t offset = first_;
  for (const auto& [moment, then] : listed_) {
    if (unix < moment) break;
    offset = then;
  }
  return offset;
}

// Seconds since 1970 as if the local time were UTC.
std::int64_t TimeZone::MomentOf(const Change& change, std::int64_t year) {
  const std::int64_t first = DaysOf(year, change.month, 1);
  const std::int64_t weekday = (first % 7 + 7 + 4) % 7;  // 1970 began on a Thursday
  std::int64_t day = first + (change.weekday - weekday + 7) % 7 + 7 * (change.week - 1);
  const std::int64_t next =
      change.month == 12 ? DaysOf(year + 1, 1, 1) : DaysOf(year, change.month + 1, 1);
  while (day >= next) day -= 7;
  return day * kDay + change.second;
}

std::int64_t TimeZone::ByRule(std::int64_t unix) const {
  if (!summer_) return standard_;
  const std::int64_t year = CivilOf(unix + standard_, Utc()).year;
  const std::int64_t begin = MomentOf(summer_->begin, year) - standard_;
  const std::int64_t end = MomentOf(summer_->end, year) - summer_->offset;
  const bool is_summer = begin < end ? begin <= unix && unix < end : !(end <= unix && unix < begin);
  return is_summer ? summer_->offset : standard_;
}

CivilTime CivilOf(std::int64_t unix, const TimeZone& zone) {
  const std::int64_t local = unix + (&zone == &TimeZone::Utc() ? 0 : zone.OffsetAt(unix));
  const std::int64_t days = FloorDiv(local, kDay);
  const std::int64_t seconds = local - days * kDay;
  // Hinnant's civil_from_days.
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = FloorDiv(shifted, 146097);
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  CivilTime out;
  out.day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
  out.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
  out.hour = seconds / 3600;
  out.minute = seconds / kMinute % 60;
  out.second = seconds % kMinute;
  out.weekday = static_cast<int>((days % 7 + 7 + 4) % 7);
  return out;
}

std::int64_t UnixOf(const CivilTime& time, const TimeZone& zone) {
  const std::int64_t months = time.month - 1;
  const std::int64_t years = FloorDiv(months, 12);
  const std::int64_t days = DaysOf(time.year + years, months - years * 12 + 1, 1) + time.day - 1;
  const std::int64_t local = days * kDay + time.hour * 3600 + time.minute * kMinute + time.second;
  // Go takes the offset that holds at that time of UTC, and corrects it once.
  const std::int64_t guess = zone.OffsetAt(local);
  return local - (guess == 0 ? 0 : zone.OffsetAt(local - guess));
}

}  // namespace ksim
