// ValidatingAdmissionPolicies: what they refuse, warn of and note, and whom they are about.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/apiserver/audit.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

Value Yaml(const std::string& text) {
  const value::YamlFile file = value::ParseYaml(text, "test");
  EXPECT_TRUE(file.errors.empty()) << text;
  return file.errors.empty() ? file.documents.front().ToValue() : Value();
}

constexpr const char* kOfConfigMaps =
    "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, "
    "UPDATE, DELETE], resources: [configmaps]}]}";

class Policies : public ::testing::TestWithParam<api::Compat> {
 protected:
  Policies() : world(With(GetParam(), &log)) {}
  static WorldOptions With(api::Compat compat, AuditLog* log) {
    WorldOptions options(compat);
    options.server.audit = log;
    return options;
  }
  // A policy about ConfigMaps with this rest of a spec.
  void Bind(const std::string& spec, const std::string& binding = "validationActions: [Deny]",
            const std::string& match = kOfConfigMaps) {
    const api::Response policy = world.Create(
        "validatingadmissionpolicies", "",
        Yaml("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, "
             "metadata: {name: p.example.com}, spec: {" +
             match + ", " + spec + "}}"));
    ASSERT_EQ(policy.code, 201) << policy.status.message.view();
    const api::Response bound = world.Create(
        "validatingadmissionpolicybindings", "",
        Yaml("{apiVersion: admissionregistration.k8s.io/v1, kind: "
             "ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: "
             "p.example.com, " +
             binding + "}}"));
    ASSERT_EQ(bound.code, 201) << bound.status.message.view();
    world.Advance(Seconds(1));
  }
  // "201", or the code and message of the refusal.
  std::string Make(const std::string& name, const std::string& data = "x",
                   const char* ns = "default") {
    last = world.Create("configmaps", ns, ConfigMap(ns, name, data));
    return Told(last);
  }
  static std::string Told(const api::Response& r) {
    std::string text = std::to_string(r.code);
    if (r.code >= 400) text += " " + std::string(r.status.message.view());
    return text;
  }
  static std::string Denied(const std::string& why, int code = 422, const char* name = "a") {
    return std::to_string(code) + " configmaps \"" + name +
           "\" is forbidden: ValidatingAdmissionPolicy 'p.example.com' with binding 'b' denied "
           "request: " +
           why;
  }
  AuditLog log;
  World world;
  api::Response last;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Policies,
                         ::testing::Values(api::Compat::k1_30, api::Compat::k1_36),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// POLICY-01, POLICY-03
TEST_P(Policies, ARefusalHasThePolicyAndItsMessage) {
  Bind("validations: [{expression: \"object.data.k != 'bad'\", message: ' no bad data '}]");
  EXPECT_EQ(Make("a", "good"), "201");
  EXPECT_EQ(Make("b", "bad"), Denied("no bad data", 422, "b"));
  EXPECT_EQ(last.status.reason.view(), "Invalid");
  ASSERT_EQ(last.status.details->causes.size(), 1u);
  EXPECT_EQ(
      last.status.details->causes[0].message,
      "ValidatingAdmissionPolicy 'p.example.com' with binding 'b' denied request: no bad data");
  const api::Response patched =
      world.Patch("configmaps", "default", "a", api::PatchType::kMerge, R"({"data":{"k":"bad"}})");
  EXPECT_EQ(Told(patched), Denied("no bad data"));
}

// POLICY-03
TEST_P(Policies, MessagesAndReasons) {
  Bind(
      "variables: [{name: k, expression: object.data.k}, {name: twice, expression: variables.k + "
      "variables.k}], validations: [{expression: \"variables.k != 'one'\", reason: Forbidden, "
      "messageExpression: \"'not ' + variables.twice\"}, {expression: \"variables.k != 'two'\"}, "
      "{expression: \"object.data.nix != 'x' || variables.k == 'three'\"}]");
  EXPECT_EQ(Make("a", "one"), Denied("not oneone", 403));
  EXPECT_EQ(Make("a", "two"), Denied("failed expression: variables.k != 'two'"));
  EXPECT_EQ(Make("a", "four"),
            Denied("expression 'object.data.nix != 'x' || variables.k == 'three'' resulted in "
                   "error: no such key: nix"));
  EXPECT_EQ(Make("a", "three"), "201");
}

// POLICY-04
TEST_P(Policies, FailuresMayBeIgnored) {
  Bind("failurePolicy: Ignore, validations: [{expression: \"object.data.nix == 'x'\"}]");
  EXPECT_EQ(Make("a"), "201");
}

// POLICY-05
TEST_P(Policies, WarningsAndAudit) {
  Bind(
      "validations: [{expression: \"object.data.k != 'bad'\"}], auditAnnotations: [{key: seen, "
      "valueExpression: \"' data ' + object.data.k\"}, {key: not, valueExpression: 'null'}]",
      "validationActions: [Warn, Audit]");
  EXPECT_EQ(Make("a", "bad"), "201");
  EXPECT_EQ(last.warnings,
            std::vector<std::string>{"Validation failed for ValidatingAdmissionPolicy "
                                     "'p.example.com' with binding 'b': failed expression: "
                                     "object.data.k != 'bad'"});
  Value noted;
  for (const Value& event : log.events())
    if (event.Get("objectRef").Get("resource").AsString() == "configmaps")
      noted = event.Get("annotations");
  EXPECT_EQ(noted.Get("p.example.com/seen").AsString(), "data bad");
  EXPECT_FALSE(noted.Has("p.example.com/not"));
  EXPECT_EQ(noted.Get("validation.policy.admission.k8s.io/validation_failure").AsString(),
            R"([{"message":"failed expression: object.data.k != 'bad'","policy":"p.example.com",)"
            R"("binding":"b","expressionIndex":0,"validationActions":["Warn","Audit"]}])");
}

// POLICY-02
TEST_P(Policies, ConditionsChooseTheRequests) {
  Bind(
      "matchConditions: [{name: n, expression: \"object.metadata.name.startsWith('a')\"}], "
      "validations: [{expression: 'false', message: no}]");
  EXPECT_EQ(Make("b"), "201");
  EXPECT_EQ(Make("a"), Denied("no"));
}

// POLICY-02
TEST_P(Policies, BindingsChooseNamespacesAndNames) {
  Bind("validations: [{expression: 'false', message: no}]",
       "validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {strict: "
       "'yes'}}, excludeResourceRules: [{apiGroups: [''], apiVersions: ['*'], operations: ['*'], "
       "resources: ['*'], resourceNames: [free]}]}");
  for (const char* ns : {"loose", "tight"}) {
    Value space =
        Yaml(std::string("{apiVersion: v1, kind: Namespace, metadata: {name: ") + ns + "}}");
    if (std::string_view(ns) == "tight")
      space = space.Set(Path{"metadata", "labels", "strict"}, Value::Of("yes"));
    ASSERT_EQ(world.Create("namespaces", "", space).code, 201);
  }
  world.Advance(Seconds(1));
  EXPECT_EQ(Make("a", "x", "loose"), "201");
  EXPECT_EQ(Make("a", "x", "tight"), Denied("no"));
  EXPECT_EQ(Make("free", "x", "tight"), "201");
}

// POLICY-06
TEST_P(Policies, ParametersAreObjects) {
  Bind(
      "paramKind: {apiVersion: v1, kind: Secret}, validations: [{expression: \"params == null || "
      "object.data.k != params.metadata.labels.bad\", message: no}]",
      "validationActions: [Deny], paramRef: {selector: {matchLabels: {use: this}}, "
      "parameterNotFoundAction: Deny}");
  EXPECT_EQ(Make("a"),
            Denied("failed to configure binding: no params found for policy binding with `Deny` "
                   "parameterNotFoundAction"));
  ASSERT_EQ(world
                .Create("secrets", "default",
                        Yaml("{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: "
                             "default, labels: {use: this, bad: worse}}}"))
                .code,
            201);
  world.Advance(Seconds(1));
  EXPECT_EQ(Make("a", "worse"), Denied("no"));
  EXPECT_EQ(Make("a", "fine"), "201");
}

// POLICY-06
TEST_P(Policies, AParameterOfAnUnknownKindIsAMistake) {
  Bind("paramKind: {apiVersion: example.com/v1, kind: Nix}, validations: [{expression: 'true'}]");
  EXPECT_EQ(Make("a"),
            "422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p.example.com' denied "
            "request: failed to configure policy: failed to find resource referenced by paramKind: "
            "'example.com/v1, Kind=Nix'");
}

// POLICY-02, POLICY-07
TEST_P(Policies, RequestsHaveTheirParts) {
  Bind(
      "validations: [{expression: \"request.operation != 'DELETE' || oldObject.data.k != "
      "'keep'\", message: keep it}, {expression: \"request.operation == 'DELETE' || "
      "(request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && "
      "request.namespace == 'default' && request.name == object.metadata.name && "
      "namespaceObject.metadata.name == 'default' && !has(request.subResource) && "
      "(request.operation == 'CREATE') == (oldObject == null))\", message: parts}, {expression: "
      "\"authorizer.group('').resource('pods').namespace('x').check('create').allowed()\"}, "
      "{expression: \"authorizer.requestResource.check('get').allowed()\"}]");
  EXPECT_EQ(Make("a", "keep"), "201");
  EXPECT_EQ(Told(world.Patch("configmaps", "default", "a", api::PatchType::kMerge,
                             R"({"metadata":{"labels":{"l":"1"}}})")),
            "200");
  EXPECT_EQ(Told(world.Delete("configmaps", "default", "a")), Denied("keep it"));
}

// POLICY-08
TEST_P(Policies, ExpressionsAreCompiledWhenAPolicyIsWritten) {
  const api::Response made = world.Create(
      "validatingadmissionpolicies", "",
      Yaml("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, "
           "metadata: {name: p}, spec: {" +
           std::string(kOfConfigMaps) +
           ", matchConditions: [{name: n, expression: '1'}], variables: [{name: v, expression: "
           "nix}], validations: [{expression: \"variables.w == 1\"}, {expression: object.x, "
           "messageExpression: '1', reason: Nix}], auditAnnotations: [{key: k, valueExpression: "
           "'1'}]}}"));
  ASSERT_EQ(made.code, 422);
  std::string said;
  for (const api::StatusCause& cause : made.status.details->causes)
    said += cause.field + ": " + cause.message + "\n";
  const bool tells = GetParam() == api::Compat::k1_36;
  const auto but = [tells](const char* type) {
    return tells ? std::string(" but got ") + type + "\n" : std::string("\n");
  };
  EXPECT_EQ(
      said,
      "spec.matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool" +
          but("int") +
          "spec.variables[0].expression: Invalid value: \"nix\": compilation failed: ERROR: "
          "<input>:1:1: undeclared reference to 'nix' (in container '')\n | nix\n | ^\n"
          "spec.validations[0].expression: Invalid value: \"variables.w == 1\": compilation "
          "failed: ERROR: <input>:1:10: undefined field 'w'\n | variables.w == 1\n | "
          ".........^\n"
          "spec.validations[1].expression: Invalid value: \"object.x\": must evaluate to bool" +
          but("dyn") +
          "spec.validations[1].messageExpression: Invalid value: \"1\": must evaluate to string" +
          but("int") +
          "spec.validations[1].reason: Unsupported value: \"Nix\": supported values: "
          "\"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"\n"
          "spec.auditAnnotations[0].valueExpression: Invalid value: \"1\": must evaluate to one "
          "of [string null_type]" +
          but("int"));
}

// POLICY-09: nothing judges the policies themselves, and one without a binding judges nothing.
TEST_P(Policies, PoliciesWithoutBindingsDoNothing) {
  Bind("validations: [{expression: 'false'}]");
  ASSERT_EQ(world.Delete("validatingadmissionpolicybindings", "", "b").code, 200);
  world.Advance(Seconds(1));
  EXPECT_EQ(Make("a"), "201");
}

}  // namespace
}  // namespace ksim::apiserver
