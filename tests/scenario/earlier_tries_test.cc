#include "ksim/scenario/earlier_tries.h"

#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

api::Response Answer(int code, const std::string& reason = "") {
  api::Response response;
  response.code = code;
  response.status.reason = reason;
  return response;
}

TEST(EarlierTries, KnowWhatTheyMayHaveDone) {
  struct Row {
    const char* name;
    api::Response first, second;
    bool settled;
  };
  const Row rows[] = {
      {"made, then there", Answer(201), Answer(409, "AlreadyExists"), true},
      {"lost, then there", Answer(0), Answer(409, "AlreadyExists"), true},
      {"timed out, then there", Answer(504, "Timeout"), Answer(409, "AlreadyExists"), true},
      {"lost, then gone", Answer(0), Answer(404, "NotFound"), true},
      {"refused, then there", Answer(403, "Forbidden"), Answer(409, "AlreadyExists"), false},
      {"there before", Answer(409, "AlreadyExists"), Answer(409, "AlreadyExists"), false},
      {"gone before", Answer(404, "NotFound"), Answer(404, "NotFound"), false},
      {"lost, then a conflict", Answer(0), Answer(409, "Conflict"), false},
      {"lost twice", Answer(0), Answer(0), false},
      {"lost, then made", Answer(0), Answer(201), true},
  };
  for (const Row& row : rows) {
    EarlierTries tries;
    tries.Settled("pods/default/a", row.first);
    tries.Next();
    EXPECT_EQ(tries.Settled("pods/default/a", row.second), row.settled) << row.name;
    EXPECT_FALSE(tries.Settled("pods/default/b", Answer(404, "NotFound"))) << row.name;
  }
}

TEST(EarlierTries, DoNotCountTheOneThatGoesOn) {
  EarlierTries tries;
  EXPECT_TRUE(tries.Settled("pods/default/a", Answer(201)));
  EXPECT_FALSE(tries.Settled("pods/default/a", Answer(409, "AlreadyExists")))
      << "the same object twice in one command";
  tries.Note("machine node-1");
  EXPECT_FALSE(tries.Had("machine node-1"));
  tries.Next();
  EXPECT_TRUE(tries.Had("machine node-1"));
}

// The n-th answer to kubectl comes five minutes late, which is longer than kubectl waits.
class LateAnswer : public sim::Strategy {
 public:
  explicit LateAnswer(int nth) : left_(nth) {}
  std::string_view name() const override { return "answers"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t, std::uint32_t) override {
    return site == "delay/kube-apiserver-0/kubectl/configmaps" && left_-- == 0 ? 5 : 0;
  }

 private:
  int left_;
};

// The user types the command again, and finds that it has been done.
TEST(EarlierTries, EndACommandWhoseAnswerWasLost) {
  const Scenario scenario = Only(LoadSpec(R"(  cluster: {nodes: 1, controllers: []}
  steps:
  - {at: 0s, create: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}},
                                {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}]}}
  - {at: 1s, delete: {resource: configmaps/a, wait: false}}
  expect:
  - eventually: {resource: configmaps/b, count: 1}
    within: 10m
)"));
  for (int nth = 0; nth < 3; ++nth) {
    RunnerOptions options;
    options.world.strategy = std::make_shared<LateAnswer>(nth);
    options.fuzz.emplace();
    Runner runner(scenario, std::move(options));
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << nth;
    EXPECT_TRUE(report.failures.empty()) << nth << ": " << report.failures.front().error;
    EXPECT_EQ(report.end.decisions.size(), 1u) << nth;
    EXPECT_LT(report.end.time, Minutes(6).ns()) << nth;
  }
}

}  // namespace
}  // namespace ksim::scenario
