// Numbers, times and durations as Go's standard library reads and writes them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

std::string DoubleG(double d);                             // fmt %g: 1e+06, 0.1, NaN, +Inf
std::string DoubleF(double d);                             // strconv.FormatFloat(d, 'f', -1, 64)
std::string DoubleFixed(double d, int precision);          // %.Nf
std::string DoubleScientific(double d, int precision);     // %.Ne
std::optional<double> ParseDouble(std::string_view text);  // strconv.ParseFloat
std::optional<std::uint64_t> ParseUint(std::string_view text);     // base 10
std::optional<std::int64_t> ParseDuration(std::string_view text);  // time.ParseDuration
// time.Parse with RFC 3339: a timestamp, or nullopt.
std::optional<Val> ParseTimestamp(std::string_view text);
std::string TimestampText(const Val& timestamp);  // RFC3339Nano, in its own offset
std::string DurationText(std::int64_t nanos);     // "5400s"

// Code points. Bytes that are no UTF-8 count as U+FFFD, as Go's []rune has them.
std::vector<char32_t> Runes(std::string_view text);
std::uint64_t CountRunes(std::string_view text);
std::string FromRunes(const char32_t* first, const char32_t* last);

}  // namespace ksim::cel
