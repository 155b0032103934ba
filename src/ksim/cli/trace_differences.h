// Differences of two traces as text and as a tree: what became of the objects, the first difference
// with its causes, and the rest, counted where it follows from others.
#pragma once
#include <cstddef>
#include <string>

#include "ksim/cli/io.h"
#include "ksim/trace/diff.h"
#include "ksim/value/value.h"

namespace ksim::cli {

// Which differences are listed, and how.
struct DifferenceListing {
  DifferenceListing() = default;
  bool first = false;  // the first alone
  bool all = false;    // also those that follow from another, and what was heard otherwise
  std::string by;      // "object": by object; else by time
  std::string all_by = "; --all lists them";  // how a reader gets those that are only counted
};

// Prints `diff` of `a` and `b` for people, in the colours of `io`.
void PrintDiff(Io& io, const DifferenceListing& listing, const trace::Trace& a,
               const trace::Trace& b, const trace::Diff& diff);

// Prints what became of the objects: those that are there in one alone ("- object", "+ object"),
// and those that differ, with each place.
void PrintChangedObjects(Io& io, const DifferenceListing& listing, const trace::Diff& diff);

// Prints what was done otherwise from the workload on: the first causes, not what follows from
// them, nor what was only read or heard. Returns how many there are.
std::size_t PrintWhatWasDone(Io& io, const DifferenceListing& listing, const trace::Trace& a,
                             const trace::Trace& b, const trace::Diff& diff);

// The same for programs: a TraceDiff (ksim.dev/v1).
value::Value DiffTree(const DifferenceListing& listing, const trace::Trace& a,
                      const trace::Trace& b, const trace::Diff& diff);

}  // namespace ksim::cli
