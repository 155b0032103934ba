#include "ksim/scheduler/cache.h"

#include <gtest/gtest.h>

#include "ksim/api/views/zone.h"
#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

const char* kHalfCpu = R"("cpu":"500m")";
const char* kOnN1 = R"("nodeName":"n1")";
const char* kOnN2 = R"("nodeName":"n2")";

std::vector<std::string> Names(const SchedulerCache& cache) {
  std::vector<std::string> names;
  for (const NodeInfo* info : cache.ListNodes()) names.emplace_back(info->name());
  return names;
}

// SCHED-10
TEST(SchedulerCache, AnAssumedPodCountsAtOnceAndIsConfirmedByTheInformer) {
  SchedulerCache cache;
  cache.AddNode(Node("n1"));
  const api::Object pod = Pod("a", kHalfCpu, kOnN1);
  ASSERT_TRUE(cache.AssumePod(pod).ok());
  EXPECT_TRUE(cache.IsAssumed(pod));
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 500);
  EXPECT_FALSE(cache.AssumePod(pod).ok());
  EXPECT_FALSE(cache.UpdatePod(pod, pod).ok());  // an update of an assumed pod is an error

  cache.AddPod(pod);
  EXPECT_FALSE(cache.IsAssumed(pod));
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 500);
  EXPECT_FALSE(cache.ForgetPod(pod).ok());
}

// SCHED-10: confirmed on another node than assumed.
TEST(SchedulerCache, APodConfirmedElsewhereMoves) {
  SchedulerCache cache;
  cache.AddNode(Node("n1"));
  cache.AddNode(Node("n2"));
  ASSERT_TRUE(cache.AssumePod(Pod("a", kHalfCpu, kOnN1)).ok());
  cache.AddPod(Pod("a", kHalfCpu, kOnN2));
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 0);
  EXPECT_EQ(cache.Find("n2")->requested().milli_cpu, 500);
}

std::vector<std::string> PodsOf(const NodeInfo& info) {
  std::vector<std::string> names;
  for (const api::Object& pod : info.pods()) names.emplace_back(pod.name());
  return names;
}

// SCHED-10: the cache removes the old pod and adds the new one, even where the requests stay the
// same.
TEST(SchedulerCache, AnUpdatedPodCountsOnceAsTheLastOne) {
  SchedulerCache cache;
  cache.AddNode(Node("n1"));
  const api::Object a = Pod("a", kHalfCpu, kOnN1);
  cache.AddPod(a);
  cache.AddPod(Pod("b", kHalfCpu, kOnN1));

  const value::Value running = value::Obj({{"phase", value::Value::Of("Running")}});
  const api::Object told = api::Object::FromTree(a.tree().Set("status", running), 2);
  ASSERT_TRUE(cache.UpdatePod(a, told).ok());
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 1000);
  EXPECT_EQ(PodsOf(*cache.Find("n1")), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(cache.Find("n1")->pods().back().status(), running);

  const api::Object resized = Pod("a", R"("cpu":"100m")", kOnN1);
  ASSERT_TRUE(cache.UpdatePod(told, resized).ok());
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 600);
  cache.RemovePod(resized);
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 500);
}

TEST(SchedulerCache, AForgottenPodIsFreeAgain) {
  SchedulerCache cache;
  cache.AddNode(Node("n1"));
  const api::Object pod = Pod("a", kHalfCpu, kOnN1);
  ASSERT_TRUE(cache.AssumePod(pod).ok());
  ASSERT_TRUE(cache.ForgetPod(pod).ok());
  EXPECT_EQ(cache.Find("n1")->requested().milli_cpu, 0);
  EXPECT_TRUE(cache.AssumePod(pod).ok());
}

// SCHED-11
TEST(SchedulerCache, ANodeKnownOnlyByItsPodsIsNotListedAndGoesWithThem) {
  SchedulerCache cache;
  const api::Object pod = Pod("a", kHalfCpu, kOnN1);
  cache.AddPod(pod);
  ASSERT_NE(cache.Find("n1"), nullptr);
  EXPECT_TRUE(cache.ListNodes().empty());
  cache.AddNode(Node("n1"));
  EXPECT_EQ(Names(cache), std::vector<std::string>{"n1"});
  cache.RemoveNode(Node("n1"));
  ASSERT_NE(cache.Find("n1"), nullptr);
  cache.RemovePod(pod);
  EXPECT_EQ(cache.Find("n1"), nullptr);
}

// SCHED-11
TEST(SchedulerCache, NodesAreListedRoundRobinOverTheZones) {
  SchedulerCache cache;
  const char* a = R"("topology.kubernetes.io/zone":"a")";
  const char* b = R"("topology.kubernetes.io/zone":"b")";
  cache.AddNode(Node("a1", a));
  cache.AddNode(Node("a2", a));
  cache.AddNode(Node("b1", b));
  cache.AddNode(Node("none"));
  EXPECT_EQ(Names(cache), (std::vector<std::string>{"a1", "b1", "none", "a2"}));
  cache.UpdateNode(Node("a1", b));  // moves to the end of its new zone
  EXPECT_EQ(Names(cache), (std::vector<std::string>{"a2", "b1", "none", "a1"}));
}

// SCHED-11: component-helpers GetZoneKey.
TEST(SchedulerCacheZones, AreKnownByTheOldLabelsFirst) {
  const std::string both = R"("topology.kubernetes.io/zone":"new",
                              "failure-domain.beta.kubernetes.io/zone":)";
  EXPECT_EQ(ZoneKey(Node("n", both + R"("old")")), std::string(":\0:old", 6));
  EXPECT_EQ(ZoneKey(Node("n", both + R"("")")), "");
  EXPECT_EQ(ZoneKey(Node("n", R"("topology.kubernetes.io/zone":"new")")),
            std::string(":\0:new", 6));
}

}  // namespace
}  // namespace ksim::scheduler
