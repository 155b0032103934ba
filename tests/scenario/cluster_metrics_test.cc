// spec.cluster.metrics as the controller reads it, and an autoscaler in a whole cluster.
#include "ksim/scenario/metrics/cluster_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "from_text.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using value::Value;
using Api = api::MetricsSource::Api;

ClusterMetrics MetricsOf(const std::string& list) {
  return ClusterMetrics(FromSpec("  cluster: {metrics: [" + list + "]}\n").cluster.metrics);
}

// A pod with two containers that run since `started`, a second of the run.
api::Object Pod(const std::string& name, std::int64_t started, bool ready = true) {
  const Value since = api::TimeValue(VirtualTime() + Seconds(started));
  const Value running = value::Obj({{"running", value::Obj({{"startedAt", since}})}});
  std::vector<Value> containers, statuses;
  for (const char* c : {"main", "side"}) {
    containers.push_back(value::Obj({{"name", Value::Of(c)}}));
    statuses.push_back(value::Obj({{"name", Value::Of(c)}, {"state", running}}));
  }
  const Value condition =
      value::Obj({{"type", Value::Of("Ready")}, {"status", Value::Of(ready ? "True" : "False")}});
  return api::Object::FromTree(
      value::Obj({{"metadata", value::Obj({{"name", Value::Of(name)},
                                           {"namespace", Value::Of("default")},
                                           {"labels", value::Obj({{"app", Value::Of("web")}})}})},
                  {"spec", value::Obj({{"containers", Value::Array(containers)}})},
                  {"status", value::Obj({{"phase", Value::Of("Running")},
                                         {"conditions", value::Arr({condition})},
                                         {"containerStatuses", Value::Array(statuses)}})}}));
}

VirtualTime Second(std::int64_t s) { return VirtualTime() + Seconds(s); }

// "NAME=MAIN+SIDE", in thousandths.
std::vector<std::string> Use(const ClusterMetrics& metrics, const std::vector<api::Object>& pods,
                             std::int64_t second, std::string_view resource = "cpu") {
  std::vector<std::string> out;
  for (const api::PodReading& r : metrics.ResourceUse(pods, resource, Second(second))) {
    std::string line = r.pod;
    for (const auto& [container, used] : r.containers)
      line += (container == "main" ? "=" : "+") + (used ? std::to_string(*used) : "?");
    out.push_back(line);
  }
  return out;
}

TEST(ClusterMetrics, ReadyPodsShareATotal) {
  const ClusterMetrics m =
      MetricsOf("{resource: cpu, pods: app=web, load: [{total: 100m}, {at: 1m, total: 1}]}");
  const std::vector<api::Object> pods = {Pod("a", 0), Pod("b", 0), Pod("c", 0, false), Pod("d", 0)};
  EXPECT_THAT(Use(m, pods, 30), ElementsAre("a=34+0", "b=33+0", "c=0+0", "d=33+0"));
  EXPECT_THAT(Use(m, pods, 61), ElementsAre("a=334+0", "b=333+0", "c=0+0", "d=333+0"));
  EXPECT_THAT(Use(m, pods, 59), ElementsAre("a=34+0", "b=33+0", "c=0+0", "d=33+0"));
  EXPECT_THAT(Use(m, pods, 61, "memory"), ElementsAre("a=0+0", "b=0+0", "c=0+0", "d=0+0"));
  EXPECT_THAT(Use(m, pods, 61, "disk"), ElementsAre("a=?+?", "b=?+?", "c=?+?", "d=?+?"));
  EXPECT_EQ(m.LastChange(), Second(75)) << "at the look after it";
}

TEST(ClusterMetrics, EachPodHasItsOwnAndAContainerMayBeNamed) {
  const ClusterMetrics m = MetricsOf(
      "{resource: memory, pods: app=web, container: side, load: [{each: 1Ki}]},"
      "{resource: memory, pods: app=web, load: [{each: 1}]},"
      "{resource: memory, pods: app=other, load: [{each: 7}]}");
  EXPECT_THAT(Use(m, {Pod("a", 0), Pod("b", 0, false)}, 30, "memory"),
              ElementsAre("a=1000+1024000", "b=1000+1024000"));
}

TEST(ClusterMetrics, AReadingComesAtALookTenSecondsAfterTheStart) {
  const ClusterMetrics m = MetricsOf("{resource: cpu, pods: app=web, load: [{total: 1}]}");
  const std::vector<api::Object> pods = {Pod("a", 20)};
  EXPECT_THAT(Use(m, pods, 29), IsEmpty());
  EXPECT_THAT(Use(m, pods, 30), ElementsAre("a=1000+0"));
  EXPECT_EQ(m.ResourceUse(pods, "cpu", Second(44)).front().timestamp, Second(30));
  EXPECT_EQ(m.ResourceUse(pods, "cpu", Second(44)).front().window, Seconds(10));
  EXPECT_EQ(m.ResourceUse(pods, "cpu", Second(45)).front().window, Seconds(15));
  EXPECT_THAT(Use(m, {Pod("b", 21)}, 30), IsEmpty());
}

TEST(ClusterMetrics, MetricsOfYourOwnAreOfPodsObjectsOrNothing) {
  const ClusterMetrics m = MetricsOf(
      "{metric: qps, pods: app=web, load: [{total: 10}]},"
      "{metric: length, object: Service/queue, load: [{total: 3}]},"
      "{metric: orders, labels: {region: eu}, load: [{total: 5}]},"
      "{metric: orders, labels: {region: us}, load: [{at: 1m, total: 6}]}");
  EXPECT_TRUE(m.Serves(Api::kCustom));
  EXPECT_TRUE(m.Serves(Api::kExternal));
  EXPECT_FALSE(m.Serves(Api::kResource)) << "no metrics-server";
  const auto all = value::LabelSelector::Everything();
  const auto eu = *value::LabelSelector::Parse("region=eu");
  const auto qps = m.PodMetric({Pod("a", 0), Pod("b", 0)}, "default", "qps", all, Second(1));
  ASSERT_TRUE(qps.has_value());
  EXPECT_THAT(*qps, ElementsAre(Pair("a", 5000), Pair("b", 5000)));
  EXPECT_FALSE(m.PodMetric({}, "default", "rps", all, Second(1)).has_value());
  EXPECT_EQ(m.ObjectMetric({"default", "Service", "queue", "length"}, all, Second(1)), 3000);
  EXPECT_EQ(m.ObjectMetric({"default", "Service", "other", "length"}, all, Second(1)),
            std::nullopt);
  EXPECT_THAT(m.ExternalMetric("default", "orders", all, Second(70)), ElementsAre(5000, 6000));
  EXPECT_THAT(m.ExternalMetric("default", "orders", eu, Second(70)), ElementsAre(5000));
  EXPECT_THAT(m.ExternalMetric("other", "orders", all, Second(70)), IsEmpty());
}

constexpr const char* kAutoscaled =
    "  steps:\n"
    "  - create: {object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: "
    "{replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, "
    "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 200m}}}]}}}}}\n"
    "  - create: {object: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: "
    "{name: web}, spec: {maxReplicas: 8, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "
    "name: web}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
    "averageUtilization: 50}}}]}}}\n";

std::int64_t ReplicasAtTheEnd(Runner& runner) {
  const auto* kind = runner.world().kinds().ByResource("apps", "deployments");
  return runner.world().Objects(*kind).front().spec().Get("replicas").AsInt();
}

// CTRL-HPA-18: the run goes on until the last level of the load has been answered, and then ends.
TEST(ClusterMetrics, ARunWaitsForLoadToComeAndEnds) {
  for (const char* const compat : {"1.25", "1.30", "1.36"}) {
    Runner runner(
        FromSpec(
            "  compat: \"" + std::string(compat) +
            "\"\n  cluster: {nodes: 1, metrics: [{resource: cpu, pods: app=web, load: [{total: "
            "200m}, {at: 4m, total: 700m}, {at: 9m, total: 150m}]}]}\n" +
            kAutoscaled),
        RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.end.result, "ok");
    EXPECT_EQ(ReplicasAtTheEnd(runner), 2) << "seven at 4m, and two five minutes after 9m";
    EXPECT_GT(report.end.time, Minutes(14).ns());
    EXPECT_LT(report.end.time, Minutes(17).ns());
  }
}

TEST(ClusterMetrics, WithoutMetricsARunEndsSoon) {
  Runner runner(FromSpec("  cluster: {nodes: 1}\n" + std::string(kAutoscaled)), RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.end.result, "ok");
  EXPECT_GT(report.end.time, Seconds(20).ns()) << "it was looked at";
  EXPECT_LT(report.end.time, Minutes(2).ns());
}

}  // namespace
}  // namespace ksim::scenario
