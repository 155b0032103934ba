// What a story tells of faults: the fault itself, and what it leads to that is otherwise not worth
// a line: watches that end and begin again, lists made anew, what was lost on the way.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/trace/record.h"

namespace ksim::cli {

class StoryFaults {
 public:
  explicit StoryFaults(const std::vector<trace::Record>& events);

  // The line for a `fault`, `phase`, `watch`, `relist` or `event` of type ERROR; "" if it is not
  // told. Watches and lists are told only where a fault led to them.
  std::string Describe(const trace::Record& r) const;
  // An event put on the wire that the client never took in, in a run with faults.
  bool Lost(const trace::Record& event) const;

 private:
  bool FromFault(const trace::Record& r) const { return from_fault_[r.seq]; }
  std::string CaughtUp(const trace::Record& r) const;
  std::string Fault(const trace::Record& r) const;
  std::string Watch(const trace::Record& r) const;
  std::string Relist(const trace::Record& r) const;

  std::vector<bool> from_fault_;  // by seq: a fault is among its causes
  bool any_ = false;
  std::set<std::pair<std::int64_t, std::int64_t>> delivered_;  // stream and n of `deliver`
  // By stream: the client whose watch a fault made begin again, and when it did.
  std::map<std::int64_t, std::pair<std::string, std::int64_t>> resumed_;
  std::set<std::uint64_t> instants_;  // seq of an `end` at the instant of its own begin
};

}  // namespace ksim::cli
