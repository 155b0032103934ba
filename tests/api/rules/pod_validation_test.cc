#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Value;

std::string Pod(std::string_view spec) {
  return "{metadata: {name: p, namespace: default}, spec: " + std::string(spec) + "}";
}

TEST(PodValidation, PodRefusals) {
  const struct {
    const char* spec;
    std::vector<std::string> errors;
  } kCases[] = {
      {"{}", {"spec.containers: Required value"}},
      {"{containers: [{}]}",
       {"spec.containers[0].name: Required value", "spec.containers[0].image: Required value"}},
      {"{containers: [{name: a, image: i}, {name: a, image: i}]}",
       {"spec.containers[1].name: Duplicate value: \"a\""}},
      {"{containers: [{name: a, image: i}], initContainers: [{name: a, image: i}]}",
       {"spec.initContainers[0].name: Duplicate value: \"a\""}},
      {"{containers: [{name: a, image: ' i'}]}",
       {"spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing "
        "whitespace"}},
      {"{containers: [{name: a, image: i, ports: [{containerPort: 0}, {containerPort: 70000}, "
       "{containerPort: 1, protocol: HTTP, name: Web_1}]}]}",
       {"spec.containers[0].ports[0].containerPort: Required value",
        "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and "
        "65535, inclusive",
        "spec.containers[0].ports[2].name: Invalid value: \"Web_1\": must contain only "
        "alpha-numeric "
        "characters (a-z, 0-9), and hyphens (-)",
        "spec.containers[0].ports[2].protocol: Unsupported value: \"HTTP\": supported values: "
        "\"SCTP\", \"TCP\", \"UDP\""}},
      {"{containers: [{name: a, image: i, ports: [{containerPort: 1, hostPort: 80}, "
       "{containerPort: 2, hostPort: 80}]}]}",
       {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\""}},
      {"{restartPolicy: Sometimes, containers: [{name: a, image: i}]}",
       {"spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
        "\"OnFailure\", \"Never\""}},
      {"{dnsPolicy: X, containers: [{name: a, image: i, imagePullPolicy: Y}]}",
       {"spec.containers[0].imagePullPolicy: Unsupported value: \"Y\": supported values: "
        "\"Always\", "
        "\"IfNotPresent\", \"Never\"",
        "spec.dnsPolicy: Unsupported value: \"X\": supported values: \"ClusterFirstWithHostNet\", "
        "\"ClusterFirst\", \"Default\", \"None\""}},
      {"{containers: [{name: a, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}",
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
        "to "
        "cpu limit of 1"}},
      {"{containers: [{name: a, image: i, resources: {requests: {cpu: -1, gpu: 1}}}]}",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
        "or "
        "equal to 0",
        "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard "
        "resource type or fully qualified",
        "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard "
        "resource for containers"}},
      {"{containers: [{name: a, image: i, resources: {requests: {a.b/gpu: 500m}}}]}",
       {"spec.containers[0].resources.requests[a.b/gpu]: Invalid value: \"500m\": must be an "
        "integer",
        "spec.containers[0].resources.limits: Required value: Limit must be set for non "
        "overcommitable resources"}},
      {"{containers: [{name: a, image: i, livenessProbe: {successThreshold: 2, periodSeconds: "
       "-1}}]}",
       {"spec.containers[0].livenessProbe: Required value: must specify a handler type",
        "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than "
        "or "
        "equal to 0",
        "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"}},
      {"{containers: [{name: a, image: i, env: [{value: x}]}]}",
       {"spec.containers[0].env[0].name: Required value"}},
      {"{containers: [{name: a, image: i, volumeMounts: [{name: v, mountPath: /x}]}]}",
       {"spec.containers[0].volumeMounts[0].name: Not found: \"v\""}},
      {"{volumes: [{name: v}, {name: v, emptyDir: {}, secret: {}}], containers: [{name: a, image: "
       "i}]}",
       {"spec.volumes[1].secret: Forbidden: may not specify more than 1 volume type",
        "spec.volumes[1].name: Duplicate value: \"v\""}},
      {"{tolerations: [{operator: Equal}, {key: k, operator: Exists, effect: Never}], containers: "
       "[{name: a, image: i}]}",
       {"spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when "
        "`key` "
        "is empty, which means \"match all values and all keys\"",
        "spec.tolerations[1].effect: Unsupported value: \"Never\": supported values: "
        "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""}},
      {"{activeDeadlineSeconds: 0, containers: [{name: a, image: i}]}",
       {"spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
        "inclusive"}},
      {"{nodeName: n, schedulingGates: [{name: g}], containers: [{name: a, image: i}]}",
       {"spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(CreateErrors("pods", Pod(c.spec)), c.errors) << c.spec;
  }
}

// API-115
TEST(PodValidation, PodUpdates) {
  const Value old = Prepared("pods", kPodYaml);
  const auto errors = [&](std::string_view path, const Value& v) {
    return UpdateErrors("pods", With(old, path, v), old);
  };
  EXPECT_THAT(errors("spec.containers[0].image", Value::Of("nginx:2")), IsEmpty());
  EXPECT_THAT(errors("spec.activeDeadlineSeconds", Value::Of(10)), IsEmpty());
  EXPECT_THAT(errors("spec.tolerations", Yaml("[{key: a, operator: Exists}]")), IsEmpty());
  EXPECT_THAT(errors("metadata.labels.x", Value::Of("y")), IsEmpty());
  constexpr const char* kOther =
      "spec: Forbidden: pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`";
  EXPECT_THAT(errors("spec.nodeName", Value::Of("n1")), ElementsAre(HasSubstr(kOther)));
  EXPECT_THAT(errors("spec.containers[0].args", Yaml("[x]")), ElementsAre(HasSubstr(kOther)));
  EXPECT_THAT(errors("spec.terminationGracePeriodSeconds", Value::Of(1)),
              ElementsAre(HasSubstr("terminationGracePeriodSeconds: 30")));
  EXPECT_THAT(errors("spec.containers[1]", Yaml("{name: b, image: i, imagePullPolicy: Never, "
                                                "terminationMessagePolicy: File}")),
              ElementsAre("spec.containers: Forbidden: pod updates may not add or remove "
                          "containers"));

  const Value tolerant = With(old, "spec.tolerations", Yaml("[{key: a, operator: Exists}]"));
  EXPECT_THAT(UpdateErrors("pods", old, tolerant),
              ElementsAre("spec.tolerations: Forbidden: existing toleration can not be modified "
                          "except its tolerationSeconds"));
  const Value dated = With(old, "spec.activeDeadlineSeconds", Value::Of(10));
  EXPECT_THAT(UpdateErrors("pods", With(old, "spec.activeDeadlineSeconds", Value::Of(5)), dated),
              IsEmpty());
  EXPECT_THAT(
      UpdateErrors("pods", With(old, "spec.activeDeadlineSeconds", Value::Of(20)), dated),
      ElementsAre("spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal "
                  "to previous value"));
  EXPECT_THAT(UpdateErrors("pods", old, dated),
              ElementsAre("spec.activeDeadlineSeconds: Invalid value: null: must not update from a "
                          "positive integer to nil value"));

  const Value gated = With(old, "spec.schedulingGates", Yaml("[{name: g}]"));
  EXPECT_THAT(UpdateErrors("pods", old, gated), IsEmpty());
  EXPECT_THAT(UpdateErrors("pods", gated, old),
              ElementsAre("spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but "
                          "found new scheduling gate 'g'"));
  EXPECT_THAT(UpdateErrors("pods", With(gated, "spec.nodeSelector.a", Value::Of("b")), gated),
              IsEmpty());
  const Value negative = With(old, "spec.terminationGracePeriodSeconds", Value::Of(-1));
  EXPECT_THAT(
      UpdateErrors("pods", With(old, "spec.terminationGracePeriodSeconds", Value::Of(1)), negative),
      IsEmpty());
}

TEST(PodValidation, EndedContainersStayEnded) {
  const Value never = Prepared("pods",
                               "{metadata: {name: p, namespace: d}, spec: {restartPolicy: "
                               "Never, containers: [{name: c, image: i}]}}");
  const Value ended = With(never, "status.containerStatuses",
                           Yaml("[{name: c, state: {terminated: {exitCode: 1}}}]"));
  const Value running =
      With(never, "status.containerStatuses", Yaml("[{name: c, state: {running: {}}}]"));
  EXPECT_THAT(
      UpdateErrors("pods", running, ended, "status"),
      ElementsAre("status.containerStatuses[0].state: Forbidden: may not be transitioned to "
                  "non-terminated state"));
  const auto on_failure = [](const Value& v) {
    return With(v, "spec.restartPolicy", Value::Of("OnFailure"));
  };
  EXPECT_THAT(UpdateErrors("pods", on_failure(running), on_failure(ended), "status"), IsEmpty());
}

// API-114
TEST(PodValidation, Bindings) {
  EXPECT_THAT(ValidateBinding(Yaml("target: {kind: Node, name: n1}")), IsEmpty());
  EXPECT_THAT(Texts(ValidateBinding(Yaml("target: {kind: Pod}"))),
              ElementsAre("target.kind: Unsupported value: \"Pod\": supported values: \"Node\", "
                          "\"<empty>\"",
                          "target.name: Required value"));
}

}  // namespace
}  // namespace ksim::api
