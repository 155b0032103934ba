// PodSecurity admission: the labels of namespaces, and what the Pod Security Standards forbid.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "ksim/apiserver/admission/podsecurity/checks.h"
#include "ksim/base/os.h"
#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

podsecurity::LevelVersion LevelOf(const std::string& text) {
  podsecurity::LevelVersion level;
  const std::size_t colon = text.find(':');
  level.level = text.starts_with("baseline") ? podsecurity::Level::kBaseline
                                             : podsecurity::Level::kRestricted;
  if (text.substr(colon + 1) != "latest") level.minor = std::stoi(text.substr(colon + 4));
  return level;
}

// API-270: what upstream's own evaluator said (podsecurity/record_podsecurity.py).
TEST(PodSecurity, EachCheckSaysWhatUpstreamsSays) {
  for (const auto& [file, newest] : {std::pair("1.30", 29), std::pair("1.36", 35)}) {
    const auto text = os::ReadFile(
        fmt::format("tests/apiserver/admission/podsecurity/podsecurity-{}.jsonl", file), 1 << 24);
    ASSERT_TRUE(text.ok()) << text.status();
    std::istringstream lines(*text);
    std::size_t verdicts = 0, pods = 0;
    for (std::string line; std::getline(lines, line); ++pods) {
      const Value record = *value::ParseJson(line);
      const Value& pod = record.Get("pod");
      for (const Value::Member& said : record.Get("verdicts").members()) {
        for (const Value& level : said.value.items()) {
          const std::string name(level.AsString());
          EXPECT_EQ(
              podsecurity::Evaluate(LevelOf(name), newest, pod.Get("metadata"), pod.Get("spec"))
                  .Detail(),
              said.name.text())
              << file << " " << name << " " << value::ToJson(pod);
          ++verdicts;
        }
      }
    }
    EXPECT_EQ(pods, 96u);
    EXPECT_EQ(verdicts, 96u * 30);
  }
}

class PodSecurityLabels : public testing::TestWithParam<api::Compat> {
 public:
  PodSecurityLabels() : w(WorldOptions(GetParam())) {}
  api::Response Namespace(const std::string& labels) {
    const api::Response r =
        w.Create("namespaces", "",
                 Json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","labels":{)" +
                      labels + "}}}"));
    w.Advance(Milliseconds(50));
    return r;
  }
  api::Response CreatePod(const std::string& name, const std::string& more = "") {
    return w.Create("pods", "n",
                    Json(fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},
        "spec":{{"containers":[{{"name":"c","image":"i"}}]{}}}}})",
                                     name, more)));
  }
  std::string Said(const api::Response& r) {
    return r.code >= 400 ? std::string(r.status.message.view()) : std::to_string(r.code);
  }
  World w;
};

INSTANTIATE_TEST_SUITE_P(Compat, PodSecurityLabels, testing::ValuesIn(kProfiles),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// API-270
TEST_P(PodSecurityLabels, WhatIsEnforcedIsRefusedAndTheRestIsWarnedOf) {
  ASSERT_EQ(Namespace(R"("pod-security.kubernetes.io/enforce":"baseline",
      "pod-security.kubernetes.io/warn":"restricted",
      "pod-security.kubernetes.io/warn-version":"v1.8")")
                .code,
            201);
  EXPECT_EQ(Said(CreatePod("a", R"(,"hostNetwork":true,"hostPID":true)")),
            "pods \"a\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces "
            "(hostNetwork=true, hostPID=true)");
  const api::Response warned = CreatePod("b");
  EXPECT_EQ(warned.code, 201);
  EXPECT_THAT(warned.warnings,
              Contains("would violate PodSecurity \"restricted:v1.8\": allowPrivilegeEscalation != "
                       "false (container \"c\" must set "
                       "securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod "
                       "or container \"c\" must set securityContext.runAsNonRoot=true)"));
}

// API-270
TEST_P(PodSecurityLabels, TemplatesAreWarnedOfAndNeverRefused) {
  Namespace(R"("pod-security.kubernetes.io/enforce":"restricted")");
  const api::Response r =
      w.Create("deployments", "n", Json(R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
      "metadata":{"labels":{"a":"b"}},"spec":{"hostIPC":true,"containers":[
      {"name":"c","image":"i"}]}}}})"));
  EXPECT_EQ(r.code, 201);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_TRUE(r.warnings[0].starts_with(
      "would violate PodSecurity \"restricted:latest\": host namespaces (hostIPC=true), "
      "allowPrivilegeEscalation != false ("));
}

// API-270
TEST_P(PodSecurityLabels, ANamespaceWithoutLabelsAllowsAll) {
  Namespace(R"("a":"b")");
  const api::Response r = CreatePod("a", R"(,"hostNetwork":true)");
  EXPECT_EQ(r.code, 201);
  EXPECT_THAT(r.warnings, IsEmpty());
}

// API-271
TEST_P(PodSecurityLabels, LabelsThatCannotBeReadAreRefused) {
  const api::Response r = Namespace(R"("pod-security.kubernetes.io/enforce":"strict",
      "pod-security.kubernetes.io/warn-version":"1.25")");
  EXPECT_EQ(r.code, 422);
  EXPECT_EQ(Said(r),
            "Namespace \"n\" is invalid: "
            "[metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: \"strict\": must "
            "be one of privileged, baseline, restricted, "
            "metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: \"1.25\": "
            "must be \"latest\" or \"v1.x\"]");
}

// API-271
TEST_P(PodSecurityLabels, AStricterLevelIsWarnedOfWithThePodsThatViolateIt) {
  Namespace(R"("a":"b")");
  for (const char* name : {"b", "a", "c"}) CreatePod(name, R"(,"hostNetwork":true)");
  CreatePod("d", R"(,"hostPID":true,"volumes":[{"name":"v","hostPath":{"path":"/"}}])");
  CreatePod("e");
  w.Advance(Milliseconds(50));
  const auto label = [&](const char* level) {
    return w.Patch(
        "namespaces", "", "n", api::PatchType::kMerge,
        fmt::format(R"({{"metadata":{{"labels":{{"pod-security.kubernetes.io/enforce":"{}"}}}}}})",
                    level));
  };
  EXPECT_THAT(label("baseline").warnings,
              ElementsAre("existing pods in namespace \"n\" violate the new PodSecurity enforce "
                          "level \"baseline:latest\"",
                          "a (and 2 other pods): host namespaces",
                          "d: host namespaces, hostPath "
                          "volumes"));
  EXPECT_THAT(label("privileged").warnings, IsEmpty());
}

// API-270: an update counts if a container has another image.
TEST_P(PodSecurityLabels, AnUpdateOfTheImageIsJudged) {
  Namespace(R"("a":"b")");
  CreatePod("a", R"(,"hostNetwork":true)");
  w.Advance(Milliseconds(50));
  w.Patch("namespaces", "", "n", api::PatchType::kMerge,
          R"({"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"baseline"}}})");
  w.Advance(Milliseconds(50));
  EXPECT_EQ(
      w.Patch("pods", "n", "a", api::PatchType::kMerge, R"({"metadata":{"labels":{"x":"y"}}})")
          .code,
      200);
  EXPECT_EQ(w.Patch("pods", "n", "a", api::PatchType::kStrategic,
                    R"({"spec":{"containers":[{"name":"c","image":"other"}]}})")
                .code,
            403);
}

}  // namespace
}  // namespace ksim::apiserver
