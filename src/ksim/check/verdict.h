// Verdicts: what each oracle says of a trace, for `ksim check`.
#pragma once
#include <string>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

struct Verdict {
  Verdict() = default;
  enum class State { kOk, kViolated, kNotJudged };
  std::string oracle;
  Guarantee guarantee = Guarantee::kSafety;
  State state = State::kOk;
  std::string why;                 // of kNotJudged
  std::vector<std::string> notes;  // what to know of expectations that were met
  std::vector<Finding> findings;
  std::vector<Remark> remarks;
};

// One for each oracle there is, in their order, and for each invariant. `expect` is judged on the
// commits of the trace, `limit` is the run's own business: it is violated if the last line says so.
std::vector<Verdict> VerdictsOf(const Checker& checker, const trace::Trace& trace);

}  // namespace ksim::check
