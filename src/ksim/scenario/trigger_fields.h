// The values that the fields of trace events hold, so that no trigger asks for one that never is.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ksim/sim/bus.h"

namespace ksim::scenario {

struct TriggerField {
  enum class Holds : std::uint8_t { kText, kNumber, kFlag, kWord, kResource };
  TriggerField() = default;
  Holds holds = Holds::kText;
  std::vector<std::string_view> words;  // of kWord: all that there are
};

// `field` is one of trace::FieldsOf(kind), or `actor`.
TriggerField TriggerFieldOf(sim::EventKind kind, std::string_view field);

}  // namespace ksim::scenario
