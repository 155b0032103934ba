// How soon the handlers of each informer heard of what was committed, read from a trace: the
// numbers that `ksim run -o json` tells of its own run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/trace/excerpt.h"

namespace ksim::trace {

// Counted are calls in the window about a commit made after the informer's first list; neither
// those about what was there before, nor resyncs and tombstones. Times in virtual ns from the
// commit to the call; nearest rank; 0 without calls.
struct DeliveryRow {
  DeliveryRow() = default;
  std::string informer;  // "PROCESS RESOURCE"
  std::uint64_t calls = 0;
  std::int64_t p50 = 0, p99 = 0, max = 0;
  std::uint64_t slowest = 0;  // seq of the first call that took the longest
  std::uint64_t relists = 0;  // in the window, as are the items they brought
  std::int64_t items = 0;
};

// By name of informer.
std::vector<DeliveryRow> DeliveryRows(const Excerpt& excerpt);

}  // namespace ksim::trace
