#include "ksim/scenario/not_simulated.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "from_text.h"
#include "ksim/scenario/controller_parts.h"

namespace ksim::scenario {
namespace {

// The lines about a scenario: "LINE:COLUMN CONTROLLER: MESSAGE".
std::string Said(const Scenario& scenario) {
  std::string out;
  for (const NotSimulated& one : NotSimulatedIn(scenario, "test.yaml"))
    out += fmt::format("{}:{} {}: {}\n", one.span.line, one.span.column,
                       one.controller.empty() ? "-" : one.controller, one.message);
  return out;
}

// A cluster that names no controllers runs that of ReplicaSets alone here.
std::string SaidByOne(Scenario scenario) {
  if (scenario.cluster.controllers == std::vector<std::string>{"*"})
    scenario.cluster.controllers = {"replicaset"};
  return Said(scenario);
}
std::string SaidOfManifest(const std::string& text) { return SaidByOne(Only(LoadText(text))); }
std::string SaidOfSpec(const std::string& spec) { return SaidByOne(FromSpec(spec)); }

// --- kinds ---

struct KindRow {
  const char* api_version;
  const char* kind;
  const char* said;  // "" = nothing
};

TEST(NotSimulated, EachKindThatNothingFollowsIsNamedAtItsKind) {
  constexpr KindRow kRows[] = {
      {"apps/v1", "Deployment",
       "deployment-controller: no controller for Deployment in this run "
       "(spec.cluster.controllers leaves deployment out): nothing will follow"},
      {"apps/v1", "StatefulSet",
       "statefulset-controller: no controller for StatefulSet in this run "
       "(spec.cluster.controllers leaves statefulset out): nothing will follow"},
      {"apps/v1", "DaemonSet",
       "daemonset-controller: no controller for DaemonSet in this run "
       "(spec.cluster.controllers leaves daemonset out): nothing will follow"},
      {"batch/v1", "Job",
       "job-controller: no controller for Job in this run (spec.cluster.controllers leaves job "
       "out): nothing will follow"},
      {"batch/v1", "CronJob",
       "cronjob-controller: no controller for CronJob in this run (spec.cluster.controllers leaves "
       "cronjob out): nothing will follow"},
      {"v1", "ReplicationController",
       "replicationcontroller-controller: no controller for ReplicationController in this run "
       "(spec.cluster.controllers leaves replicationcontroller out): nothing will follow"},
      {"autoscaling/v2", "HorizontalPodAutoscaler",
       "horizontal-pod-autoscaler-controller: no controller for HorizontalPodAutoscaler in this "
       "run (spec.cluster.controllers leaves horizontalpodautoscaler out): nothing will follow"},
      {"policy/v1", "PodDisruptionBudget",
       "disruption-controller: no controller for PodDisruptionBudget in this run "
       "(spec.cluster.controllers leaves disruption out): evictions of its pods are refused for "
       "ever"},
      {"v1", "Service",
       "endpointslice-controller: no controller for Service in this run "
       "(spec.cluster.controllers leaves endpointslice out): it gets no endpoints, and no traffic "
       "is simulated"},
      {"v1", "PersistentVolumeClaim",
       "persistentvolume-binder-controller: PersistentVolumeClaim has no effect in this run: "
       "volumes are not simulated, and pods start without them"},
      {"networking.k8s.io/v1", "NetworkPolicy",
       "-: NetworkPolicy has no effect in this run: no traffic is simulated"},
      {"networking.k8s.io/v1", "Ingress",
       "-: Ingress has no effect in this run: no traffic is simulated"},
      {"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", ""},
      {"v1", "ResourceQuota",
       "resourcequota-controller: no controller for ResourceQuota in this run "
       "(spec.cluster.controllers leaves resourcequota out): nothing is counted, and it limits "
       "nothing"},
      {"v1", "LimitRange", ""},
      {"rbac.authorization.k8s.io/v1", "Role",
       "-: Role has no effect in this run: everybody may do everything but what "
       "spec.cluster.deny says"},
      {"node.k8s.io/v1", "RuntimeClass", ""},
      {"example.com/v1", "Website",
       "-: no controller for Website in this run: nothing will follow"},
      {"v1", "ConfigMap", ""},
      {"v1", "Secret", ""},
      {"v1", "ServiceAccount", ""},
      {"v1", "Namespace", ""},
      {"apps/v1", "ReplicaSet", ""},
      {"v1", "Pod", ""},
      {"scheduling.k8s.io/v1", "PriorityClass", ""},
  };
  for (const KindRow& row : kRows) {
    const std::string text =
        fmt::format("apiVersion: {}\nkind: {}\nmetadata: {{name: a}}\n", row.api_version, row.kind);
    const std::string said = *row.said == '\0' ? "" : fmt::format("2:1 {}\n", row.said);
    EXPECT_EQ(SaidOfManifest(text), said) << row.kind;
  }
}

TEST(NotSimulated, AKindIsNamedOnceAtItsFirstObject) {
  EXPECT_EQ(SaidOfManifest("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n---\n"
                           "apiVersion: batch/v1\nkind: Job\nmetadata: {name: b}\n"),
            "2:1 job-controller: no controller for Job in this run (spec.cluster.controllers "
            "leaves job out): nothing will follow\n");
}

// --- who is there ---

const std::string kReplicaSetStep =
    "  - {at: 0s, create: {object: {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: "
    "r}}}}\n";

TEST(NotSimulated, AControllerThatIsSwitchedOffIsNamedUnlessASampleTakesItsPart) {
  const std::string missing =
      "7:53 replicaset-controller: no controller for ReplicaSet in this run "
      "(spec.cluster.controllers leaves replicaset out): nothing will follow\n";
  const struct {
    const char* cluster;
    bool said;
  } rows[] = {
      {"controllers: [\"*\"]", false},
      {"controllers: [\"*\", -replicaset]", true},
      {"controllers: []", true},
      {"controllers: [\"*\", -replicaset], processes: {own: [replicaset]}", false},
      {"controllers: [{name: replicaset, replicas: 2}]", false},
      {"controllers: [\"*\", -replicaset], processes: {sample: [right-keeper]}", false},
      // This sample does something else with ReplicaSets.
      {"controllers: [\"*\", -replicaset], processes: {sample: [right-identity]}", true},
  };
  for (const auto& row : rows) {
    const std::string spec =
        fmt::format("  cluster: {{{}}}\n  steps:\n{}", row.cluster, kReplicaSetStep);
    EXPECT_EQ(SaidOfSpec(spec), row.said ? missing : "") << row.cluster;
  }
}

TEST(NotSimulated, TheTaintEvictionOf125IsPartOfTheNodeLifecycleController) {
  ClusterSpec cluster;
  cluster.controllers = {"replicaset"};
  const auto name = [&](api::Compat compat) {
    return MissingController(cluster, compat, "tainteviction")->name;
  };
  EXPECT_EQ(name(api::Compat::k1_25), "nodelifecycle");
  EXPECT_EQ(name(api::Compat::k1_30), "tainteviction");
}

// --- fields of pods, nodes and definitions ---

TEST(NotSimulated, FieldsOfPodsThatAskForWhatNobodyGivesAreNamed) {
  const std::string volumes = "volumes are not simulated, and pods start without them\n";
  const struct {
    const char* spec;
    std::string said;
  } rows[] = {
      {"volumes: [{name: v, emptyDir: {}}]", ""},
      {"volumes: [{name: e, emptyDir: {}}, {name: v, persistentVolumeClaim: {claimName: c}}]",
       "4:53 -: PersistentVolumeClaim has no effect in this run: " + volumes},
      {"volumes: [{name: v, ephemeral: {}}]",
       "4:28 -: an ephemeral volume has no effect in this run: " + volumes},
      {"resourceClaims: [{name: gpu}]",
       "4:8 -: ResourceClaim has no effect in this run: devices are not simulated\n"},
      {"runtimeClassName: gvisor", ""},
      {"containers: [{name: c, lifecycle: {preStop: {sleep: {seconds: 5}}}}]", ""},
      {"containers: [{name: c, lifecycle: {postStart: {sleep: {seconds: 5}}}}]",
       "4:43 -: a container's postStart hook has no effect in this run: it is not run\n"},
      {"securityContext: {runAsNonRoot: true}, containers: [{name: c, image: web}]",
       "4:70 -: an image that spec.cluster.images does not describe counts as root's: runAsNonRoot "
       "keeps its container from starting\n"},
      {"securityContext: {runAsNonRoot: true}, containers: [{name: c, image: \"web:nonroot\"}]",
       ""},
      {"activeDeadlineSeconds: 5",
       "4:8 -: a pod's activeDeadlineSeconds has no effect in this run: it runs on\n"},
      {"schedulerName: default-scheduler", ""},
      {"schedulerName: volcano",
       "4:8 -: no scheduler volcano in this run: its pods stay Pending\n"},
      {"nodeName: node-2", ""},
      {"nodeName: node-9",
       "4:8 pod-garbage-collector-controller: no pod garbage collector in this run: a pod bound to "
       "node-9, a node that is not there, stays Pending\n"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(SaidOfManifest(fmt::format(
                  "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{{}}}\n", row.spec)),
              row.said)
        << row.spec;
}

TEST(NotSimulated, AnAccountThatAPodNamesAndNobodyMakesIsNamedAndOtherObjectsAreNot) {
  const struct {
    const char* spec;
    std::string said;
  } rows[] = {
      {"containers: [{name: c, envFrom: [{configMapRef: {name: m}}]}]", ""},
      {"volumes: [{name: v, secret: {secretName: s}}]", ""},
      {"serviceAccountName: default", ""},
      {"serviceAccountName: robot",
       "4:8 -: a pod names a ServiceAccount that is not there: a real API server refuses it, and "
       "here nobody looks\n"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(SaidOfManifest(fmt::format(
                  "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{{}}}\n", row.spec)),
              row.said)
        << row.spec;
}

TEST(NotSimulated, ASecretForATokenIsNamed) {
  EXPECT_EQ(SaidOfManifest("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
                           "type: kubernetes.io/service-account-token\n"),
            "4:1 serviceaccount-token-controller: no service account token controller in this run: "
            "a Secret for a token of a service account stays empty\n");
}

TEST(NotSimulated, ThePodsOfATemplateAreLookedAtIfSomebodyMakesThem) {
  const auto said = [](const std::string& kind) {
    return SaidOfManifest(
        "apiVersion: apps/v1\nkind: " + kind +
        "\nmetadata: {name: a}\nspec: {template: {spec: {activeDeadlineSeconds: 5}}}\n");
  };
  EXPECT_EQ(said("ReplicaSet"),
            "4:26 -: a pod's activeDeadlineSeconds has no effect in this run: it runs on\n");
  EXPECT_EQ(said("Deployment").find("activeDeadlineSeconds"), std::string::npos);
}

TEST(NotSimulated, ANodeWithoutAMachineIsNamed) {
  EXPECT_EQ(SaidOfManifest("apiVersion: v1\nkind: Node\nmetadata: {name: bare}\n"),
            "2:1 node-lifecycle-controller: no node lifecycle controller in this run: a Node "
            "without a kubelet is not tainted, and pods are bound to it\n");
}

// Rules of schemas and validating policies are judged by; mutating ones are not.
TEST(NotSimulated, OnlyMutatingPoliciesDoNothing) {
  EXPECT_EQ(SaidOfManifest("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
                           "metadata: {name: as.example.com}\nspec: {group: example.com, names: "
                           "{kind: A, plural: as}, versions: [{name: v1, storage: true, schema: "
                           "{openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "
                           "'true'}]}}}]}\n"),
            "");
  const std::string head = "apiVersion: admissionregistration.k8s.io/v1\nkind: ";
  EXPECT_EQ(SaidOfManifest(head + "ValidatingAdmissionPolicy\nmetadata: {name: a}\n"), "");
  const std::string mutating =
      SaidOfManifest(head + "MutatingAdmissionPolicy\nmetadata: {name: a}\n");
  EXPECT_NE(mutating.find("mutating admission policies are not evaluated"), std::string::npos)
      << mutating;
}

TEST(NotSimulated, ALoadBalancerStaysPending) {
  const std::string said = SaidOfManifest(
      "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: LoadBalancer}\n");
  EXPECT_NE(
      said.find("4:8 service-lb-controller: no service controller in this run: no cloud gives "
                "a LoadBalancer an address, and it stays pending\n"),
      std::string::npos)
      << said;
}

TEST(NotSimulated, TheClaimsOfAStatefulSetAreNamedWhereNobodyBindsThem) {
  Scenario scenario =
      Only(LoadText("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\n"
                    "spec:\n  volumeClaimTemplates:\n  - metadata: {name: data}\n"));
  EXPECT_EQ(Said(scenario), "");
  scenario.cluster.controllers = {"statefulset"};
  EXPECT_EQ(Said(scenario),
            "5:3 persistentvolume-binder-controller: PersistentVolumeClaim has no effect in this "
            "run: volumes are not simulated, and pods start without them\n");
}

TEST(NotSimulated, AnEphemeralVolumeNeedsWhoMakesItsClaim) {
  Scenario scenario =
      Only(LoadText("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
                    "spec: {volumes: [{name: v, ephemeral: {}}]}\n"));
  EXPECT_EQ(Said(scenario), "");
  scenario.cluster.controllers = {"*", "-ephemeral-volume"};
  EXPECT_EQ(Said(scenario),
            "4:28 -: no ephemeral-volume controller in this run: nobody makes the claim of an "
            "ephemeral volume, and its pod stays Pending\n");
}

TEST(NotSimulated, ACronJobWhoseFirstStartTheRunDoesNotReachIsNamed) {
  const auto said = [](const std::string& run, const std::string& schedule) {
    return Said(FromSpec(run +
                         "  steps:\n  - {at: 0s, create: {object: {apiVersion: batch/v1, kind: "
                         "CronJob, metadata: {name: c}, spec: {" +
                         schedule + "}}}}\n"));
  };
  const std::string ends_before =
      "-: a CronJob starts nothing in this run, which ends before 2025-01-01T01:00:00Z: spec.until "
      "says how long a run goes on\n";
  const std::string hourly = said("", "schedule: 0 * * * *");
  EXPECT_EQ(hourly.substr(hourly.find(' ') + 1), ends_before);
  EXPECT_EQ(said("", "schedule: 0/10 * * * *"), "") << "it is waited for";
  EXPECT_EQ(said("  until: 61m\n", "schedule: 0 * * * *"), "");
  EXPECT_EQ(said("", "schedule: 0 * * * *, suspend: true"), "");
}

TEST(NotSimulated, AnAutoscalerWithoutMetricsIsNamed) {
  const std::string scaler =
      "  steps:\n  - create: {object: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, "
      "metadata: {name: h}, spec: {}}}\n  - autoscale: {resource: rs/r, max: 3}\n";
  const std::string said = Said(FromSpec(scaler));
  EXPECT_EQ(said.substr(said.find(' ') + 1),
            "-: no metrics in this run (spec.cluster.metrics has none): a HorizontalPodAutoscaler "
            "keeps to its bounds, and scales by no load\n")
      << "once";
  EXPECT_EQ(
      Said(FromSpec("  cluster: {metrics: [{resource: cpu, pods: a=b, load: [{total: 1}]}]}\n" +
                    scaler)),
      "");
}

// --- steps ---

TEST(NotSimulated, WhatAStepMakesWithoutAManifestIsNamed) {
  EXPECT_EQ(SaidOfSpec("  steps:\n  - autoscale: {resource: rs/r, max: 3}\n"),
            "6:5 horizontal-pod-autoscaler-controller: no controller for HorizontalPodAutoscaler "
            "in this run (spec.cluster.controllers leaves horizontalpodautoscaler out): nothing "
            "will follow\n");
  EXPECT_EQ(SaidOfSpec("  steps:\n  - expose: {resource: rs/r, port: 80, type: LoadBalancer}\n"),
            "6:5 service-lb-controller: no service controller in this run: no cloud gives a "
            "LoadBalancer an address, and it stays pending\n");
}

TEST(NotSimulated, StepsThatNeedAControllerAreNamed) {
  const std::string gc = "garbage-collector-controller: no garbage collector in this run: ";
  const struct {
    const char* step;
    std::string said;
  } rows[] = {
      {"delete: {resource: rs/r}", gc + "what a deleted ReplicaSet owns stays"},
      {"delete: {resource: rs/r, cascade: orphan}",
       gc + "a ReplicaSet deleted with cascade: orphan keeps its finalizer, and the step never "
            "ends"},
      {"delete: {resource: rs/r, cascade: foreground, wait: false}",
       gc + "a ReplicaSet deleted with cascade: foreground keeps its finalizer"},
      {"delete: {resource: pods/p}", ""},
      {"delete: {resource: cm/c}", ""},
      {"delete: {resource: ns/x}",
       "namespace-controller: no namespace controller in this run: a deleted Namespace stays "
       "Terminating with what is in it, and the step never ends"},
      {"delete: {object: {apiVersion: v1, kind: Namespace, metadata: {name: x}}, wait: false}",
       "namespace-controller: no namespace controller in this run: a deleted Namespace stays "
       "Terminating with what is in it"},
      {"delete: {resource: node/node-1}",
       "pod-garbage-collector-controller: no pod garbage collector in this run: the pods of a "
       "deleted node stay as they are"},
      {"removeNode: node-1",
       "pod-garbage-collector-controller: no pod garbage collector in this run: the pods of a "
       "deleted node stay as they are"},
      {"patch: {resource: node/node-1, patch: {spec: {taints: [{key: a, effect: NoExecute}]}}}",
       "taint-eviction-controller: no taint eviction controller in this run: pods that do not "
       "tolerate a taint with NoExecute stay on its node"},
      {"patch: {resource: node/node-1, patch: {spec: {taints: [{key: a, effect: NoSchedule}]}}}",
       ""},
      {"scale: {resource: rs/r, replicas: 1}", ""},
      {"cordon: node-1", ""},
  };
  for (const auto& row : rows)
    EXPECT_EQ(SaidOfSpec(fmt::format("  steps:\n  - {{at: 1s, {}}}\n", row.step)),
              row.said.empty() ? "" : "6:5 " + row.said + "\n")
        << row.step;
}

TEST(NotSimulated, ADeletedOwnerThatAnObjectNamesIsNamed) {
  const std::string owned =
      "  steps:\n"
      "  - {at: 0s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, "
      "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: b, uid: u}]}}}}\n"
      "  - {at: 1s, delete: {resource: cm/b}}\n";
  EXPECT_EQ(SaidOfSpec(owned),
            "7:5 garbage-collector-controller: no garbage collector in this run: what a deleted "
            "ConfigMap owns stays\n");
}

TEST(NotSimulated, ASampleMayCollectGarbage) {
  EXPECT_EQ(SaidOfSpec("  cluster: {processes: {sample: [wrong-cleanup]}}\n  steps:\n"
                       "  - {at: 1s, delete: {resource: rs/r}}\n"),
            "");
}

// --- faults ---

TEST(NotSimulated, FaultsThatSilenceANodeForLongAreNamed) {
  const std::string silent =
      "node-lifecycle-controller: no node lifecycle controller in this run: a node that is silent "
      "stays Ready, and keeps its pods";
  const struct {
    const char* faults;
    std::string said;
  } rows[] = {
      {"{at: 1s, crash: {process: kubelet/node-1}}", silent},
      {"{at: 1s, crash: {process: kubelet/node-1, down: 40s}}", silent},
      {"{at: 1s, crash: {process: kubelet/node-1, down: 39s}}", ""},
      {"{at: 1s, crash: {process: kube-scheduler}}", ""},
      {"{at: 1s, restart: {process: kubelet/node-1}}", ""},
      {"{at: 1s, nodeSilent: {node: node-1}}", silent},
      {"{at: 1s, nodeSilent: {node: node-1, for: 10s}}", ""},
      {"{at: 1s, pause: {actor: kubelet/node-1, for: 1m}}", silent},
      {"{at: 1s, partition: {between: [kube-apiserver-0, kubelet/node-1]}}", silent},
      {"{at: 1s, partition: {between: [kube-apiserver-0, kube-scheduler]}}", ""},
      {"{at: 1s, nodeTrouble: {node: node-1, with: network}}",
       "node-lifecycle-controller: no node lifecycle controller in this run: a node that is not "
       "ready keeps its pods"},
      {"{at: 1s, nodeTrouble: {node: node-1, with: network, for: 1m}}", ""},
      {"{at: 1s, nodeTrouble: {node: node-1, with: memory}}", ""},
  };
  for (const auto& row : rows)
    EXPECT_EQ(SaidOfSpec(fmt::format("  faults:\n  - {}\n", row.faults)),
              row.said.empty() ? "" : "6:5 " + row.said + "\n")
        << row.faults;
}

TEST(NotSimulated, APausedKubeletThatIsResumedIsNotSilent) {
  EXPECT_EQ(SaidOfSpec("  faults:\n  - {at: 1s, pause: {actor: kubelet/node-1}}\n"
                       "  - {at: 5s, resume: {actor: kubelet/node-1}}\n"),
            "");
}

TEST(NotSimulated, TheGraceOfASilentNodeIsThatOfTheVersion) {
  const auto said = [](const std::string& compat) {
    return SaidOfSpec("  compat: \"" + compat +
                      "\"\n  faults:\n"
                      "  - {at: 1s, crash: {process: kubelet/node-1, down: 45s}}\n");
  };
  EXPECT_NE(said("1.25"), "");
  EXPECT_EQ(said("1.36"), "");
}

TEST(NotSimulated, WhatSetPutInHasNoPlace) {
  LoadOptions options;
  options.read = [](const std::string&) -> absl::StatusOr<std::string> {
    return "apiVersion: ksim.dev/v1\nkind: Scenario\n"
           "spec: {cluster: {controllers: [replicaset]}}\n";
  };
  options.set = {"steps=[{at: 1s, removeNode: node-1}]"};
  const std::vector<NotSimulated> said =
      NotSimulatedIn(Only(Load({"test.yaml"}, options)), "test.yaml");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].span.line, 0);
  EXPECT_EQ(said[0].subject, "step 1 (removeNode nodes/node-1)");
}

// --- components ---

// A run tells what it leaves out; of a served cluster, clients outside may do that.
TEST(NotSimulated, WorkOfAComponentThatIsTakenAwayIsOthersWhereThereAreClientsOutside) {
  const std::string manifest =
      "---\n"
      "apiVersion: apps/v1\n"
      "kind: ReplicaSet\n"
      "metadata: {name: r}\n"
      "spec:\n"
      "  selector: {matchLabels: {a: b}}\n"
      "  template:\n"
      "    metadata: {labels: {a: b}}\n"
      "    spec: {containers: [{name: c, image: i}]}\n";
  const auto said = [&](const std::string& components, Clients clients) {
    const Scenario s =
        Only(LoadSpec("  cluster: {components: " + components +
                      "}\n  steps: [{at: 0s, create: {document: ReplicaSet/r}}]\n" + manifest));
    std::string out;
    for (const NotSimulated& one : NotSimulatedIn(s, "test.yaml", clients))
      out += one.message + "\n";
    return out;
  };
  const std::string no_manager =
      "no controller for ReplicaSet in this run (spec.cluster.components leaves "
      "kube-controller-manager out): nothing will follow\n";
  const std::string no_scheduler =
      "no kube-scheduler in this run (spec.cluster.components leaves it out): pods stay Pending\n";
  EXPECT_EQ(said("[\"*\"]", Clients::kInside), "");
  EXPECT_EQ(said("[\"*\", -kube-scheduler]", Clients::kInside), no_scheduler);
  EXPECT_EQ(said("[kube-controller-manager]", Clients::kOutsideToo), no_scheduler);
  EXPECT_EQ(said("[\"*\", -kube-scheduler]", Clients::kOutsideToo), "");
  EXPECT_EQ(said("[\"*\", -kube-controller-manager]", Clients::kInside), no_manager);
  EXPECT_EQ(said("[\"*\", -kube-controller-manager]", Clients::kOutsideToo), "");
}

}  // namespace
}  // namespace ksim::scenario
