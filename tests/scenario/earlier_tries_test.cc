// Commands that the user types again after an answer was lost.
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

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
