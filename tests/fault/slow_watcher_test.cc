// A client that stops reading one of its watches, with little room: the API server ends the watch,
// and the reflector goes on from where it was.
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

using sim::EventKind;

Fields With(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// A workload of forty pods while the client does not read, more than its buffer holds.
std::unique_ptr<FaultRun> FortyPods(const std::string& faults) {
  return FaultRun::With(faults,
                        "  - {at: 5s, scale: {resource: replicasets/web, replicas: 40}}\n"
                        "  - {at: 60s, scale: {resource: replicasets/web, replicas: 3}}\n");
}

// WATCH-28
TEST(SlowWatcher, IsEndedAndResumesFromItsLastVersion) {
  const std::unique_ptr<FaultRun> run = FortyPods(
      "  - {at: 4s, holdStream: {client: kube-controller-manager, resource: pods, for: 30s, "
      "window: 5}}\n");
  const trace::Record& closed =
      run->First(EventKind::kWatch, With(kPodWatch, {{"state", "close"}}));
  EXPECT_EQ(closed.Text("reason"), "slow");
  EXPECT_GT(closed.seq, run->End("holdStream").seq) << "it reads what was queued first";
  const trace::Record& opened =
      run->First(EventKind::kWatch, With(kPodWatch, {{"state", "open"}}), closed.seq);
  EXPECT_EQ(opened.Text("rv"), value::ToJson(closed.Get("lastRv")))
      << "all that was sent has been taken in";
  EXPECT_EQ(run->Count(EventKind::kRelist,
                       {{"informer", "kube-controller-manager pods"}, {"reason", "start"}}),
            1);
  EXPECT_EQ(run->Count(EventKind::kRelist, {{"informer", "kube-controller-manager pods"}}), 1)
      << "without a new list";
  EXPECT_EQ(run->Count(EventKind::kViolation, {}), 0);
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_EQ(run->Pods(), 3);
}

// WATCH-28
TEST(SlowWatcher, AClientWithEnoughRoomIsNotEnded) {
  const auto run = FortyPods(
      "  - {at: 4s, holdStream: {client: kube-controller-manager, resource: pods, for: 30s}}\n");
  EXPECT_GT(run->Count(EventKind::kEvent, {{"resource", "pods"}}), 200);
  EXPECT_EQ(run->Count(EventKind::kWatch, With(kPodWatch, {{"state", "close"}})), 0);
}

}  // namespace
}  // namespace ksim::fault
