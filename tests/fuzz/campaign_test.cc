#include "ksim/fuzz/campaign.h"

#include <gtest/gtest.h>

#include "ksim/fuzz/summary.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;

CampaignOptions Seeds(std::uint64_t first, std::uint64_t last) {
  CampaignOptions options;
  options.first = first;
  options.last = last;
  return options;
}

Tally RunIt(const Scenario& s, CampaignOptions options, int jobs = 0) {
  const std::unique_ptr<Executor> executor =
      jobs == 0 ? MakeInProcess(s, std::nullopt) : *MakeWorkers(s, Seconds(60), jobs);
  return Campaign::Make(s, *executor, std::move(options))->Go();
}

std::string Told(const Tally& t) {
  std::string out = fmt::format("{} runs {} events\n", t.runs, t.events);
  for (const Failure& f : t.failures)
    out += fmt::format("{} first {} of {}: {} decisions\n", f.finding.Key(), f.number, f.count,
                       f.decisions.size());
  for (const auto& [kind, n] : t.faults) out += fmt::format("{} {}\n", kind, n);
  for (const std::string& probe : t.probes) out += probe + "\n";
  return out;
}

// The planted bug: compat 1.25 has it.
TEST(Campaign, SwarmFindsExpiredExpectationsWithinTensOfSeeds) {
  const Tally t = RunIt(ExpiredExpectations(), Seeds(1, 60));
  ASSERT_FALSE(t.failures.empty());
  EXPECT_EQ(t.failures[0].finding.oracle, "expect");
  EXPECT_EQ(t.failures[0].code, kSafety);
  EXPECT_LE(t.failures[0].number, 60u);
  EXPECT_GT(t.faults.at("delay"), 0u);
}

TEST(Campaign, OneWorkerOrTwoOrNoneTellTheSame) {
  const Scenario s = ExpiredExpectations();
  const std::string told = Told(RunIt(s, Seeds(1, 40)));
  EXPECT_EQ(Told(RunIt(s, Seeds(1, 40), 1)), told);
  EXPECT_EQ(Told(RunIt(s, Seeds(1, 40), 2)), told);
}

Summary SummaryOf(const Tally& t) {
  Summary s;
  s.first = t.first;
  s.last = t.last;
  s.runs = t.runs;
  s.events = t.events;
  s.faults = t.faults;
  s.probes = t.probes;
  for (const Failure& f : t.failures) {
    FailureLine line;
    line.oracle = f.finding.oracle;
    line.place = f.finding.place;
    line.message = f.finding.message;
    line.seed = f.number;
    line.count = f.count;
    s.failures.push_back(line);
  }
  return s;
}

TEST(Campaign, TwoShardsMergedAreTheWhole) {
  const Scenario s = ExpiredExpectations();
  std::vector<Summary> shards;
  for (std::uint64_t i = 1; i <= 2; ++i) {
    CampaignOptions options = Seeds(1, 30);
    options.shard.index = i;
    options.shard.count = 2;
    const Summary shard = SummaryOf(RunIt(s, options));
    EXPECT_EQ(shard.runs, 15u);
    shards.push_back(*ParseSummary(ToTree(shard)));  // as it is written and read
  }
  EXPECT_TRUE(ToTree(Merged(shards)) == ToTree(SummaryOf(RunIt(s, Seeds(1, 30)))));
}

TEST(Campaign, ExhaustiveCountsThroughAllSingleAnswersFirst) {
  Scenario s = ExpiredExpectations();
  s.steps.clear();
  s.fuzz.window = Seconds(1);
  const std::size_t questions = RunNominally(s).questions.size();
  PlannerOptions plan;
  plan.strategy = "exhaustive";
  plan.bound = 1;
  const std::unique_ptr<Planner> planner = *MakePlanner(s, plan);
  std::uint64_t singles = 0;
  for (const Question& q : RunNominally(s).questions) singles += q.sizes - 1;
  EXPECT_EQ(planner->size(), singles);
  plan.bound = 2;
  EXPECT_EQ((*MakePlanner(s, plan))->size(), singles + singles * (singles - 1) / 2) << questions;
}

TEST(Campaign, CoverageGuidedIsTheSameForAnyNumberOfWorkers) {
  const Scenario s = ExpiredExpectations();
  CampaignOptions options = Seeds(1, 20);
  options.plan.strategy = "coverage";
  const Tally alone = RunIt(s, options);
  EXPECT_GT(alone.coverage.size(), 50u);
  const Tally two = RunIt(s, options, 2);
  EXPECT_EQ(Told(two), Told(alone));
  EXPECT_EQ(two.coverage, alone.coverage);
}

TEST(Campaign, RunsDoneTwiceAreTheSame) {
  CampaignOptions options = Seeds(1, 10);
  options.recheck_permille = 1000;
  const Tally t = RunIt(ExpiredExpectations("[\"*\"]"), options);
  EXPECT_EQ(t.rechecked, 10u);
  for (const Failure& f : t.failures) EXPECT_NE(f.code, kNotDeterministic) << f.finding.message;
}

TEST(Campaign, WhatWasDoneBeforeAnInterruptionIsKept) {
  CampaignOptions options = Seeds(1, 1000);
  int asked = 0;
  options.interrupted = [&asked] { return ++asked > 6; };
  const Tally t = RunIt(ExpiredExpectations(), options);
  EXPECT_TRUE(t.interrupted);
  EXPECT_GE(t.runs, 1u);
  EXPECT_LT(t.runs, 10u);
}

}  // namespace
}  // namespace ksim::fuzz
