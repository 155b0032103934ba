// A fault as data: when it happens, its verb and its arguments. Scenarios list faults
// (spec.faults), and a fuzzed run writes down in the same form what it drew.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::fault {

// The count-th event of a kind whose fields have these values.
struct Trigger {
  Trigger() = default;
  std::string event;                                        // its name in a trace: commit, ...
  std::vector<std::pair<std::string, std::string>> fields;  // all must be equal
  std::int64_t count = 1;
};

struct Spec {
  Spec() = default;
  std::optional<Duration> at;   // one of the two
  std::optional<Trigger> when;  // counted from the phase `workload` on
  std::string verb;             // dropWatch, ...
  value::Value args;            // as in YAML: {client: kube-scheduler, resource: pods}
  Span span;                    // where the scenario says it
};

}  // namespace ksim::fault
