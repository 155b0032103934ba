#include "ksim/fault/clock_rate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ksim/sim/process.h"
#include "ksim/value/timestamp.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

std::string Read(std::string_view text) {
  const std::optional<sim::ClockRate> rate = ParseClockRate(text);
  return rate ? fmt::format("{}/{}", rate->num, rate->den) : "none";
}

TEST(ClockRate, IsAPercentageOrAFraction) {
  EXPECT_EQ(Read("100%"), "100/100");
  EXPECT_EQ(Read("98%"), "98/100");
  EXPECT_EQ(Read("1001/1000"), "1001/1000");
  EXPECT_EQ(Read("10/1"), "10/1");
}

TEST(ClockRate, OthersAreNone) {
  for (const char* rate : {"", "%", "0%", "-5%", "98", "1.5%", "1001%", "3/", "/3", "0/3", "3/0",
                           "20001/20000", "11/1", "98 %"})
    EXPECT_FALSE(ParseClockRate(rate)) << rate;
}

using sim::EventKind;

// A renewal of node-1's lease: when it was stored, and the renewTime that the kubelet wrote.
struct Renewal {
  std::uint64_t seq = 0;
  VirtualTime stored, written;
};
std::vector<Renewal> RenewalsOf(const FaultRun& run) {
  std::vector<Renewal> out;
  for (const trace::Record& r : run.events) {
    if (r.kind != EventKind::kCommit || r.Text("resource") != "leases") continue;
    if (r.Text("name") != "node-1") continue;
    for (const value::Value& leaf : r.Get("changed").items()) {
      if (leaf.Get("path").AsString() != "spec.renewTime") continue;
      const auto written = value::ParseMicroTime(leaf.Get("new").AsString());
      EXPECT_TRUE(written.ok());
      if (written.ok()) out.push_back({r.seq, VirtualTime(r.t), *written});
    }
  }
  return out;
}

// G-CK1: a kubelet renews its lease every 10 s by its clock, and writes its time.
TEST(SkewClock, ARateMovesTheTimesThatAProcessWritesAndItsTimers) {
  struct Row {
    const char* rate;
    std::int64_t num, den;
  };
  for (const Row& row : {Row{"150%", 3, 2}, Row{"50%", 1, 2}}) {
    const auto run = FaultRun::With(
        fmt::format("  - {{at: 0s, skewClock: {{process: kubelet/node-1, rate: {}}}}}\n"
                    "  - {{at: 0s, pause: {{actor: kube-scheduler, before: write, for: 2m}}}}\n",
                    row.rate));
    EXPECT_EQ(run->report.exit_code, 0);
    const trace::Record& begin = run->Begin("skewClock");
    const trace::Record& end = run->End("skewClock");
    std::optional<VirtualTime> last;
    int renewals = 0;
    for (const Renewal& r : RenewalsOf(*run)) {
      if (r.seq < begin.seq || r.seq > end.seq) continue;
      ++renewals;
      const Duration passed(r.stored - VirtualTime(begin.t));
      const Duration ahead = r.written - r.stored, due(passed.ns() * row.num / row.den);
      EXPECT_LT((due - passed - ahead).ns(), Milliseconds(50).ns());
      EXPECT_GT((due - passed - ahead).ns(), Milliseconds(-50).ns());
      // 10 s, and up to 4 % of jitter.
      const Duration least(Seconds(10).ns() / row.num * row.den);
      if (last) {
        EXPECT_GE(r.stored - *last, least - Milliseconds(100));
        EXPECT_LE(r.stored - *last, least + least / 20 + Milliseconds(100));
      }
      last = r.stored;
    }
    EXPECT_GE(renewals, 4) << row.rate;
  }
}

// G-CK1: the heal sets the wall clock right; the monotonic one goes on from where it stands.
TEST(SkewClock, AHealEndsARate) {
  scenario::Runner runner(
      FaultRun::Load("  cluster: {nodes: 1}\n"
                     "  steps:\n"
                     "  - {at: 0s, create: {document: ReplicaSet/web}}\n"
                     "  faults:\n"
                     "  - {at: 0s, skewClock: {process: kubelet/node-1, by: -1s, rate: 200%}}\n"
                     "  - {at: 1s, skewClock: {process: kubelet/node-1, rate: 50%}}\n"
                     "  - {at: 0s, pause: {actor: kube-scheduler, before: write, for: 30s}}\n"),
      scenario::RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  sim::Simulation& sim = runner.world().sim();
  const sim::Process& kubelet = *sim.FindProcess("kubelet/node-1");
  EXPECT_EQ(kubelet.Now(), sim.now());
  EXPECT_LT(kubelet.SteadyNow(), sim.now() - Seconds(10));
}

}  // namespace
}  // namespace ksim::fault
