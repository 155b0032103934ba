#include "ksim/fuzz/shrink_candidates.h"

#include <gtest/gtest.h>

#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;

// As under `ksim run`, steps with the same time begin at once.
TEST(ShrinkCandidates, ALaterStepComesSoonerOnlyAfterTheOneBefore) {
  Scenario s = ExpiredExpectations();
  s.steps[0].at = Seconds(5);
  bool first = false, second = false;
  for (const Scenario& candidate : ShrinkCandidates(s)) {
    if (candidate.steps.size() != 2) continue;
    first |= candidate.steps[0].at == Duration() && candidate.steps[1].at == s.steps[1].at;
    second |= candidate.steps[0].at == s.steps[0].at && !candidate.steps[1].at;
    EXPECT_NE(candidate.steps[1].at, Duration());
  }
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace ksim::fuzz
