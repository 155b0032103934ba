// Times in objects (metav1.Time, metav1.MicroTime) as points of the run's clock.
#pragma once
#include <optional>

#include "ksim/base/time.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/value.h"

namespace ksim::api {

// nullopt if the value is no RFC 3339 text.
inline std::optional<VirtualTime> TimeOf(const value::Value& v) {
  if (!v.is_string()) return std::nullopt;
  const absl::StatusOr<VirtualTime> t = value::ParseTimestamp(v.AsString());
  if (!t.ok()) return std::nullopt;
  return *t;
}

inline value::Value TimeValue(VirtualTime t) { return value::TimestampValue(t); }

}  // namespace ksim::api
