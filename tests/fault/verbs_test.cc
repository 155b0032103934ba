// Each fault verb has its effect on clients and servers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "ksim/trace/trace.h"
#include "tests/fault/told.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using trace::Record;

const std::string kFirstPod =
    "{event: handler, informer: kube-controller-manager pods, type: add, count: 1}";
const Fields kPodRelist{{"informer", "kube-controller-manager pods"}};

Fields With(Fields fields, const std::string& name, const std::string& value) {
  fields.emplace_back(name, value);
  return fields;
}

struct VerbRow {
  const char* name;
  std::string faults;
  std::function<void(const Told&)> expect;
};

void PrintTo(const VerbRow& row, std::ostream* out) { *out << row.name; }

class EachVerb : public ::testing::TestWithParam<VerbRow> {};

// The effect shows, the cluster reaches its end state all the same, and a second run is equal.
TEST_P(EachVerb, HasItsEffectAndTheClusterConverges) {
  const VerbRow& row = GetParam();
  const auto told = Told::With(row.faults);
  EXPECT_EQ(told->report.exit_code, 0);
  EXPECT_TRUE(told->report.faults_missing.empty())
      << (told->report.faults_missing.empty() ? "" : told->report.faults_missing[0].why);
  EXPECT_EQ(told->Pods(), 2);
  row.expect(*told);
  EXPECT_EQ(Told::With(row.faults)->report.end.digest, told->report.end.digest);
}

// The header alone repeats the run, faults included.
TEST_P(EachVerb, IsRepeatedByTheTracesHeader) {
  const trace::Trace first = Told::With(GetParam().faults)->Trace();
  const scenario::Loaded again = scenario::ParseScenarioTree(first.header.scenario);
  ASSERT_EQ(Render(again.errors, false), "");
  EXPECT_EQ(trace::FormatTrace(Told(again.scenarios[0]).Trace(), false),
            trace::FormatTrace(first, false));
}

const std::vector<VerbRow>& Rows() {
  static const std::vector<VerbRow> rows{
      {"DropWatch",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const Told& told) {
         const Record& fault = told.Begin("dropWatch");
         EXPECT_EQ(told.events[fault.cause - 1].kind, EventKind::kHandler);
         const Record& open =
             told.First(EventKind::kWatch, With(kPodWatch, "state", "open"), fault.seq);
         EXPECT_NE(open.Text("rv"), "") << "it goes on from the last version";
         EXPECT_EQ(told.Count(EventKind::kRelist, kPodRelist, fault.seq), 0);
       }},
      {"DropWatchWithAnError",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods, how: error}}\n",
       [](const Told& told) {
         const Record& relist =
             told.First(EventKind::kRelist, kPodRelist, told.Begin("dropWatch").seq);
         EXPECT_EQ(relist.Text("reason"), "error");
       }},
      {"DropWatchAndRedialLater",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods, redialAfter: 20s}}\n",
       [](const Told& told) {
         const Record& fault = told.Begin("dropWatch");
         EXPECT_EQ(told.Lasted("dropWatch"), Seconds(20));
         EXPECT_EQ(told.Count(EventKind::kWatch, With(kPodWatch, "state", "open"), fault.seq,
                              told.End("dropWatch").seq),
                   0);
         EXPECT_GE(told.Count(EventKind::kResponse,
                              {{"actor", "kube-controller-manager"}, {"code", "0"}}, fault.seq),
                   2);
       }},
      {"DropWatchOfAnApiServer",
       "  - {when: " + kFirstPod + ", dropWatch: {client: kube-apiserver-0, resource: pods}}\n",
       [](const Told& told) {
         const Record& fault = told.Begin("dropWatch");
         const Fields watch{
             {"actor", "etcd"}, {"client", "kube-apiserver-0"}, {"resource", "pods"}};
         EXPECT_GE(told.Count(EventKind::kWatch, With(watch, "state", "open"), fault.seq), 1);
         EXPECT_EQ(told.Count(EventKind::kWatch, With(kPodWatch, "state", "close"), fault.seq), 0)
             << "its own clients do not notice";
       }},
      {"Expire",
       "  - {when: " + kFirstPod +
           ", expire: {client: kube-controller-manager, resource: pods}}\n"
           "  - {when: " +
           kFirstPod + ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const Told& told) {
         const Record& relist =
             told.First(EventKind::kRelist, kPodRelist, told.Begin("expire").seq);
         EXPECT_EQ(relist.Text("reason"), "expired");
         EXPECT_GT(told.End("expire").seq, told.Begin("dropWatch").seq) << "when it has struck";
       }},
      {"DelayStream",
       "  - {at: 0s, delayStream: {client: kube-controller-manager, resource: pods, by: 20s}}\n"
       "  - {at: 2m, releaseStream: {client: kube-controller-manager, resource: pods}}\n",
       [](const Told& told) {
         const Record& made = told.First(EventKind::kCommit, {{"resource", "pods"}});
         const Record& heard =
             told.First(EventKind::kHandler,
                        {{"listener", "kube-controller-manager/replicaset"}, {"resource", "pods"}});
         EXPECT_GE(Duration(heard.t - made.t), Seconds(20));
         EXPECT_GT(told.End("delayStream").seq, told.Begin("releaseStream").seq);
       }},
      {"HoldStream",
       "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods, for: 30s}}\n",
       [](const Told& told) {
         EXPECT_EQ(
             told.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                        told.Begin("holdStream").seq, told.End("holdStream").seq),
             0);
         EXPECT_GE(
             told.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                        told.End("holdStream").seq),
             2);
       }},
      {"ReleaseStream",
       "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods}}\n"
       "  - {at: 25s, releaseStream: {client: kube-scheduler, resource: pods}}\n",
       [](const Told& told) {
         EXPECT_EQ(told.End("holdStream").cause, told.Begin("releaseStream").seq);
         EXPECT_EQ(
             told.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                        told.Begin("holdStream").seq, told.End("holdStream").seq),
             0);
       }},
      {"StallHandler",
       "  - {at: 0s, stallHandler: {actor: kube-controller-manager/replicaset, resource: "
       "replicasets, for: 40s}}\n",
       [](const Told& told) {
         const Fields handler{{"informer", "kube-controller-manager replicasets"}};
         const Record &begin = told.Begin("stallHandler"), &end = told.End("stallHandler");
         EXPECT_EQ(told.Count(EventKind::kHandler, handler, begin.seq, end.seq), 0);
         EXPECT_GE(told.Count(EventKind::kHandler, handler, end.seq), 1);
         EXPECT_GE(told.Count(EventKind::kDeliver,
                              {{"actor", "kube-controller-manager"}, {"resource", "replicasets"}},
                              begin.seq, end.seq),
                   1)
             << "the cache goes on";
       }},
      {"StallTheQueueInFrontOfTheCache",
       "  - {at: 0s, stallHandler: {actor: kube-controller-manager, resource: pods}}\n"
       "  - {at: 40s, dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const Told& told) {
         // The relist waits in the delta queue, in front of the cache, until the heal.
         const Record& heal = told.First(EventKind::kPhase, {{"name", "heal"}});
         const Record& cache = told.First(EventKind::kCache, kPodRelist, heal.seq);
         EXPECT_EQ(cache.Int("items"), 0);
         EXPECT_EQ(told.End("stallHandler").cause, heal.seq);
         EXPECT_GE(told.Count(EventKind::kHandler, kPodRelist, heal.seq), 2);
       }},
      {"Compact", "  - {when: " + kFirstPod + ", compact: {revision: head}}\n",
       [](const Told& told) {
         const Record& compact = told.First(EventKind::kCompact, {{"by", "ksim"}});
         EXPECT_EQ(compact.cause, told.Begin("compact").seq);
       }},
      {"FreezeCache",
       "  - {at: 0s, freezeCache: {server: kube-apiserver-0, resource: pods}}\n"
       "  - {at: 45s, thawCache: {server: kube-apiserver-0, resource: pods}}\n",
       [](const Told& told) {
         const Fields pods{{"actor", "kube-apiserver-0"}, {"resource", "pods"}};
         const Record &begin = told.Begin("freezeCache"), &end = told.End("freezeCache");
         EXPECT_GE(told.Count(EventKind::kCommit, {{"resource", "pods"}}, begin.seq, end.seq), 2);
         EXPECT_EQ(told.Count(EventKind::kEvent, With(pods, "type", "ADDED"), begin.seq, end.seq),
                   0);
         EXPECT_GE(told.Count(EventKind::kEvent, With(pods, "type", "ADDED"), end.seq), 2);
       }},
      {"ReinitCache",
       "  - {when: " + kFirstPod + ", reinitCache: {server: kube-apiserver-0, resource: pods}}\n",
       [](const Told& told) {
         EXPECT_GE(told.Count(EventKind::kWatch,
                              {{"resource", "pods"}, {"state", "close"}, {"reason", "reinit"}},
                              told.Begin("reinitCache").seq),
                   3);
       }},
      {"Restart",
       "  - {when: " + kFirstPod + ", restart: {process: kube-controller-manager, down: 5s}}\n",
       [](const Told& told) {
         const Record& kill = told.First(
             EventKind::kActor, {{"process", "kube-controller-manager"}, {"state", "kill"}});
         const Record& start =
             told.First(EventKind::kActor,
                        {{"process", "kube-controller-manager"}, {"state", "start"}}, kill.seq);
         EXPECT_EQ(Duration(start.t - kill.t), Seconds(5));
         EXPECT_EQ(told.First(EventKind::kRelist, kPodRelist, start.seq).Text("reason"), "start");
       }},
      {"RestartOfTheApiServer",
       "  - {when: " + kFirstPod + ", restart: {process: kube-apiserver-0}}\n",
       [](const Told& told) {
         EXPECT_GE(told.Count(EventKind::kWatch, With(kPodWatch, "state", "open"),
                              told.End("restart").seq),
                   1);
       }},
      {"CrashAfterAWrite",
       "  - {at: 0s, crash: {process: kube-controller-manager, afterWrite: 1, down: 10s}}\n",
       [](const Told& told) {
         const Record& kill = told.First(
             EventKind::kActor, {{"process", "kube-controller-manager"}, {"state", "kill"}});
         const Record& commit = told.events[kill.cause - 1];
         EXPECT_EQ(commit.kind, EventKind::kCommit);
         EXPECT_EQ(commit.Text("by"), "kube-controller-manager/replicaset");
       }},
      {"CrashUntilTheHeal", "  - {at: 0s, crash: {process: kube-scheduler}}\n",
       [](const Told& told) {
         const Record& heal = told.First(EventKind::kPhase, {{"name", "heal"}});
         EXPECT_EQ(told.End("crash").cause, heal.seq);
         EXPECT_EQ(told.Count(EventKind::kRequest, {{"subresource", "binding"}}, 0, heal.seq), 0);
       }},
      {"Failover", "  - {at: 20s, failover: {process: kube-controller-manager}}\n",
       [](const Told& told) {
         const Fields dead{{"process", told.FirstLeader()}};
         const Record& kill = told.First(EventKind::kActor, With(dead, "state", "kill"));
         EXPECT_EQ(kill.cause, told.Begin("failover").seq);
         const Record& lead = told.First(EventKind::kActor, {{"state", "lead"}}, kill.seq);
         EXPECT_NE(lead.Text("process"), told.FirstLeader());
         EXPECT_GT(Duration(lead.t - kill.t), Seconds(10)) << "the lease was not given back";
         EXPECT_EQ(told.End("failover").cause, lead.seq);
         const Record& start =
             told.First(EventKind::kActor, With(dead, "state", "start"), kill.seq);
         EXPECT_EQ(start.t, lead.t);
       }},
      {"FailoverInMidWrite",
       "  - {at: 0s, failover: {process: kube-controller-manager, afterWrite: 2}}\n",
       [](const Told& told) {
         const Record& kill = told.First(EventKind::kActor, {{"state", "kill"}});
         EXPECT_EQ(told.events[kill.cause - 1].kind, EventKind::kCommit);
         EXPECT_EQ(told.Count(EventKind::kCommit, {{"resource", "pods"}, {"op", "create"}}), 2);
       }},
      {"FailoverToOneOfThree",
       "  - {at: 20s, failover: {process: kube-controller-manager, to: "
       "kube-controller-manager-2}}\n"
       "  - {at: 1m, failover: {process: kube-controller-manager-2, to: "
       "kube-controller-manager-0}}\n",
       [](const Told& told) {
         const Record& first = told.First(EventKind::kActor, {{"state", "lead"}});
         const Record& second = told.First(EventKind::kActor, {{"state", "lead"}}, first.seq);
         const Record& third = told.First(EventKind::kActor, {{"state", "lead"}}, second.seq);
         EXPECT_EQ(second.Text("process"), "kube-controller-manager-2");
         EXPECT_EQ(third.Text("process"), "kube-controller-manager-0");
       }},
      {"Connect",
       "  - {when: " + kFirstPod +
           ", connect: {client: kube-controller-manager, server: kube-apiserver-0}}\n",
       [](const Told& told) {
         const std::uint64_t seq = told.Begin("connect").seq;
         EXPECT_GE(told.Count(EventKind::kWatch, With(kPodWatch, "state", "open"), seq), 1);
         EXPECT_EQ(told.Count(EventKind::kRelist, kPodRelist, seq), 0);
       }},
      {"Pause",
       "  - {at: 0s, pause: {actor: kube-scheduler, before: write}}\n"
       "  - {at: 50s, resume: {actor: kube-scheduler}}\n",
       [](const Told& told) {
         const Fields binding{{"subresource", "binding"}};
         EXPECT_EQ(told.Count(EventKind::kRequest, binding, 0, told.End("pause").seq), 0);
         EXPECT_EQ(told.Count(EventKind::kRequest, binding, told.End("pause").seq), 2);
       }},
      {"PauseBeforeARead",
       "  - {at: 0s, pause: {actor: kube-controller-manager/replicaset, before: read, for: 50s}}\n",
       [](const Told& told) {
         EXPECT_EQ(
             told.Count(EventKind::kReconcile, {}, told.Begin("pause").seq, told.End("pause").seq),
             0);
       }},
      {"RejectWrite",
       "  - {at: 0s, rejectWrite: {client: kube-scheduler, verb: create, resource: pods, code: "
       "409}}\n",
       [](const Told& told) {
         const Record& refused =
             told.First(EventKind::kResponse, {{"actor", "kube-scheduler"}, {"code", "409"}});
         EXPECT_GT(refused.seq, told.End("rejectWrite").seq);
         EXPECT_EQ(told.Count(EventKind::kRequest, {{"subresource", "binding"}}), 3);
       }},
      {"TimeoutWriteNotApplied",
       "  - {at: 0s, timeoutWrite: {client: kube-controller-manager, verb: create, resource: pods, "
       "applied: false}}\n",
       [](const Told& told) {
         const Record& lost = told.First(EventKind::kResponse, {{"lost", "true"}});
         const Record& request = told.events[lost.cause - 1];
         EXPECT_EQ(request.Text("resource"), "pods");
         EXPECT_EQ(told.Count(EventKind::kCommit, {{"request", std::to_string(request.Int("id"))}}),
                   0);
       }},
      {"TimeoutWriteApplied",
       "  - {at: 0s, timeoutWrite: {client: kube-controller-manager, verb: create, resource: pods, "
       "applied: true}}\n",
       [](const Told& told) {
         const Record& lost = told.First(EventKind::kResponse, {{"lost", "true"}});
         EXPECT_EQ(told.Count(EventKind::kCommit,
                              {{"request", std::to_string(told.events[lost.cause - 1].Int("id"))}}),
                   1);
       }},
      {"NodeSilent", "  - {at: 0s, nodeSilent: {node: node-1, for: 50s}}\n",
       [](const Told& told) {
         const Record &begin = told.Begin("nodeSilent"), &end = told.End("nodeSilent");
         EXPECT_LE(told.Count(EventKind::kCommit, {{"by", "kubelet/node-1"}}, begin.seq, end.seq),
                   0);
         EXPECT_GT(told.Count(EventKind::kCommit, {{"by", "kubelet/node-1"}}, end.seq), 0);
       }},
      // KUBELET-31
      {"NodeTrouble", "  - {at: 10s, nodeTrouble: {node: node-1, with: disk, for: 15s}}\n",
       [](const Told& told) {
         const Record &begin = told.Begin("nodeTrouble"), &end = told.End("nodeTrouble");
         EXPECT_EQ(end.t - begin.t, Seconds(15).ns());
         int evicted = 0;
         for (const Record& r : told.events) {
           if (r.kind != EventKind::kCommit || r.Text("by") != "kubelet/node-1") continue;
           for (const value::Value& leaf : r.Get("changed").items())
             evicted += leaf.Get("path").AsString() == "status.reason" &&
                        leaf.Get("new").AsString() == "Evicted";
         }
         EXPECT_GE(evicted, 1);
         EXPECT_GE(told.Count(EventKind::kRuntime, {{"node", "node-1"}, {"action", "kill"}},
                              begin.seq, end.seq),
                   1);
       }},
      {"ServerDown",
       "  - {when: " + kFirstPod + ", serverDown: {server: kube-apiserver-0, for: 10s}}\n",
       [](const Told& told) {
         const Record &begin = told.Begin("serverDown"), &end = told.End("serverDown");
         EXPECT_EQ(told.Count(EventKind::kStage, {{"stage", "authenticate"}}, begin.seq, end.seq),
                   0);
         EXPECT_GE(told.Count(EventKind::kResponse, {{"code", "0"}}, begin.seq, end.seq), 4);
       }},
      {"Partition",
       "  - {at: 0s, partition: {between: [kube-scheduler, kube-apiserver-0], for: 20s}}\n",
       [](const Told& told) {
         const Record &begin = told.Begin("partition"), &end = told.End("partition");
         EXPECT_EQ(
             told.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}}, begin.seq, end.seq), 0);
         EXPECT_GE(told.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}}, end.seq), 2);
       }},
      {"SkewClock", "  - {at: 0s, skewClock: {process: kubelet/node-1, by: 1h}}\n",
       [](const Told& told) {
         EXPECT_EQ(told.End("skewClock").cause,
                   told.First(EventKind::kPhase, {{"name", "heal"}}).seq);
       }},
  };
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, EachVerb, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

TEST(Failover, AProcessThatDoesNotLeadHandsNothingOver) {
  const auto told = Told::With(
      "  - {at: 20s, failover: {process: kube-controller-manager, to: kube-controller-manager-0}}\n"
      "  - {at: 1m, failover: {process: kube-controller-manager-1}}\n");
  ASSERT_EQ(told->report.faults_missing.size(), 1u);
  EXPECT_EQ(told->report.faults_missing[0].why, "kube-controller-manager-1 does not lead");
}

// No other process may lead meanwhile.
TEST(Failover, WaitsForTheHeir) {
  const auto told = Told::With(
      "  - {at: 20s, failover: {process: kube-controller-manager, to: kube-controller-manager-0}}\n"
      "  - {at: 20s, crash: {process: kube-controller-manager-0, down: 1m}}\n");
  EXPECT_EQ(told->report.exit_code, 0);
  EXPECT_GT(told->Lasted("failover"), Minutes(1));
  EXPECT_EQ(told->events[told->End("failover").cause - 1].Text("process"),
            "kube-controller-manager-0");
}

TEST(Verbs, EachHasARow) {
  for (std::string_view verb : VerbNames()) {
    bool found = false;
    for (const VerbRow& row : Rows())
      found = found || row.faults.find(fmt::format(" {}: ", verb)) != std::string::npos;
    EXPECT_TRUE(found) << verb;
  }
}

}  // namespace
}  // namespace ksim::fault
