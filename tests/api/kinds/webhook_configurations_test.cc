// The kinds MutatingWebhookConfiguration and ValidatingWebhookConfiguration: defaults, rules and
// warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/api/kinds/admissionregistration/webhook_url.h"
#include "ksim/api/schema/schema.h"
#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

constexpr std::string_view kMutating = "mutatingwebhookconfigurations";
constexpr std::string_view kValidating = "validatingwebhookconfigurations";

// A configuration with one good webhook, but for what `change` sets, as YAML flow members.
std::string Configuration(std::string_view change) {
  std::string text =
      "{metadata: {name: c}, webhooks: [{name: a.b.c, sideEffects: None, "
      "admissionReviewVersions: [v1], clientConfig: {service: {name: s, namespace: n}}, "
      "rules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}]}";
  if (change.empty()) return text;
  // YAML refuses a name twice: the changed member replaces the good one.
  const std::string name(change.substr(0, change.find(':')));
  const auto replace = [&](std::string_view member) {
    if (!member.starts_with(name + ":")) return false;
    const std::size_t at = text.find(std::string(member));
    text.replace(at, member.size(), change);
    return true;
  };
  for (const char* member :
       {"name: a.b.c", "sideEffects: None", "admissionReviewVersions: [v1]",
        "clientConfig: {service: {name: s, namespace: n}}",
        "rules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [pods]}]"}) {
    if (replace(member)) return text;
  }
  text.insert(text.size() - 3, ", " + std::string(change));
  return text;
}

std::string Rule(std::string_view operations, std::string_view groups, std::string_view versions,
                 std::string_view resources) {
  return "rules: [{operations: " + std::string(operations) + ", apiGroups: " + std::string(groups) +
         ", apiVersions: " + std::string(versions) + ", resources: " + std::string(resources) +
         "}]";
}

// API-210
TEST(WebhookConfigurations, GetTheirDefaults) {
  const Value validating =
      ApplyDefaults(KindOf(kValidating), Yaml(Configuration("")), Compat::k1_36);
  EXPECT_EQ(
      JsonAt(validating, "webhooks[0]"),
      R"({"admissionReviewVersions":["v1"],"clientConfig":{"service":{"name":"s",)"
      R"("namespace":"n","port":443}},"failurePolicy":"Fail","matchPolicy":"Equivalent",)"
      R"("name":"a.b.c","namespaceSelector":{},"objectSelector":{},"rules":[{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"operations":["*"],"resources":["pods"],"scope":"*"}],)"
      R"("sideEffects":"None","timeoutSeconds":10})");
  const Value mutating = ApplyDefaults(KindOf(kMutating), Yaml(Configuration("")), Compat::k1_36);
  EXPECT_EQ(JsonAt(mutating, "webhooks[0].reinvocationPolicy"), "\"Never\"");
  EXPECT_TRUE(ApplyDefaults(KindOf(kMutating), mutating, Compat::k1_36).SameTree(mutating));
}

// API-210
TEST(WebhookConfigurations, RefuseBadWebhooks) {
  const struct {
    std::string change;
    std::vector<std::string> errors;
  } kCases[] = {
      {"", {}},
      {"name: ''", {"webhooks[0].name: Required value"}},
      {"name: a.b",
       {"webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three segments "
        "separated by dots"}},
      {"sideEffects: Some",
       {"webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", "
        "\"NoneOnDryRun\""}},
      {"sideEffects: null",
       {"webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"}},
      {"failurePolicy: Retry",
       {"webhooks[0].failurePolicy: Unsupported value: \"Retry\": supported values: \"Fail\", "
        "\"Ignore\""}},
      {"matchPolicy: Same",
       {"webhooks[0].matchPolicy: Unsupported value: \"Same\": supported values: \"Equivalent\", "
        "\"Exact\""}},
      {"timeoutSeconds: 31",
       {"webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 "
        "seconds"}},
      {"timeoutSeconds: 0",
       {"webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 "
        "seconds"}},
      {"admissionReviewVersions: []",
       {"webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1"}},
      {"admissionReviewVersions: [v2]",
       {"webhooks[0].admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one "
        "of "
        "v1, v1beta1"}},
      {"admissionReviewVersions: [v1, v1]",
       {"webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version"}},
      {"clientConfig: {}",
       {"webhooks[0].clientConfig: Required value: exactly one of url or service is required"}},
      {"clientConfig: {url: 'http://u@h/p?q#f'}",
       {"webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL "
        "scheme; desired format: https://host[/path]",
        "webhooks[0].clientConfig.url: Invalid value: \"u\": user information is not permitted in "
        "the URL",
        "webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the "
        "URL",
        "webhooks[0].clientConfig.url: Invalid value: \"q\": query parameters are not permitted in "
        "the URL"}},
      {"clientConfig: {url: 'https:///p'}",
       {"webhooks[0].clientConfig.url: Invalid value: \"\": host must be specified; desired "
        "format: "
        "https://host[/path]"}},
      {"clientConfig: {service: {name: '', namespace: '', port: 0, path: a//b}}",
       {"webhooks[0].clientConfig.service.name: Required value",
        "webhooks[0].clientConfig.service.namespace: Required value",
        "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be "
        "between 1 and 65535, inclusive",
        "webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": must start with a '/'",
        "webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": segment[0] may not be "
        "empty",
        "webhooks[0].clientConfig.service.path: Invalid value: \"a//b\": segment[1] may not be "
        "empty"}},
      {Rule("[]", "[]", "[]", "[]"),
       {"webhooks[0].rules[0].operations: Required value",
        "webhooks[0].rules[0].apiGroups: Required value",
        "webhooks[0].rules[0].apiVersions: Required value",
        "webhooks[0].rules[0].resources: Required value"}},
      {Rule("['*', CREATE]", "['*', apps]", "['*', v1]", "['*/*', pods]"),
       {"webhooks[0].rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, "
        "must "
        "not specify other operations",
        "webhooks[0].rules[0].apiGroups: Invalid value: [\"*\",\"apps\"]: if '*' is present, must "
        "not specify other API groups",
        "webhooks[0].rules[0].apiVersions: Invalid value: [\"*\",\"v1\"]: if '*' is present, must "
        "not specify other API versions",
        "webhooks[0].rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, "
        "must not specify other resources"}},
      {Rule("[PATCH]", "['']", "['']", "['', pods/*, pods/status, '*/scale', a/scale, '*', pods]"),
       {"webhooks[0].rules[0].operations[0]: Unsupported value: \"PATCH\": supported values: "
        "\"*\", "
        "\"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
        "webhooks[0].rules[0].apiVersions[0]: Required value",
        "webhooks[0].rules[0].resources[0]: Required value",
        "webhooks[0].rules[0].resources[2]: Invalid value: \"pods/status\": if 'pods/*' is "
        "present, "
        "must not specify pods/status",
        "webhooks[0].rules[0].resources[4]: Invalid value: \"a/scale\": if '*/scale' is present, "
        "must not specify a/scale",
        "webhooks[0].rules[0].resources: Invalid value: "
        "[\"\",\"pods/*\",\"pods/status\",\"*/scale\",\"a/scale\",\"*\",\"pods\"]: if '*' is "
        "present, must not specify other resources without subresources"}},
      {"matchConditions: [{name: a, expression: ' '}, {name: a, expression: 'true'}, {name: '', "
       "expression: x}]",
       {"webhooks[0].matchConditions[0].expression: Required value",
        "webhooks[0].matchConditions[1].name: Duplicate value: \"a\"",
        "webhooks[0].matchConditions[2].expression: Invalid value: \"x\": compilation failed: "
        "ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
        "webhooks[0].matchConditions[2].name: Required value"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(CreateErrors(kMutating, Configuration(c.change)), c.errors) << c.change;
    EXPECT_EQ(CreateErrors(kValidating, Configuration(c.change)), c.errors) << c.change;
  }
  EXPECT_THAT(CreateErrors(kMutating, Configuration("reinvocationPolicy: Always")),
              ElementsAre("webhooks[0].reinvocationPolicy: Unsupported value: \"Always\": "
                          "supported values: \"IfNeeded\", \"Never\""));
}

// API-210
TEST(WebhookConfigurations, AnUpdateNeedNotBeBetterThanWhatIsStored) {
  const Value good = Prepared(kMutating, Configuration(""));
  const Value poor = Prepared(kMutating, Configuration("sideEffects: Some"));
  EXPECT_THAT(UpdateErrors(kMutating, poor, poor), IsEmpty());
  EXPECT_THAT(UpdateErrors(kMutating, poor, good),
              ElementsAre("webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: "
                          "\"None\", \"NoneOnDryRun\""));
  const Value old_versions = Prepared(kMutating, Configuration("admissionReviewVersions: [v2]"));
  EXPECT_THAT(UpdateErrors(kMutating, old_versions, old_versions), IsEmpty());
  const value::Path kHooks{"webhooks"};
  const Value twice =
      good.Set(kHooks, value::Arr({good.Get("webhooks").at(0), good.Get("webhooks").at(0)}));
  EXPECT_THAT(UpdateErrors(kMutating, twice, twice), IsEmpty());
  EXPECT_THAT(UpdateErrors(kMutating, twice, good),
              ElementsAre("webhooks[1].name: Duplicate value: \"a.b.c\""));
}

// POLICY-09
TEST(WebhookConfigurations, ConditionsMustCompile) {
  const std::string change = "matchConditions: [{name: a, expression: 'object.nix'}]";
  EXPECT_THAT(
      CreateErrors(kValidating, Configuration(change)),
      ElementsAre("webhooks[0].matchConditions[0].expression: Invalid value: \"object.nix\": "
                  "must evaluate to bool but got dyn"));
  const Value bad = Prepared(kValidating, Configuration(change));
  EXPECT_THAT(UpdateErrors(kValidating, bad, bad), IsEmpty()) << "they are as they were";
}

// API-210
TEST(WebhookConfigurations, UrlsHaveTheirParts) {
  const WebhookUrl plain("https://example.com/a/b");
  EXPECT_EQ(plain.scheme, "https");
  EXPECT_EQ(plain.host, "example.com");
  EXPECT_EQ(plain.HostName(), "example.com");
  EXPECT_EQ(plain.Port(), 443);
  EXPECT_EQ(plain.path, "/a/b");
  const WebhookUrl six("HTTPS://[::1]:8443");
  EXPECT_EQ(six.scheme, "https");
  EXPECT_EQ(six.HostName(), "::1");
  EXPECT_EQ(six.Port(), 8443);
  EXPECT_EQ(six.path, "");
  EXPECT_EQ(WebhookUrl("://x").problem, "parse \"://x\": missing protocol scheme");
  EXPECT_EQ(WebhookUrl("https://h:x/").problem,
            "parse \"https://h:x/\": invalid port \":x\" after host");
  EXPECT_EQ(WebhookUrl("1:2").problem,
            "parse \"1:2\": first path segment in URL cannot contain colon");
}

}  // namespace
}  // namespace ksim::api
