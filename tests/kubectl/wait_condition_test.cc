// The conditions of `kubectl wait --for`, and which objects meet them: wait.go, condition.go,
// json.go.
#include "ksim/kubectl/verbs/wait_condition.h"

#include <gtest/gtest.h>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

using api::Compat;

api::Object Pod(const std::string& status) {
  return api::Object::FromTree(*value::ParseJson(
      R"({"kind": "Pod", "metadata": {"name": "a", "generation": 2}, "status": )" + status + "}"));
}

// "met", "not met", or the error that kubectl prints, of reading or of looking.
std::string Look(const std::string& condition, const std::string& status,
                 Compat compat = Compat::k1_36) {
  const absl::StatusOr<WaitCondition> read = WaitCondition::Parse(condition, ProfileOf(compat));
  if (!read.ok()) return std::string(Message(read.status()));
  const absl::StatusOr<bool> met = read->IsMet(Pod(status));
  if (!met.ok()) return std::string(Message(met.status()));
  return *met ? "met" : "not met";
}

constexpr const char* kReady = R"({"phase": "Running", "n": 3, "b": true, "l": [1, 2],
  "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2},
                 {"type": "Old", "status": "True", "observedGeneration": 1}]})";

TEST(WaitCondition, LooksAtConditions) {
  EXPECT_EQ(Look("condition=Ready", kReady), "met");
  EXPECT_EQ(Look("condition=ready=TRUE", kReady), "met");
  EXPECT_EQ(Look("condition=Ready=False", kReady), "not met");
  EXPECT_EQ(Look("condition=Old", kReady), "not met");
  EXPECT_EQ(Look("condition=Other", kReady), "not met");
  EXPECT_EQ(Look("condition=Ready", "{}"), "not met");
}

// API-280
TEST(WaitCondition, LooksAtPaths) {
  EXPECT_EQ(Look("jsonpath={.status.phase}=Running", kReady), "met");
  EXPECT_EQ(Look("jsonpath=.status.phase=\"Running\"", kReady), "met");
  EXPECT_EQ(Look("jsonpath={.status.phase}=Pending", kReady), "not met");
  EXPECT_EQ(Look("jsonpath={.status.n}= 3", kReady), "met");
  EXPECT_EQ(Look("jsonpath={.status.b}=true", kReady), "met");
  EXPECT_EQ(Look("jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=True", kReady), "met");
  EXPECT_EQ(Look("jsonpath={.status.conditions[?(@.type==\"Gone\")].status}=True", kReady),
            "not met");
  EXPECT_EQ(Look("jsonpath={.status.l[*]}=1", kReady),
            "given jsonpath expression matches more than one value");
  EXPECT_EQ(Look("jsonpath={.status.l}=1", kReady),
            "jsonpath leads to a nested object or list which is not supported");
}

TEST(WaitCondition, APathNeedsNoValueFrom130On) {
  for (const Compat compat : {Compat::k1_30, Compat::k1_36}) {
    EXPECT_EQ(Look("jsonpath={.status.phase}", kReady, compat), "met");
    EXPECT_EQ(Look("jsonpath={.status.l}", kReady, compat), "met");
    EXPECT_EQ(Look("jsonpath={.status.none}", kReady, compat), "not met");
    EXPECT_EQ(Look("jsonpath={.status.none}=x", kReady, compat), "not met");
    EXPECT_EQ(Look("jsonpath={.a}=b=c", kReady, compat),
              "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
              "--for=jsonpath='{.status.readyReplicas}'");
    EXPECT_EQ(Look("jsonpath={.a}=", kReady, compat),
              "jsonpath wait has to have a value after equal sign, like "
              "--for=jsonpath='{.status.readyReplicas}'=3");
  }
  const std::string format =
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3";
  EXPECT_EQ(Look("jsonpath={.status.phase}", kReady, Compat::k1_25), format);
  EXPECT_EQ(Look("jsonpath={.status.phase}=Running", kReady, Compat::k1_25), "met");
  EXPECT_EQ(Look("jsonpath={.status.none}=x", kReady, Compat::k1_25), "none is not found");
  EXPECT_EQ(Look("jsonpath={.a}=", kReady, Compat::k1_25),
            "jsonpath wait condition cannot be empty");
  EXPECT_EQ(Look("jsonpath={.a[?(@.b==\"c\")]}=d", kReady, Compat::k1_25), format);
}

TEST(WaitCondition, WhatItDoesNotKnowIsRefusedAsKubectlDoes) {
  EXPECT_EQ(Look("create", kReady, Compat::k1_30), "unrecognized condition: \"create\"");
  EXPECT_EQ(Look("Condition=Ready", kReady), "unrecognized condition: \"Condition=Ready\"");
  EXPECT_EQ(Look("jsonpath=", kReady), "jsonpath expression cannot be empty");
  EXPECT_EQ(Look("jsonpath={a}{b}", kReady),
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or "
            "'{name1.name2}' or '{.name1.name2}'");
  const Profile& profile = ProfileOf(Compat::k1_36);
  EXPECT_EQ(WaitCondition::Parse("Create", profile)->kind(), WaitCondition::Kind::kCreate);
  EXPECT_EQ(WaitCondition::Parse("DELETE", profile)->kind(), WaitCondition::Kind::kDelete);
}

TEST(WaitCondition, QuotesOfAShellAreTakenOff) {
  EXPECT_EQ(WithoutShellQuotes("jsonpath='{.status.phase}'=Running"),
            "jsonpath={.status.phase}=Running");
  EXPECT_EQ(WithoutShellQuotes("'jsonpath={.a}=b'"), "jsonpath={.a}=b");
  EXPECT_EQ(WithoutShellQuotes("jsonpath={.a[?(@.b=='c')]}"), "jsonpath={.a[?(@.b=='c')]}");
  EXPECT_EQ(WithoutShellQuotes("jsonpath='"), "jsonpath='");
  EXPECT_EQ(WithoutShellQuotes(""), "");
}

TEST(WaitCondition, AVersionThatHasItIsNamed) {
  const auto problem = CheckConditions({"create"}, Compat::k1_30);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->hint, "kubectl 1.36 takes it: compat: \"1.36\"");
  EXPECT_EQ(CheckConditions({"delete", "condition=Ready"}, Compat::k1_30)->message,
            "kubectl 1.30 waits for one condition only");
  EXPECT_FALSE(CheckConditions({"create", "condition=Ready"}, Compat::k1_36));
  EXPECT_NE(CheckConditions({"ready"}, Compat::k1_36)->hint.find("condition=NAME"),
            std::string::npos);
}

}  // namespace
}  // namespace ksim::kubectl
