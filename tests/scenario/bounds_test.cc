// The runs of scenarios/ never have more pods than the ReplicaSets ask for. The files do not expect
// so themselves: a campaign may lose the answer to a create, and then one pod too many is legal.
#include <gtest/gtest.h>

#include <string>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

struct Bound {
  const char* file;
  std::int64_t pods;
};

class Bounds : public testing::TestWithParam<Bound> {
 protected:
  static Scenario Read(std::int64_t max) {
    const std::string path = std::string("scenarios/") + GetParam().file + ".yaml";
    Scenario scenario = Only(Load({path}, LoadOptions()));
    Expectation bound;
    bound.word = ExpectationWord::kAlways;
    bound.resource = "pods";
    bound.selector = "app=my-app";
    bound.max = max;
    scenario.expect.push_back(bound);
    return scenario;
  }
};

TEST_P(Bounds, NoPodTooMany) {
  Runner runner(Read(GetParam().pods), RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0) << (report.failures.empty() ? "" : report.failures[0].error);
}

TEST_P(Bounds, AreReached) {
  Runner runner(Read(GetParam().pods - 1), RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 1);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Bounds,
                         testing::Values(Bound{"replicaset", 2}, Bound{"controller-restart", 2},
                                         Bound{"slow-informer", 4}, Bound{"stale-apiserver", 2},
                                         Bound{"watch-drop", 2}, Bound{"watch-expired-relist", 2}),
                         [](const auto& info) {
                           std::string name = info.param.file;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace ksim::scenario
