// TraceLaw: what holds in every trace of an honest recorder, whatever the run did and however wrong
// its controllers are: an answer follows its request, what arrives was sent, a commit's old values
// are those that the store had. Oracles judge the run by its trace; laws judge the trace, and
// believe nothing in it. Each is a file of its own under laws/, and only `ksim check` reads them: a
// running simulation pays nothing.
//
// A law must say nothing about a trace that ksim wrote. Where nothing in a trace holds an edit,
// docs/traces.md says so.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/check/ledger.h"
#include "ksim/check/oracle.h"

namespace ksim::check {

// The oracle under whose name contradictions are told.
inline constexpr std::string_view kTraceConsistent = "trace.consistent";

class TraceLaw {
 public:
  TraceLaw() = default;
  virtual ~TraceLaw() = default;
  TraceLaw(const TraceLaw&) = delete;
  TraceLaw& operator=(const TraceLaw&) = delete;

  // A record, before the ledger has it.
  virtual void On(const Ledger& ledger, const trace::Record& r) = 0;
  // The trace is over, and whole.
  virtual void Finish(const Ledger&, const Checker&) {}

  bool found() const { return !findings_.empty(); }
  std::vector<Finding> Take() { return std::exchange(findings_, {}); }

 protected:
  // `what` begins after "seq 7: "; seq 0 is the last line.
  void Contradict(std::uint64_t seq, std::string_view what);
  void Contradict(const trace::Record& r, std::string_view what) { Contradict(r.seq, what); }
  // Unless two texts or numbers are equal.
  void Same(const trace::Record& r, std::string_view what, std::string_view is,
            std::string_view should);
  void Same(const trace::Record& r, std::string_view what, std::int64_t is, std::int64_t should);

 private:
  std::vector<Finding> findings_;
};

// All laws over a trace: what contradicts them, in the order of the events. `checker` has judged
// the same trace. A record whose fields are not those of its kind is told and held against no other
// law.
std::vector<Finding> ContradictionsIn(const trace::Trace& trace, const Checker& checker);

}  // namespace ksim::check
