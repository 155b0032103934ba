// StoryFaults: the lines of a story about faults: the fault itself, and what it leads to that is
// otherwise not worth a line: watches that end and begin again, lists made anew, events that were
// lost on the way.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ksim/cli/story/story_events.h"
#include "ksim/trace/record.h"

namespace ksim::cli {

class StoryFaults {
 public:
  // `events`: of the run, those that were kept.
  StoryFaults(const std::vector<trace::Record>& events, const StoryEvents& run);

  // The line for a `fault`, `phase`, `watch`, `relist` or `event` of type ERROR; "" for none.
  // Watches and lists get a line only where a fault led to them.
  std::string Describe(const trace::Record& r) const;
  // The line that tells of the end of a watch and of others beside it; 0 if it has its own.
  std::uint64_t ToldAt(const trace::Record& r) const;
  // True for an event put on the wire that the client never took in before its watch ended, in a
  // run with faults. What is on its way when the run ends is not lost.
  bool IsLost(const trace::Record& event) const;

 private:
  void FindConsequences(const StoryEvents& run);
  bool IsFromFault(const trace::Record& r) const { return from_fault_[r.seq]; }
  std::string DescribeCatchUp(const trace::Record& r) const;
  std::string DescribeFault(const trace::Record& r) const;
  // The watches of a server that one fault ended at one moment, and for one reason.
  struct Ends {
    Ends() = default;
    std::vector<const trace::Record*> watches;  // in their order
  };
  using EndsKey = std::tuple<std::string, std::int64_t, std::string>;  // server, time, reason
  static EndsKey KeyOfEnd(const trace::Record& r);
  // Null for a watch that ended alone, or with few others.
  const Ends* ManyEnds(const trace::Record& r) const;
  std::string DescribeWatch(const trace::Record& r) const;
  std::string DescribeRelist(const trace::Record& r) const;

  std::vector<bool> from_fault_;  // by seq: a fault is among its causes
  bool has_faults_ = false;
  std::set<std::pair<std::int64_t, std::int64_t>> delivered_;  // stream and n of `deliver`
  std::set<std::pair<std::string, std::int64_t>> ended_;       // server and stream of watches
  // The client whose watch a fault made begin again, and when it did.
  std::map<std::int64_t, std::pair<std::string, std::int64_t>> resumed_by_stream_;
  std::map<EndsKey, Ends> ends_;
  std::set<std::uint64_t> instants_;  // seq of an `end` at the instant of its own begin
};

}  // namespace ksim::cli
