#include "ksim/api/strategy/defaulting.h"

#include "ksim/api/rules/pod/image_reference.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

Value Defaulted(std::string_view kind, std::string_view yaml, Compat compat = Compat::k1_36) {
  return ApplyDefaults(KindOf(kind), Yaml(yaml), compat);
}

struct Expected {
  const char* path;
  const char* json;
};

void ExpectAll(const Value& tree, std::initializer_list<Expected> expected) {
  for (const Expected& e : expected) EXPECT_EQ(JsonAt(tree, e.path), e.json) << e.path;
}

// API-116
TEST(Defaulting, PodGetsEverythingItLacks) {
  ExpectAll(Defaulted("pods", kPodYaml),
            {{"spec.restartPolicy", "\"Always\""},
             {"spec.dnsPolicy", "\"ClusterFirst\""},
             {"spec.terminationGracePeriodSeconds", "30"},
             {"spec.schedulerName", "\"default-scheduler\""},
             {"spec.securityContext", "{}"},
             {"spec.enableServiceLinks", "true"},
             {"spec.containers[0].terminationMessagePath", "\"/dev/termination-log\""},
             {"spec.containers[0].terminationMessagePolicy", "\"File\""},
             {"spec.containers[0].imagePullPolicy", "\"Always\""},
             {"spec.containers[0].resources", "{}"},
             {"spec.containers[0].ports[0].protocol", "\"TCP\""}});
}

// API-116
TEST(Defaulting, LimitsWithoutRequestsBecomeRequests) {
  const Value pod = Defaulted("pods", R"(
spec:
  containers:
  - name: c
    image: x:1
    resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 100m}}
  initContainers:
  - {name: i, image: x:1, resources: {limits: {cpu: "2"}}}
)");
  EXPECT_EQ(JsonAt(pod, "spec.containers[0].resources.requests"),
            R"({"cpu":"100m","memory":"1Gi"})");
  EXPECT_EQ(JsonAt(pod, "spec.initContainers[0].resources.requests"), R"({"cpu":"2"})");
}

// API-116
TEST(Defaulting, ProbesAndTheirHandlers) {
  const Value pod = Defaulted("pods", R"(
spec:
  containers:
  - name: c
    image: x
    livenessProbe: {httpGet: {port: 80}}
    readinessProbe: {grpc: {port: 1}, periodSeconds: 3}
    startupProbe: {exec: {command: [a]}, failureThreshold: 30}
)");
  EXPECT_EQ(JsonAt(pod, "spec.containers[0].livenessProbe"),
            R"({"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},)"
            R"("periodSeconds":10,"successThreshold":1,"timeoutSeconds":1})");
  EXPECT_EQ(JsonAt(pod, "spec.containers[0].readinessProbe"),
            R"({"failureThreshold":3,"grpc":{"port":1,"service":""},)"
            R"("periodSeconds":3,"successThreshold":1,"timeoutSeconds":1})");
  EXPECT_EQ(JsonAt(pod, "spec.containers[0].startupProbe.failureThreshold"), "30");
}

TEST(Defaulting, PullPolicyFollowsTheTag) {
  const struct {
    const char* image;
    const char* policy;
  } kCases[] = {
      {"nginx", "Always"},
      {"nginx:latest", "Always"},
      {"nginx:1.25", "IfNotPresent"},
      {"registry:5000/nginx", "Always"},
      {"registry:5000/nginx:1.25", "IfNotPresent"},
      {"Registry.Example:5000/nginx:latest", "Always"},
      {"nginx@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
       "IfNotPresent"},
      {"NGINX", "IfNotPresent"},
      {"", "IfNotPresent"},
  };
  for (const auto& c : kCases) EXPECT_STREQ(DefaultPullPolicy(c.image), c.policy) << c.image;
}

TEST(Defaulting, HostNetworkPortsOfTemplatesOnlyIn125) {
  constexpr std::string_view kRs = R"(
spec:
  template:
    spec:
      hostNetwork: true
      containers: [{name: c, image: x, ports: [{containerPort: 80}]}]
)";
  const char* const kPath = "spec.template.spec.containers[0].ports[0].hostPort";
  EXPECT_EQ(JsonAt(Defaulted("rs", kRs, Compat::k1_25), kPath), "80");
  EXPECT_EQ(JsonAt(Defaulted("rs", kRs, Compat::k1_30), kPath), "null");
  EXPECT_EQ(JsonAt(Defaulted("pods",
                             "spec: {hostNetwork: true, containers: "
                             "[{name: c, image: x, ports: [{containerPort: 80}]}]}"),
                   "spec.containers[0].ports[0].hostPort"),
            "80");
}

// API-118
TEST(Defaulting, ReplicaSetAndItsTemplate) {
  const Value rs = Defaulted("rs", R"(
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers: [{name: c, image: x, resources: {limits: {cpu: "1"}}}]
)");
  ExpectAll(rs, {{"spec.replicas", "1"},
                 // Only extensions/v1beta1 took the template's labels for its own.
                 {"metadata.labels", "null"},
                 {"spec.template.spec.restartPolicy", "\"Always\""},
                 {"spec.template.spec.schedulerName", "\"default-scheduler\""},
                 // Only a Pod gets these defaults, a pod template does not.
                 {"spec.template.spec.enableServiceLinks", "null"},
                 {"spec.template.spec.containers[0].resources.requests", "null"}});
  EXPECT_EQ(JsonAt(Defaulted("rs",
                             "{metadata: {labels: {own: x}}, spec: {replicas: 0, template: "
                             "{metadata: {labels: {app: a}}}}}"),
                   "metadata.labels"),
            R"({"own":"x"})");
}

// API-119
TEST(Defaulting, Deployment) {
  ExpectAll(Defaulted("deployments", "spec: {}"),
            {{"spec.replicas", "1"},
             {"spec.revisionHistoryLimit", "10"},
             {"spec.progressDeadlineSeconds", "600"},
             {"spec.strategy", R"({"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},)"
                               R"("type":"RollingUpdate"})"}});
  EXPECT_EQ(JsonAt(Defaulted("deploy", "spec: {strategy: {type: Recreate}}"), "spec.strategy"),
            R"({"type":"Recreate"})");
}

// API-121
TEST(Defaulting, DaemonSetAndStatefulSet) {
  ExpectAll(Defaulted("ds", "{}"),
            {{"spec.updateStrategy", R"({"rollingUpdate":{"maxSurge":0,"maxUnavailable":1},)"
                                     R"("type":"RollingUpdate"})"},
             {"spec.revisionHistoryLimit", "10"}});
  ExpectAll(Defaulted("sts", "{}", Compat::k1_30),
            {{"spec.podManagementPolicy", "\"OrderedReady\""},
             {"spec.updateStrategy", R"({"rollingUpdate":{"partition":0},"type":"RollingUpdate"})"},
             {"spec.replicas", "1"},
             {"spec.revisionHistoryLimit", "10"},
             {"spec.persistentVolumeClaimRetentionPolicy",
              R"({"whenDeleted":"Retain","whenScaled":"Retain"})"}});
  EXPECT_EQ(
      JsonAt(Defaulted("sts", "{}", Compat::k1_25), "spec.persistentVolumeClaimRetentionPolicy"),
      "null");
}

// API-121: claim templates get their kind and the defaults of a claim.
TEST(Defaulting, ClaimTemplatesOfAStatefulSet) {
  EXPECT_EQ(
      JsonAt(Defaulted("sts", "spec: {volumeClaimTemplates: [{metadata: {name: www}, spec: {}}]}"),
             "spec.volumeClaimTemplates[0]"),
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"www"},)"
      R"("spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}})");
}

// API-122
TEST(Defaulting, Job) {
  ExpectAll(Defaulted("jobs", "spec: {}"), {{"spec.parallelism", "1"},
                                            {"spec.completions", "1"},
                                            {"spec.backoffLimit", "6"},
                                            {"spec.completionMode", "\"NonIndexed\""},
                                            {"spec.suspend", "false"}});
  EXPECT_EQ(JsonAt(Defaulted("jobs", "spec: {parallelism: 2}"), "spec.completions"), "null");
}

// API-123
TEST(Defaulting, ServiceNodeSecretCronJob) {
  ExpectAll(Defaulted("svc", "spec: {ports: [{port: 80}]}"),
            {{"spec.type", "\"ClusterIP\""},
             {"spec.sessionAffinity", "\"None\""},
             {"spec.internalTrafficPolicy", "\"Cluster\""},
             {"spec.ports[0]", R"({"port":80,"protocol":"TCP","targetPort":80})"}});
  EXPECT_EQ(JsonAt(Defaulted("nodes", "status: {capacity: {cpu: '4'}}"), "status.allocatable"),
            R"({"cpu":"4"})");
  EXPECT_EQ(JsonAt(Defaulted("secrets", "{}"), "type"), "\"Opaque\"");
  ExpectAll(Defaulted("cj", "spec: {}"), {{"spec.concurrencyPolicy", "\"Allow\""},
                                          {"spec.suspend", "false"},
                                          {"spec.successfulJobsHistoryLimit", "3"},
                                          {"spec.failedJobsHistoryLimit", "1"}});
}

TEST(Defaulting, Volumes) {
  const Value pod = Defaulted("pods", R"(
spec:
  volumes:
  - name: bare
  - {name: cm, configMap: {name: a}}
  - {name: host, hostPath: {path: /x}}
  - name: all
    projected:
      sources:
      - {serviceAccountToken: {path: t}}
      - {downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}
)");
  ExpectAll(pod,
            {{"spec.volumes[0].emptyDir", "{}"},
             {"spec.volumes[1].configMap.defaultMode", "420"},
             {"spec.volumes[2].hostPath.type", "\"\""},
             {"spec.volumes[3].projected.defaultMode", "420"},
             {"spec.volumes[3].projected.sources[0].serviceAccountToken.expirationSeconds", "3600"},
             {"spec.volumes[3].projected.sources[1].downwardAPI.items[0].fieldRef.apiVersion",
              "\"v1\""}});
}

// A second pass changes nothing, and the first leaves given values alone.
TEST(Defaulting, IsIdempotentForEveryKind) {
  const char* const kTrees[] = {
      "{}",
      "{metadata: {name: x}, spec: {}}",
      ("{metadata: {name: x}, spec: {template: {metadata: {labels: {a: b}}, spec: {containers: "
       "[{name: c, image: 'i:1', ports: [{containerPort: 1}], livenessProbe: {}}]}}}}"),
      "{spec: {containers: [{name: c}], volumes: [{name: v}]}}",
      "{spec: 3}",
      "{spec: {containers: 3, strategy: x, updateStrategy: [], template: 1}, status: z}",
  };
  const Kinds kinds;
  for (const ResourceInfo* kind : kinds.all()) {
    for (const Compat compat : kAllCompats) {
      for (const char* yaml : kTrees) {
        const Value once = ApplyDefaults(*kind, Yaml(yaml), compat);
        EXPECT_TRUE(ApplyDefaults(*kind, once, compat).SameTree(once)) << kind->kind << yaml;
      }
    }
  }
}

}  // namespace
}  // namespace ksim::api
