#include "ksim/fuzz/campaign.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/fuzz/run.h"
#include "ksim/fuzz/summary.h"
#include "ksim/value/json.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;

// campaign.json as its readers see it, and the result that -o json prints.
value::Value InFile(const Summary& s) { return *value::ParseJson(ForFile(s)); }
value::Value Printed(const Summary& s) { return *value::ParseJson(ToJson(s)); }

CampaignOptions Seeds(std::uint64_t first, std::uint64_t last) {
  CampaignOptions options;
  options.first = first;
  options.last = last;
  return options;
}

Tally RunIt(const Scenario& s, CampaignOptions options, int jobs = 0) {
  const std::unique_ptr<Executor> executor =
      jobs == 0 ? MakeInProcess(s, std::nullopt) : *MakeWorkers(s, Seconds(60), jobs);
  return Campaign::Make(s, *executor, std::move(options))->Execute();
}

std::string TextOf(const Tally& t) {
  std::string out = fmt::format("{} runs {} events\n", t.runs, t.events);
  for (const Failure& f : t.failures)
    out += fmt::format("{} first {} of {}: {} decisions\n", f.finding.Key(), f.number, f.count,
                       f.decisions.size());
  for (const auto& [kind, n] : t.faults) out += fmt::format("{} {}\n", kind, n);
  for (const std::string& probe : t.probes) out += probe + "\n";
  return out;
}

// The planted bug, which compat 1.25 has.
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
  const std::string text = TextOf(RunIt(s, Seeds(1, 40)));
  EXPECT_EQ(TextOf(RunIt(s, Seeds(1, 40), 1)), text);
  EXPECT_EQ(TextOf(RunIt(s, Seeds(1, 40), 2)), text);
}

// Workers go on from copies of one that has booted; here each run boots by itself.
TEST(Campaign, RunsThatShareABootAreThoseThatBootThemselves) {
  Scenario s = ExpiredExpectations("[delayStream]", 20);
  s.boot_seed = 5;
  ASSERT_GT((*Run::Make(s, RunSetup()))->Boot(), 1000u) << "too small to be shared";
  for (const char* strategy : {"swarm", "coverage", "pct"}) {
    CampaignOptions options = Seeds(1, 8);
    options.plan.strategy = strategy;
    options.recheck_permille = 500;
    const std::string text = TextOf(RunIt(s, options));
    EXPECT_EQ(TextOf(RunIt(s, options, 1)), text) << strategy;
    EXPECT_EQ(TextOf(RunIt(s, options, 2)), text) << strategy;
    s.boot_seed = 6;
    EXPECT_NE(TextOf(RunIt(s, options)), text) << strategy << " with another boot";
    s.boot_seed = 5;
  }
}

Summary SummaryOf(const Tally& t) {
  Summary s;
  s.scenario = "expired-expectations";
  s.strategy = "swarm";
  s.first = t.first;
  s.last = t.last;
  s.repeatable = true;
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
    Summary shard = SummaryOf(RunIt(s, options));
    EXPECT_EQ(shard.runs, 15u);
    shard.parts.emplace_back();
    shard.parts.back().first = shard.first;
    shard.parts.back().last = shard.last;
    shard.parts.back().shard = options.shard;
    shards.push_back(*ParseSummary(InFile(shard)));  // as it is written and read
  }
  EXPECT_EQ(Message(CheckShards(shards, {"a", "b"})), "");
  Summary merged = Merged(shards);
  EXPECT_EQ(merged.parts.size(), 2u);
  merged.parts.clear();
  EXPECT_TRUE(InFile(merged) == InFile(SummaryOf(RunIt(s, Seeds(1, 30)))));
}

Summary ShardOf(std::uint64_t first, std::uint64_t last, std::uint64_t index, std::uint64_t count) {
  Summary s;
  s.scenario = "web";
  s.strategy = "swarm";
  s.parts.emplace_back();
  s.parts[0].first = first;
  s.parts[0].last = last;
  s.parts[0].shard.index = index;
  s.parts[0].shard.count = count;
  return s;
}

std::string Together(const Summary& a, const Summary& b) {
  return std::string(Message(CheckShards({a, b}, {"a", "b"})));
}

TEST(Merge, TakesWhatIsOfOneCampaign) {
  EXPECT_EQ(Together(ShardOf(1, 40, 1, 4), ShardOf(1, 40, 2, 4)), "");
  EXPECT_EQ(Together(ShardOf(1, 40, 0, 1), ShardOf(41, 80, 0, 1)), "");
  Summary other = ShardOf(1, 40, 2, 4);
  other.scenario = "db";
  EXPECT_EQ(Together(ShardOf(1, 40, 1, 4), other),
            "b is of the scenario db, and not of web as a is: they are no shards of one campaign");
  other = ShardOf(1, 40, 2, 4);
  other.strategy = "pct";
  EXPECT_EQ(
      Together(ShardOf(1, 40, 1, 4), other),
      "b is of the strategy pct, and not of swarm as a is: they are no shards of one campaign");
  other = ShardOf(1, 40, 2, 4);
  other.campaign = "another";
  EXPECT_NE(Together(ShardOf(1, 40, 1, 4), other), "");
}

// The oracle: the seeds of both shards, one by one.
TEST(Merge, TakesNoSeedTwice) {
  EXPECT_EQ(Together(ShardOf(1, 40, 1, 4), ShardOf(1, 40, 1, 4)),
            "a and b both did seed 1: it would count twice");
  for (std::uint64_t n = 1; n <= 6; ++n)
    for (std::uint64_t m = 1; m <= 6; ++m)
      for (std::uint64_t i = 0; i < n; ++i)
        for (std::uint64_t j = 0; j < m; ++j)
          for (const std::uint64_t from : {1u, 5u, 9u, 11u}) {
            const Summary a = ShardOf(1, 10, i, n), b = ShardOf(from, 14, j, m);
            bool twice = false;
            for (std::uint64_t seed = from; seed <= 10; ++seed)
              twice |= a.parts[0].shard.Has(seed) && b.parts[0].shard.Has(seed);
            EXPECT_EQ(!Together(a, b).empty(), twice) << i << "/" << n << " " << j << "/" << m;
            EXPECT_EQ(!Together(b, a).empty(), twice) << i << "/" << n << " " << j << "/" << m;
          }
}

TEST(Merge, ReadsOnlyWhatACampaignWrote) {
  const value::Value good = InFile(ShardOf(1, 40, 1, 4));
  EXPECT_EQ(Message(ParseSummary(good).status()), "");
  EXPECT_FALSE(good.Has("wallNs") && ShardOf(1, 40, 1, 4).repeatable);
  const auto refused = [](const value::Value& tree) {
    return std::string(Message(ParseSummary(tree).status()));
  };
  EXPECT_EQ(refused(value::Obj({{"kind", value::Value::Of("FuzzResult")}})),
            "no result of ksim fuzz: scenario is no text");
  EXPECT_EQ(refused(good.Set("failures", value::Value::Of("x"))),
            "no result of ksim fuzz: failures is no list");
  EXPECT_EQ(refused(good.Set("runs", value::Value::Of(-1))),
            "no result of ksim fuzz: runs is no count");
  EXPECT_EQ(refused(good.Set("failures", value::Value::Array({value::Value::Of(1)}))),
            "no result of ksim fuzz: failures[0] is no object");
}

// A repeatable campaign's file leaves out the wall time, which the summary on the terminal has.
TEST(Summary, TheFileOfARepeatableCampaignIsTheSameEachTime) {
  Summary s = ShardOf(1, 40, 1, 1);
  s.runs = 40;
  s.repeatable = true;
  s.wall_ns = 1'000'000;
  Summary again = s;
  again.wall_ns = 2'000'000;
  EXPECT_TRUE(InFile(s) == InFile(again));
  EXPECT_FALSE(Printed(s) == Printed(again));
  s.repeatable = false;
  EXPECT_TRUE(InFile(s) == Printed(s));
}

Summary Found(const std::string& dir, const std::string& show) {
  Summary s = ShardOf(1, 40, 1, 1);
  s.failures.emplace_back();
  s.failures[0].oracle = "esr";
  s.failures[0].dir = dir;
  s.failures[0].show = show;
  return s;
}

// The paths in the file are relative, so the directory of a campaign can be moved.
TEST(Summary, TheFileNamesFailuresAsSeenFromItsDirectory) {
  struct Case {
    const char *dir, *show, *dir_in_file, *show_in_file;
  };
  const Case cases[] = {
      {"out/esr-1", "ksim run out/esr-1/scenario.yaml", "esr-1", "ksim run esr-1/scenario.yaml"},
      {"/tmp/o o/esr-1", "ksim replay '/tmp/o o/esr-1/trace.jsonl'", "esr-1",
       "ksim replay esr-1/trace.jsonl"},
      {"", "ksim fuzz web.yaml --seeds 7", "", "ksim fuzz web.yaml --seeds 7"},
  };
  for (const Case& c : cases) {
    const Summary s = Found(c.dir, c.show);
    const value::Value in_file = InFile(s).Get("failures").at(0);
    EXPECT_EQ(in_file.Get("dir").AsString(), c.dir_in_file);
    EXPECT_EQ(in_file.Get("show").AsString(), c.show_in_file);
    EXPECT_EQ(Printed(s).Get("failures").at(0).Get("dir").AsString(), c.dir)
        << "whole, for -o json";
  }
  // A merge that copies nothing names the failure in its shard's directory.
  Summary merged = Merged({Found("a/esr-1", "ksim run a/esr-1/scenario.yaml")});
  EXPECT_EQ(InFile(merged).Get("failures").at(0).Get("dir").AsString(), "a/esr-1");
  merged.failures[0].dir = "all/esr-1";
  EXPECT_EQ(InFile(merged).Get("failures").at(0).Get("dir").AsString(), "esr-1");
}

TEST(Campaign, ExhaustiveCountsThroughAllSingleAnswersFirst) {
  Scenario s = ExpiredExpectations();
  s.steps.clear();
  s.fuzz.window = Seconds(1);
  const std::size_t questions = RunNominally(s).questions.size();
  PlannerOptions plan;
  plan.strategy = "exhaustive-full";
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
  CampaignOptions options = Seeds(1, 8);
  options.plan.strategy = "coverage";
  const Tally alone = RunIt(s, options);
  EXPECT_GT(alone.coverage.size(), 50u);
  const Tally two = RunIt(s, options, 2);
  EXPECT_EQ(TextOf(two), TextOf(alone));
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
