// Failover: who may take over, and when.
#include <gtest/gtest.h>

#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

TEST(Failover, AProcessThatDoesNotLeadHandsNothingOver) {
  const auto run = FaultRun::With(
      "  - {at: 20s, failover: {process: kube-controller-manager, to: kube-controller-manager-0}}\n"
      "  - {at: 1m, failover: {process: kube-controller-manager-1}}\n");
  ASSERT_EQ(run->report.faults_missing.size(), 1u);
  EXPECT_EQ(run->report.faults_missing[0].why, "kube-controller-manager-1 does not lead");
}

// No other process may lead meanwhile.
TEST(Failover, WaitsForTheHeir) {
  const auto run = FaultRun::With(
      "  - {at: 20s, failover: {process: kube-controller-manager, to: kube-controller-manager-0}}\n"
      "  - {at: 20s, crash: {process: kube-controller-manager-0, down: 1m}}\n");
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_GT(run->Lasted("failover"), Minutes(1));
  EXPECT_EQ(run->events[run->End("failover").cause - 1].Text("process"),
            "kube-controller-manager-0");
}

}  // namespace
}  // namespace ksim::fault
