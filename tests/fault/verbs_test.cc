// Each fault verb has its effect on clients and servers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "ksim/trace/trace.h"
#include "tests/fault/fault_run.h"

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
  std::function<void(const FaultRun&)> expect;
};

void PrintTo(const VerbRow& row, std::ostream* out) { *out << row.name; }

class EachVerb : public ::testing::TestWithParam<VerbRow> {};

// The effect shows, the cluster reaches its end state all the same, and a second run is equal.
TEST_P(EachVerb, HasItsEffectAndTheClusterConverges) {
  const VerbRow& row = GetParam();
  const auto run = FaultRun::With(row.faults);
  EXPECT_EQ(run->report.exit_code, 0);
  EXPECT_TRUE(run->report.faults_missing.empty())
      << (run->report.faults_missing.empty() ? "" : run->report.faults_missing[0].why);
  EXPECT_EQ(run->Pods(), 2);
  row.expect(*run);
  EXPECT_EQ(FaultRun::With(row.faults)->report.end.digest, run->report.end.digest);
}

// The header alone repeats the run, faults included.
TEST_P(EachVerb, IsRepeatedByTheTracesHeader) {
  const trace::Trace first = FaultRun::With(GetParam().faults)->Trace();
  const scenario::Loaded again = scenario::ParseScenarioTree(first.header.scenario);
  ASSERT_EQ(Render(again.errors, false), "");
  EXPECT_EQ(trace::FormatTrace(FaultRun(again.scenarios[0]).Trace(), false),
            trace::FormatTrace(first, false));
}

const std::vector<VerbRow>& Rows() {
  static const std::vector<VerbRow> rows{
      {"DropWatch",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const Record& fault = run.Begin("dropWatch");
         EXPECT_EQ(run.events[fault.cause - 1].kind, EventKind::kHandler);
         const Record& open =
             run.First(EventKind::kWatch, With(kPodWatch, "state", "open"), fault.seq);
         EXPECT_NE(open.Text("rv"), "") << "it goes on from the last version";
         EXPECT_EQ(run.Count(EventKind::kRelist, kPodRelist, fault.seq), 0);
       }},
      {"DropWatchWithAnError",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods, how: error}}\n",
       [](const FaultRun& run) {
         const Record& relist =
             run.First(EventKind::kRelist, kPodRelist, run.Begin("dropWatch").seq);
         EXPECT_EQ(relist.Text("reason"), "error");
       }},
      {"DropWatchAndRedialLater",
       "  - {when: " + kFirstPod +
           ", dropWatch: {client: kube-controller-manager, resource: pods, redialAfter: 20s}}\n",
       [](const FaultRun& run) {
         const Record& fault = run.Begin("dropWatch");
         EXPECT_EQ(run.Lasted("dropWatch"), Seconds(20));
         EXPECT_EQ(run.Count(EventKind::kWatch, With(kPodWatch, "state", "open"), fault.seq,
                             run.End("dropWatch").seq),
                   0);
         EXPECT_GE(run.Count(EventKind::kResponse,
                             {{"actor", "kube-controller-manager"}, {"code", "0"}}, fault.seq),
                   2);
       }},
      {"DropWatchOfAnApiServer",
       "  - {when: " + kFirstPod + ", dropWatch: {client: kube-apiserver-0, resource: pods}}\n",
       [](const FaultRun& run) {
         const Record& fault = run.Begin("dropWatch");
         const Fields watch{
             {"actor", "etcd"}, {"client", "kube-apiserver-0"}, {"resource", "pods"}};
         EXPECT_GE(run.Count(EventKind::kWatch, With(watch, "state", "open"), fault.seq), 1);
         EXPECT_EQ(run.Count(EventKind::kWatch, With(kPodWatch, "state", "close"), fault.seq), 0)
             << "its own clients do not notice";
       }},
      // CLIENT-22
      {"WatchErrorTooManyRequests",
       "  - {when: " + kFirstPod +
           ", watchError: {client: kube-controller-manager, resource: pods, reason: "
           "TooManyRequests}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("watchError").seq;
         const Record& error = run.First(EventKind::kDeliver, {{"type", "ERROR"}}, seq);
         EXPECT_EQ(error.actor, "kube-controller-manager");
         const Record& open = run.First(EventKind::kWatch, With(kPodWatch, "state", "open"), seq);
         EXPECT_NE(open.Text("rv"), "") << "it goes on from the last version";
         EXPECT_GE(Duration(open.t - error.t), Milliseconds(800)) << "after a back-off";
         EXPECT_EQ(run.Count(EventKind::kRelist, kPodRelist, seq), 0);
       }},
      // WATCH-36: nothing follows an ERROR.
      {"WatchErrorOfAServer",
       "  - {when: " + kFirstPod +
           ", watchError: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("watchError").seq;
         const Record& end = run.First(EventKind::kWatch, With(kPodWatch, "state", "close"), seq);
         EXPECT_EQ(end.Text("reason"), "error");
         const std::string stream = std::to_string(end.Int("stream"));
         const Fields error{{"stream", stream}, {"type", "ERROR"}};
         EXPECT_EQ(run.Count(EventKind::kEvent, error, seq), 1);
         EXPECT_EQ(run.Count(EventKind::kEvent, {{"stream", stream}},
                             run.First(EventKind::kEvent, error, seq).seq),
                   0);
         EXPECT_EQ(run.First(EventKind::kRelist, kPodRelist, seq).Text("reason"), "error");
       }},
      {"WatchErrorExpired",
       "  - {when: " + kFirstPod +
           ", watchError: {client: kube-controller-manager, resource: pods, reason: Gone}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("watchError").seq;
         EXPECT_EQ(run.First(EventKind::kRelist, kPodRelist, seq).Text("reason"), "expired");
       }},
      {"Expire",
       "  - {when: " + kFirstPod +
           ", expire: {client: kube-controller-manager, resource: pods}}\n"
           "  - {when: " +
           kFirstPod + ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const Record& relist = run.First(EventKind::kRelist, kPodRelist, run.Begin("expire").seq);
         EXPECT_EQ(relist.Text("reason"), "expired");
         EXPECT_GT(run.End("expire").seq, run.Begin("dropWatch").seq) << "when it has struck";
       }},
      {"DropBookmark",
       "  - {at: 0s, dropBookmark: {client: kube-controller-manager, resource: pods, for: 3m}}\n"
       "  - {at: 0s, pause: {actor: kube-scheduler, before: write, for: 5m}}\n",
       [](const FaultRun& run) {
         const Fields bookmarks{
             {"actor", "kube-controller-manager"}, {"type", "BOOKMARK"}, {"resource", "pods"}};
         const Record &begin = run.Begin("dropBookmark"), &end = run.End("dropBookmark");
         EXPECT_EQ(end.t - begin.t, Minutes(3).ns());
         EXPECT_EQ(run.Count(EventKind::kDeliver, bookmarks, begin.seq, end.seq), 0);
         EXPECT_GE(run.Count(EventKind::kDeliver, bookmarks, end.seq), 1);
       }},
      {"DelayStream",
       "  - {at: 0s, delayStream: {client: kube-controller-manager, resource: pods, by: 20s}}\n"
       "  - {at: 2m, releaseStream: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const Record& made = run.First(EventKind::kCommit, {{"resource", "pods"}});
         const Record& heard =
             run.First(EventKind::kHandler,
                       {{"listener", "kube-controller-manager/replicaset"}, {"resource", "pods"}});
         EXPECT_GE(Duration(heard.t - made.t), Seconds(20));
         EXPECT_GT(run.End("delayStream").seq, run.Begin("releaseStream").seq);
       }},
      {"HoldStream",
       "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods, for: 30s}}\n",
       [](const FaultRun& run) {
         EXPECT_EQ(
             run.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                       run.Begin("holdStream").seq, run.End("holdStream").seq),
             0);
         EXPECT_GE(
             run.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                       run.End("holdStream").seq),
             2);
       }},
      {"ReleaseStream",
       "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods}}\n"
       "  - {at: 25s, releaseStream: {client: kube-scheduler, resource: pods}}\n",
       [](const FaultRun& run) {
         EXPECT_EQ(run.End("holdStream").cause, run.Begin("releaseStream").seq);
         EXPECT_EQ(
             run.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                       run.Begin("holdStream").seq, run.End("holdStream").seq),
             0);
       }},
      {"StallHandler",
       "  - {at: 0s, stallHandler: {actor: kube-controller-manager/replicaset, resource: "
       "replicasets, for: 40s}}\n",
       [](const FaultRun& run) {
         const Fields handler{{"informer", "kube-controller-manager replicasets"},
                              {"listener", "kube-controller-manager/replicaset"}};
         const Record &begin = run.Begin("stallHandler"), &end = run.End("stallHandler");
         EXPECT_EQ(run.Count(EventKind::kHandler, handler, begin.seq, end.seq), 0);
         EXPECT_GE(run.Count(EventKind::kHandler, handler, end.seq), 1);
         EXPECT_GE(run.Count(EventKind::kDeliver,
                             {{"actor", "kube-controller-manager"}, {"resource", "replicasets"}},
                             begin.seq, end.seq),
                   1)
             << "the cache goes on";
       }},
      {"SlowHandler",
       "  - {at: 0s, slowHandler: {actor: kube-controller-manager/replicaset, resource: pods, "
       "takes: 10s, for: 1m}}\n",
       [](const FaultRun& run) {
         const Fields handler{{"informer", "kube-controller-manager pods"},
                              {"listener", "kube-controller-manager/replicaset"}};
         const Record &begin = run.Begin("slowHandler"), &end = run.End("slowHandler");
         const Record& first = run.First(EventKind::kHandler, handler, begin.seq);
         const Record& second = run.First(EventKind::kHandler, handler, first.seq);
         EXPECT_EQ(Duration(second.t - first.t), Seconds(10));
         EXPECT_LE(run.Count(EventKind::kHandler, handler, begin.seq, end.seq), 6);
         EXPECT_GT(run.Count(EventKind::kHandler, handler, end.seq), 0) << "the queue has grown";
         const Record& taken = run.First(
             EventKind::kDeliver,
             {{"actor", "kube-controller-manager"}, {"resource", "pods"}, {"type", "ADDED"}},
             begin.seq);
         EXPECT_GE(Duration(first.t - taken.t), Seconds(10)) << "a call acts when it returns";
       }},
      {"StallTheQueueInFrontOfTheCache",
       "  - {at: 0s, stallHandler: {actor: kube-controller-manager, resource: pods}}\n"
       "  - {at: 40s, dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         // The relist waits in the delta queue, in front of the cache, until the heal.
         const Record& heal = run.First(EventKind::kPhase, {{"name", "heal"}});
         const Record& cache = run.First(EventKind::kCache, kPodRelist, heal.seq);
         EXPECT_EQ(cache.Int("items"), 0);
         EXPECT_EQ(run.End("stallHandler").cause, heal.seq);
         EXPECT_GE(run.Count(EventKind::kHandler, kPodRelist, heal.seq), 2);
       }},
      {"Compact", "  - {when: " + kFirstPod + ", compact: {revision: head}}\n",
       [](const FaultRun& run) {
         const Record& compact = run.First(EventKind::kCompact, {{"by", "ksim"}});
         EXPECT_EQ(compact.cause, run.Begin("compact").seq);
       }},
      {"FreezeCache",
       "  - {at: 0s, freezeCache: {server: kube-apiserver-0, resource: pods}}\n"
       "  - {at: 45s, thawCache: {server: kube-apiserver-0, resource: pods}}\n",
       [](const FaultRun& run) {
         const Fields pods{{"actor", "kube-apiserver-0"}, {"resource", "pods"}};
         const Record &begin = run.Begin("freezeCache"), &end = run.End("freezeCache");
         EXPECT_GE(run.Count(EventKind::kCommit, {{"resource", "pods"}}, begin.seq, end.seq), 2);
         EXPECT_EQ(run.Count(EventKind::kEvent, With(pods, "type", "ADDED"), begin.seq, end.seq),
                   0);
         EXPECT_GE(run.Count(EventKind::kEvent, With(pods, "type", "ADDED"), end.seq), 2);
       }},
      {"ReinitCache",
       "  - {when: " + kFirstPod + ", reinitCache: {server: kube-apiserver-0, resource: pods}}\n",
       [](const FaultRun& run) {
         EXPECT_GE(run.Count(EventKind::kWatch,
                             {{"resource", "pods"}, {"state", "close"}, {"reason", "reinit"}},
                             run.Begin("reinitCache").seq),
                   3);
       }},
      {"Restart",
       "  - {when: " + kFirstPod + ", restart: {process: kube-controller-manager, down: 5s}}\n",
       [](const FaultRun& run) {
         const Record& kill = run.First(
             EventKind::kActor, {{"process", "kube-controller-manager"}, {"state", "kill"}});
         const Record& start =
             run.First(EventKind::kActor,
                       {{"process", "kube-controller-manager"}, {"state", "start"}}, kill.seq);
         EXPECT_EQ(Duration(start.t - kill.t), Seconds(5));
         EXPECT_EQ(run.First(EventKind::kRelist, kPodRelist, start.seq).Text("reason"), "start");
       }},
      {"RestartOfTheApiServer",
       "  - {when: " + kFirstPod + ", restart: {process: kube-apiserver-0}}\n",
       [](const FaultRun& run) {
         EXPECT_GE(
             run.Count(EventKind::kWatch, With(kPodWatch, "state", "open"), run.End("restart").seq),
             1);
       }},
      {"CrashAfterAWrite",
       "  - {at: 0s, crash: {process: kube-controller-manager, afterWrite: 1, down: 10s}}\n",
       [](const FaultRun& run) {
         const Record& kill = run.First(
             EventKind::kActor, {{"process", "kube-controller-manager"}, {"state", "kill"}});
         const Record& commit = run.events[kill.cause - 1];
         EXPECT_EQ(commit.kind, EventKind::kCommit);
         EXPECT_EQ(commit.Text("by"), "kube-controller-manager/replicaset");
       }},
      {"CrashUntilTheHeal", "  - {at: 0s, crash: {process: kube-scheduler}}\n",
       [](const FaultRun& run) {
         const Record& heal = run.First(EventKind::kPhase, {{"name", "heal"}});
         EXPECT_EQ(run.End("crash").cause, heal.seq);
         EXPECT_EQ(run.Count(EventKind::kRequest, {{"subresource", "binding"}}, 0, heal.seq), 0);
       }},
      {"Failover", "  - {at: 20s, failover: {process: kube-controller-manager}}\n",
       [](const FaultRun& run) {
         const Fields dead{{"process", run.FirstLeader()}};
         const Record& kill = run.First(EventKind::kActor, With(dead, "state", "kill"));
         EXPECT_EQ(kill.cause, run.Begin("failover").seq);
         const Record& lead = run.First(EventKind::kActor, {{"state", "lead"}}, kill.seq);
         EXPECT_NE(lead.Text("process"), run.FirstLeader());
         EXPECT_GT(Duration(lead.t - kill.t), Seconds(10)) << "the lease was not given back";
         EXPECT_EQ(run.End("failover").cause, lead.seq);
         const Record& start = run.First(EventKind::kActor, With(dead, "state", "start"), kill.seq);
         EXPECT_EQ(start.t, lead.t);
       }},
      {"FailoverInMidWrite",
       "  - {at: 0s, failover: {process: kube-controller-manager, afterWrite: 2}}\n",
       [](const FaultRun& run) {
         const Record& kill = run.First(EventKind::kActor, {{"state", "kill"}});
         EXPECT_EQ(run.events[kill.cause - 1].kind, EventKind::kCommit);
         EXPECT_EQ(run.Count(EventKind::kCommit, {{"resource", "pods"}, {"op", "create"}}), 2);
       }},
      {"FailoverToOneOfThree",
       "  - {at: 20s, failover: {process: kube-controller-manager, to: "
       "kube-controller-manager-2}}\n"
       "  - {at: 1m, failover: {process: kube-controller-manager-2, to: "
       "kube-controller-manager-0}}\n",
       [](const FaultRun& run) {
         const Record& first = run.First(EventKind::kActor, {{"state", "lead"}});
         const Record& second = run.First(EventKind::kActor, {{"state", "lead"}}, first.seq);
         const Record& third = run.First(EventKind::kActor, {{"state", "lead"}}, second.seq);
         EXPECT_EQ(second.Text("process"), "kube-controller-manager-2");
         EXPECT_EQ(third.Text("process"), "kube-controller-manager-0");
       }},
      {"Connect",
       "  - {when: " + kFirstPod +
           ", connect: {client: kube-controller-manager, server: kube-apiserver-0}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("connect").seq;
         EXPECT_GE(run.Count(EventKind::kWatch, With(kPodWatch, "state", "open"), seq), 1);
         EXPECT_EQ(run.Count(EventKind::kRelist, kPodRelist, seq), 0);
       }},
      {"Pause",
       "  - {at: 0s, pause: {actor: kube-scheduler, before: write}}\n"
       "  - {at: 50s, resume: {actor: kube-scheduler}}\n",
       [](const FaultRun& run) {
         const Fields binding{{"subresource", "binding"}};
         EXPECT_EQ(run.Count(EventKind::kRequest, binding, 0, run.End("pause").seq), 0);
         EXPECT_EQ(run.Count(EventKind::kRequest, binding, run.End("pause").seq), 2);
       }},
      {"PauseBeforeARead",
       "  - {at: 0s, pause: {actor: kube-controller-manager/replicaset, before: read, for: 50s}}\n",
       [](const FaultRun& run) {
         EXPECT_EQ(
             run.Count(EventKind::kReconcile, {}, run.Begin("pause").seq, run.End("pause").seq), 0);
       }},
      {"RejectWrite",
       "  - {at: 0s, rejectWrite: {client: kube-scheduler, verb: create, resource: pods, code: "
       "500}}\n",
       [](const FaultRun& run) {
         const Record& refused =
             run.First(EventKind::kResponse, {{"actor", "kube-scheduler"}, {"code", "500"}});
         EXPECT_GT(refused.seq, run.End("rejectWrite").seq);
         EXPECT_EQ(run.Count(EventKind::kRequest, {{"subresource", "binding"}}), 3);
       }},
      // CLIENT-37: ten tries of client-go's own, and the eleventh answer is the caller's.
      {"RejectRead",
       "  - {when: " + kFirstPod +
           ", rejectRead: {client: kube-controller-manager, resource: pods, code: 429, times: "
           "11}}\n"
           "  - {when: " +
           kFirstPod + ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("rejectRead").seq;
         EXPECT_EQ(run.Count(EventKind::kResponse, {{"code", "429"}}, seq), 11);
         EXPECT_GE(run.Lasted("rejectRead"), Seconds(10)) << "Retry-After is 1 s";
         EXPECT_EQ(run.Count(EventKind::kRelist, kPodRelist, seq), 0) << "429 needs no list";
       }},
      {"RejectReadOfAServerThatPanics",
       "  - {when: " + kFirstPod +
           ", rejectRead: {client: kube-controller-manager, verb: watch, resource: pods}}\n"
           "  - {when: " +
           kFirstPod + ", dropWatch: {client: kube-controller-manager, resource: pods}}\n",
       [](const FaultRun& run) {
         const std::uint64_t seq = run.Begin("rejectRead").seq;
         EXPECT_EQ(run.Count(EventKind::kResponse,
                             {{"actor", "kube-controller-manager"}, {"code", "500"}}, seq),
                   1);
         EXPECT_EQ(run.First(EventKind::kRelist, kPodRelist, seq).Text("reason"), "error");
       }},
      {"Rival",
       "  - {at: 0s, rival: {client: kube-controller-manager, resource: replicasets, times: 3}}\n",
       [](const FaultRun& run) {
         EXPECT_EQ(run.Count(EventKind::kResponse, {{"code", "409"}}, run.Begin("rival").seq), 3);
         EXPECT_EQ(run.Count(EventKind::kCommit, {{"by", "ksim"}, {"resource", "replicasets"}}), 3);
         const Record& commit = run.First(EventKind::kCommit, {{"by", "ksim"}});
         EXPECT_EQ(commit.cause, run.Begin("rival").seq);
         EXPECT_EQ(run.Count(EventKind::kFault, {{"verb", "rival"}, {"state", "skipped"}}), 0);
       }},
      {"RivalForATime", "  - {at: 0s, rival: {client: kubelet/node-1, for: 20s}}\n",
       [](const FaultRun& run) { EXPECT_EQ(run.Lasted("rival"), Seconds(20)); }},
      // API-217
      {"SlowWebhook", "  - {at: 0s, slowWebhook: {webhook: pods.example.com, for: 20s}}\n",
       [](const FaultRun& run) {
         const Record &begin = run.Begin("slowWebhook"), &end = run.End("slowWebhook");
         EXPECT_EQ(end.t - begin.t, Seconds(20).ns());
         const Record& answer =
             run.First(EventKind::kWebhook, {{"state", "answer"}, {"result", "ignored"}});
         EXPECT_EQ(answer.Int("latency"), Seconds(3).ns()) << "timeoutSeconds";
         EXPECT_NE(answer.Text("message").find("context deadline exceeded"), std::string::npos);
       }},
      {"TimeoutWriteNotApplied",
       "  - {at: 0s, timeoutWrite: {client: kube-controller-manager, verb: create, resource: pods, "
       "applied: false}}\n",
       [](const FaultRun& run) {
         const Record& lost = run.First(EventKind::kResponse, {{"lost", "true"}});
         const Record& request = run.events[lost.cause - 1];
         EXPECT_EQ(request.Text("resource"), "pods");
         EXPECT_EQ(run.Count(EventKind::kCommit, {{"request", std::to_string(request.Int("id"))}}),
                   0);
       }},
      {"TimeoutWriteApplied",
       "  - {at: 0s, timeoutWrite: {client: kube-controller-manager, verb: create, resource: pods, "
       "applied: true}}\n",
       [](const FaultRun& run) {
         const Record& lost = run.First(EventKind::kResponse, {{"lost", "true"}});
         EXPECT_EQ(run.Count(EventKind::kCommit,
                             {{"request", std::to_string(run.events[lost.cause - 1].Int("id"))}}),
                   1);
       }},
      {"NodeSilent", "  - {at: 0s, nodeSilent: {node: node-1, for: 50s}}\n",
       [](const FaultRun& run) {
         const Record &begin = run.Begin("nodeSilent"), &end = run.End("nodeSilent");
         EXPECT_LE(run.Count(EventKind::kCommit, {{"by", "kubelet/node-1"}}, begin.seq, end.seq),
                   0);
         EXPECT_GT(run.Count(EventKind::kCommit, {{"by", "kubelet/node-1"}}, end.seq), 0);
       }},
      // KUBELET-31
      {"NodeTrouble", "  - {at: 10s, nodeTrouble: {node: node-1, with: disk, for: 15s}}\n",
       [](const FaultRun& run) {
         const Record &begin = run.Begin("nodeTrouble"), &end = run.End("nodeTrouble");
         EXPECT_EQ(end.t - begin.t, Seconds(15).ns());
         int evicted = 0;
         for (const Record& r : run.events) {
           if (r.kind != EventKind::kCommit || r.Text("by") != "kubelet/node-1") continue;
           for (const value::Value& leaf : r.Get("changed").items())
             evicted += leaf.Get("path").AsString() == "status.reason" &&
                        leaf.Get("new").AsString() == "Evicted";
         }
         EXPECT_GE(evicted, 1);
         EXPECT_GE(run.Count(EventKind::kRuntime, {{"node", "node-1"}, {"action", "kill"}},
                             begin.seq, end.seq),
                   1);
       }},
      {"ServerDown",
       "  - {when: " + kFirstPod + ", serverDown: {server: kube-apiserver-0, for: 10s}}\n",
       [](const FaultRun& run) {
         const Record &begin = run.Begin("serverDown"), &end = run.End("serverDown");
         EXPECT_EQ(run.Count(EventKind::kStage, {{"stage", "authenticate"}}, begin.seq, end.seq),
                   0);
         EXPECT_GE(run.Count(EventKind::kResponse, {{"code", "0"}}, begin.seq, end.seq), 4);
       }},
      {"Partition",
       "  - {at: 0s, partition: {between: [kube-scheduler, kube-apiserver-0], for: 20s}}\n",
       [](const FaultRun& run) {
         const Record &begin = run.Begin("partition"), &end = run.End("partition");
         EXPECT_EQ(
             run.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}}, begin.seq, end.seq), 0);
         EXPECT_GE(run.Count(EventKind::kDeliver, {{"actor", "kube-scheduler"}}, end.seq), 2);
       }},
      {"SkewClock", "  - {at: 0s, skewClock: {process: kubelet/node-1, by: 1h}}\n",
       [](const FaultRun& run) {
         EXPECT_EQ(run.End("skewClock").cause,
                   run.First(EventKind::kPhase, {{"name", "heal"}}).seq);
       }},
  };
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, EachVerb, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

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
