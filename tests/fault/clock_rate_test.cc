#include "ksim/fault/clock_rate.h"

#include <gtest/gtest.h>

#include "ksim/value/timestamp.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

Duration Gained(std::string_view rate, Duration elapsed) {
  const std::optional<ClockRate> parsed = ParseClockRate(rate);
  EXPECT_TRUE(parsed) << rate;
  return parsed.value_or(ClockRate()).Gained(elapsed);
}

TEST(ClockRate, IsExact) {
  EXPECT_EQ(Gained("100%", Hours(9)), Duration());
  EXPECT_EQ(Gained("102%", Seconds(50)), Seconds(1));
  EXPECT_EQ(Gained("98%", Seconds(50)), Seconds(-1));
  EXPECT_EQ(Gained("200%", Seconds(7)), Seconds(7));
  EXPECT_EQ(Gained("1/2", Seconds(7)), Milliseconds(-3500));
  EXPECT_EQ(Gained("1001/1000", Seconds(1)), Milliseconds(1));
  EXPECT_EQ(Gained("10000/9999", Hours(9999)), Hours(1));
}

TEST(ClockRate, OthersAreNone) {
  for (const char* rate : {"", "%", "0%", "-5%", "98", "1.5%", "1001%", "3/", "/3", "0/3", "3/0",
                           "20001/20000", "11/1", "98 %"})
    EXPECT_FALSE(ParseClockRate(rate)) << rate;
}

// A lease's renewTime is written by the kubelet's clock.
TEST(SkewClock, ARateGoesAheadSecondBySecond) {
  const auto run = FaultRun::With(
      "  - {at: 0s, skewClock: {process: kubelet/node-1, rate: 150%}}\n"
      "  - {at: 0s, pause: {actor: kube-scheduler, before: write, for: 1m}}\n");
  EXPECT_EQ(run->report.exit_code, 0);
  const trace::Record& begin = run->Begin("skewClock");
  int renewals = 0;
  for (const trace::Record& r : run->events) {
    if (r.kind != sim::EventKind::kCommit || r.Text("resource") != "leases") continue;
    if (r.Text("name") != "node-1" || r.seq < begin.seq || r.seq > run->End("skewClock").seq)
      continue;
    for (const value::Value& leaf : r.Get("changed").items()) {
      if (leaf.Get("path").AsString() != "spec.renewTime") continue;
      ++renewals;
      const auto written = value::ParseMicroTime(leaf.Get("new").AsString());
      ASSERT_TRUE(written.ok());
      const Duration passed(r.t - begin.t), ahead = *written - VirtualTime(r.t);
      EXPECT_NEAR(static_cast<double>(ahead.ns()), static_cast<double>(passed.ns()) / 2, 2e9);
    }
  }
  EXPECT_GE(renewals, 4);
}

}  // namespace
}  // namespace ksim::fault
