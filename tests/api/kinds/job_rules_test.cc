// A Job's spec: its rules, and the parts of it that may change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/api/strategy/strategy.h"
#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Value;

// A Job as the server prepares it; `spec`: more members, as YAML.
Value JobOf(const std::string& spec, Compat compat) {
  const ResourceInfo& kind = KindOf("jobs");
  Value job = Yaml(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default, uid: "
      "u-1}, spec: {" +
      (spec.empty() ? "" : spec + ", ") +
      "template: {spec: {restartPolicy: Never, "
      "containers: [{name: c, image: i}]}}}}");
  return PrepareForCreate(kind, ApplyDefaults(kind, job, compat), compat);
}

std::vector<std::string> ErrorsOf(const std::string& spec, Compat compat = Compat::k1_36) {
  std::vector<std::string> out;
  for (const StatusCause& cause : ValidateCreate(KindOf("jobs"), JobOf(spec, compat), compat))
    out.push_back(cause.field + ": " + cause.message);
  return out;
}

std::vector<std::string> ChangeErrors(const Value& updated, const Value& old, Compat compat) {
  std::vector<std::string> out;
  for (const StatusCause& cause : ValidateUpdate(KindOf("jobs"), updated, old, "", compat))
    out.push_back(cause.field);
  return out;
}

TEST(JobRules, APatternOfAConditionIsTrueByDefault) {
  const Value job = JobOf(
      "podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}",
      Compat::k1_30);
  EXPECT_EQ(JsonAt(job, "spec.podFailurePolicy.rules[0].onPodConditions"),
            R"([{"status":"True","type":"DisruptionTarget"}])");
}

TEST(JobRules, ManagersAreDomainPrefixedPaths) {
  EXPECT_THAT(ErrorsOf("managedBy: example.com/mine"), IsEmpty());
  EXPECT_THAT(ErrorsOf("managedBy: mine"),
              ElementsAre(HasSubstr("spec.managedBy: Invalid value: \"mine\": must be a "
                                    "domain-prefixed path (such as \"acme.io/foo\")")));
  EXPECT_THAT(ErrorsOf("managedBy: 'example.com/a b'"),
              ElementsAre(HasSubstr("Invalid path (regex used for validation is ")));
  EXPECT_THAT(ErrorsOf("managedBy: Example.com/a"), ElementsAre(HasSubstr("\"Example.com\"")));
  EXPECT_THAT(ErrorsOf("managedBy: example.com/" + std::string(60, 'a')),
              ElementsAre(HasSubstr("spec.managedBy: Too long")));
}

TEST(JobRules, LimitsOfIndexedJobs) {
  const auto indexed = [](const std::string& more) {
    return ErrorsOf("completionMode: Indexed, backoffLimitPerIndex: 1, " + more);
  };
  EXPECT_THAT(indexed("completions: 3, maxFailedIndexes: 3"), IsEmpty());
  EXPECT_THAT(indexed("completions: 3, maxFailedIndexes: 4"),
              ElementsAre("spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to "
                          "completions"));
  EXPECT_THAT(indexed("completions: 100001"),
              ElementsAre("spec.maxFailedIndexes: Required value: must be specified when "
                          "completions is above 100000"));
  EXPECT_THAT(indexed("completions: 100001, maxFailedIndexes: 10001, parallelism: 10001"),
              ElementsAre(HasSubstr("spec.parallelism: Invalid value: 10001: must be less than or "
                                    "equal to 10000 when completions are above 100000"),
                          HasSubstr("spec.maxFailedIndexes: Invalid value: 10001")));
}

TEST(JobRules, TheLastIndexIsPartOfAHostname) {
  Value job = JobOf("completionMode: Indexed, completions: 11", Compat::k1_30);
  const std::string name(61, 'a');
  static const value::Path kName{"metadata", "name"};
  job = job.Set(kName, Value::String(name));
  std::vector<std::string> fields;
  for (const StatusCause& cause : ValidateCreate(KindOf("jobs"), job, Compat::k1_30))
    fields.push_back(cause.field + ": " + cause.message);
  EXPECT_THAT(
      fields,
      Contains(HasSubstr("will not able to create pod with invalid DNS label: " + name + "-10")));
}

TEST(JobRules, LabelsOfAnotherJob) {
  for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
    static const value::Path kLabel{"spec", "template", "metadata", "labels", "controller-uid"};
    const Value job = JobOf("", compat).Set(kLabel, Value::Of("u-2"));
    std::vector<std::string> fields;
    for (const StatusCause& cause : ValidateCreate(KindOf("jobs"), job, compat))
      fields.push_back(cause.field);
    EXPECT_THAT(fields, Contains("spec.template.metadata.labels[controller-uid]"));
  }
}

TEST(JobRules, TheTemplateOfASuspendedJobMayChangeABit) {
  constexpr std::string_view kSelector = "spec.template.spec.nodeSelector";
  constexpr std::string_view kResources = "spec.template.spec.containers[0].resources";
  constexpr std::string_view kImage = "spec.template.spec.containers[0].image";
  constexpr std::string_view kAffinity = "spec.template.spec.affinity";
  const Value selector = Yaml("{disk: ssd}");
  const Value resources = Yaml("{requests: {cpu: '1'}}");
  for (const Compat compat : {Compat::k1_25, Compat::k1_30, Compat::k1_36}) {
    const Value runs = JobOf("", compat), rests = JobOf("suspend: true", compat);
    EXPECT_THAT(ChangeErrors(With(runs, kSelector, selector), runs, compat),
                ElementsAre("spec.template"));
    EXPECT_THAT(ChangeErrors(With(rests, kSelector, selector), rests, compat), IsEmpty());
    const Value affinity = Yaml(
        "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: a, operator: Exists}]}]}}}");
    EXPECT_THAT(ChangeErrors(With(rests, kAffinity, affinity), rests, compat), IsEmpty());
    EXPECT_THAT(ChangeErrors(rests, With(rests, kAffinity, affinity), compat), IsEmpty());
    const bool later = compat == Compat::k1_36;
    const std::string place = later ? "spec.template.spec" : "spec.template";
    EXPECT_THAT(ChangeErrors(With(rests, kImage, Value::Of("other")), rests, compat),
                ElementsAre(place));
    EXPECT_EQ(ChangeErrors(With(rests, kResources, resources), rests, compat).empty(), later);
    // It has run before, and is suspended once more.
    const Value again = rests.Set(
        "status", Yaml("{startTime: '2025-01-01T00:00:00Z', conditions: [{type: Suspended, status: "
                       "'True'}]}"));
    EXPECT_EQ(ChangeErrors(With(again, kSelector, selector), again, compat).empty(), later);
  }
}

}  // namespace
}  // namespace ksim::api
