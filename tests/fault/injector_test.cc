// Faults begin and end at their triggers, and the report names those that never began or ended.
#include <gtest/gtest.h>

#include "ksim/fault/drawn_faults.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using trace::Record;

// A trigger with a count: the second call of an informer's handler.
TEST(Injector, FiresAfterTheTriggersOwnEffectAndBeforeAnythingElse) {
  const auto run = FaultRun::With(
      "  - {when: {event: handler, informer: kube-controller-manager pods, type: add, count: 2}, "
      "dropWatch: {client: kube-controller-manager, resource: pods}}\n");
  const Record& fault = run->Begin("dropWatch");
  const Record& trigger = run->events[fault.cause - 1];
  EXPECT_EQ(trigger.kind, EventKind::kHandler);
  EXPECT_EQ(trigger.t, fault.t);
  EXPECT_EQ(run->Count(EventKind::kHandler,
                       {{"informer", "kube-controller-manager pods"}, {"type", "add"}}, 0,
                       trigger.seq + 1),
            2);
}

TEST(Injector, ATriggerMayNameAnyKindOfEvent) {
  for (const char* when :
       {"{event: request, actor: kube-scheduler, subresource: binding}",
        "{event: response, actor: kube-scheduler, code: 201}", "{event: stage, stage: store}",
        "{event: commit, resource: pods, op: update, by: kube-scheduler}",
        "{event: event, resource: pods, type: MODIFIED}",
        "{event: deliver, actor: kube-scheduler, resource: pods}",
        "{event: reconcile, controller: replicaset, state: end}",
        "{event: runtime, action: start, node: node-1}", "{event: step, verb: create, state: end}",
        "{event: fault, verb: pause, state: begin}"}) {
    const auto run = FaultRun::With(
        "  - {at: 1s, pause: {actor: kube-scheduler, for: 1s}}\n  - {when: " + std::string(when) +
        ", compact: {revision: head}}\n");
    EXPECT_TRUE(run->report.faults_missing.empty()) << when;
  }
}

// This is the first event that triggers count; it belongs to no step of the scenario.
TEST(Injector, ATriggerMayBeThePhaseThatTheWorkloadBeginsWith) {
  const auto run = FaultRun::With(
      "  - {when: {event: phase, name: workload}, restart: {process: kube-scheduler}}\n",
      "  - {when: {event: phase, name: workload}, cordon: node-1}\n");
  EXPECT_TRUE(run->report.faults_missing.empty());
  EXPECT_TRUE(run->report.never_begun.empty());
  const Record& phase = run->First(EventKind::kPhase, {{"name", "workload"}});
  EXPECT_EQ(run->Begin("restart").cause, phase.seq);
  EXPECT_EQ(run->First(EventKind::kStep, {{"verb", "cordon"}}).cause, phase.seq);
}

// The kernel defers a kill inside a step until the step returns: a fault without duration must not
// end before that, or the process stays dead.
TEST(Injector, AProcessThatIsDownForNoTimeComesBack) {
  for (const char* fault :
       {"{at: 2s, restart: {process: kube-scheduler, down: 0s}}",
        "{at: 2s, crash: {process: kube-scheduler, down: 0s}}",
        "{when: {event: phase, name: workload}, restart: {process: kube-scheduler, down: 0s}}",
        "{at: 0s, crash: {process: kube-scheduler, afterWrite: 1, down: 0s}}"}) {
    const auto run =
        FaultRun::With("  - " + std::string(fault) + "\n",
                       "  - {at: 10s, scale: {resource: replicasets/web, replicas: 3}}\n");
    const Record& kill =
        run->First(EventKind::kActor, {{"process", "kube-scheduler"}, {"state", "kill"}});
    const Record& start = run->First(EventKind::kActor,
                                     {{"process", "kube-scheduler"}, {"state", "start"}}, kill.seq);
    EXPECT_GT(start.seq, kill.seq) << fault;
    EXPECT_EQ(start.t, kill.t) << fault;
    EXPECT_EQ(run->report.exit_code, 0) << fault;
    EXPECT_EQ(run->Pods(), 3) << fault;
  }
}

TEST(Injector, ATriggerThatNeverComesIsReported) {
  const auto run = FaultRun::With(
      "  - {when: {event: commit, resource: jobs}, restart: {process: kube-scheduler}}\n");
  ASSERT_EQ(run->report.faults_missing.size(), 1u);
  EXPECT_EQ(run->report.faults_missing[0].number, 1);
  EXPECT_EQ(run->report.faults_missing[0].fault, "restart kube-scheduler");
  EXPECT_EQ(run->report.faults_missing[0].why, "its trigger did not come");
  EXPECT_EQ(run->report.exit_code, 0);
}

TEST(Injector, ATimeThatNeverComesIsReported) {
  const FaultRun run(
      FaultRun::Load("  cluster: {nodes: 1}\n  until: 10s\n  steps:\n"
                     "  - {at: 0s, create: {document: ReplicaSet/web}}\n  faults:\n"
                     "  - {at: 20s, restart: {process: kube-scheduler}}\n"));
  ASSERT_EQ(run.report.faults_missing.size(), 1u);
  EXPECT_EQ(run.report.faults_missing[0].why, "the run was over before its time");
}

TEST(Injector, AFaultWithoutATargetIsSkippedWithAReason) {
  struct Case {
    const char *fault, *why;
  };
  const Case cases[] = {
      {"dropWatch: {client: kubelet/node-1, resource: replicasets}",
       "kubelet/node-1 has no open watch of replicasets"},
      {"stallHandler: {actor: kube-controller-manager/replicaset, resource: nodes}",
       "kube-controller-manager/replicaset has no handler of nodes"},
      {"releaseStream: {client: kube-scheduler, resource: pods}",
       "kube-scheduler pods is not held"},
      {"thawCache: {server: kube-apiserver-0, resource: pods}",
       "kube-apiserver-0 pods is not frozen"},
      {"resume: {actor: kube-scheduler}", "kube-scheduler is not paused"},
      {"compact: {revision: 100000}", "there is no revision 100000 yet"},
      {"expire: {client: kube-scheduler, resource: pods}", "nothing came that it could strike"}};
  for (const Case& c : cases) {
    const auto run = FaultRun::With("  - {at: 1s, " + std::string(c.fault) + "}\n");
    ASSERT_EQ(run->report.faults_missing.size(), 1u) << c.fault;
    EXPECT_EQ(run->report.faults_missing[0].why, c.why);
    EXPECT_EQ(run->Count(EventKind::kFault, {{"state", "skipped"}}), 1) << c.fault;
  }
}

TEST(Injector, FaultsWithoutAnEndAreHealedOnceTheRunIsQuiet) {
  const auto run =
      FaultRun::With("  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods}}\n");
  const Record& heal = run->First(EventKind::kPhase, {{"name", "heal"}});
  ASSERT_NE(heal.seq, 0u);
  EXPECT_EQ(run->End("holdStream").cause, heal.seq);
  EXPECT_EQ(run->Pods(), 2);
}

TEST(Injector, TwoHoldsMustBothLetGo) {
  const auto run = FaultRun::With(
      "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods, for: 10s}}\n"
      "  - {at: 0s, holdStream: {client: kube-scheduler, resource: pods, for: 30s}}\n");
  const Record& first =
      run->First(EventKind::kDeliver, {{"actor", "kube-scheduler"}, {"resource", "pods"}},
                 run->Begin("holdStream").seq);
  EXPECT_GE(Duration(first.t - run->Begin("holdStream").t), Seconds(30));
}

TEST(Injector, ARunWithoutFaultsHasNoHeal) {
  const auto run = std::make_unique<FaultRun>(FaultRun::Load("  cluster: {nodes: 1}\n"));
  EXPECT_EQ(run->Count(EventKind::kPhase, {{"name", "heal"}}), 0);
}

TEST(Drawn, KindsAreTakenByNameAndTakenAway) {
  EXPECT_EQ(AllowedKinds({"*"}).size(), DrawnKinds().size());
  EXPECT_EQ(AllowedKinds({"crash", "expire"}), (std::vector<std::string_view>{"expire", "crash"}));
  EXPECT_EQ(AllowedKinds({"*", "-crash"}).size(), DrawnKinds().size() - 1);
  EXPECT_TRUE(AllowedKinds({}).empty());
  const auto names = NamesInFuzz();
  for (const char* name : {"crash", "storm", "delay", "order", "reseed"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_TRUE(Allows({"*"}, "delay"));
  EXPECT_TRUE(Allows({"delay"}, "delay"));
  EXPECT_TRUE(Allows({"delayStream"}, "delay"));
  EXPECT_FALSE(Allows({"delayStream", "-delay"}, "delay"));
  EXPECT_FALSE(Allows({"*", "-delay"}, "delay"));
  EXPECT_FALSE(Allows({"crash"}, "order"));
  EXPECT_FALSE(Allows({"*", "-order"}, "order"));
}

}  // namespace
}  // namespace ksim::fault
