// Only the heal ends these faults, and clients retry for ever against a server that is down. Such a
// run is never quiet; the heal comes once nothing makes progress any more.
#include <fmt/format.h>

#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using trace::Record;

std::unique_ptr<FaultRun> RunWith(const std::string& faults, const std::string& more = "",
                                  const std::string& spec = "") {
  return std::make_unique<FaultRun>(
      FaultRun::Load(spec +
                     "  cluster: {nodes: 2, controllers: [replicaset]}\n  steps:\n  - {at: 2s, "
                     "create: {document: ReplicaSet/web}}\n" +
                     more + "  faults:\n" + faults));
}

Duration HealedAt(const FaultRun& run) {
  return Duration(run.First(EventKind::kPhase, {{"name", "heal"}}).t);
}

class EachStandstill : public ::testing::TestWithParam<const char*> {};

TEST_P(EachStandstill, IsHealed) {
  const auto run = RunWith(std::string("  - {at: 6s, ") + GetParam() + "}\n");
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_EQ(run->Pods(), 2);
  EXPECT_GE(HealedAt(*run), Minutes(6));
  EXPECT_LT(HealedAt(*run), Minutes(7));
  const Record& end = run->First(EventKind::kFault, {{"state", "end"}});
  EXPECT_EQ(end.cause, run->First(EventKind::kPhase, {{"name", "heal"}}).seq);
  const Record& last = run->First(EventKind::kPhase, {{"name", "end"}});
  EXPECT_LT(Duration(last.t), Minutes(10));
}

INSTANTIATE_TEST_SUITE_P(All, EachStandstill,
                         ::testing::Values("serverDown: {server: kube-apiserver-0}",
                                           "crash: {process: kube-apiserver-0}",
                                           "crash: {process: etcd}"),
                         [](const auto& row) { return fmt::format("Fault{}", row.index); });

const std::string kDown = "  - {at: 6s, serverDown: {server: kube-apiserver-0}}\n";

TEST(Standstill, WaitsForStepsAndFaultsThatAreStillToCome) {
  EXPECT_GT(HealedAt(*RunWith(kDown + "  - {at: 8m, compact: {revision: head}}\n")), Minutes(14));
  EXPECT_GT(HealedAt(*RunWith(kDown, "  - {at: 8m, label: {resource: rs/web, set: {a: b}}}\n")),
            Minutes(14));
  const auto run = RunWith(kDown + "  - {at: 7s, crash: {process: kube-scheduler, down: 9m}}\n");
  EXPECT_GT(HealedAt(*run), Minutes(15));
}

TEST(Standstill, TheLimitCountsAllTheSame) {
  const auto run = RunWith(kDown, "", "  limit: 3m\n");
  EXPECT_EQ(run->report.exit_code, 3);
  EXPECT_EQ(run->First(EventKind::kPhase, {{"name", "heal"}}).seq, 0u);
  EXPECT_EQ(run->report.end.time, Minutes(3).ns());
}

}  // namespace
}  // namespace ksim::fault
