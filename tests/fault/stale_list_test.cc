// Lists from a watch cache that is behind, and handlers that are told the same twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using trace::Record;

FaultRun Frozen(const std::string& compat) {
  return FaultRun(FaultRun::Load(fmt::format(
      "  compat: \"{}\"\n  cluster: {{nodes: 1}}\n  steps:\n"
      "  - {{at: 10s, create: {{document: ReplicaSet/web}}}}\n  faults:\n"
      "  - {{at: 5s, freezeCache: {{server: kube-apiserver-0, resource: pods, for: 30s}}}}\n"
      "  - {{at: 15s, restart: {{process: kube-scheduler}}}}\n",
      compat)));
}

const Fields kList{{"informer", "kube-scheduler pods"}};

TEST(StaleList, IsTheFirstOfAnInformerUpTo130) {
  for (const char* compat : {"1.25", "1.30"}) {
    const FaultRun run = Frozen(compat);
    EXPECT_EQ(run.report.exit_code, 0);
    const Record& begin = run.Begin("restart");
    const Record& relist = run.First(EventKind::kRelist, kList, begin.seq);
    EXPECT_LT(relist.seq, run.End("freezeCache").seq) << compat;
    EXPECT_EQ(relist.Text("rv"), "0");
    EXPECT_EQ(relist.Int("items"), 0) << "two pods are in the store";
    EXPECT_EQ(run.Count(EventKind::kCommit, {{"resource", "pods"}, {"op", "create"}}, 0, begin.seq),
              2);
  }
}

TEST(StaleList, OfAStreamedListIsWaitedFor) {
  const FaultRun run = Frozen("1.36");
  EXPECT_EQ(run.report.exit_code, 0);
  const Record& relist = run.First(EventKind::kRelist, kList, run.Begin("restart").seq);
  EXPECT_GT(relist.seq, run.End("freezeCache").seq);
  EXPECT_EQ(relist.Int("items"), 2);
}

// A list in the middle of an informer's life tells of each object again, though nothing changed.
TEST(ToldTwice, AfterAListAnObjectIsUpdatedToTheVersionThatItHas) {
  const auto run = FaultRun::With(
      "  - {at: 20s, dropWatch: {client: kube-controller-manager, resource: pods, how: error}}\n"
      "  - {at: 25s, watchError: {client: kube-controller-manager, resource: pods}}\n");
  EXPECT_EQ(run->report.exit_code, 0);
  int same = 0;
  for (const Record& r : run->events)
    same += r.kind == EventKind::kHandler && r.seq > run->Begin("dropWatch").seq &&
                    r.Text("listener") == "kube-controller-manager/replicaset" &&
                    r.Text("resource") == "pods" && r.Text("type") == "update" &&
                    r.Int("rv") == r.Int("oldRv")
                ? 1
                : 0;
  EXPECT_EQ(same, 4) << "two pods, two lists";
}

}  // namespace
}  // namespace ksim::fault
