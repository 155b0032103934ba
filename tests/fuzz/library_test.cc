// Campaigns and judged clusters for programs that embed ksim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/cluster.h"
#include "ksim/testing.h"
#include "tests/whole/programs/receipt_controller.h"

namespace ksim {
namespace {

using ::testing::HasSubstr;

FuzzOptions Some() {
  FuzzOptions options;
  options.last_seed = 60;
  options.jobs = 2;
  return options;
}

ClusterVerdict VerdictOn(const std::string& text) {
  ClusterOptions options;
  options.scenario = ReadScenario(text, receipts::Program()).value();
  Cluster cluster(options);
  EXPECT_TRUE(cluster.Run().quiet);
  return cluster.Judge();
}

TEST(Fuzz, FindsNothingInTheRightController) {
  EXPECT_TRUE(FindsNothing("right", receipts::Program(), Some()));
}

// PROG-05, PROG-07.
TEST(Fuzz, FindsTheWrongControllerAndMakesItSmall) {
  const absl::StatusOr<FuzzResult> result = Fuzz("wrong", receipts::Program(), Some());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->runs, 60u);
  ASSERT_EQ(result->findings.size(), 1u);
  const FuzzFinding& finding = result->findings.front();
  EXPECT_EQ(finding.oracle, "expect");
  EXPECT_TRUE(finding.shrunk);
  EXPECT_TRUE(finding.runs_alone);
  EXPECT_THAT(finding.explanation, HasSubstr("receipts run scenario.yaml"));
  EXPECT_EQ(finding.trace.header.program.name, "receipts");
  // The shrunk scenario fails by itself.
  EXPECT_THAT(VerdictOn(finding.scenario).violations, ::testing::Contains(HasSubstr("expect: ")));
  // The message of a test tells all of it.
  const ::testing::AssertionResult told = FindsNothing(result);
  EXPECT_FALSE(told);
  EXPECT_THAT(told.message(), HasSubstr(finding.explanation));
  EXPECT_THAT(told.message(), HasSubstr(finding.scenario));
}

TEST(Fuzz, WritesAFindingAsTheCommandLineDoes) {
  FuzzOptions options = Some();
  options.shrink_runs = 0;
  const absl::StatusOr<FuzzResult> result = Fuzz("wrong", receipts::Program(), options);
  ASSERT_TRUE(result.ok());
  ASSERT_FALSE(result->findings.empty());
  EXPECT_FALSE(result->findings.front().shrunk);
  const std::string dir = ::testing::TempDir() + "library_test.finding";
  ASSERT_TRUE(WriteFinding(result->findings.front(), dir).ok());
  EXPECT_THAT(os::ReadFile(dir + "/README.md").value(), HasSubstr("receipts shrink trace.jsonl"));
  EXPECT_THAT(os::ReadFile(dir + "/scenario.yaml").value(), HasSubstr("overrides:"));
  EXPECT_TRUE(trace::ReadTrace(dir + "/trace.jsonl").ok());
}

TEST(Fuzz, IsNotCleanWhereNothingWasJudged) {
  FuzzOptions options;
  options.last_seed = 3;
  options.jobs = 1;
  const absl::StatusOr<FuzzResult> result = Fuzz(
      "apiVersion: ksim.dev/v1\nkind: Scenario\n"
      "spec: {cluster: {nodes: 0, controllers: [right-receipts]}, checks: []}\n",
      receipts::Program(), options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->findings.empty());
  EXPECT_FALSE(result->clean());
}

TEST(Fuzz, RefusesWhatItCannotRun) {
  EXPECT_FALSE(Fuzz("kind: Scenario\n", receipts::Program()).ok());
  FuzzOptions options;
  options.strategy = "luck";
  EXPECT_FALSE(Fuzz("right", receipts::Program(), options).ok());
  EXPECT_FALSE(FindsNothing("no such scenario", receipts::Program()));
  EXPECT_THAT(
      ReadScenario(receipts::ScenarioWith("left-receipts"), receipts::Program()).status().message(),
      HasSubstr("unknown controller \"left-receipts\""));
}

// PROG-07. Everything that a scenario says happens in a cluster of a test too.
TEST(Cluster, CarriesOutAScenarioAndJudgesIt) {
  const std::string controller = "right-receipts";
  std::string text = receipts::ScenarioWith(controller);
  text.insert(text.find("  expect:"),
              "  faults:\n  - {at: 1s, crash: {process: right-receipts, down: 2s}}\n");
  const ClusterVerdict good = VerdictOn(text);
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(good.faults_missing.empty());
  const std::size_t count = text.find("count: 1");
  const ClusterVerdict bad = VerdictOn(text.replace(count, 8, "count: 2"));
  EXPECT_THAT(bad.violations, ::testing::ElementsAre(HasSubstr("expect: ")));
}

// Every message takes a second more than drawn.
class Slow : public sim::Strategy {
 public:
  std::string_view name() const override { return "slow"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t, std::uint32_t) override {
    return site.starts_with("delay/") ? 2 : 0;
  }
};

TEST(Cluster, AsksItsStrategy) {
  const auto run = [](std::shared_ptr<sim::Strategy> strategy) {
    ClusterOptions options;
    options.scenario = ReadScenario("right", receipts::Program()).value();
    options.strategy = std::move(strategy);
    Cluster cluster(options);
    EXPECT_TRUE(cluster.Run().ok());
    EXPECT_TRUE(cluster.Judge().ok());
    return cluster.MakeTrace().end->decisions.size();
  };
  EXPECT_EQ(run(nullptr), 0u);
  EXPECT_GT(run(std::make_shared<Slow>()), 10u);
}

TEST(Cluster, TakesWhatItsUserDoesBesideTheScenario) {
  ClusterOptions options;
  options.scenario = ReadScenario("right", receipts::Program()).value();
  Cluster cluster(options);
  ASSERT_TRUE(cluster.Apply("apiVersion: shop.test/v1\nkind: Order\nmetadata: {name: b}\n").ok());
  ASSERT_TRUE(cluster.Run().ok());
  EXPECT_FALSE(cluster.Get("configmaps", "default", "a-receipt").empty());
  EXPECT_FALSE(cluster.Get("configmaps", "default", "b-receipt").empty());
  EXPECT_TRUE(cluster.Judge().ok());
  EXPECT_EQ(cluster.MakeTrace().header.program.name, "receipts");
}

}  // namespace
}  // namespace ksim
