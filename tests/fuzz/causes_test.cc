#include "ksim/fuzz/causes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/executor.h"
#include "ksim/fuzz/summary.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

// All failures of a campaign over some seeds.
Tally Campaigned(const scenario::Scenario& s, std::uint64_t last) {
  const std::unique_ptr<Executor> executor = MakeInProcess(s, std::nullopt);
  CampaignOptions options;
  options.last = last;
  return Campaign::Make(s, *executor, std::move(options))->Execute();
}

// A late stream and a handler that stands still: two kinds of faults, and one wrong step.
TEST(Causes, OneCauseInTwoGuisesIsToldOnce) {
  const scenario::Scenario s = ExpiredExpectations("[delayStream, stallHandler]");
  const Tally tally = Campaigned(s, 60);
  ASSERT_EQ(tally.failures.size(), 1u);
  const Failure& failure = tally.failures.front();
  ASSERT_FALSE(failure.others.empty());
  EXPECT_NE(failure.others.front().kinds, failure.others.back().kinds)
      << "runs with the same kinds of faults tell nothing new";
  ShrinkOptions options;
  options.runs = 60;
  const std::vector<Cause> causes = CausesOf(s, failure, options);
  ASSERT_EQ(causes.size(), 1u);
  ASSERT_TRUE(causes[0].shrunk.reproduced);
  ASSERT_TRUE(causes[0].shrunk.wrong_step);
  EXPECT_EQ(causes[0].shrunk.wrong_step->what, "replicaset creates pods");
}

// Failures at two places with one wrong step are one cause; one that is known is left alone.
TEST(Causes, FailuresWithOneWrongStepAreMarked) {
  Summary summary;
  for (const char* dir : {"out/a", "out/b", "out/c", "out/d"}) {
    FailureLine& line = summary.failures.emplace_back();
    line.dir = dir;
    line.wrong_step = "replicaset creates pods";
  }
  summary.failures[1].wrong_step = "sample deletes pods";
  summary.failures[2].known = "known/web.yaml";
  MarkSameCauses(&summary);
  EXPECT_EQ(summary.failures[0].same_cause, "");
  EXPECT_EQ(summary.failures[1].same_cause, "");
  EXPECT_EQ(summary.failures[2].same_cause, "");
  EXPECT_EQ(summary.failures[3].same_cause, "a");
}

}  // namespace
}  // namespace ksim::fuzz
