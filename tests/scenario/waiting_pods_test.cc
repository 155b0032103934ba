#include "ksim/scenario/observers/waiting_pods.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::scenario {
namespace {

api::Object FromJson(const std::string& text) {
  const auto tree = value::ParseJson(text);
  EXPECT_TRUE(tree.ok()) << text;
  return tree.ok() ? api::Object::FromTree(*tree) : api::Object();
}

std::string Pod(const std::string& name, const std::string& more, const std::string& phase) {
  return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"default","uid":"u-)" +
         name + R"("},"spec":{"nodeName":"n"},"status":{"phase":")" + phase + "\"" + more + "}}";
}

const std::string kWaits =
    R"(,"containerStatuses":[{"state":{"waiting":{"reason":"CreateContainerConfigError",)"
    R"("message":"configmap \"settings\" not found"}}}])";

using Lines = std::vector<std::string>;

TEST(WaitingPods, PodsThatWaitForTheSameAreToldTogether) {
  const std::vector<api::Object> pods{
      FromJson(Pod("a", kWaits, "Pending")), FromJson(Pod("b", kWaits, "Pending")),
      FromJson(Pod("runs", kWaits, "Running")), FromJson(Pod("new", "", "Pending"))};
  EXPECT_EQ(WaitingPods(pods),
            Lines{"pods default/a, default/b not ready: configmap \"settings\" not found"});
}

TEST(WaitingPods, ManyAreCounted) {
  std::vector<api::Object> pods;
  for (const char* name : {"a", "b", "c", "d", "e"})
    pods.push_back(FromJson(Pod(name, kWaits, "Pending")));
  EXPECT_EQ(WaitingPods(pods), Lines{"pods default/a, default/b, default/c and 2 more not ready: "
                                     "configmap \"settings\" not found"});
}

TEST(WaitingPods, AVolumeThatCannotBeMountedIsToldByItsLastEvent) {
  const auto event = [](const std::string& at, const std::string& text) {
    return FromJson(R"({"kind":"Event","reason":"FailedMount","lastTimestamp":")" + at +
                    R"(","message":")" + text +
                    R"(","involvedObject":{"kind":"Pod","uid":"u-a"}})");
  };
  EXPECT_EQ(WaitingPods({FromJson(Pod("a", "", "Pending")), event("2025-01-01T00:00:09Z", "second"),
                         event("2025-01-01T00:00:01Z", "first")}),
            Lines{"pod default/a not ready: second"});
}

}  // namespace
}  // namespace ksim::scenario
