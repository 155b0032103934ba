// Comparing two traces event by event: by meaning or to the letter (ksim diff), and line by line
// (ksim replay).
//
// Two traces that say of themselves that they are one run (equal first lines, or equal digests)
// are compared to the letter, because nothing in them may differ; others by meaning. A recorded
// digest is a claim that is told beside what the events say.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ksim/trace/trace.h"

namespace ksim::trace {

// One place where the traces part. An event only in one has no counterpart.
struct Difference {
  Difference() = default;
  std::optional<std::size_t> left, right;  // indices into the events
  std::string object;                      // identity; "" = none
  std::vector<std::string> fields;         // names of those that differ, when both are there
  std::vector<std::string> changes;        // of two commits: "path: left -> right"
  bool follows = false;                    // a difference is among its causes: it is no first cause
  bool told = false;      // in what somebody was told or asked to be told, not in what was done
  bool start_up = false;  // before the workload began
};

struct ObjectDifference {
  ObjectDifference() = default;
  std::string object;
  enum class Kind { kOnlyLeft, kOnlyRight, kChanged };
  Kind kind = Kind::kChanged;
  std::vector<std::string> changes;  // "path: left -> right"
};

struct Diff {
  Diff() = default;
  bool equal = false;
  bool exact = false;                // compared to the letter
  std::vector<std::string> headers;  // "seed: 1 -> 2": where the first lines differ; no difference
  // Each is a difference: what the last lines say otherwise, or what the events do not bear out.
  std::vector<std::string> claims;
  // By time if exact; else what was done before what was told before the start-up, and by time.
  std::vector<Difference> differences;
  // The event in both that led to the first difference on both sides, the nearest; else the last
  // one before it.
  std::optional<std::pair<std::size_t, std::size_t>> last_common;
  std::vector<ObjectDifference> objects;                              // of the final states
  std::map<std::string, std::pair<std::string, std::string>> paired;  // identity -> names
};

struct DiffOptions {
  DiffOptions() = default;
  bool strict = false;  // to the letter, whatever the first lines say
};

// By meaning: events match by (actor, kind, verb or type or op, object identity, ordinal of this
// combination). Names, uids, revisions and what else is handed out are equal when they stand for
// the same thing; times, durations, hashes and numbers of requests and streams are not compared.
// To the letter: events match by place as far as the two are equal, then as above. What
// --trace-objects added is compared only to the letter and where both have it.
Diff Compare(const Trace& left, const Trace& right, const DiffOptions& options);

// The chain of causes of an event, the event first, as indices.
std::vector<std::size_t> CauseChain(const Trace& trace, std::size_t event);

// The first event whose line differs, for a replay. `right` may go on after `left` (or end before
// it): then `right` (or `left`) has no line there.
struct Divergence {
  Divergence() = default;
  std::size_t index = 0;    // of the event, from 0
  std::string left, right;  // the lines; "" = the trace has ended
};
std::optional<Divergence> FirstDivergence(std::span<const Record> left,
                                          std::span<const Record> right);

}  // namespace ksim::trace
