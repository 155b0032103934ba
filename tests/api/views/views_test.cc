#include "ksim/api/conditions.h"
#include "ksim/api/lease.h"
#include "ksim/api/node.h"
#include "ksim/api/pod.h"
#include "ksim/api/replicaset.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

PodView PodFrom(std::string_view yaml) { return PodView(Object::FromTree(Yaml(yaml))); }

TEST(PodView, Predicates) {
  const struct {
    const char* yaml;
    bool ready, terminal, active, terminating;
  } kCases[] = {
      {"{}", false, false, true, false},
      {"status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}", true, false, true,
       false},
      {"status: {phase: Running, conditions: [{type: Ready, status: 'False'}]}", false, false, true,
       false},
      {"status: {phase: Succeeded}", false, true, false, false},
      {"status: {phase: Failed}", false, true, false, false},
      {"{metadata: {deletionTimestamp: '2025-01-01T00:00:00Z'}, status: {phase: Running}}", false,
       false, false, true},
      {"{metadata: {deletionTimestamp: '2025-01-01T00:00:00Z'}, status: {phase: Failed}}", false,
       true, false, false},
  };
  for (const auto& c : kCases) {
    const PodView pod = PodFrom(c.yaml);
    EXPECT_EQ(pod.ready(), c.ready) << c.yaml;
    EXPECT_EQ(pod.terminal(), c.terminal) << c.yaml;
    EXPECT_EQ(pod.active(), c.active) << c.yaml;
    EXPECT_EQ(pod.terminating(), c.terminating) << c.yaml;
  }
}

// CTRL-RS-28
TEST(PodView, AvailableAfterMinReadySeconds) {
  const PodView pod = PodFrom(
      "status: {conditions: [{type: Ready, status: 'True', lastTransitionTime: "
      "'2025-01-01T00:00:10Z'}]}");
  EXPECT_EQ(pod.ready_since(), At(10));
  for (const Compat compat : kAllCompats) {
    EXPECT_TRUE(pod.Available(Seconds(0), At(0), compat));
    EXPECT_FALSE(pod.Available(Seconds(5), At(14), compat));
    EXPECT_TRUE(pod.Available(Seconds(5), At(16), compat));
    // The time is up at this very second, which does not count yet up to 1.33.
    EXPECT_EQ(pod.Available(Seconds(5), At(15), compat), compat == Compat::k1_36);
  }
  const PodView timeless = PodFrom("status: {conditions: [{type: Ready, status: 'True'}]}");
  EXPECT_TRUE(timeless.Available(Seconds(0), At(9), Compat::k1_30));
  EXPECT_FALSE(timeless.Available(Seconds(1), At(9), Compat::k1_30));
  EXPECT_FALSE(PodFrom("{}").Available(Seconds(0), At(9), Compat::k1_30));
}

TEST(PodView, FieldsAndRestarts) {
  const PodView pod = PodFrom(R"(
metadata: {deletionGracePeriodSeconds: 30}
spec:
  nodeName: n1
  restartPolicy: Never
  schedulerName: s
  priority: 7
  terminationGracePeriodSeconds: 5
  schedulingGates: [{name: g}]
  tolerations: [{key: a}]
  containers: [{name: a}]
  initContainers: [{name: init}, {name: side, restartPolicy: Always}]
status:
  phase: Running
  reason: R
  message: M
  podIP: 10.0.0.1
  qosClass: Burstable
  nominatedNodeName: n2
  startTime: "2025-01-01T00:00:03Z"
  conditions: [{type: PodScheduled, status: "True"}]
  containerStatuses: [{name: a, restartCount: 2}, {name: b, restartCount: 5}]
  initContainerStatuses: [{name: init, restartCount: 9}, {name: side, restartCount: 4}]
)");
  EXPECT_EQ(pod.node_name(), "n1");
  EXPECT_EQ(pod.restart_policy(), "Never");
  EXPECT_EQ(pod.scheduler_name(), "s");
  EXPECT_EQ(pod.priority(), 7);
  EXPECT_EQ(pod.termination_grace_period_seconds(), 5);
  EXPECT_EQ(pod.deletion_grace_period_seconds(), 30);
  EXPECT_TRUE(pod.has_scheduling_gates());
  EXPECT_EQ(pod.tolerations().size(), 1u);
  EXPECT_EQ(pod.containers().size(), 1u);
  EXPECT_EQ(pod.phase(), "Running");
  EXPECT_EQ(pod.reason(), "R");
  EXPECT_EQ(pod.message(), "M");
  EXPECT_EQ(pod.pod_ip(), "10.0.0.1");
  EXPECT_EQ(pod.qos_class(), "Burstable");
  EXPECT_EQ(pod.nominated_node_name(), "n2");
  EXPECT_EQ(pod.start_time(), At(3));
  EXPECT_TRUE(pod.scheduled());
  EXPECT_EQ(pod.Condition("Ready"), nullptr);
  EXPECT_EQ(pod.MaxContainerRestarts(), 5);
  EXPECT_EQ(pod.MaxSidecarRestarts(), 4);
  ASSERT_NE(pod.ContainerStatus("b"), nullptr);
  EXPECT_EQ(pod.ContainerStatus("c"), nullptr);
  EXPECT_EQ(PodFrom("{}").termination_grace_period_seconds(), std::nullopt);
}

TEST(Conditions, TransitionTimeMovesWithTheStatusOnly) {
  const Value first = UpdateCondition(Value(), MakeCondition("Ready", "False", "Starting"), At(1));
  EXPECT_EQ(value::ToJson(first),
            R"([{"lastTransitionTime":"2025-01-01T00:00:01Z","reason":"Starting",)"
            R"("status":"False","type":"Ready"}])");
  const Value reworded = UpdateCondition(first, MakeCondition("Ready", "False", "Waiting"), At(2));
  EXPECT_EQ(ConditionSince(reworded, "Ready"), At(1));
  const Value ready = UpdateCondition(reworded, MakeCondition("Ready", "True"), At(3));
  EXPECT_EQ(ConditionSince(ready, "Ready"), At(3));
  EXPECT_EQ(ConditionStatus(ready, "Ready"), "True");
  EXPECT_TRUE(UpdateCondition(ready, MakeCondition("Ready", "True"), At(9)).SameTree(ready));

  const Value two = UpdateCondition(ready, MakeCondition("Other", "Unknown", "r", "m"), At(4));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two.at(1).Get("message").AsString(), "m");
  EXPECT_EQ(RemoveCondition(two, "Ready").size(), 1u);
  EXPECT_TRUE(RemoveCondition(two, "None").SameTree(two));
  EXPECT_EQ(ConditionStatus(two, "None"), "");
  EXPECT_EQ(ConditionSince(two, "None"), std::nullopt);
}

TEST(ReplicaSetView, Counts) {
  const ReplicaSetView rs(Object::FromTree(Yaml(R"(
spec:
  replicas: 3
  minReadySeconds: 5
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}}
status:
  replicas: 2
  fullyLabeledReplicas: 2
  readyReplicas: 1
  availableReplicas: 1
  observedGeneration: 4
  conditions: [{type: x}]
)")));
  EXPECT_EQ(rs.replicas(), 3);
  EXPECT_EQ(rs.min_ready(), Seconds(5));
  EXPECT_EQ(rs.template_labels().Get("a").AsString(), "b");
  EXPECT_EQ(rs.selector().Get("matchLabels").size(), 1u);
  EXPECT_EQ(rs.status_replicas(), 2);
  EXPECT_EQ(rs.fully_labeled_replicas(), 2);
  EXPECT_EQ(rs.ready_replicas(), 1);
  EXPECT_EQ(rs.available_replicas(), 1);
  EXPECT_EQ(rs.observed_generation(), 4);
  EXPECT_EQ(rs.conditions().size(), 1u);
  EXPECT_EQ(ReplicaSetView(Object::FromTree(Yaml("{}"))).replicas(), 1);
}

TEST(NodeView, WhatTheSchedulerReads) {
  const NodeView node(Object::FromTree(Yaml(R"(
metadata:
  labels:
    node-role.kubernetes.io/worker: ""
    node-role.kubernetes.io/: ""
    kubernetes.io/role: infra
spec: {unschedulable: true, taints: [{key: a, effect: NoExecute}]}
status:
  capacity: {cpu: "4"}
  allocatable: {cpu: "3"}
  addresses: [{type: InternalIP, address: 10.0.0.1}]
  conditions: [{type: Ready, status: Unknown}]
  nodeInfo: {kubeletVersion: v1.30.0}
)")));
  EXPECT_TRUE(node.unschedulable());
  EXPECT_TRUE(node.HasTaint("a", "NoExecute"));
  EXPECT_FALSE(node.HasTaint("a", "NoSchedule"));
  EXPECT_EQ(node.ready_status(), "Unknown");
  EXPECT_FALSE(node.ready());
  EXPECT_EQ(node.capacity().Get("cpu").AsString(), "4");
  EXPECT_EQ(node.allocatable().Get("cpu").AsString(), "3");
  EXPECT_EQ(node.Address("InternalIP"), "10.0.0.1");
  EXPECT_EQ(node.Address("ExternalIP"), "");
  EXPECT_EQ(node.Roles(), (std::vector<std::string>{"infra", "worker"}));
  EXPECT_EQ(node.node_info().Get("kubeletVersion").AsString(), "v1.30.0");
}

TEST(LeaseView, TimesInMicroseconds) {
  const LeaseView lease(Object::FromTree(
      Yaml("spec: {holderIdentity: me, leaseDurationSeconds: 15, leaseTransitions: 2, acquireTime: "
           "'2025-01-01T00:00:01.000000Z', renewTime: '2025-01-01T00:00:02.500000Z'}")));
  EXPECT_EQ(lease.holder(), "me");
  EXPECT_EQ(lease.duration(), Seconds(15));
  EXPECT_EQ(lease.transitions(), 2);
  EXPECT_EQ(lease.acquire_time(), At(1));
  EXPECT_EQ(lease.renew_time(), VirtualTime() + Milliseconds(2500));
}

}  // namespace
}  // namespace ksim::api
