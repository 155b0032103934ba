// exhaustive leaves out runs that could do nothing new. The oracle is exhaustive-full, which leaves
// out none: on worlds small enough for both, all that it finds is found, and the runs end in the
// same states.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "ksim/base/check.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/planner.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::fuzz {
namespace {

scenario::Scenario World(const std::string& name) {
  scenario::Loaded loaded =
      scenario::Load({"tests/fuzz/exhaustive/" + name + ".yaml"}, scenario::LoadOptions());
  KSIM_CHECK(loaded.errors.empty()) << Render(loaded.errors, false);
  return std::move(loaded.scenarios.at(0));
}

PlannerOptions Plan(const std::string& strategy, std::uint32_t bound = 2) {
  PlannerOptions plan;
  plan.strategy = strategy;
  plan.bound = bound;
  return plan;
}

// The states in which runs end, without names and numbers that are drawn.
class EndStates : public Executor {
 public:
  explicit EndStates(scenario::Scenario scenario) : scenario_(std::move(scenario)) {}
  std::vector<RunOutcome> Do(const std::vector<Job>& jobs, const std::function<Pace()>&,
                             const std::function<void(const RunOutcome&)>& on_done) override {
    std::vector<RunOutcome> out;
    for (const Job& job : jobs) {
      out.push_back(Do(job));
      on_done(out.back());
      for (const CampaignFinding& f : out.back().findings) findings_.insert(f.Key());
      states_.insert(out.back().state);
    }
    return out;
  }
  const std::set<std::string>& states() const { return states_; }
  const std::set<std::string>& findings() const { return findings_; }  // also not the first ones

 private:
  RunOutcome Do(const Job& job) {
    RunSetup setup;
    setup.strategy = job.strategy;
    setup.continuations = true;  // brings the state, too
    scenario_.seed = job.seed;
    RunOutcome out = (*Run::Make(scenario_, std::move(setup)))->Execute();
    out.number = job.number;
    return out;
  }

  scenario::Scenario scenario_;
  std::set<std::string> states_, findings_;
};

struct Findings {
  Tally tally;
  std::set<std::string> states, findings;
};

Findings Search(const scenario::Scenario& s, const PlannerOptions& plan) {
  EndStates executor(s);
  CampaignOptions options;
  options.plan = plan;
  options.last = 1'000'000;
  Findings found;
  found.tally = Campaign::Make(s, executor, std::move(options))->Execute();
  found.states = executor.states();
  found.findings = executor.findings();
  return found;
}

class Exhaustive : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Worlds, Exhaustive,
                         testing::Values("late-messages", "broken-watches", "frozen-caches",
                                         "stalled-handlers", "failed-writes"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Exhaustive, FUZZ_01_ReducedFindsWhatTheWholeListFinds) {
  const scenario::Scenario s = World(GetParam());
  const Findings all = Search(s, Plan("exhaustive-full"));
  const Findings some = Search(s, Plan("exhaustive"));
  std::printf("%s: %d runs of %d, %d states, %d findings\n", GetParam(),
              static_cast<int>(some.tally.runs), static_cast<int>(all.tally.runs),
              static_cast<int>(all.states.size()), static_cast<int>(all.findings.size()));
  EXPECT_EQ(some.tally.runs + some.tally.equivalent, all.tally.runs);
  EXPECT_LT(some.tally.runs, all.tally.runs);
  EXPECT_EQ(some.states, all.states);
  EXPECT_EQ(some.findings, all.findings);
  EXPECT_EQ(all.tally.equivalent, 0u);
}

}  // namespace
}  // namespace ksim::fuzz
