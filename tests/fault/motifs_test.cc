// Each motif runs once, in a campaign's run without any other fault: the test names the faults that
// make up the motif, and the cluster recovers from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ksim/scenario/runner.h"
#include "ksim/trace/events.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

// Answers the first question of a site, and no other.
class Once : public sim::Strategy {
 public:
  Once(std::string site, std::uint32_t answer) : site_(std::move(site)), answer_(answer) {}
  std::string_view name() const override { return "once"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t, std::uint32_t n) override {
    if (done_ || !site.starts_with(site_) || answer_ >= n) return 0;
    done_ = true;
    return answer_;
  }

 private:
  std::string site_;
  std::uint32_t answer_;
  bool done_ = false;
};

struct Motif {
  std::string name, site;
  std::uint32_t answer;
  std::vector<std::string> faults;  // that begin, in this order
  int servers = 1;
};

void PrintTo(const Motif& m, std::ostream* out) { *out << m.name; }

class Motifs : public ::testing::TestWithParam<Motif> {};

INSTANTIATE_TEST_SUITE_P(
    All, Motifs,
    ::testing::Values(
        Motif{"gap",
              "fault.gap/kube-controller-manager/pods",
              2,
              {"expire kube-controller-manager pods", "dropWatch kube-controller-manager pods"}},
        Motif{"stallInGap",
              "fault.stallInGap/kube-controller-manager/pods",
              1,
              {"stallHandler kube-controller-manager pods", "expire kube-controller-manager pods",
               "dropWatch kube-controller-manager pods"}},
        Motif{"compactInGap",
              "fault.compactInGap/pods",
              1,
              {"compact etcd", "dropWatch kube-apiserver-0 pods"}},
        Motif{
            "staleRestart",
            "fault.staleRestart/kube-controller-manager",
            2,
            {"freezeCache kube-apiserver-1 pods",
             "connect kube-controller-manager kube-apiserver-1", "restart kube-controller-manager"},
            2},
        Motif{"timeTravel",
              "fault.timeTravel/pods",
              1,
              {"freezeCache kube-apiserver-1 pods", "connect kubelet/node-1 kube-apiserver-1",
               "restart kubelet/node-1"},
              2},
        Motif{"swizzle",
              "fault.swizzle/network",
              1,
              {"partition kubelet/node-1 kube-apiserver-0",
               "partition kube-scheduler kube-apiserver-0",
               "partition kube-controller-manager kube-apiserver-0"}}),
    [](const auto& info) { return info.param.name; });

// The faults of a run that began: "VERB TARGET".
std::vector<std::string> Begun(const scenario::Runner& runner) {
  std::vector<std::string> out;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kFault) continue;
    const auto& fault = e.payload.As<trace::FaultPayload>();
    if (fault.state == "begin") out.push_back(fault.verb + " " + fault.target);
  }
  return out;
}

TEST_P(Motifs, AreTheirFaultsAndEndWell) {
  const Motif& motif = GetParam();
  const scenario::Scenario s = FaultRun::Load(
      "  cluster: {nodes: 1, apiServers: " + std::to_string(motif.servers) +
      "}\n  steps:\n  - {at: 0s, create: {document: ReplicaSet/web}}\n"
      "  - {at: 20s, delete: {resource: pods, selector: app=web, gracePeriodSeconds: 0}}\n");
  scenario::RunnerOptions options;
  options.world.strategy = std::make_shared<Once>(motif.site, motif.answer);
  options.fuzz.emplace();
  options.fuzz->window = Minutes(2);
  scenario::Runner runner(s, std::move(options));
  const scenario::RunReport report = runner.Run();
  EXPECT_EQ(Begun(runner), motif.faults);
  EXPECT_EQ(report.exit_code, 0);
}

// The link that was cut first is the last to heal.
TEST(Swizzle, HealsInTheOppositeOrder) {
  const scenario::Scenario s = FaultRun::Load(
      "  cluster: {nodes: 1}\n  steps:\n  - {at: 0s, create: {document: ReplicaSet/web}}\n");
  scenario::RunnerOptions options;
  options.world.strategy = std::make_shared<Once>("fault.swizzle", 1);
  options.fuzz.emplace();
  options.fuzz->window = Minutes(2);
  scenario::Runner runner(s, std::move(options));
  runner.Run();
  std::vector<std::string> begun, ended;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kFault) continue;
    const auto& fault = e.payload.As<trace::FaultPayload>();
    (fault.state == "begin" ? begun : ended).push_back(fault.target);
  }
  ASSERT_GE(begun.size(), 2u);
  std::reverse(ended.begin(), ended.end());
  EXPECT_EQ(begun, ended);
}

}  // namespace
}  // namespace ksim::fault
