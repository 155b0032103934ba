#include "ksim/controllers/common/pod_ranking.h"

#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

using value::Value;

// A pod whose fields have default values that a test can override.
struct Pod {
  std::string name = "p", uid = "u", node = "n1", phase = "Running", cost;
  bool ready = true;
  std::int64_t ready_at = 100, created = 50, restarts = 0, sidecar_restarts = 0, rank = 0;

  RankedPod Ranked() const {
    const auto time = [](std::int64_t s) {
      return Value::String(value::FormatTimestamp(VirtualTime(Seconds(s).ns())));
    };
    Value meta = value::Obj({{"name", Value::Of(name)},
                             {"namespace", Value::Of("default")},
                             {"uid", Value::Of(uid)},
                             {"creationTimestamp", time(created)}});
    if (!cost.empty()) {
      meta =
          meta.Set("annotations",
                   value::Obj({{"controller.kubernetes.io/pod-deletion-cost", Value::Of(cost)}}));
    }
    const Value condition = value::Obj({{"type", Value::Of("Ready")},
                                        {"status", Value::Of(ready ? "True" : "False")},
                                        {"lastTransitionTime", time(ready_at)}});
    Value spec = value::Obj(
        {{"initContainers", value::Arr({value::Obj({{"name", Value::Of("side")},
                                                    {"restartPolicy", Value::Of("Always")}})})}});
    if (!node.empty()) spec = spec.Set("nodeName", Value::Of(node));
    const Value status = value::Obj(
        {{"phase", Value::Of(phase)},
         {"conditions", value::Arr({condition})},
         {"containerStatuses", value::Arr({value::Obj({{"name", Value::Of("c")},
                                                       {"restartCount", Value::Of(restarts)}})})},
         {"initContainerStatuses",
          value::Arr({value::Obj(
              {{"name", Value::Of("side")}, {"restartCount", Value::Of(sidecar_restarts)}})})}});
    return RankedPod(api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("v1")},
                                                       {"kind", Value::Of("Pod")},
                                                       {"metadata", meta},
                                                       {"spec", spec},
                                                       {"status", status}})),
                     rank);
  }
};

const VirtualTime kNow(Seconds(10000).ns());

void ExpectBefore(const Pod& a, const Pod& b, api::Compat compat = api::Compat::k1_36) {
  EXPECT_TRUE(DeletedBefore(a.Ranked(), b.Ranked(), kNow, ProfileOf(compat)));
  EXPECT_FALSE(DeletedBefore(b.Ranked(), a.Ranked(), kNow, ProfileOf(compat)));
}

// CTRL-RS-23: each criterion decides against all that come after it.
TEST(PodRanking, FirstDifferingCriterionDecides) {
  Pod old;  // would survive by every later criterion
  old.created = 1;
  old.ready_at = 1;
  {
    SCOPED_TRACE("unassigned first");
    Pod a = old;
    a.node = "";
    Pod b;
    b.phase = "Pending";
    ExpectBefore(a, b);
  }
  for (const auto& [lower, higher] :
       {std::pair("Pending", "Unknown"), std::pair("Unknown", "Running"),
        std::pair("Odd", "Unknown")}) {
    SCOPED_TRACE(lower);
    Pod a = old, b;
    a.phase = lower;
    b.phase = higher;
    b.ready = false;
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("not ready first");
    Pod a = old, b;
    a.ready = false;
    b.cost = "-5";
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("lower cost first");
    Pod a = old, b;
    a.cost = "-1";
    b.rank = 9;
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("crowded node first");
    Pod a = old, b;
    a.rank = 2;
    b.rank = 1;
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("ready for a shorter time first");
    Pod a = old, b;
    a.ready_at = 9000;  // 1000 s: bucket below
    b.ready_at = 100;   // 9900 s
    b.restarts = 7;
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("more restarts first");
    Pod a = old, b = old;
    a.restarts = 3;
    b.created = 9999;
    ExpectBefore(a, b);
  }
  {
    SCOPED_TRACE("younger first");
    Pod a, b;
    a.created = 9000;
    b.created = 100;
    ExpectBefore(a, b);
  }
}

// CTRL-RS-23 (7): the sidecars' restarts came with 1.32.
TEST(PodRanking, SidecarRestartsBreakTiesOnlyInNewProfiles) {
  Pod a, b;
  a.sidecar_restarts = 2;
  a.created = 1;
  b.created = 9000;
  ExpectBefore(a, b, api::Compat::k1_36);
  ExpectBefore(b, a, api::Compat::k1_30);
  ExpectBefore(b, a, api::Compat::k1_25);
}

// CTRL-RS-24
TEST(PodRanking, AgesFallIntoPowersOfTwoOfNanoseconds) {
  EXPECT_EQ(AgeBucket(Duration(-5)), -1);
  EXPECT_EQ(AgeBucket(Duration()), -1);
  EXPECT_EQ(AgeBucket(Duration(1)), 0);
  EXPECT_EQ(AgeBucket(Duration(3)), 1);
  EXPECT_EQ(AgeBucket(Duration(4)), 2);
  EXPECT_EQ(AgeBucket(Duration(549'755'813'887)), 38);
  EXPECT_EQ(AgeBucket(Duration(549'755'813'888)), 39);  // 549.76 s
  EXPECT_EQ(AgeBucket(Duration(1'099'511'627'776)), 40);
}

// CTRL-RS-24: one bucket, different times: by uid. Equal times: the next criterion.
TEST(PodRanking, WithinABucketTheUidDecides) {
  Pod a, b;
  a.uid = "1";
  a.ready_at = 100;
  b.uid = "2";
  b.ready_at = 110;
  ExpectBefore(a, b);
  std::swap(a.ready_at, b.ready_at);
  ExpectBefore(a, b);
  b.ready_at = a.ready_at;
  b.restarts = 1;
  ExpectBefore(b, a);
}

// CTRL-RS-26
TEST(PodRanking, DeletionCostIsAPlainInt32) {
  const std::pair<const char*, std::int32_t> table[] = {
      {"7", 7},         {"-7", -7}, {"0", 0}, {"+1", 0},  {"010", 0},
      {"x", 0},         {"1x", 0},  {"", 0},  {"1.5", 0}, {"2147483647", 2147483647},
      {"2147483648", 0}};
  for (const auto& [text, cost] : table) {
    SCOPED_TRACE(text);
    Pod p;
    p.cost = text;
    EXPECT_EQ(p.Ranked().deletion_cost, cost);
  }
}

// CTRL-RS-27
TEST(PodRanking, EqualPodsGoByName) {
  Pod a, b, c;
  a.name = "a";
  b.name = "b";
  c.name = "c";
  std::vector<RankedPod> pods{c.Ranked(), a.Ranked(), b.Ranked()};
  SortForDeletion(pods, kNow, ProfileOf(api::Compat::k1_30));
  EXPECT_EQ(pods[0].pod.name(), "a");
  EXPECT_EQ(pods[1].pod.name(), "b");
  EXPECT_EQ(pods[2].pod.name(), "c");
}

}  // namespace
}  // namespace ksim::controllers
