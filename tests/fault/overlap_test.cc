// Several faults have one target at a time: the effect lasts for as long as one of them is in
// force.
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using trace::Record;

// The n-th (from 1) `begin` or `end` of a fault of that verb.
const Record& Nth(const FaultRun& run, const std::string& verb, const std::string& state, int n) {
  const Record* r = &run.First(EventKind::kFault, {{"verb", verb}, {"state", state}});
  while (--n > 0) r = &run.First(EventKind::kFault, {{"verb", verb}, {"state", state}}, r->seq);
  return *r;
}

struct OverlapRow {
  const char* name;
  std::string faults;  // the second in force is the one that lasts longest
  std::string verb;
  EventKind kind;  // what must not come while it is in force, and comes afterwards
  Fields fields;
};

const Fields kPodsTold{{"actor", "kube-apiserver-0"}, {"resource", "pods"}, {"type", "ADDED"}};
const Fields kPodsStarted{{"action", "start"}, {"node", "node-1"}};

class EachOverlap : public ::testing::TestWithParam<OverlapRow> {};

TEST_P(EachOverlap, LastsUntilTheLastOfThemEnds) {
  const OverlapRow& row = GetParam();
  const auto run = FaultRun::With(
      row.faults, "  - {at: 30s, scale: {resource: replicasets/web, replicas: 6}}\n");
  const Record &first = Nth(*run, row.verb, "end", 1), &last = Nth(*run, row.verb, "end", 2);
  ASSERT_GT(first.t, Nth(*run, row.verb, "begin", 2).t);
  ASSERT_GT(last.t, first.t);
  EXPECT_EQ(run->Count(row.kind, row.fields, first.seq, last.seq), 0);
  EXPECT_GT(run->Count(row.kind, row.fields, last.seq), 0);
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_EQ(run->Pods(), 6);
}

const OverlapRow kRows[] = {
    {"FreezeCache",
     "  - {at: 10s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 5s}}\n"
     "  - {at: 12s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 30s}}\n",
     "freezeCache", EventKind::kEvent, kPodsTold},
    {"FreezeCacheInside",
     "  - {at: 10s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 40s}}\n"
     "  - {at: 12s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 5s}}\n",
     "freezeCache", EventKind::kEvent, kPodsTold},
    // The server has forgotten the first fault; that one's end leaves the second in force.
    {"FreezeCacheOverARestart",
     "  - {at: 5s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 22s}}\n"
     "  - {at: 10s, restart: {process: kube-apiserver-0}}\n"
     "  - {at: 20s, freezeCache: {server: kube-apiserver-0, resource: pods, for: 30s}}\n",
     "freezeCache", EventKind::kEvent, kPodsTold},
    {"HoldStreamOfAnApiServer",
     "  - {at: 10s, holdStream: {client: kube-apiserver-0, resource: pods, for: 5s}}\n"
     "  - {at: 12s, holdStream: {client: kube-apiserver-0, resource: pods, for: 30s}}\n",
     "holdStream", EventKind::kEvent, kPodsTold},
    {"NodeTrouble",
     "  - {at: 10s, nodeTrouble: {node: node-1, with: network, for: 5s}}\n"
     "  - {at: 12s, nodeTrouble: {node: node-1, with: network, for: 60s}}\n"
     "  - {at: 12s, nodeTrouble: {node: node-2, with: network, for: 80s}}\n",
     "nodeTrouble", EventKind::kRuntime, kPodsStarted},
};

INSTANTIATE_TEST_SUITE_P(All, EachOverlap, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Overlap, AServerIsDownUntilTheLastOfThemEnds) {
  const auto run = FaultRun::With(
      "  - {at: 10s, serverDown: {server: kube-apiserver-0, for: 5s}}\n"
      "  - {at: 12s, serverDown: {server: kube-apiserver-0, for: 20s}}\n");
  EXPECT_TRUE(run->report.faults_missing.empty());
  const Record &first = Nth(*run, "serverDown", "end", 1),
               &last = Nth(*run, "serverDown", "end", 2);
  ASSERT_GT(last.t, first.t);
  const Fields opened{{"server", "kube-apiserver-0"}, {"state", "open"}};
  EXPECT_EQ(run->Count(EventKind::kWatch, opened, first.seq, last.seq), 0);
  EXPECT_GT(run->Count(EventKind::kWatch, opened, last.seq), 0);
  EXPECT_EQ(run->report.exit_code, 0);
}

// No delivery reaches the server while a fault holds its watch; those before have arrived.
TEST(Overlap, NothingIsTakenInFromAHeldWatchOnEtcd) {
  const auto run = FaultRun::With(
      "  - {at: 10s, holdStream: {client: kube-apiserver-0, resource: pods, for: 12s}}\n"
      "  - {at: 30s, delayStream: {client: kube-apiserver-0, resource: pods, by: 5s, for: 12s}}\n",
      "  - {at: 12s, scale: {resource: replicasets/web, replicas: 4}}\n"
      "  - {at: 32s, scale: {resource: replicasets/web, replicas: 6}}\n");
  const auto taken_in = [&run](std::uint64_t from, std::uint64_t to) {
    int n = 0;
    for (const Record& r : run->events)
      if (r.kind == EventKind::kDeliver && r.actor == "kube-apiserver-0" && r.seq > from &&
          r.seq < to && r.Text("key").starts_with("/registry/pods/"))
        ++n;
    return n;
  };
  EXPECT_EQ(taken_in(run->Begin("holdStream").seq, run->End("holdStream").seq), 0);
  EXPECT_GT(taken_in(run->End("holdStream").seq, run->Begin("delayStream").seq), 0);
  const Record& made = run->First(EventKind::kCommit, {{"resource", "pods"}, {"op", "create"}},
                                  run->Begin("delayStream").seq);
  const Record& heard =
      run->First(EventKind::kDeliver,
                 {{"actor", "kube-apiserver-0"}, {"key", std::string(made.Text("key"))}}, made.seq);
  EXPECT_GE(Duration(heard.t - made.t), Seconds(5));
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_EQ(run->Pods(), 6);
}

TEST(Overlap, TheCounterpartEndsThemAll) {
  const auto run = FaultRun::With(
      "  - {at: 10s, freezeCache: {server: kube-apiserver-0, resource: pods}}\n"
      "  - {at: 12s, freezeCache: {server: kube-apiserver-0, resource: pods}}\n"
      "  - {at: 40s, thawCache: {server: kube-apiserver-0, resource: pods}}\n",
      "  - {at: 30s, scale: {resource: replicasets/web, replicas: 6}}\n");
  const Record& thaw = run->Begin("thawCache");
  EXPECT_EQ(Nth(*run, "freezeCache", "end", 1).cause, thaw.seq);
  EXPECT_EQ(Nth(*run, "freezeCache", "end", 2).cause, thaw.seq);
  EXPECT_GT(run->Count(EventKind::kEvent, kPodsTold, thaw.seq), 0);
}

// An API server's watch on etcd is like any other watch: the longest delay counts, and each delay
// ends at its own time.
TEST(Overlap, DelaysOfAnApiServersStreamDoNotAddUp) {
  const auto run = FaultRun::With(
      "  - {at: 10s, delayStream: {client: kube-apiserver-0, resource: pods, by: 20s, for: 50s}}\n"
      "  - {at: 12s, delayStream: {client: kube-apiserver-0, resource: pods, by: 5s, for: 5s}}\n",
      "  - {at: 30s, scale: {resource: replicasets/web, replicas: 6}}\n");
  const std::uint64_t end = Nth(*run, "delayStream", "end", 1).seq;
  const Record& made =
      run->First(EventKind::kCommit, {{"resource", "pods"}, {"op", "create"}}, end);
  const Record& heard = run->First(EventKind::kEvent, kPodsTold, end);
  EXPECT_GE(Duration(heard.t - made.t), Seconds(20));
  EXPECT_LT(Duration(heard.t - made.t), Seconds(21));
  EXPECT_EQ(run->report.exit_code, 0);
}

// The skew of the clock of kubelet/node-1 at these times.
std::vector<Duration> Skews(const std::string& faults, const std::vector<Duration>& times) {
  std::vector<Duration> out;
  scenario::Runner* runner = nullptr;
  scenario::RunnerOptions options;
  options.stop = [&](const sim::Event& e) {
    while (out.size() < times.size() && e.time - VirtualTime() >= times[out.size()])
      out.push_back(runner->world().sim().FindProcess("kubelet/node-1")->Now() - e.time);
    return false;
  };
  scenario::Runner run(
      FaultRun::Load("  cluster: {nodes: 1}\n  until: 2m\n  steps:\n"
                     "  - {at: 0s, create: {document: ReplicaSet/web}}\n  faults:\n" +
                     faults),
      std::move(options));
  runner = &run;
  run.Run();
  return out;
}

TEST(Overlap, SkewsAddUp) {
  EXPECT_EQ(Skews("  - {at: 10s, skewClock: {process: kubelet/node-1, by: 1h}}\n"
                  "  - {at: 30s, skewClock: {process: kubelet/node-1, by: -10m}}\n",
                  {Seconds(5), Seconds(20), Seconds(50)}),
            (std::vector<Duration>{Duration(), Minutes(60), Minutes(50)}));
}

}  // namespace
}  // namespace ksim::fault
