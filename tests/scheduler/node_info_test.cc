#include "ksim/scheduler/framework/node_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "fixtures.h"

namespace ksim::scheduler {
namespace {

using Counts = std::map<std::pair<std::string, std::string>, std::int64_t>;  // (namespace, labels)

Counts CountsIn(const NodeInfo& info) {
  Counts counts;
  for (const PodGroup& pods : info.pod_groups()) {
    const auto key = std::pair(pods.ns, value::ToJson(pods.labels));
    EXPECT_TRUE(counts.emplace(key, pods.count).second) << key.first << " " << key.second;
  }
  return counts;
}

// The slow oracle counts every pod anew.
Counts Counted(const NodeInfo& info) {
  Counts counts;
  for (const api::Object& pod : info.pods())
    if (!pod.deleting()) ++counts[{std::string(pod.ns()), value::ToJson(pod.labels())}];
  return counts;
}

// One of ten pods in one of its possible states.
api::Object RandomPod(std::mt19937& draw) {
  value::Value tree = Pod(fmt::format("p{}", draw() % 10)).tree();
  if (draw() % 3 == 0) tree = tree.Set("metadata.namespace", value::Value::Of("other"));
  if (draw() % 3 == 0) tree = tree.Set("metadata.labels.app", value::Value::Of("y"));
  if (draw() % 4 == 0) tree = tree.Erase("metadata.labels");
  if (draw() % 3 == 0)
    tree = tree.Set("metadata.deletionTimestamp", value::Value::Of("2025-01-01T00:00:00Z"));
  return api::Object::FromTree(tree);
}

TEST(NodeInfo, CountsPodsThatAreAlike) {
  std::mt19937 draw(1);
  NodeInfo info;
  for (int step = 0; step < 3000; ++step) {
    const api::Object pod = RandomPod(draw);
    const bool here = std::any_of(info.pods().begin(), info.pods().end(),
                                  [&](const api::Object& p) { return p.uid() == pod.uid(); });
    if (!here) {
      info.AddPod(pod);
    } else if (draw() % 2 == 0) {
      info.UpdatePodStatus(pod);
    } else {
      info.RemovePod(pod);
    }
    ASSERT_EQ(CountsIn(info), Counted(info)) << "step " << step;
  }
}

}  // namespace
}  // namespace ksim::scheduler
