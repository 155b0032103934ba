// What the parts of Drawn share: the kinds, and how sizes and names are written down.
#pragma once
#include <string>
#include <string_view>

#include "ksim/fault/drawn_faults.h"

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

// A client's watches of a resource.
inline value::Value StreamOf(std::string_view client, std::string_view resource) {
  value::ObjectBuilder out;
  return out.Add("client", Text(client)).Add("resource", Text(resource)).Build();
}

}  // namespace ksim::fault
