// Calendar times as Kubernetes objects hold them, and durations as kubectl shows them.
//
// metav1.Time has whole seconds, metav1.MicroTime six decimals; both are UTC. VirtualTime 0 is
// kEpochUnixSeconds (ksim/base/time.h).
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::value {

std::string FormatTimestamp(VirtualTime t);  // "2025-01-01T00:00:07Z", rounded down
std::string FormatMicroTime(VirtualTime t);  // "2025-01-01T00:00:07.000120Z", rounded down
// Go's time.RFC1123, "Wed, 01 Jan 2025 00:00:07 GMT", rounded down. The time is UTC by any name of
// the zone ("GMT" in HTTP, "+0000" in time.RFC1123Z).
std::string FormatRfc1123(VirtualTime t, std::string_view zone);
// The first two as values.
Value TimestampValue(VirtualTime t);
Value MicroTimeValue(VirtualTime t);

// Go's time.Parse with time.RFC3339: any fraction, "Z" or an offset; a text without a zone is
// refused. InvalidArgument too for what does not fit a VirtualTime (1733 to 2316).
absl::StatusOr<VirtualTime> ParseTimestamp(std::string_view text);
// The same with exactly six decimals, as MicroTime demands.
absl::StatusOr<VirtualTime> ParseMicroTime(std::string_view text);

// apimachinery pkg/util/duration: the AGE column ("5m30s", "3h", "2d4h"). Less than two seconds
// ahead of now is "0s", more is "<invalid>".
std::string HumanDuration(Duration d);
std::string ShortHumanDuration(Duration d);  // "5m", "3h", "2d"

}  // namespace ksim::value
