// Validation and defaults of the kinds that nothing simulated reads: autoscalers, flow control, API
// services, signing requests, admission policies, storage capacities. Rows of upstream's tests of
// pkg/apis/{autoscaling,flowcontrol,certificates,storage}/validation and kube-aggregator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/api/core/kind_service.h"
#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Hpa(std::string_view spec) {
  return "{metadata: {name: a, namespace: n}, spec: {" + std::string(spec) + "}}";
}
const std::string kTarget = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, ";

struct RefusedObject {
  const char* kind;
  std::string object;
  std::vector<std::string> errors;
};

// API-174, API-175
TEST(ServiceKinds, Refusals) {
  const RefusedObject rows[] = {
      {"hpa", Hpa(kTarget + "maxReplicas: 3"), {}},
      {"hpa",
       Hpa("scaleTargetRef: {apiVersion: v1, name: a/b}, maxReplicas: 0, minReplicas: 0"),
       {"spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain '/'",
        "spec.scaleTargetRef.apiVersion: Invalid value: \"v1\": apiVersion must specify API group",
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support "
        "scaling to zero replicas"}},
      {"hpa",
       Hpa(kTarget +
           "maxReplicas: 1, minReplicas: 2, metrics: [{type: Resource, resource: {name: "
           "cpu, target: {type: Utilization}}}, {type: Pods, external: {metric: {name: ''}, "
           "target: {type: Value, value: -1}}}, {type: Nope}]"),
       {"spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`",
        "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a "
        "target raw value or a target utilization",
        "spec.metrics[1].external.metric.name: Required value: must specify a metric name",
        "spec.metrics[1].external.target.value: Invalid value: -1: must be positive",
        "spec.metrics[1].pods: Required value: must populate information for the given metric "
        "source",
        "spec.metrics[2].type: Unsupported value: \"Nope\": supported values: "
        "\"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"",
        "spec.metrics[2].type: Unsupported value: \"Nope\": supported values: "
        "\"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\""}},
      {"hpa",
       Hpa(kTarget +
           "maxReplicas: 3, behavior: {scaleUp: {stabilizationWindowSeconds: 3601, "
           "selectPolicy: Most, policies: [{type: Nodes, value: 0, periodSeconds: 1801}]}}"),
       {"spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than "
        "or "
        "equal to 3600",
        "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"Most\": supported values: "
        "\"Disabled\", \"Max\", \"Min\"",
        "spec.behavior.scaleUp.policies[0].type: Unsupported value: \"Nodes\": supported values: "
        "\"Percent\", \"Pods\"",
        "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than "
        "or "
        "equal to 1800"}},
      {"flowschemas",
       "{metadata: {name: a}, spec: {matchingPrecedence: 1, distinguisherMethod: {type: X}, rules: "
       "[{subjects: [{kind: User, group: {name: g}}, {kind: Y}], resourceRules: [{verbs: ['*', "
       "get], "
       "apiGroups: [], resources: ['*'], namespaces: [A]}]}]}}",
       {"spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have "
        "matchingPrecedence 1",
        "spec.distinguisherMethod.type: Unsupported value: \"X\": supported values: "
        "\"ByNamespace\", \"ByUser\"",
        "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
        "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is "
        "'User'",
        "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not "
        "'Group'",
        "spec.rules[0].subjects[1].kind: Unsupported value: \"Y\": supported values: \"Group\", "
        "\"ServiceAccount\", \"User\"",
        "spec.rules[0].resourceRules[0].verbs: Invalid value: [\"*\",\"get\"]: if '*' is present, "
        "must not specify other verbs",
        "spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at "
        "least one api group",
        "spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: \"A\": each member of this "
        "list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower "
        "case "
        "alphanumeric characters or '-', and must start and end with an alphanumeric character "
        "(e.g. "
        "'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"}},
      {"prioritylevelconfigurations",
       "{metadata: {name: a}, spec: {type: Limited, limited: {limitResponse: {type: Queue, "
       "queuing: "
       "{}}}}}",
       {}},
      {"prioritylevelconfigurations",
       "{metadata: {name: a}, spec: {type: Exempt, limited: {}}}",
       {"spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
        "spec.limited: Forbidden: must be nil if the type is not Limited"}},
      {"prioritylevelconfigurations",
       "{metadata: {name: a}, spec: {type: Limited, limited: {nominalConcurrencyShares: -1, "
       "lendablePercent: 101, limitResponse: {type: Reject, queuing: {}}}}}",
       {"spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
        "spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type "
        "is "
        "not Limited",
        "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive"}},
      {"apiservices",
       "{metadata: {name: v1.x}, spec: {group: y, version: v1, groupPriorityMinimum: 0, "
       "versionPriority: 1001, service: {name: s, port: 0}}}",
       {"metadata.name: Invalid value: \"v1.x\": must be `spec.version+\".\"+spec.group`: "
        "\"v1.y\"",
        "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
        "spec.service.namespace: Required value",
        "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, "
        "inclusive"}},
      {"csr",
       "{metadata: {name: a}, spec: {signerName: a.b/c, request: Zm9v, usages: [client auth]}}",
       {}},
      {"csr",
       "{metadata: {name: a}, spec: {signerName: kubernetes.io/legacy-unknown, expirationSeconds: "
       "599}}",
       {"spec.usages: Required value",
        "spec.signerName: Invalid value: \"kubernetes.io/legacy-unknown\": the legacy signerName "
        "is "
        "not allowed via this API version",
        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 "
        "seconds "
        "(10 minutes)"}},
      {"csistoragecapacities",
       "{metadata: {name: a, namespace: n}, storageClassName: A, capacity: -1}",
       {"storageClassName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of "
        "lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric "
        "character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "capacity: Invalid value: \"-1\": must be greater than or equal to 0"}},
      {"validatingadmissionpolicies",
       "{metadata: {name: a}, spec: {}}",
       {"spec.matchConstraints: Required value",
        "spec.validations: Required value: validations or auditAnnotations must contain at least "
        "one "
        "item",
        "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at "
        "least "
        "one item"}},
      {"validatingadmissionpolicybindings",
       "{metadata: {name: a}, spec: {validationActions: [Deny, Warn], paramRef: {name: a, "
       "selector: "
       "{}}}}",
       {"spec.policyName: Required value",
        "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
        "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
        "spec.paramRef.parameterNotFoundAction: Required value",
        "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny "
        "and "
        "Warn (repeating the same validation failure information in the API response and headers "
        "serves no purpose)"}},
  };
  for (const RefusedObject& row : rows)
    EXPECT_EQ(CreateErrors(row.kind, row.object), row.errors) << row.object;
}

// API-174
TEST(ServiceKinds, OlderAutoscalersKnowOtherRules) {
  const std::string object =
      Hpa("scaleTargetRef: {apiVersion: v1, kind: Pod, name: d}, maxReplicas: 0");
  for (const Compat compat : {Compat::k1_25, Compat::k1_30})
    EXPECT_THAT(CreateErrors("hpa", object, compat),
                ElementsAre("spec.maxReplicas: Invalid value: 0: must be greater than 0",
                            "spec.maxReplicas: Invalid value: 0: must be greater than or equal to "
                            "`minReplicas`"));
}

// API-191. tests/apiserver/recorded/newer-kinds-1.36.jsonl has what a real server says.
TEST(ServiceKinds, NewerKinds) {
  EXPECT_THAT(CreateErrors("ipaddresses",
                           "{metadata: {name: 10.0.0.1}, spec: {parentRef: {resource: services, "
                           "namespace: n, name: s}}}"),
              IsEmpty());
  EXPECT_THAT(CreateErrors("ipaddresses", "{metadata: {name: '10.0.0.01'}, spec: {}}"),
              ElementsAre("metadata.name: Invalid value: \"10.0.0.01\": must not have leading 0s",
                          "spec.parentRef: Required value"));
  EXPECT_THAT(CreateErrors("servicecidrs", "{metadata: {name: a}, spec: {cidrs: [10.0.0.1/8]}}"),
              ElementsAre("spec.cidrs[0]: Invalid value: \"10.0.0.1/8\": must not have bits set "
                          "beyond the prefix length"));
  EXPECT_THAT(CreateErrors("vac", "{metadata: {name: a}, driverName: d}"),
              ElementsAre("parameters: Required value: must contain at least one key/value pair"));
  EXPECT_THAT(
      CreateErrors("mutatingadmissionpolicies",
                   "{metadata: {name: a}, spec: {reinvocationPolicy: Never, matchConstraints: "
                   "{resourceRules: [{operations: [DELETE]}]}, mutations: [{patchType: "
                   "JSONPatch}]}}"),
      ElementsAre("spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": "
                  "supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"",
                  "spec.mutations[0].jsonPatch: Required value: must be specified when patchType "
                  "is JSONPatch"));
  const value::Value cidr = Prepared("servicecidrs",
                                     "{metadata: {name: a}, spec: {cidrs: "
                                     "[10.0.0.0/8]}}");
  EXPECT_THAT(UpdateErrors("servicecidrs",
                           With(cidr, "spec.cidrs", Yaml("[10.0.0.0/8, 'fd00::/64']")), cidr),
              IsEmpty());
  EXPECT_THAT(UpdateErrors("servicecidrs", With(cidr, "spec.cidrs", Yaml("[11.0.0.0/8]")), cidr),
              ElementsAre("spec.cidrs[0]: Invalid value: \"11.0.0.0/8\": field is immutable"));
}

// API-175: a level that asks for no shares has them in v1; v1beta3 says so by an annotation.
TEST(ServiceKinds, ALevelWithoutSharesKeepsThemInBothVersions) {
  const ResourceInfo& beta =
      *Kinds().ByKind("flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration");
  const value::Value none = Yaml(
      "{apiVersion: flowcontrol.apiserver.k8s.io/v1, metadata: {name: a}, spec: {limited: "
      "{nominalConcurrencyShares: 0}}}");
  const value::Value seen = FromStoredForm(beta)(none);
  EXPECT_EQ(JsonAt(seen, "metadata.annotations"),
            R"({"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares":""})");
  EXPECT_EQ(
      JsonAt(ApplyDefaults(beta, seen, Compat::k1_30), "spec.limited.nominalConcurrencyShares"),
      "0");
  EXPECT_EQ(ToStoredForm(beta)(seen), none);
  const value::Value plain = seen.Erase(*value::Path::Parse("metadata.annotations"));
  EXPECT_EQ(
      JsonAt(ApplyDefaults(beta, plain, Compat::k1_30), "spec.limited.nominalConcurrencyShares"),
      "30");
}

// API-174: what was wrong before and has not changed may stay.
TEST(ServiceKinds, AnAutoscalerWithAnOldMistakeCanBeUpdated) {
  const value::Value old = Prepared(
      "hpa",
      Hpa("scaleTargetRef: {apiVersion: v1, kind: D, name: d}, maxReplicas: 3, minReplicas: "
          "0, metrics: [{type: External, external: {metric: {name: q}, target: {type: Value, "
          "value: 1}}}]"));
  EXPECT_THAT(UpdateErrors("hpa", With(old, "spec.maxReplicas", value::Value::Of(4)), old),
              IsEmpty());
  const value::Value other = With(old, "spec.scaleTargetRef.apiVersion", value::Value::Of("v2"));
  EXPECT_THAT(UpdateErrors("hpa", other, old),
              ElementsAre("spec.scaleTargetRef.apiVersion: Invalid value: \"v2\": apiVersion must "
                          "specify API group"));
}

// API-175
TEST(ServiceKinds, OnlyTheApprovalApproves) {
  const value::Value old = Prepared(
      "csr", "{metadata: {name: a}, spec: {signerName: a.b/c, request: Zm9v, usages: [any]}}");
  const value::Value approved =
      With(old, "status.conditions", Yaml("[{type: Approved, status: 'True'}]"));
  EXPECT_THAT(UpdateErrors("csr", approved, old, "status"),
              ElementsAre("status.conditions: Forbidden: updates may not add a condition of type "
                          "\"Approved\""));
  EXPECT_THAT(UpdateErrors("csr", approved, old, "approval"), IsEmpty());
  const value::Value issued = With(approved, "status.certificate", value::Value::Of("Zm9v"));
  EXPECT_THAT(UpdateErrors("csr", issued, approved, "status"), IsEmpty());
  EXPECT_THAT(
      UpdateErrors("csr", issued, approved, "approval"),
      ElementsAre("status.certificate: Forbidden: updates may not set certificate content"));
  const value::Value both =
      With(old, "status.conditions",
           Yaml("[{type: Approved, status: 'True'}, {type: Denied, status: 'False'}]"));
  EXPECT_THAT(UpdateErrors("csr", both, old, "approval"),
              ElementsAre("status.conditions[1].status: Unsupported value: \"False\": supported "
                          "values: \"True\"",
                          "status.conditions: Invalid value: \"Denied\": Approved and Denied "
                          "conditions are mutually exclusive"));
}

// API-174, API-175
TEST(ServiceKinds, Defaults) {
  const struct {
    const char* kind;
    std::string object, path, value;
  } rows[] = {
      {"hpa", Hpa("behavior: {scaleDown: {policies: []}}"), "spec.behavior",
       R"({"scaleDown":{"policies":[],"selectPolicy":"Max"},"scaleUp":{"policies":)"
       R"([{"periodSeconds":15,"type":"Pods","value":4},)"
       R"({"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max",)"
       R"("stabilizationWindowSeconds":0}})"},
      {"flowschemas", "{spec: {}}", "spec.matchingPrecedence", "1000"},
      {"prioritylevelconfigurations", "{spec: {limited: {limitResponse: {queuing: {queues: 9}}}}}",
       "spec.limited",
       R"({"lendablePercent":0,"limitResponse":{"queuing":{"handSize":8,"queueLengthLimit":50,)"
       R"("queues":9}},"nominalConcurrencyShares":30})"},
      {"prioritylevelconfigurations", "{spec: {exempt: {}}}", "spec.exempt",
       R"({"lendablePercent":0,"nominalConcurrencyShares":0})"},
      {"apiservices", "{spec: {service: {name: s}}}", "spec.service.port", "443"},
      {"validatingadmissionpolicies", "{spec: {matchConstraints: {resourceRules: [{}]}}}", "spec",
       R"({"failurePolicy":"Fail","matchConstraints":{"matchPolicy":"Equivalent",)"
       R"("namespaceSelector":{},"objectSelector":{},"resourceRules":[{"scope":"*"}]}})"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(JsonAt(ApplyDefaults(KindOf(row.kind), Yaml(row.object), Compat::k1_36), row.path),
              row.value)
        << row.object;
  const ResourceInfo& beta =
      *Kinds().ByKind("flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration");
  const value::Value level =
      Yaml("{apiVersion: flowcontrol.apiserver.k8s.io/v1beta2, spec: {limited: {}}}");
  EXPECT_EQ(JsonAt(ApplyDefaults(beta, level, Compat::k1_25), "spec.limited"),
            R"({"assuredConcurrencyShares":30})");
}

// API-175
TEST(ServiceKinds, AreServedAtTheVersionsOfTheirTime) {
  const Kinds kinds;
  const struct {
    const char *api_version, *kind;
    std::vector<bool> served;  // in 1.25, 1.30, 1.36
  } rows[] = {
      {"autoscaling/v1", "HorizontalPodAutoscaler", {true, true, true}},
      {"autoscaling/v2", "HorizontalPodAutoscaler", {true, true, true}},
      {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {false, true, true}},
      {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {false, true, true}},
      {"flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", {true, false, false}},
      {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", {false, true, true}},
      {"flowcontrol.apiserver.k8s.io/v1beta2", "PriorityLevelConfiguration", {true, false, false}},
      {"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", {false, true, true}},
      {"apiregistration.k8s.io/v1", "APIService", {true, true, true}},
      {"certificates.k8s.io/v1", "CertificateSigningRequest", {true, true, true}},
      {"storage.k8s.io/v1", "CSIStorageCapacity", {true, true, true}},
      {"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", {false, true, false}},
      {"flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", {false, true, false}},
      {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", {false, false, true}},
      {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", {false, false, true}},
      {"networking.k8s.io/v1", "IPAddress", {false, false, true}},
      {"networking.k8s.io/v1", "ServiceCIDR", {false, false, true}},
      {"storage.k8s.io/v1", "VolumeAttributesClass", {false, false, true}},
  };
  for (const auto& row : rows) {
    const ResourceInfo* kind = kinds.ByKind(row.api_version, row.kind);
    ASSERT_NE(kind, nullptr) << row.kind;
    for (std::size_t i = 0; i < std::size(kAllCompats); ++i)
      EXPECT_EQ(IsServed(*kind, kAllCompats[i]), row.served[i]) << row.api_version << row.kind;
  }
}

}  // namespace
}  // namespace ksim::api
