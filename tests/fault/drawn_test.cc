// Faults that a campaign draws: each of these kinds is asked about, fires the verb that a scenario
// would name, and can be written as a line of a script that does the same.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ksim/fault/drawn_faults.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/events.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

// Answers the first question of each of these sites, and no other.
class OnceEach : public sim::Strategy {
 public:
  explicit OnceEach(std::map<std::string, std::uint32_t> answers) : answers_(std::move(answers)) {}
  std::string_view name() const override { return "once each"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t, std::uint32_t n) override {
    const auto found = answers_.find(std::string(site));
    if (found == answers_.end() || found->second >= n) return 0;
    return std::exchange(found->second, 0);
  }

 private:
  std::map<std::string, std::uint32_t> answers_;
};

struct DrawnRow {
  std::string kind, verb;
  std::map<std::string, std::uint32_t> answers;
};

void PrintTo(const DrawnRow& row, std::ostream* out) { *out << row.kind; }

class LaterKinds : public ::testing::TestWithParam<DrawnRow> {};

INSTANTIATE_TEST_SUITE_P(
    All, LaterKinds,
    ::testing::Values(
        DrawnRow{"rival", "rival", {{"fault.rival/kube-controller-manager/replicasets", 1}}},
        DrawnRow{"watchError", "watchError", {{"fault.watchError/kube-scheduler/pods", 3}}},
        DrawnRow{"rejectRead",
                 "rejectRead",
                 {{"fault.dropWatch/kube-scheduler/pods", 1},
                  {"fault.rejectRead/kube-scheduler/pods", 1}}},
        DrawnRow{"slowHandler",
                 "slowHandler",
                 {{"fault.slowHandler/kube-controller-manager/replicaset/pods", 2}}},
        DrawnRow{"slowWebhook", "slowWebhook", {{"fault.slowWebhook/pods.example.com", 2}}},
        DrawnRow{"clockRate", "skewClock", {{"fault.clockRate/kubelet/node-1", 1}}},
        DrawnRow{"dropBookmark", "dropBookmark", {{"fault.dropBookmark/kube-scheduler/pods", 1}}}),
    [](const auto& info) { return info.param.kind; });

// How many faults of the verb began.
int Begun(const scenario::Runner& runner, const std::string& verb) {
  int n = 0;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kFault) continue;
    const auto& fault = e.payload.As<trace::FaultPayload>();
    n += fault.state == "begin" && fault.verb == verb ? 1 : 0;
  }
  return n;
}

TEST_P(LaterKinds, FireAVerbThatAScriptCanName) {
  const DrawnRow& row = GetParam();
  EXPECT_TRUE(IsLaterKind(row.kind));
  const std::string ask = row.kind == "slowWebhook" ? kAskWebhook : "";
  scenario::Scenario s = FaultRun::Load("  cluster: {nodes: 1}\n  steps:\n" + ask +
                                        "  - {at: 0s, create: {document: ReplicaSet/web}}\n");
  scenario::RunnerOptions options;
  options.world.strategy = std::make_shared<OnceEach>(row.answers);
  options.fuzz.emplace();
  options.fuzz->window = Minutes(2);
  scenario::Runner drawn(s, std::move(options));
  EXPECT_EQ(drawn.Run().exit_code, 0);
  EXPECT_EQ(Begun(drawn, row.verb), 1);

  // The same as a script, written and read again.
  for (Spec& spec : drawn.DrawnScript()) s.faults.push_back(std::move(spec));
  const scenario::Loaded again = scenario::ParseScenarioTree(scenario::ToTree(s));
  ASSERT_EQ(Render(again.errors, false), "");
  scenario::Runner scripted(again.scenarios.at(0), scenario::RunnerOptions());
  const scenario::RunReport report = scripted.Run();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(Begun(scripted, row.verb), 1);
  for (const scenario::FaultNote& note : report.faults_missing)
    ADD_FAILURE() << note.fault << ": " << note.why;
}

// Kinds keep their numbers: a swarm's three runs of four, and logs, go by them.
TEST(DrawnKinds, OfTheLaterGenerationAreThoseBehindTheFirstTwentyFive) {
  const std::vector<std::string_view>& kinds = DrawnKinds();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    EXPECT_EQ(IsLaterKind(kinds[i]), i >= 25) << kinds[i];
  EXPECT_FALSE(IsLaterKind("delay"));
}

}  // namespace
}  // namespace ksim::fault
