// Expected: a scenario's own expectations, judged once more on the commits of a recorded trace. A
// second and plainer reading of what scenario/expectations.h judges while a run goes on.
#pragma once
#include <vector>

#include "ksim/check/commit_history.h"
#include "ksim/check/oracle.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

struct Expected {
  Expected() = default;
  std::vector<Finding> findings;
  std::string why;  // why not all of them could be judged; "" = all were
};

// Of a campaign's run, and of a trace that is cut short, only `always`: what is expected of the end
// hangs on how it went.
Expected JudgeExpected(const History& history, const trace::Trace& trace);

}  // namespace ksim::check
