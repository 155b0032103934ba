#include "ksim/fuzz/wrong_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"

namespace ksim::fuzz {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Recorded {
  RunOutcome outcome;
  trace::Trace trace;
};

Recorded RunOf(const scenario::Scenario& scenario) {
  RunSetup setup;
  setup.record = true;
  const std::unique_ptr<fuzz::Run> run = *fuzz::Run::Make(scenario, setup);
  Recorded out;
  out.outcome = run->Execute();
  out.trace = run->Trace();
  return out;
}

// The wrong step of a scenario that fails, beside the same without its last fault.
WrongStep StepOf(const std::string& path) {
  const scenario::Loaded loaded = scenario::Load({path}, scenario::LoadOptions());
  scenario::Scenario scenario = loaded.scenarios.at(0);
  const Recorded failing = RunOf(scenario);
  scenario.faults.pop_back();
  const Recorded passing = RunOf(scenario);
  EXPECT_FALSE(failing.outcome.findings.empty()) << path;
  EXPECT_TRUE(passing.outcome.findings.empty()) << path;
  if (failing.outcome.findings.empty()) return {};
  return FindWrongStep(failing.trace, passing.trace, failing.outcome.findings.front())
      .value_or(WrongStep());
}

// The deed that broke a safety oracle, and what its controller had not been told.
TEST(WrongStep, IsTheDeedThatBrokeIt) {
  const WrongStep step = StepOf("scenarios/wrong/readback.yaml");
  EXPECT_EQ(step.what, "replicaset creates pods");
  EXPECT_THAT(step.text,
              AllOf(HasSubstr("`sample/replicaset` works on default/web and creates "
                              "pods/default/web-"),
                    HasSubstr("In the run that passes it does not."),
                    HasSubstr("`sample` had not been told of"), HasSubstr("- pods/default/web-")));
}

// The step that only the run that passes has, for something that never comes.
TEST(WrongStep, IsTheOneThatIsMissing) {
  const WrongStep step = StepOf("scenarios/wrong/tombstone.yaml");
  EXPECT_EQ(step.what, "replicaset does not update replicasets");
  EXPECT_THAT(step.text, AllOf(HasSubstr("The step that is missing"),
                               HasSubstr("updates the status of replicasets/default/web"),
                               HasSubstr("for the last time at"),
                               HasSubstr("`sample` had been told all that was true")));
}

// The write from which on an expectation of the end did not hold any more.
TEST(WrongStep, IsTheWriteThatUndidIt) {
  const WrongStep step = StepOf("scenarios/wrong/patch.yaml");
  EXPECT_EQ(step.what, "wrong-patch patches replicasets");
  EXPECT_THAT(step.text, AllOf(HasSubstr("patches replicasets/default/web"),
                               HasSubstr("`sample` had not been told of"),
                               HasSubstr("replicasets/default/web had changed")));
}

// Two equal runs have none.
TEST(WrongStep, OfEqualRunsThereIsNone) {
  const scenario::Loaded loaded =
      scenario::Load({"scenarios/wrong/tombstone.yaml"}, scenario::LoadOptions());
  const Recorded run = RunOf(loaded.scenarios.at(0));
  ASSERT_FALSE(run.outcome.findings.empty());
  EXPECT_FALSE(FindWrongStep(run.trace, run.trace, run.outcome.findings.front()));
}

}  // namespace
}  // namespace ksim::fuzz
