// The kubelet and the ConfigMaps and Secrets that pods name: in environments, in volumes, as pull
// secrets; and containers that may not run as root.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class KubeletObjects : public testing::TestWithParam<api::Compat> {
 public:
  KubeletObjects() : w(GetParam()) { w.StartKubelet("n1"); }

  // `container` and `more` are fields of the container and of the pod's spec.
  void CreatePod(const std::string& container, const std::string& more = "") {
    w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
        "nodeName":"n1","containers":[{"name":"c","image":"web:1")" +
                         container + "}]" + more + "}}");
  }
  void CreateConfigMap(const std::string& data = R"({"k":"v"})", const std::string& more = "") {
    w.Create("configmaps",
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":)" + data +
                 more + "}");
  }
  value::Value Waiting() {
    return w.Get("pods", "p").status().Get("containerStatuses").at(0).Get("state").Get("waiting");
  }
  std::string WaitingText() {
    return fmt::format("{}: {}", Waiting().Get("reason").AsString(),
                       Waiting().Get("message").AsString());
  }
  std::string Phase() { return std::string(w.Get("pods", "p").status().Get("phase").AsString()); }
  // The kubelet's requests about a resource: "list metadata.name=m".
  std::vector<std::string> Requests(std::string_view resource) {
    std::vector<std::string> out;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.resource->resource != resource || r.user != "system:node:n1") continue;
      out.push_back(fmt::format("{} {}", api::ToString(r.verb), r.list.field_selector.view()));
    }
    return out;
  }
  // The times at which an Event of that text was written, in seconds from its first.
  std::vector<std::int64_t> Times(const std::string& text) {
    std::vector<std::int64_t> out;
    std::optional<VirtualTime> first;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.resource->resource != "events") continue;
      const bool created = r.body.Get("message").AsString() == text;
      const bool counted = r.verb == api::Verb::kPatch;
      if (!created && !(counted && first)) continue;
      if (!first) first = e.time;
      out.push_back((e.time - *first).ns() / Milliseconds(1).ns());
    }
    return out;
  }
  bool v125() const { return GetParam() == api::Compat::k1_25; }

  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletObjects, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

constexpr const char* kFromMap = R"(,"envFrom":[{"configMapRef":{"name":"m"}}])";
constexpr const char* kKey =
    R"(,"env":[{"name":"e","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}])";
constexpr const char* kMount = R"(,"volumeMounts":[{"name":"v","mountPath":"/v"}])";

// KUBELET-REF-02
TEST_P(KubeletObjects, AContainerWaitsForTheConfigMapOfItsEnvironment) {
  CreatePod(kFromMap);
  w.Advance(Seconds(40));
  EXPECT_EQ(WaitingText(), "CreateContainerConfigError: configmap \"m\" not found");
  EXPECT_EQ(Phase(), "Pending");
  EXPECT_THAT(w.EventTexts(), Contains("Warning Failed Error: configmap \"m\" not found"));
  CreateConfigMap();
  w.Advance(Seconds(16));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-REF-02: a sync that failed is repeated after 10 to 15 s, not before, although the object
// has come.
TEST_P(KubeletObjects, TheNextSyncComesInItsTime) {
  CreatePod(kFromMap);
  w.Advance(Seconds(5));
  ASSERT_EQ(Waiting().Get("reason").AsString(), "CreateContainerConfigError");
  CreateConfigMap();
  w.Advance(Seconds(4));
  EXPECT_EQ(Phase(), "Pending");
  w.Advance(Seconds(12));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-REF-02
TEST_P(KubeletObjects, WhatTheEnvironmentLacksIsNamed) {
  const struct {
    const char *what, *container, *data, *waits;
  } rows[] = {
      {"a key", kKey, R"({"other":"v"})", "couldn't find key k in ConfigMap default/m"},
      {"a Secret", R"(,"envFrom":[{"secretRef":{"name":"s"}}])", "{}", "secret \"s\" not found"},
      {"a key of a Secret",
       R"(,"env":[{"name":"e","valueFrom":{"secretKeyRef":{"name":"t","key":"k"}}}])", "{}",
       "couldn't find key k in Secret default/t"},
      {"envFrom before env",
       R"(,"env":[{"name":"e","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
          "envFrom":[{"configMapRef":{"name":"n"}}])",
       "{}", "configmap \"n\" not found"},
  };
  w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"t"}})");
  for (const auto& row : rows) {
    CreateConfigMap(row.data);
    CreatePod(row.container);
    w.Advance(Seconds(10));
    EXPECT_EQ(WaitingText(), std::string("CreateContainerConfigError: ") + row.waits) << row.what;
    w.Delete("pods", "p", Grace(0));
    w.Delete("configmaps", "m");
    w.Advance(Seconds(10));
  }
}

// KUBELET-REF-02
TEST_P(KubeletObjects, WhatIsOptionalOrThereHoldsNobodyUp) {
  const struct {
    const char *what, *container;
    bool map;
  } rows[] = {
      {"an optional ConfigMap",
       R"(,"envFrom":[{"configMapRef":{"name":"m","optional":true}},
          {"secretRef":{"name":"s","optional":true}}])",
       false},
      {"an optional key",
       R"(,"env":[{"name":"e","valueFrom":{"configMapKeyRef":{"name":"m","key":"x",
          "optional":true}}}])",
       true},
      {"all there", kKey, true},
      {"a value of its own", R"(,"env":[{"name":"e","value":"v"}])", false},
  };
  for (const auto& row : rows) {
    if (row.map) CreateConfigMap();
    CreatePod(row.container);
    w.Advance(Seconds(10));
    EXPECT_EQ(Phase(), "Running") << row.what;
    w.Delete("pods", "p", Grace(0));
    if (row.map) w.Delete("configmaps", "m");
    w.Advance(Seconds(10));
  }
}

// KUBELET-REF-02
TEST_P(KubeletObjects, KeysThatAreNoNamesOfVariablesAreToldOfIn125) {
  CreateConfigMap(R"({"1st":"a","ok":"b","2nd":"c"})");
  CreatePod(kFromMap);
  w.Advance(Seconds(10));
  EXPECT_EQ(Phase(), "Running");
  const std::string told =
      "Warning InvalidEnvironmentVariableNames Keys [1st, 2nd] from the EnvFrom configMap "
      "default/m were skipped since they are considered invalid environment variable names.";
  if (v125()) {
    EXPECT_THAT(w.EventTexts(), Contains(told));
  } else {
    EXPECT_THAT(w.EventTexts(), Not(Contains(told)));
  }
}

// KUBELET-REF-01
TEST_P(KubeletObjects, EachObjectIsWatchedByNameWhileAPodNamesIt) {
  CreatePod("");
  w.Advance(Seconds(10));
  EXPECT_THAT(Requests("configmaps"), IsEmpty());
  EXPECT_THAT(Requests("secrets"), IsEmpty());
  w.Delete("pods", "p", Grace(0));
  w.Advance(Seconds(10));
  CreateConfigMap();
  CreatePod(std::string(kFromMap) + kMount,
            R"(,"volumes":[{"name":"v","configMap":{"name":"m"}}])");
  w.Advance(Minutes(20));
  const auto asked = Requests("configmaps");
  ASSERT_FALSE(asked.empty());
  for (const std::string& request : asked) EXPECT_THAT(request, HasSubstr("metadata.name=m"));
  EXPECT_EQ(asked.back(), "watch metadata.name=m");
  // Nobody watches when the pod has gone.
  w.Delete("pods", "p", Grace(0));
  w.Advance(Seconds(10));
  const std::size_t before = Requests("configmaps").size();
  w.Advance(Minutes(90));
  EXPECT_EQ(Requests("configmaps").size(), before);
}

// KUBELET-REF-01: an object that only environments name is not read any more, and after five
// minutes nobody watches it; an immutable one is not watched once it was read.
TEST_P(KubeletObjects, AnIdleObjectAndAnImmutableOneAreNotWatched) {
  CreateConfigMap();
  CreatePod(kFromMap);
  w.Advance(Minutes(8));
  const std::size_t before = Requests("configmaps").size();
  w.Advance(Minutes(90));
  EXPECT_EQ(Requests("configmaps").size(), before);
  w.Delete("pods", "p", Grace(0));
  w.Delete("configmaps", "m");
  CreateConfigMap(R"({"k":"v"})", R"(,"immutable":true)");
  w.Advance(Seconds(10));
  const std::size_t again = Requests("configmaps").size();
  CreatePod(std::string(kFromMap) + kMount,
            R"(,"volumes":[{"name":"v","configMap":{"name":"m"}}])");
  w.Advance(Minutes(90));
  EXPECT_EQ(Phase(), "Running");
  EXPECT_LE(Requests("configmaps").size(), again + 2);
}

// KUBELET-REF-03
TEST_P(KubeletObjects, AVolumeIsTriedAgainWithABackOff) {
  CreatePod(kMount, R"(,"volumes":[{"name":"v","configMap":{"name":"m"}}])");
  w.Advance(Seconds(40));
  EXPECT_EQ(WaitingText(), "ContainerCreating: ");
  const std::string text = "MountVolume.SetUp failed for volume \"v\" : configmap \"m\" not found";
  EXPECT_THAT(w.EventTexts(), Contains("Warning FailedMount " + text));
  // 0.5 s, 1 s, 2 s, ... after one another, at a tick of 100 ms.
  const auto times = Times(text);
  ASSERT_GE(times.size(), 6u);
  for (std::size_t i = 1, wait = 500; i < 6; ++i, wait *= 2) {
    EXPECT_GE(times[i] - times[i - 1], static_cast<std::int64_t>(wait) - 20) << i;
    EXPECT_LE(times[i] - times[i - 1], static_cast<std::int64_t>(wait) + 150) << i;
  }
  CreateConfigMap();
  w.Advance(Seconds(40));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-REF-03
TEST_P(KubeletObjects, WhatAVolumeLacksIsNamed) {
  const struct {
    const char *what, *volume, *error;
  } rows[] = {
      {"a Secret", R"("secret":{"secretName":"s"})", "secret \"s\" not found"},
      {"a key", R"("configMap":{"name":"m","items":[{"key":"x","path":"x"}]})",
       "configmap references non-existent config key: x"},
      {"a key of a Secret", R"("secret":{"secretName":"t","items":[{"key":"x","path":"x"}]})",
       "references non-existent secret key: x"},
      {"sources",
       R"("projected":{"sources":[{"configMap":{"name":"n"}},{"secret":{"name":"s"}},
          {"configMap":{"name":"m"}}]})",
       "[configmap \"n\" not found, secret \"s\" not found]"},
      {"a container", R"("downwardAPI":{"items":[{"path":"x","resourceFieldRef":{
          "containerName":"d","resource":"limits.cpu"}}]})",
       "container d not found"},
  };
  CreateConfigMap();
  w.Create("secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"t"}})");
  for (const auto& row : rows) {
    CreatePod(kMount, fmt::format(R"(,"volumes":[{{"name":"v",{}}}])", row.volume));
    w.Advance(Seconds(10));
    EXPECT_EQ(Phase(), "Pending") << row.what;
    EXPECT_THAT(
        w.EventTexts(),
        Contains(fmt::format("Warning FailedMount MountVolume.SetUp failed for volume \"v\" : {}",
                             row.error)))
        << row.what;
    w.Delete("pods", "p", Grace(0));
    w.Advance(Seconds(10));
  }
}

// KUBELET-REF-03
TEST_P(KubeletObjects, AVolumeThatIsOptionalOrNotMountedHoldsNobodyUp) {
  const struct {
    const char *what, *container, *volume;
  } rows[] = {
      {"optional", kMount, R"("configMap":{"name":"x","optional":true})"},
      {"optional key", kMount,
       R"("configMap":{"name":"m","optional":true,"items":[{"key":"x","path":"x"}]})"},
      {"not mounted", "", R"("configMap":{"name":"x"})"},
      {"the root authority", kMount, R"("projected":{"sources":[
          {"configMap":{"name":"kube-root-ca.crt"}},{"serviceAccountToken":{"path":"t"}}]})"},
      {"itself", kMount,
       R"("downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"metadata.name"}}]})"},
      {"empty", kMount, R"("emptyDir":{})"},
  };
  CreateConfigMap();
  for (const auto& row : rows) {
    CreatePod(row.container, fmt::format(R"(,"volumes":[{{"name":"v",{}}}])", row.volume));
    w.Advance(Seconds(8));
    EXPECT_EQ(Phase(), "Running") << row.what;
    w.Delete("pods", "p", Grace(0));
    w.Advance(Seconds(10));
  }
}

// KUBELET-REF-04: 1.25 tells that a sync has waited for 2m3s; later versions do not.
TEST_P(KubeletObjects, ASyncWaitsTwoMinutesAndThreeSeconds) {
  CreatePod(kMount, R"(,"volumes":[{"name":"v","configMap":{"name":"m"}}])");
  w.Advance(Seconds(120));
  const std::string told =
      "Warning FailedMount Unable to attach or mount volumes: unmounted volumes=\\[v\\], "
      "unattached volumes=\\[v kube-api-access-[a-z0-9]+\\]: timed out waiting for the condition";
  EXPECT_THAT(w.EventTexts(), Not(Contains(HasSubstr("Unable to attach"))));
  w.Advance(Seconds(10));
  if (v125()) {
    EXPECT_THAT(w.EventTexts(), Contains(testing::MatchesRegex(told)));
  } else {
    EXPECT_THAT(w.EventTexts(), Not(Contains(HasSubstr("Unable to attach"))));
  }
  CreateConfigMap();
  w.Advance(Minutes(3));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-REF-05
TEST_P(KubeletObjects, APodWhoseConfigMapHasGoneRunsOnAndItsEventsTell) {
  CreateConfigMap();
  CreatePod(kMount, R"(,"volumes":[{"name":"v","configMap":{"name":"m"}}])");
  w.Advance(Seconds(10));
  ASSERT_EQ(Phase(), "Running");
  w.Delete("configmaps", "m");
  w.EventTexts();
  w.Advance(Minutes(2));
  EXPECT_EQ(Phase(), "Running");
  EXPECT_THAT(w.EventTexts(), Contains("Warning FailedMount MountVolume.SetUp failed for volume "
                                       "\"v\" : configmap \"m\" not found"));
}

// KUBELET-REF-06
TEST_P(KubeletObjects, PullSecretsThatAreNotThereAreToldOf) {
  CreatePod("", R"(,"imagePullSecrets":[{"name":"a"},{"name":"b"}])");
  w.Advance(Seconds(10));
  EXPECT_EQ(Phase(), "Running");
  const std::string told =
      "Warning FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (a, b); "
      "attempting to pull the image may not succeed.";
  if (v125()) {
    EXPECT_THAT(w.EventTexts(), Not(Contains(told)));
  } else {
    EXPECT_THAT(w.EventTexts(), Contains(told));
  }
}

// KUBELET-SEC-01
TEST_P(KubeletObjects, WhatMayNotRunAsRootAndWouldDoesNotStart) {
  const struct {
    const char *what, *container, *pod, *problem;
  } rows[] = {
      {"root", R"("runAsNonRoot":true,"runAsUser":0)", "",
       "container's runAsUser breaks non-root policy "},
      {"an image that says nothing", R"("runAsNonRoot":true)", "",
       "container has runAsNonRoot and image will run as root "},
      {"the pod's", "", R"("runAsNonRoot":true,"runAsUser":0)",
       "container's runAsUser breaks non-root policy "},
      {"the container's user", R"("runAsUser":1000)", R"("runAsNonRoot":true,"runAsUser":0)", ""},
      {"the container's policy", R"("runAsNonRoot":false)", R"("runAsNonRoot":true)", ""},
      {"any user", "", R"("runAsNonRoot":false,"runAsUser":0)", ""},
  };
  for (const auto& row : rows) {
    CreatePod(fmt::format(R"(,"securityContext":{{{}}})", row.container),
              fmt::format(R"(,"securityContext":{{{}}})", row.pod));
    w.Advance(Seconds(10));
    const std::string problem(row.problem);
    if (problem.empty()) {
      EXPECT_EQ(Phase(), "Running") << row.what;
    } else {
      const std::string whole = fmt::format("{}(pod: \"p_default({})\", container: c)", problem,
                                            w.Get("pods", "p").uid());
      EXPECT_EQ(WaitingText(), "CreateContainerConfigError: " + whole) << row.what;
      EXPECT_THAT(w.EventTexts(), Contains("Warning Failed Error: " + whole)) << row.what;
    }
    w.Delete("pods", "p", Grace(0));
    w.Advance(Seconds(10));
  }
}

}  // namespace
}  // namespace ksim
