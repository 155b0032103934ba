#include "ksim/api/rules/cron_schedule.h"
#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Value;

std::string ReplicaSet(std::string_view spec) {
  return "{metadata: {name: my-replicaset, namespace: default}, spec: " + std::string(spec) + "}";
}
constexpr std::string_view kTemplate =
    "template: {metadata: {labels: {app: my-app}}, spec: {containers: [{name: c, image: i}]}}";

// API-118
TEST(WorkloadValidation, ReplicaSetSelectorMustMatchTheTemplate) {
  const std::string yaml =
      ReplicaSet("{selector: {matchLabels: {app: other}}, " + std::string(kTemplate) + "}");
  EXPECT_THAT(
      CreateErrors("rs", yaml, Compat::k1_30),
      ElementsAre("spec.template.metadata.labels: Invalid value: "
                  "map[string]string{\"app\":\"my-app\"}: `selector` does not match template "
                  "`labels`"));
  EXPECT_THAT(CreateErrors("rs", yaml, Compat::k1_36),
              ElementsAre("spec.template.metadata.labels: Invalid value: {\"app\":\"my-app\"}: "
                          "`selector` does not match template `labels`"));
}

// API-118
TEST(WorkloadValidation, ReplicaSetRefusals) {
  const std::string selector = "selector: {matchLabels: {app: my-app}}, ";
  const struct {
    std::string spec;
    std::vector<std::string> errors;
  } kCases[] = {
      {"{" + std::string(kTemplate) + "}",
       {"spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: map[string]string{\"app\":\"my-app\"}: "
        "`selector` does not match template `labels`"}},
      {"{selector: {}, " + std::string(kTemplate) + "}",
       {"spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), "
        "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for "
        "deployment"}},
      {"{replicas: -1, " + selector + std::string(kTemplate) + "}",
       {"spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
      {"{" + selector +
           "template: {metadata: {labels: {app: my-app}}, spec: {restartPolicy: Never, containers: "
           "[{name: c, image: i}]}}}",
       {"spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
        "\"Always\""}},
      {"{" + selector + "template: {metadata: {labels: {app: my-app}}, spec: {}}}",
       {"spec.template.spec.containers: Required value"}},
      {"{" + selector +
           "template: {metadata: {labels: {app: my-app}}, spec: {activeDeadlineSeconds: 5, "
           "containers: [{name: c, image: i}]}}}",
       {"spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet "
        "is "
        "not Supported"}},
      {"{selector: {matchExpressions: [{key: app, operator: Is}]}, " + std::string(kTemplate) + "}",
       {"spec.selector.matchExpressions[0].operator: Invalid value: \"Is\": not a valid selector "
        "operator",
        "spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), "
        "MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:\"app\", "
        "Operator:\"Is\", Values:[]string(nil)}}}: invalid label selector"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(CreateErrors("rs", ReplicaSet(c.spec), Compat::k1_30), c.errors) << c.spec;
  }
}

TEST(WorkloadValidation, LabelProblemsInSelectorsAreWordedAsTheVersionDoes) {
  const std::string yaml = ReplicaSet("{selector: {matchLabels: {a/b/c: " + std::string(64, 'x') +
                                      "}}, " + std::string(kTemplate) + "}");
  EXPECT_THAT(CreateErrors("rs", yaml),
              Contains(AllOf(HasSubstr("spec.selector.matchLabels"), HasSubstr("63 bytes"))));
  EXPECT_THAT(CreateErrors("rs", yaml, Compat::k1_30),
              AllOf(Contains(HasSubstr("must be no more than 63 characters")),
                    Contains(HasSubstr("\"a/b/c\": a qualified name must consist of"))));
}

// API-120
TEST(WorkloadValidation, ReplicaSetSelectorIsImmutable) {
  const Value old = Prepared("rs", kReplicaSetYaml);
  Value updated = With(old, "spec.selector.matchLabels.app", Value::Of("b"));
  updated = With(updated, "spec.template.metadata.labels.app", Value::Of("b"));
  EXPECT_THAT(
      UpdateErrors("rs", updated, old, "", Compat::k1_30),
      ElementsAre("spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]"
                  "string{\"app\":\"b\"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
                  ": field is immutable"));
  EXPECT_THAT(
      UpdateErrors("rs", updated, old),
      ElementsAre("spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"b\"}}: field is "
                  "immutable"));
}

// API-118
TEST(WorkloadValidation, ReplicaSetStatusCounts) {
  const Value old = Prepared("rs", kReplicaSetYaml);
  const auto status = [&](std::string_view yaml) {
    return UpdateErrors("rs", With(old, "status", Yaml(yaml)), old, "status");
  };
  EXPECT_THAT(
      status("{replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 1}"),
      IsEmpty());
  EXPECT_THAT(
      status("{replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 3}"),
      ElementsAre("status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than "
                  "status.replicas",
                  "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
                  "status.availableReplicas: Invalid value: 3: cannot be greater than "
                  "status.replicas",
                  "status.availableReplicas: Invalid value: 3: cannot be greater than "
                  "readyReplicas"));
}

// API-119
TEST(WorkloadValidation, Deployment) {
  const auto deployment = [](std::string_view extra) {
    return "{metadata: {name: d, namespace: default}, spec: {selector: {matchLabels: {app: "
           "my-app}}, " +
           std::string(extra) + ", " + std::string(kTemplate) + "}}";
  };
  const std::string zero =
      deployment("strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}");
  EXPECT_THAT(CreateErrors("deploy", zero),
              ElementsAre("spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may "
                          "not be 0 when `maxSurge` is 0"));
  EXPECT_THAT(CreateErrors("deploy", zero, Compat::k1_30),
              ElementsAre("spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "
                          "intstr.IntOrString{Type:1, IntVal:0, StrVal:\"0%\"}: may not be 0 when "
                          "`maxSurge` is 0"));
  EXPECT_THAT(CreateErrors("deploy", deployment("progressDeadlineSeconds: 5, minReadySeconds: 5")),
              ElementsAre("spec.progressDeadlineSeconds: Invalid value: 5: must be greater than "
                          "minReadySeconds"));
  EXPECT_THAT(CreateErrors("deploy", deployment("strategy: {type: Recreate, rollingUpdate: {}}")),
              ElementsAre("spec.strategy.rollingUpdate: Forbidden: may not be specified when "
                          "strategy `type` is 'Recreate'"));
  EXPECT_THAT(CreateErrors("deploy", deployment("strategy: {type: Magic}")),
              ElementsAre("spec.strategy: Unsupported value: {\"Type\":\"Magic\",\"RollingUpdate\":"
                          "null}: supported values: \"Recreate\", \"RollingUpdate\""));
  EXPECT_THAT(CreateErrors("deploy", deployment("strategy: {type: Magic}"), Compat::k1_30),
              ElementsAre("spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"
                          "\"Magic\", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: "
                          "supported values: \"Recreate\", \"RollingUpdate\""));
  const Value old = Prepared("deploy", deployment("replicas: 1"));
  EXPECT_THAT(UpdateErrors("deploy", With(old, "spec.selector.matchLabels.b", Value::Of("c")), old),
              ElementsAre(HasSubstr("`selector` does not match template `labels`"),
                          HasSubstr("field is immutable")));
}

// API-30
TEST(WorkloadValidation, CronSchedules) {
  const struct {
    const char* schedule;
    const char* problem;
  } kCases[] = {
      {"*/5 0-4 1,15 jan MON-fri", ""},
      {"@daily", ""},
      {"@never", "unrecognized descriptor: @never"},
      {"* * *", "expected exactly 5 fields, found 3: [* * *]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
  };
  for (const auto& c : kCases) EXPECT_EQ(CronProblem(c.schedule), c.problem) << c.schedule;
}

TEST(WorkloadValidation, TheAnswerListsEveryProblem) {
  const std::string spec = ReplicaSet("{replicas: -1, selector: {matchLabels: {app: other}}, " +
                                      std::string(kTemplate) + "}");
  const Status s = InvalidObject(
      KindOf("rs"), "my-replicaset",
      ValidateCreate(KindOf("rs"), Prepared("rs", spec, Compat::k1_30), Compat::k1_30));
  EXPECT_EQ(
      s.message,
      "ReplicaSet.apps \"my-replicaset\" is invalid: [spec.replicas: Invalid value: -1: must be "
      "greater than or equal to 0, spec.template.metadata.labels: Invalid value: "
      "map[string]string{\"app\":\"my-app\"}: `selector` does not match template `labels`]");
  EXPECT_EQ(s.code, 422);
  EXPECT_EQ(s.details->kind, "ReplicaSet");
  EXPECT_EQ(s.details->group, "apps");
  ASSERT_EQ(s.details->causes.size(), 2u);
  EXPECT_EQ(s.details->causes[0].reason, "FieldValueInvalid");
  EXPECT_EQ(s.details->causes[1].field, "spec.template.metadata.labels");
}

// CTRL-STS-09: the data of a revision are there and stay; from 1.36 on they are an object.
TEST(WorkloadValidation, ControllerRevisions) {
  const auto revision = [](std::string_view rest) {
    return "{metadata: {name: web-1, namespace: default}, " + std::string(rest) + "}";
  };
  for (const Compat compat : kAllCompats) {
    EXPECT_THAT(CreateErrors("controllerrevisions", revision("data: {a: 1}, revision: 1"), compat),
                IsEmpty());
    EXPECT_THAT(CreateErrors("controllerrevisions", revision("revision: -1"), compat),
                testing::UnorderedElementsAre(
                    "data: Required value: data is mandatory",
                    "revision: Invalid value: -1: must be greater than or equal to 0"));
    const std::vector<std::string> text =
        CreateErrors("controllerrevisions", revision("data: x, revision: 1"), compat);
    if (compat == Compat::k1_36) {
      EXPECT_THAT(text, ElementsAre("data: Required value: data must be a valid JSON object"));
    } else {
      EXPECT_THAT(text, IsEmpty());
    }
    const Value old =
        Prepared("controllerrevisions", revision("data: {a: 1}, revision: 1"), compat);
    EXPECT_THAT(
        UpdateErrors("controllerrevisions", With(old, "revision", Value::Of(2)), old, "", compat),
        IsEmpty());
    EXPECT_THAT(
        UpdateErrors("controllerrevisions", With(old, "data.a", Value::Of(2)), old, "", compat),
        Contains(HasSubstr("data: Invalid value: {\"a\":2}: field is immutable")));
  }
}

}  // namespace
}  // namespace ksim::api
