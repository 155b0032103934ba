#include "ksim/kubelet/pod_workers/pod_workers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

// KUBELET-06
TEST(EffectiveGrace, IsTheShortestThatWasAskedForAndAtLeastASecond) {
  struct Row {
    const char* what;
    std::int64_t current;      // 0: not terminating yet
    std::int64_t deletion;     // -1: the pod is not being deleted
    std::int64_t override_by;  // -1: none
    std::int64_t grace;        // of a pod whose spec says 30
    std::int64_t before_1_28;  // where a grace of 0 counts as none
  };
  const Row table[] = {
      {"the spec's", 0, -1, -1, 30, 30},
      {"the deletion's, though longer than the spec's", 0, 60, -1, 60, 60},
      {"the deletion's", 0, 5, -1, 5, 5},
      {"the override's", 0, 60, 2, 2, 2},
      {"an override does not lengthen", 0, 5, 60, 5, 5},
      {"nor does a second deletion", 5, 60, -1, 5, 5},
      {"a second deletion shortens", 30, 10, -1, 10, 10},
      {"an override shortens", 30, 30, 1, 1, 1},
      {"nothing new", 7, -1, -1, 7, 7},
      {"0 is a second", 0, 0, -1, 1, 30},
      {"0 shortens to a second", 10, 0, -1, 1, 30},
  };
  for (const Row& row : table) {
    const std::string deletion =
        row.deletion < 0 ? "" : fmt::format(R"("deletionGracePeriodSeconds":{})", row.deletion);
    const api::Object pod = api::Object::FromTree(*value::ParseJson(fmt::format(
        R"({{"metadata":{{{}}},"spec":{{"terminationGracePeriodSeconds":30}}}})", deletion)));
    std::optional<std::int64_t> by;
    if (row.override_by >= 0) by = row.override_by;
    EXPECT_EQ(EffectiveGrace(row.current, pod, by, true), row.grace) << row.what;
    EXPECT_EQ(EffectiveGrace(row.current, pod, by, false), row.before_1_28) << row.what;
  }
  EXPECT_EQ(EffectiveGrace(0, api::Object::FromTree(*value::ParseJson("{}")), {}, true), 1);
}

}  // namespace
}  // namespace ksim::kubelet
