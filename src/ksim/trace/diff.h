// Comparing two traces: by meaning (ksim diff) and byte by byte (ksim replay).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
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
  bool follows = false;                    // a difference is among its causes: it is no first cause
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
  bool by_digest = false;  // equal digests: nothing was compared
  // In order of virtual time; the first is where the traces part.
  std::vector<Difference> differences;
  std::optional<std::pair<std::size_t, std::size_t>> last_common;
  std::vector<ObjectDifference> objects;                              // of the final states
  std::map<std::string, std::pair<std::string, std::string>> paired;  // identity -> names
};

struct DiffOptions {
  DiffOptions() = default;
  bool strict = false;  // also compares seq, cause, t, id, stream, latency, hashes and raw names
};

// Events match by (actor, kind, verb or type or op, object identity, ordinal of this combination).
// Revisions, resource versions and uids are equal through one-to-one maps built as events match;
// times inside objects and what --trace-objects added are not compared.
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
std::optional<Divergence> FirstDivergence(const std::vector<Record>& left,
                                          const std::vector<Record>& right);

}  // namespace ksim::trace
