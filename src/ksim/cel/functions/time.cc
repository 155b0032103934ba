// Accessors of timestamps and durations: libraries.h.
#include <charconv>
#include <string>

#include "ksim/base/time_zone.h"
#include "ksim/cel/functions/libraries.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

using Accessor = std::int64_t (*)(const CivilTime& civil, std::int32_t nanos);

std::int64_t DayOfYear(const CivilTime& civil, std::int32_t) {
  CivilTime first;
  first.year = civil.year;
  CivilTime day = civil;
  day.hour = day.minute = day.second = 0;
  return (UnixOf(day, TimeZone::Utc()) - UnixOf(first, TimeZone::Utc())) / 86400;
}

// strconv.Atoi of a part of an offset; its error's text is the function's.
std::optional<std::int64_t> Atoi(std::string_view text, std::string* error) {
  const std::optional<std::int64_t> n = value::ParseGoInt(text);
  if (!n.has_value()) {
    *error = "strconv.Atoi: parsing " + value::GoQuote(text) + ": invalid syntax";
  }
  return n;
}

// Seconds east of UTC of a zone's name or an offset "+hh:mm".
std::optional<std::int64_t> OffsetOf(std::string_view zone, std::int64_t unix, std::string* error) {
  const std::size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    const TimeZone* found = TimeZone::Find(zone);
    if (found == nullptr) {
      *error = "unknown time zone " + std::string(zone);
      return std::nullopt;
    }
    return found->OffsetAt(unix);
  }
  const std::optional<std::int64_t> hours = Atoi(zone.substr(0, colon), error);
  if (!hours.has_value()) return std::nullopt;
  const std::optional<std::int64_t> minutes = Atoi(zone.substr(colon + 1), error);
  if (!minutes.has_value()) return std::nullopt;
  return (zone[0] == '-' ? *hours * 60 - *minutes : *hours * 60 + *minutes) * 60;
}

void AddAccessor(FunctionTable* table, const std::string& function, const std::string& id,
                 const std::string& id_with_zone, Accessor accessor) {
  table->Add(function, "." + id + " (timestamp) -> int", [accessor](Arguments a) {
    return Val::Int(accessor(CivilOf(a[0].seconds(), TimeZone::Utc()), a[0].nanos()));
  });
  table->Add(function, "." + id_with_zone + " (timestamp, string) -> int", [accessor](Arguments a) {
    std::string error;
    const auto offset = OffsetOf(a[1].AsText(), a[0].seconds(), &error);
    if (!offset.has_value()) return Val::Error(error);
    const CivilTime civil = CivilOf(a[0].seconds() + *offset, TimeZone::Utc());
    return Val::Int(accessor(civil, a[0].nanos()));
  });
}

void AddDurationAccessor(FunctionTable* table, const char* function, const char* signature,
                         std::int64_t unit) {
  table->Add(function, signature, [unit](Arguments a) { return Val::Int(a[0].AsInt() / unit); });
}

}  // namespace

void AddTimeFunctions(FunctionTable* table) {
  const auto add = [table](const char* function, const std::string& id, Accessor accessor,
                           const char* with_zone = "_with_tz") {
    AddAccessor(table, function, "timestamp_to_" + id, "timestamp_to_" + id + with_zone, accessor);
  };
  add("getFullYear", "year", [](const CivilTime& c, std::int32_t) { return c.year; });
  add("getMonth", "month",
      [](const CivilTime& c, std::int32_t) { return std::int64_t{c.month} - 1; });
  add("getDayOfYear", "day_of_year", DayOfYear);
  add("getDayOfMonth", "day_of_month",
      [](const CivilTime& c, std::int32_t) { return std::int64_t{c.day} - 1; });
  add("getDate", "day_of_month_1_based",
      [](const CivilTime& c, std::int32_t) { return std::int64_t{c.day}; });
  add("getDayOfWeek", "day_of_week",
      [](const CivilTime& c, std::int32_t) { return std::int64_t{c.weekday}; });
  add("getHours", "hours", [](const CivilTime& c, std::int32_t) { return c.hour; });
  AddDurationAccessor(table, "getHours", ".duration_to_hours (duration) -> int", 3'600'000'000'000);
  add("getMinutes", "minutes", [](const CivilTime& c, std::int32_t) { return c.minute; });
  AddDurationAccessor(table, "getMinutes", ".duration_to_minutes (duration) -> int",
                      60'000'000'000);
  add("getSeconds", "seconds", [](const CivilTime& c, std::int32_t) { return c.second; }, "_tz");
  AddDurationAccessor(table, "getSeconds", ".duration_to_seconds (duration) -> int", 1'000'000'000);
  add("getMilliseconds", "milliseconds",
      [](const CivilTime&, std::int32_t nanos) { return std::int64_t{nanos} / 1'000'000; });
  AddDurationAccessor(table, "getMilliseconds", ".duration_to_milliseconds (duration) -> int",
                      1'000'000);
}

}  // namespace ksim::cel
