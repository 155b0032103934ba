// Expected: a scenario's own expectations, judged once more on the commits of a recorded trace. A
// second and plainer reading of what scenario/expectations.h judges while a run goes on.
#pragma once
#include <vector>

#include "ksim/check/commit_history.h"
#include "ksim/check/oracle.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

struct ExpectationJudgement {
  ExpectationJudgement() = default;
  std::vector<Finding> findings;
  std::string why;  // why not all of them could be judged; "" = all were
  // Which were met, and yet never applied to anything or do not hold at the end.
  std::vector<std::string> notes;
};

// Judges only `always` and `never` in a campaign's run and in a trace that is cut short: the other
// expectations depend on how the run ended.
ExpectationJudgement JudgeExpected(const CommitHistory& history, const trace::Trace& trace);

}  // namespace ksim::check
