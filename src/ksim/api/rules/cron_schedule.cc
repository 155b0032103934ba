#include "ksim/api/rules/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/go_text.h"
#include "ksim/base/time.h"
#include "ksim/base/time_zone.h"

namespace ksim::api {

namespace {

struct CronBounds {
  std::int64_t min;
  std::int64_t max;
  std::string_view names;  // jan feb ..., the first has the number `first`
  std::int64_t first;
};
constexpr std::array<CronBounds, 5> kCronFields = {
    CronBounds{0, 59, "", 0}, CronBounds{0, 23, "", 0}, CronBounds{1, 31, "", 0},
    CronBounds{1, 12, "jan feb mar apr may jun jul aug sep oct nov dec", 1},
    CronBounds{0, 6, "sun mon tue wed thu fri sat", 0}};

std::vector<std::string_view> SplitAt(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Go: strings.Fields.
std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  while (true) {
    const std::size_t start = text.find_first_not_of(kSpace);
    if (start == text.npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(kSpace), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// mustParseInt: an error sets `problem`.
std::int64_t ParseCronNumber(std::string_view expr, std::string* problem) {
  std::int64_t number = 0;
  std::string_view digits = expr;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  const bool signs = expr.size() > digits.size() && digits.starts_with('-');
  if (error == std::errc::invalid_argument || !whole || signs) {
    *problem = fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax",
                           expr, GoQuote(expr));
  } else if (error == std::errc::result_out_of_range) {
    *problem =
        fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: value out of range",
                    expr, GoQuote(expr));
  } else if (number < 0) {
    *problem = fmt::format("negative number ({}) not allowed: {}", number, expr);
  }
  return number;
}

std::int64_t IntOrName(std::string_view expr, const CronBounds& bounds, std::string* problem) {
  const std::string lower = AsciiLower(expr);
  const std::vector<std::string_view> names = SplitWords(bounds.names);
  const auto at = std::find(names.begin(), names.end(), lower);
  if (at != names.end()) return bounds.first + (at - names.begin());
  return ParseCronNumber(expr, problem);
}

struct CronRange {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

std::string ReadEnds(std::string_view expr, const std::vector<std::string_view>& ends,
                     const CronBounds& bounds, CronRange* range) {
  std::string problem;
  if (ends[0] == "*" || ends[0] == "?") {
    *range = {bounds.min, bounds.max, 1};
    return problem;
  }
  range->start = range->end = IntOrName(ends[0], bounds, &problem);
  if (!problem.empty()) return problem;
  if (ends.size() > 2) return fmt::format("too many hyphens: {}", expr);
  if (ends.size() == 2) range->end = IntOrName(ends[1], bounds, &problem);
  return problem;
}

// getRange.
std::string RangeProblem(std::string_view expr, const CronBounds& bounds) {
  const std::vector<std::string_view> and_step = SplitAt(expr, '/');
  const std::vector<std::string_view> ends = SplitAt(and_step[0], '-');
  CronRange range;
  std::string problem = ReadEnds(expr, ends, bounds, &range);
  if (!problem.empty()) return problem;
  if (and_step.size() > 2) return fmt::format("too many slashes: {}", expr);
  if (and_step.size() == 2) {
    range.step = ParseCronNumber(and_step[1], &problem);
    if (!problem.empty()) return problem;
    if (ends.size() == 1) range.end = bounds.max;
  }
  if (range.start < bounds.min)
    return fmt::format("beginning of range ({}) below minimum ({}): {}", range.start, bounds.min,
                       expr);
  if (range.end > bounds.max)
    return fmt::format("end of range ({}) above maximum ({}): {}", range.end, bounds.max, expr);
  if (range.start > range.end)
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", range.start,
                       range.end, expr);
  if (range.step == 0) return fmt::format("step of range should be a positive number: {}", expr);
  return "";
}

std::string DescriptorProblem(std::string_view text) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (text == known) return "";
  }
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const absl::StatusOr<Duration> every = ParseDuration(text.substr(kEvery.size()));
    if (every.ok()) return "";
    return fmt::format("failed to parse duration {}: time: invalid duration {}", text,
                       GoQuote(text.substr(kEvery.size())));
  }
  return fmt::format("unrecognized descriptor: {}", text);
}

}  // namespace

std::string TimeZoneProblem(std::string_view name) {
  if (name == "Local" || TimeZone::Find(name) != nullptr) return "";
  if (name.find("..") != name.npos || name.starts_with('/') || name.starts_with('\\'))
    return "time: invalid location name";
  return fmt::format("unknown time zone {}", name);
}

std::string CronProblem(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const std::size_t space = schedule.find(' ');
    if (space == schedule.npos)
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const std::size_t name = schedule.find('=') + 1;
    const std::string_view zone = schedule.substr(name, space - name);
    std::string problem = TimeZoneProblem(zone);
    if (!problem.empty()) return fmt::format("provided bad location {}: {}", zone, problem);
    schedule.remove_prefix(space);
    schedule.remove_prefix(std::min(schedule.find_first_not_of(' '), schedule.size()));
  }
  if (schedule.starts_with('@')) return DescriptorProblem(schedule);
  const std::vector<std::string_view> fields = SplitWords(schedule);
  if (fields.size() != kCronFields.size())
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                       fmt::join(fields, " "));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view expr : SplitAt(fields[i], ',')) {
      std::string problem = expr.empty() ? "" : RangeProblem(expr, kCronFields[i]);
      if (!problem.empty()) return problem;
    }
  }
  return "";
}

}  // namespace ksim::api
