// What the parts of Drawn share: the kinds, and how sizes and names are written down.
#pragma once
#include <string>
#include <string_view>

#include "ksim/fault/drawn.h"

namespace ksim::fault {

// In the order of DrawnKinds().
enum Kind : int {
  kDropWatch,
  kExpire,
  kHoldStream,
  kDelayStream,
  kStallHandler,
  kPause,
  kRejectWrite,
  kTimeoutWrite,
  kReinitCache,
  kConnect,
  kCrash,
  kFreezeCache,
  kCompact,
  kNodeSilent,
  kRestart,
  kPartition,
  kServerDown,
  kSkewClock,
  kFailover,
  // Motifs.
  kGap,
  kStallInGap,
  kStorm,
  kCompactInGap,
  kStaleRestart,
  kSwizzle,
  kKinds
};

inline constexpr std::uint32_t kSizes = kLengths.size() + 1;

inline value::Value Text(std::string_view text) { return value::Value::Of(std::string(text)); }

inline value::Value LengthOf(std::uint32_t answer) {
  return Text(FormatDuration(kLengths[answer - 1]));
}

}  // namespace ksim::fault
