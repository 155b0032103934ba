// The HorizontalPodAutoscaler controller against real API servers, in all versions; the test plays
// the pods, and says what they use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ksim/api/conditions.h"
#include "ksim/api/core/metrics_source.h"
#include "ksim/controllers/podautoscaler/horizontal_controller.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using controllers::HorizontalController;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The CPU that each pod uses, by its name, in thousandths; and values from outside.
struct SaidMetrics : api::MetricsSource {
  bool Serves(Api api) const override { return served.contains(api); }
  std::vector<api::PodReading> ResourceUse(const Pods& pods, std::string_view,
                                           VirtualTime now) const override {
    std::vector<api::PodReading> out;
    for (const api::Object& pod : pods) {
      const auto used = cpu.find(std::string(pod.name()));
      if (used == cpu.end()) continue;
      api::PodReading reading;
      reading.pod = pod.name();
      reading.timestamp = now;
      reading.window = Seconds(15);
      reading.containers.emplace_back("c", used->second);
      out.push_back(reading);
    }
    return out;
  }
  std::optional<PodValues> PodMetric(const Pods&, std::string_view, std::string_view,
                                     const value::LabelSelector&, VirtualTime) const override {
    return std::nullopt;
  }
  std::optional<std::int64_t> ObjectMetric(const ObjectMetricQuery&, const value::LabelSelector&,
                                           VirtualTime) const override {
    return std::nullopt;
  }
  std::vector<std::int64_t> ExternalMetric(std::string_view, std::string_view,
                                           const value::LabelSelector&,
                                           VirtualTime) const override {
    return external;
  }
  VirtualTime LastChange() const override { return last_change; }

  std::set<Api> served = {Api::kResource, Api::kExternal};
  std::map<std::string, std::int64_t> cpu;
  std::vector<std::int64_t> external;
  VirtualTime last_change;
};

class Horizontal : public testing::TestWithParam<api::Compat> {
 protected:
  Horizontal() : w(GetParam()) {
    w.StartController("horizontalpodautoscaler", [this](controllers::ControllerContext context) {
      context.metrics = &metrics;
      auto made = std::make_unique<HorizontalController>(std::move(context));
      controller = made.get();
      return made;
    });
    w.Settle();
  }
  void MakeTarget(int replicas, std::string_view name = "web") {
    w.Create("replicasets", ReplicaSetJson(name, replicas));
    SetSize(name, replicas);
  }
  void SetSize(std::string_view name, int replicas) {
    w.Patch("replicasets", name, fmt::format(R"({{"status":{{"replicas":{}}}}})", replicas),
            "status");
  }
  // Pods NAME-1 and on that are long past their start, each with `used` of the 1000m it asks for.
  void MakePods(int n, std::int64_t used, std::string_view name = "web") {
    for (int i = 1; i <= n; ++i) {
      const std::string pod = fmt::format("{}-{}", name, i);
      metrics.cpu[pod] = used;
      if (!w.Get("pods", pod).empty()) continue;
      w.Create("pods",
               fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":
                 {{"app":"{}"}}}},"spec":{{"containers":[{{"name":"c","image":"i","resources":
                 {{"requests":{{"cpu":"1"}}}}}}]}}}})",
                           pod, name));
      w.Bind(pod, "n1");
      w.MakeReady(pod);
      w.Patch("pods", pod, R"({"status":{"startTime":"2024-12-31T00:00:00Z"}})", "status");
    }
  }
  void MakeScaler(std::string_view spec, std::string_view name = "h",
                  std::string_view target = "web") {
    w.Create("horizontalpodautoscalers",
             fmt::format(R"({{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
               "metadata":{{"name":"{}"}},"spec":{{"scaleTargetRef":{{"apiVersion":"apps/v1",
               "kind":"ReplicaSet","name":"{}"}},{}}}}})",
                         name, target, spec));
  }
  static std::string Cpu(int percent) {
    return fmt::format(R"("metrics":[{{"type":"Resource","resource":{{"name":"cpu","target":
      {{"type":"Utilization","averageUtilization":{}}}}}}}])",
                       percent);
  }
  value::Value Status(std::string_view name = "h") {
    return w.Get("horizontalpodautoscalers", name).status();
  }
  // "True ValidMetricFound"
  std::string Condition(std::string_view type, std::string_view name = "h") {
    const value::Value conditions = Status(name).Get("conditions");
    const value::Value* found = api::FindCondition(conditions, type);
    if (found == nullptr) return "";
    return fmt::format("{} {}", found->Get("status").AsString(), found->Get("reason").AsString());
  }
  std::string Message(std::string_view type) {
    const value::Value conditions = Status().Get("conditions");
    const value::Value* found = api::FindCondition(conditions, type);
    return found == nullptr ? "" : std::string(found->Get("message").AsString());
  }
  std::int64_t Size(std::string_view name = "web") {
    return w.Get("replicasets", name).spec().Get("replicas").AsInt();
  }
  void Sync() { w.Advance(Seconds(16)); }
  bool HasWorkAhead() { return controller->HasWorkAhead({}); }

  SaidMetrics metrics;
  HorizontalController* controller = nullptr;
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, Horizontal, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-HPA-01, CTRL-C-02: looks come every 15 s, also the first and also after a change.
TEST_P(Horizontal, LooksEveryFifteenSeconds) {
  MakeTarget(3);
  MakePods(3, 500);
  w.Forget();
  const VirtualTime made = w.api.sim.now();
  MakeScaler("\"maxReplicas\":9," + Cpu(50));
  w.Advance(Seconds(5));
  w.Patch("horizontalpodautoscalers", "h", R"({"spec":{"maxReplicas":8}})");
  w.Advance(Seconds(50));
  std::vector<std::int64_t> seconds;
  for (const VirtualTime t : w.ReconcileTimes("default/h"))
    seconds.push_back((t - made).whole_seconds());
  EXPECT_THAT(seconds, ElementsAre(15, 30, 45));
}

// CTRL-HPA-03, CTRL-HPA-14, CTRL-HPA-15
TEST_P(Horizontal, ScalesByTheCpuThatPodsUse) {
  MakeTarget(3);
  MakePods(3, 500);
  MakeScaler("\"minReplicas\":2,\"maxReplicas\":9," + Cpu(30));
  w.Settle();
  w.Forget();
  Sync();
  EXPECT_EQ(Size(), 5);
  const value::Value status = Status();
  EXPECT_EQ(status.Get("currentReplicas").AsInt(), 3);
  EXPECT_EQ(status.Get("desiredReplicas").AsInt(), 5);
  EXPECT_TRUE(status.Get("lastScaleTime").is_string());
  EXPECT_EQ(value::ToJson(status.Get("currentMetrics")),
            R"([{"resource":{"current":{"averageUtilization":50,"averageValue":"500m"},)"
            R"("name":"cpu"},"type":"Resource"}])");
  EXPECT_EQ(Condition("AbleToScale"), "True SucceededRescale");
  EXPECT_EQ(Message("AbleToScale"), "the HPA controller was able to update the target scale to 5");
  EXPECT_EQ(Condition("ScalingActive"), "True ValidMetricFound");
  EXPECT_EQ(Message("ScalingActive"),
            "the HPA was able to successfully calculate a replica count from cpu resource "
            "utilization (percentage of request)");
  EXPECT_EQ(Condition("ScalingLimited"), "False DesiredWithinRange");
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Normal SuccessfulRescale New size: 5; reason: cpu resource utilization "
                          "(percentage of request) above target"));
  // At the target nothing is written but what is measured.
  SetSize("web", 5);
  MakePods(5, 300);
  w.Settle();
  Sync();
  w.Forget();
  Sync();
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-HPA-09: a lower count waits for five minutes.
TEST_P(Horizontal, AScaleDownWaitsForFiveMinutes) {
  MakeTarget(4);
  MakePods(4, 100);
  MakeScaler("\"maxReplicas\":9," + Cpu(50));
  Sync();
  EXPECT_EQ(Size(), 4);
  EXPECT_EQ(Condition("AbleToScale"), "True ScaleDownStabilized");
  EXPECT_EQ(Message("AbleToScale"),
            "recent recommendations were higher than current one, applying the highest recent "
            "recommendation");
  EXPECT_TRUE(HasWorkAhead()) << "CTRL-HPA-18: it will scale";
  w.Advance(Minutes(4));
  EXPECT_EQ(Size(), 4);
  w.Advance(Seconds(70));
  EXPECT_EQ(Size(), 1);
  EXPECT_THAT(w.EventTexts(),
              Contains("Normal SuccessfulRescale New size: 1; reason: All metrics below target"));
}

// CTRL-HPA-10, CTRL-HPA-12
TEST_P(Horizontal, ABehaviorSaysHowFastAndHowSoon) {
  MakeTarget(8);
  MakePods(8, 100);
  MakeScaler("\"maxReplicas\":9," + Cpu(50) +
             R"(,"behavior":{"scaleDown":{"stabilizationWindowSeconds":0,"policies":)"
             R"([{"type":"Pods","value":2,"periodSeconds":60}]}})");
  Sync();
  EXPECT_EQ(Size(), 6);
  EXPECT_EQ(Condition("ScalingLimited"), "True ScaleDownLimit");
  Sync();
  EXPECT_EQ(Size(), 6) << "the minute is not over";
  w.Advance(Seconds(60));
  EXPECT_EQ(Size(), 4);
}

// CTRL-HPA-03: no metric is asked for.
TEST_P(Horizontal, BoundsCountBeforeMetrics) {
  MakeTarget(12);
  MakeScaler("\"minReplicas\":3,\"maxReplicas\":9," + Cpu(50));
  Sync();
  EXPECT_EQ(Size(), 9);
  EXPECT_THAT(w.EventTexts(), Contains("Normal SuccessfulRescale New size: 9; reason: Current "
                                       "number of replicas above Spec.MaxReplicas"));
  w.Patch("replicasets", "web", R"({"spec":{"replicas":1}})");
  Sync();
  EXPECT_EQ(Size(), 3);
  w.Patch("replicasets", "web", R"({"spec":{"replicas":0}})");
  Sync();
  EXPECT_EQ(Size(), 0);
  EXPECT_EQ(Condition("ScalingActive"), "False ScalingDisabled");
}

// CTRL-HPA-16
TEST_P(Horizontal, WithoutMetricsAnEventAndAConditionSaySo) {
  metrics.served.clear();
  MakeTarget(3);
  MakePods(3, 500);
  MakeScaler("\"maxReplicas\":9," + Cpu(50));
  w.Settle();
  w.Forget();
  Sync();
  const std::string cause =
      "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch "
      "metrics from resource metrics API: the server could not find the requested resource (get "
      "pods.metrics.k8s.io)";
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Warning FailedGetResourceMetric " + cause,
                          "Warning FailedComputeMetricsReplicas invalid metrics (1 invalid out of "
                          "1), first error is: failed to get cpu resource metric value: " +
                              cause));
  EXPECT_EQ(Condition("ScalingActive"), "False FailedGetResourceMetric");
  EXPECT_EQ(Message("ScalingActive"), "the HPA was unable to compute the replica count: " + cause);
  EXPECT_EQ(Condition("AbleToScale"), "True SucceededGetScale");
  EXPECT_EQ(Size(), 3);
  EXPECT_TRUE(HasWorkAhead());
  w.Advance(Minutes(1));
  EXPECT_FALSE(HasWorkAhead()) << "CTRL-HPA-18: nothing will change";
}

// CTRL-HPA-02
TEST_P(Horizontal, ATargetThatIsNotThereIsSaid) {
  MakeScaler("\"maxReplicas\":9," + Cpu(50));
  w.Settle();
  w.Forget();
  Sync();
  EXPECT_THAT(w.EventTexts(), Contains(HasSubstr("Warning FailedGetScale replicasets")));
  EXPECT_EQ(Condition("AbleToScale"), "False FailedGetScale");
  w.Patch("horizontalpodautoscalers", "h",
          R"({"spec":{"scaleTargetRef":{"apiVersion":"example.com/v1","kind":"Rocket"}}})");
  Sync();
  EXPECT_THAT(w.EventTexts(), Contains("Warning FailedGetScale no matches for kind \"Rocket\" in "
                                       "group \"example.com\""));
  w.Patch("horizontalpodautoscalers", "h",
          R"({"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"ControllerRevision"}}})");
  Sync();
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning FailedGetScale the server could not find the requested resource"));
}

// CTRL-HPA-08
TEST_P(Horizontal, TheGreatestProposalWinsAndAFailedMetricKeepsFromScalingDown) {
  MakeTarget(3);
  MakePods(3, 500);
  metrics.external = {8000};
  const std::string external = R"({"type":"External","external":{"metric":{"name":"q"},"target":)"
                               R"({"type":"AverageValue","averageValue":"1"}}})";
  const std::string cpu = R"({"type":"Resource","resource":{"name":"cpu","target":)"
                          R"({"type":"Utilization","averageUtilization":50}}})";
  MakeScaler(fmt::format("\"maxReplicas\":20,\"metrics\":[{},{}]", cpu, external));
  Sync();
  EXPECT_EQ(Size(), 6) << "8 of twice as many as there are";
  EXPECT_EQ(Condition("ScalingLimited"), "True ScaleUpLimit");
  EXPECT_THAT(w.EventTexts(), Contains("Normal SuccessfulRescale New size: 6; reason: external "
                                       "metric q(nil) above target"));
  SetSize("web", 6);
  MakePods(6, 100);
  metrics.external.clear();
  Sync();
  EXPECT_EQ(Condition("ScalingActive"), "False FailedGetExternalMetric");
  w.Advance(Minutes(6));
  EXPECT_EQ(Size(), 6);
  EXPECT_THAT(w.EventTexts(), Contains(HasSubstr("no metrics returned from external metrics API")));
}

// CTRL-HPA-17
TEST_P(Horizontal, PodsOfTwoAutoscalersAreScaledByNone) {
  MakeTarget(3);
  MakePods(3, 500);
  MakeScaler("\"maxReplicas\":9," + Cpu(30), "a");
  w.Advance(Seconds(3));
  MakeScaler("\"maxReplicas\":9," + Cpu(30), "b");
  w.Forget();
  w.Advance(Seconds(35));
  if (GetParam() == api::Compat::k1_25) {
    EXPECT_EQ(Condition("ScalingActive", "b"), "True ValidMetricFound");
    return;
  }
  EXPECT_EQ(Condition("ScalingActive", "b"), "False AmbiguousSelector");
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning AmbiguousSelector pods by selector app=web are controlled by "
                       "multiple HPAs: [default/a default/b]"));
}

// CTRL-HPA-14: somebody else writes the target between the read and the write of its scale.
TEST_P(Horizontal, AConflictAtTheScaleIsTriedAgainFrom136On) {
  MakeTarget(3);
  MakePods(3, 500);
  MakeScaler("\"maxReplicas\":9," + Cpu(30));
  w.Settle();
  w.Forget();
  // Its first write is that of the scale, and is on its way.
  bool written = false;
  w.api.RunUntil([&] { return written = written || !w.Writes().empty(); });
  api::Request r = w.api.Request(api::Verb::kPatch, "replicasets", "default", "web");
  r.patch_type = api::PatchType::kMerge;
  r.body = apiserver::Json(R"({"metadata":{"labels":{"x":"y"}}})");
  const std::shared_ptr<api::Response> patched = w.api.Start(std::move(r), 0);
  w.Settle();
  ASSERT_EQ(patched->code, 200);
  if (GetParam() == api::Compat::k1_36) {
    EXPECT_EQ(Size(), 5);
    EXPECT_EQ(Condition("AbleToScale"), "True SucceededRescale");
    return;
  }
  EXPECT_EQ(Size(), 3);
  EXPECT_EQ(Condition("AbleToScale"), "False FailedUpdateScale");
  EXPECT_THAT(w.EventTexts(),
              Contains(HasSubstr("Warning FailedRescale New size: 5; reason: cpu resource "
                                 "utilization (percentage of request) above target; error: "
                                 "Operation cannot be fulfilled on")));
  Sync();
  EXPECT_EQ(Size(), 5);
}

// CTRL-HPA-18
TEST_P(Horizontal, ARunGoesOnUntilItsAutoscalersHaveComeToRest) {
  EXPECT_FALSE(HasWorkAhead()) << "there is none";
  MakeTarget(3);
  MakePods(3, 500);
  MakeScaler("\"maxReplicas\":9," + Cpu(50));
  w.Settle();
  EXPECT_TRUE(HasWorkAhead()) << "it has not been looked at";
  w.Advance(Minutes(2));
  EXPECT_FALSE(HasWorkAhead()) << "it wants what is there";
  metrics.last_change = w.api.sim.now() + Minutes(10);
  EXPECT_TRUE(HasWorkAhead()) << "the load will change";
  w.Delete("horizontalpodautoscalers", "h");
  w.Settle();
  EXPECT_FALSE(HasWorkAhead());
}

}  // namespace
}  // namespace ksim
