#include "ksim/fuzz/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/rehearsal.h"
#include "ksim/scenario/runner.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;

Failure FirstFailure(const Scenario& s) {
  const std::unique_ptr<Executor> executor = MakeInProcess(s, std::nullopt);
  CampaignOptions options;
  options.last = 200;
  std::optional<Failure> first;
  options.on_failure = [&first](const Failure& f) {
    if (!first) first = f;
  };
  options.interrupted = [&first] { return first.has_value(); };
  Campaign::Make(s, *executor, std::move(options))->Execute();
  return first.value_or(Failure());
}

// The first failure of a campaign, made small; *s has its seed then.
Shrunk ShrinkFirst(Scenario* s, Failure* failure) {
  *failure = FirstFailure(*s);
  EXPECT_EQ(failure->finding.oracle, "expect");
  s->seed = failure->job.seed;
  ShrinkOptions options;
  options.runs = 300;
  return Shrink(*s, failure->job.strategy, {}, failure->finding, options);
}

TEST(Shrink, ExpiredExpectationsTakeOneFault) {
  Scenario s = ExpiredExpectations();
  Failure failure;
  const Shrunk shrunk = ShrinkFirst(&s, &failure);
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_TRUE(shrunk.runs_alone);
  EXPECT_EQ(shrunk.decisions.size(), 1u);
  EXPECT_EQ(shrunk.scenario.faults.size() + shrunk.scenario.overrides.size(), 1u);
  EXPECT_NE(shrunk.nearest, "");
  EXPECT_EQ(shrunk.seeds_tried, 10);

  // The round trip: written, read again, run as it stands.
  const scenario::Loaded loaded = scenario::ParseScenarioTree(LeanTree(shrunk.scenario));
  ASSERT_EQ(Render(loaded.errors, false), "");
  const std::unique_ptr<fuzz::Run> run = *fuzz::Run::Make(loaded.scenarios.at(0), RunSetup());
  const RunOutcome outcome = run->Execute();
  EXPECT_EQ(outcome.code, kSafety);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_TRUE(outcome.findings[0].Same(failure.finding)) << outcome.findings[0].Key();
}

// G-IN12: an invariant is shrunk as what it is: the same one, broken of the same object.
TEST(Shrink, AnInvariantStaysTheOneThatWasBroken) {
  Scenario s = ExpiredExpectations();
  s.expect.clear();
  for (const char* name : {"other", "one-pod"}) {
    check::Invariant& i = s.invariants.emplace_back();
    i.name = name;
    i.resource = "pods";
    i.kind = check::InvariantKind::kNever;
    i.expression = i.name == "other" ? "count > 9" : "count > 1";
  }
  const Failure failure = FirstFailure(s);
  ASSERT_EQ(failure.finding.oracle, "invariant.one-pod");
  s.seed = failure.job.seed;
  ShrinkOptions options;
  options.runs = 300;
  const Shrunk shrunk = Shrink(s, failure.job.strategy, {}, failure.finding, options);
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_EQ(shrunk.scenario.faults.size() + shrunk.scenario.overrides.size(), 1u);
  const scenario::Loaded loaded = scenario::ParseScenarioTree(LeanTree(shrunk.scenario));
  ASSERT_EQ(Render(loaded.errors, false), "");
  ASSERT_EQ(loaded.scenarios.at(0).invariants.size(), 1u);
  const std::unique_ptr<fuzz::Run> run = *fuzz::Run::Make(loaded.scenarios.at(0), RunSetup());
  const RunOutcome outcome = run->Execute();
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_TRUE(outcome.findings[0].Same(failure.finding)) << outcome.findings[0].Key();
}

// The finding names a fault's length where its line reads the same at any length.
TEST(Shrink, TheNearestRunShowsTheDifference) {
  Scenario s = ExpiredExpectations("[freezeCache]");
  s.steps.at(1).at = Milliseconds(300'800);  // while a cache that stands for 301 s still stands
  Failure failure;
  const Shrunk shrunk = ShrinkFirst(&s, &failure);
  ASSERT_TRUE(shrunk.reproduced);
  EXPECT_THAT(shrunk.nearest, testing::EndsWith("begin kube-apiserver-0 pods "
                                                "(args.for: 5m1s | 4m59s)"));
}

// stallInGap is three faults. The pods' handler alone, late by five minutes, is enough.
TEST(Shrink, KeepsOnlyTheNeededFaultsOfAMotif) {
  Scenario s = ExpiredExpectations("[stallInGap]");
  Failure failure;
  const Shrunk shrunk = ShrinkFirst(&s, &failure);
  ASSERT_EQ(shrunk.scenario.faults.size(), 1u);
  EXPECT_EQ(shrunk.scenario.faults[0].verb, "stallHandler");
}

Scenario FromFile(const std::string& path) {
  const scenario::Loaded loaded = scenario::Load({path}, scenario::LoadOptions());
  EXPECT_EQ(Render(loaded.errors, false), "");
  return ForCampaign(loaded.scenarios.at(0), Rehearse(loaded.scenarios.at(0)));
}

// The whole scenario fails only with a campaign's heal; the shrunk one fails without.
TEST(Shrink, TheShrunkScenarioFailsAloneWhereverItCan) {
  for (const char* path :
       {"scenarios/museum/b10-scheduler-pod-uid.workload.yaml", "scenarios/wrong/cleanup.yaml"}) {
    Scenario s = FromFile(path);
    const Failure failure = FirstFailure(s);
    ASSERT_NE(failure.finding.oracle, "") << path;
    s.seed = failure.job.seed;
    ShrinkOptions options;
    options.runs = 300;
    const Shrunk shrunk = Shrink(s, failure.job.strategy, {}, failure.finding, options);
    EXPECT_TRUE(shrunk.runs_alone) << path;
    scenario::Runner runner(shrunk.scenario, scenario::RunnerOptions());
    const scenario::RunReport report = runner.Run();
    EXPECT_TRUE(report.failures.empty()) << path << ": " << report.failures.at(0).error;
    const std::vector<CampaignFinding> findings = FindingsOf(report.end.violations);
    ASSERT_FALSE(findings.empty()) << path;
    EXPECT_TRUE(findings[0].Same(failure.finding)) << path << ": " << findings[0].Key();
  }
}

// The shrinker begins with the run that failed: all decisions of a strategy, given back as
// overrides, make the same run again. Some of their keys were asked about before the fuzz window
// too, since a lease is read again and again.
TEST(Shrink, BeginsWithTheVeryRunOfAnyStrategy) {
  Scenario s = ExpiredExpectations("[\"*\"]");
  s.cluster.api_servers = 2;
  s.fuzz.window = Minutes(1);
  for (const char* name : {"random", "swarm", "pct"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      RunSetup setup;
      setup.digest = true;
      setup.strategy.emplace();
      setup.strategy->name = name;
      setup.strategy->seed = s.seed = seed;
      if (setup.strategy->name == "random")
        setup.strategy->params = value::Obj({{"rate", value::Value::Of(6)}});
      const RunOutcome first = (*fuzz::Run::Make(s, setup))->Execute();
      setup.strategy->name = "nominal";
      setup.strategy->params = value::Value::EmptyObject();
      setup.overrides = ToOverrides(first.decisions);
      const RunOutcome again = (*fuzz::Run::Make(s, setup))->Execute();
      EXPECT_EQ(again.digest, first.digest) << name << " " << seed;
      EXPECT_EQ(again.decisions.size(), first.decisions.size()) << name << " " << seed;
    }
  }
}

TEST(Shrink, AFailureThatDoesNotOccurIsNotReproduced) {
  const Scenario s = ExpiredExpectations();
  CampaignFinding finding;
  finding.oracle = "expect";
  finding.place = "never";
  EXPECT_FALSE(Shrink(s, std::nullopt, {}, finding, ShrinkOptions()).reproduced);
}

TEST(LeanTree, IsReadAsTheSameScenario) {
  for (const Scenario& s : {ExpiredExpectations(), Scenario()}) {
    const scenario::Loaded loaded = scenario::ParseScenarioTree(LeanTree(s));
    ASSERT_EQ(Render(loaded.errors, false), "");
    EXPECT_TRUE(ToTree(loaded.scenarios.at(0)) == ToTree(s));
  }
}

}  // namespace
}  // namespace ksim::fuzz
