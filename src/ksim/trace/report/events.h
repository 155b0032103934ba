// The events that a report holds: which ones, and as what.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/trace/export/export.h"

namespace ksim::trace {

struct Chosen {
  Chosen() = default;
  std::vector<std::size_t> events;  // indexes into the trace, ascending
  std::size_t left_out = 0;
  bool asides = true;               // stages of requests and counts of caches are there, too
  bool part = false;                // others are there only from one moment to another
  std::int64_t begin = 0, end = 0;  // these, in virtual ns
};

// About `max` at most: violations with what led to them, faults, steps, phases and processes in any
// case, then all others; without those that only follow (stages, caches) if that suffices, else
// those around the first violation, or around the first step if there is none.
Chosen ChooseEvents(const Excerpt& excerpt, std::size_t max);

// They as JSON, without a '<' in it:
//   {"actors":[...], "strings":[...], "shapes":[{"kind":...,"fields":[...]}],
//    "events":[[shape, seq - seq before, t - t before, actor, cause, field, ...]],
//    "changes":[[path, 1 old | 2 new | 3 both, ...]], "bases":{"SEQ":changed}, "end":T}
// A text is -1 - its number in `strings`. `changed` is [number in `changes`, old or new, ...]; a
// base is the object before a commit, where the commit before that is not in the page.
void WriteEvents(const Excerpt& excerpt, const Chosen& chosen, Sink sink);

}  // namespace ksim::trace
