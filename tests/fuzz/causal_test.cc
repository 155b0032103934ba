// causal: faults at events that led a component to write.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ksim/base/hash.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/planner.h"
#include "ksim/value/json.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

bool LedToWrite(const NominalRun& run, const std::string& site) {
  for (std::size_t i = 0; i < run.questions.size(); ++i)
    if (run.places[i].site == site && run.places[i].led_to_write) return true;
  return false;
}

TEST(NominalRun, FUZZ_06_KnowsWhichEventsLedToWrites) {
  const scenario::Scenario s = ExpiredExpectations("[\"*\"]");
  const NominalRun run = RunNominally(s, true);
  ASSERT_EQ(run.places.size(), run.questions.size());
  // The ReplicaSet's arrival leads to a pod's creation, the pod's to its binding.
  EXPECT_TRUE(LedToWrite(run, "fault.holdStream/kube-controller-manager/replicasets"));
  EXPECT_TRUE(LedToWrite(run, "fault.holdStream/kube-scheduler/pods"));
  // Nobody writes because a scheduler sees a ReplicaSet.
  EXPECT_FALSE(LedToWrite(run, "fault.holdStream/kube-scheduler/replicasets"));
  const auto led = std::count_if(run.places.begin(), run.places.end(),
                                 [](const QuestionPlace& p) { return p.led_to_write; });
  EXPECT_GT(led, 0);
  EXPECT_LT(static_cast<std::size_t>(led), run.questions.size());
  EXPECT_TRUE(RunNominally(s).places.empty());
}

TEST(Causal, FUZZ_06_AnswersOnlyWhereItLedToAWrite) {
  const scenario::Scenario s = ExpiredExpectations("[\"*\"]");
  const NominalRun run = RunNominally(s, true);
  std::set<std::string> useful, useful_sites;
  for (std::size_t i = 0; i < run.questions.size(); ++i)
    if (run.places[i].led_to_write)
      useful.insert(
          value::ToJson(ToParams({run.questions[i].about}).Get("answers").at(0).Get("site")) +
          std::to_string(run.questions[i].about.key));
  for (const QuestionPlace& place : run.places)
    if (place.led_to_write) useful_sites.insert('"' + Hex(Hash64(place.site)) + '"');
  PlannerOptions plan;
  plan.strategy = "causal";
  const std::unique_ptr<Planner> planner = *MakePlanner(s, plan);
  int swarms = 0, pruned = 0;
  for (std::uint64_t number = 1; number <= 400; ++number) {
    const Job job = planner->JobOf(number);
    EXPECT_EQ(job.seed, number);
    if (job.strategy.name == "swarm") {
      const value::Value& without = job.strategy.params.Get("without");
      ++(without.size() > 0 ? pruned : swarms);
      for (const value::Value& site : without.items())
        EXPECT_FALSE(useful_sites.contains(value::ToJson(site)));
      continue;
    }
    const value::Value& answers = job.strategy.params.Get("answers");
    EXPECT_GE(answers.size(), 1u);
    EXPECT_LE(answers.size(), 3u);
    for (const value::Value& a : answers.items())
      EXPECT_TRUE(
          useful.contains(value::ToJson(a.Get("site")) + std::string(a.Get("key").AsString())));
  }
  EXPECT_NEAR(swarms, 100, 40);
  EXPECT_NEAR(pruned, 200, 40);
}

TEST(Causal, FindsExpiredExpectations) {
  const scenario::Scenario s = ExpiredExpectations("[\"*\"]");
  CampaignOptions options;
  options.plan.strategy = "causal";
  options.last = 100;
  const Tally alone = Campaign::Make(s, *MakeInProcess(s, std::nullopt), options)->Execute();
  EXPECT_FALSE(alone.failures.empty());
  const Tally two = Campaign::Make(s, **MakeWorkers(s, Seconds(60), 2), options)->Execute();
  ASSERT_EQ(two.failures.size(), alone.failures.size());
  for (std::size_t i = 0; i < two.failures.size(); ++i)
    EXPECT_EQ(two.failures[i].number, alone.failures[i].number);
}

}  // namespace
}  // namespace ksim::fuzz
