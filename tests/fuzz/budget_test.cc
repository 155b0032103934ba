// A campaign's budget: so many runs, or so many events of the simulation.
#include <gtest/gtest.h>

#include "ksim/fuzz/campaign.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

Tally Spend(const scenario::Scenario& s, CampaignOptions options, int jobs = 0) {
  options.last = ~std::uint64_t{0} - 1;
  const std::unique_ptr<Executor> executor =
      jobs == 0 ? MakeInProcess(s, std::nullopt) : *MakeWorkers(s, Seconds(60), jobs);
  return Campaign::Make(s, *executor, std::move(options))->Execute();
}

scenario::Scenario SmallWorld() {
  scenario::Scenario s = ExpiredExpectations("[dropWatch, delayStream]");
  s.fuzz.window = Seconds(30);
  return s;
}

TEST(Budget, FUZZ_05_OfEventsEndsWithTheRunThatReachesIt) {
  const scenario::Scenario s = SmallWorld();
  CampaignOptions by_runs;
  by_runs.most_runs = 7;
  const Tally seven = Spend(s, by_runs);
  EXPECT_EQ(seven.runs, 7u);
  EXPECT_EQ(seven.last, 7u);
  EXPECT_TRUE(seven.budget_spent);
  CampaignOptions by_events;
  by_events.most_events = seven.events;
  EXPECT_EQ(Spend(s, by_events).runs, 7u);
  by_events.most_events = seven.events + 1;
  EXPECT_EQ(Spend(s, by_events).runs, 8u);
}

TEST(Budget, FUZZ_05_IsTheSameForAnyNumberOfWorkers) {
  const scenario::Scenario s = SmallWorld();
  for (const char* strategy : {"swarm", "coverage"}) {
    CampaignOptions options;
    options.plan.strategy = strategy;
    options.coverage = true;
    options.most_events = 20'000;
    const Tally alone = Spend(s, options);
    const Tally two = Spend(s, options, 2);
    EXPECT_GE(alone.events, options.most_events);
    EXPECT_GT(alone.coverage.size(), 50u);
    EXPECT_EQ(two.runs, alone.runs) << strategy;
    EXPECT_EQ(two.events, alone.events) << strategy;
    EXPECT_EQ(two.coverage, alone.coverage) << strategy;
    EXPECT_EQ(two.faults, alone.faults) << strategy;
  }
}

TEST(Budget, OfRunsCountsThoseOfAShard) {
  CampaignOptions options;
  options.most_runs = 3;
  options.shard.index = 1;
  options.shard.count = 4;
  const Tally t = Spend(SmallWorld(), options);
  EXPECT_EQ(t.runs, 3u);
  EXPECT_EQ(t.last, 9u);
}

}  // namespace
}  // namespace ksim::fuzz
