#include "ksim/controllers/daemonset/daemon_pods.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using value::Value;

api::Object DaemonObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object DaemonSet(const std::string& pod_spec, const std::string& annotations = "{}") {
  return DaemonObject(fmt::format(
      R"({{"metadata":{{"name":"foo","namespace":"default","annotations":{}}},"spec":{{
          "template":{{"metadata":{{"labels":{{"name":"simple-daemon"}}}},"spec":{}}}}}}})",
      annotations, pod_spec));
}

// A node with the label that upstream's tests give it.
api::Object DaemonNode(const std::string& spec = "{}") {
  return DaemonObject(fmt::format(
      R"({{"metadata":{{"name":"test-node",
          "labels":{{"name":"simple-daemon","type":"production"}}}},
          "spec":{}}})",
      spec));
}

RunsOnNode RunsAs(bool should_run, bool should_continue) {
  RunsOnNode runs;
  runs.should_run = should_run;
  runs.should_continue = should_continue;
  return runs;
}

std::string RequiredType(const std::string& type) {
  return fmt::format(
      R"({{"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":{{
          "nodeSelectorTerms":[{{"matchExpressions":[{{"key":"type","operator":"In",
          "values":["{}"]}}]}}]}}}}}}}})",
      type);
}

// CTRL-DS-05: the table of daemon_controller_test.go TestNodeShouldRunDaemonPod, and taints.
TEST(DaemonPods, SelectorsAndTaintsSayWhereTheyRun) {
  const auto on = [](const std::string& pod_spec, const std::string& node_spec = "{}") {
    return DaemonPlacement(DaemonSet(pod_spec)).On(DaemonNode(node_spec));
  };
  const RunsOnNode yes = RunsAs(true, true), no = RunsAs(false, false), stays = RunsAs(false, true);
  EXPECT_EQ(on("{}"), yes);
  EXPECT_EQ(on(R"({"containers":[{"name":"c","resources":{"requests":{"memory":"200G"}}}]})"), yes)
      << "resources are the scheduler's affair";
  EXPECT_EQ(on(R"({"nodeName":"other-node"})"), no);
  EXPECT_EQ(on(R"({"nodeName":"test-node"})"), yes);
  EXPECT_EQ(on(R"({"nodeSelector":{"name":"simple-daemon"}})"), yes);
  EXPECT_EQ(on(R"({"nodeSelector":{"type":"test"}})"), no);
  EXPECT_EQ(on(RequiredType("test")), no);
  EXPECT_EQ(on(RequiredType("production")), yes);
  EXPECT_EQ(on("{}", R"({"unschedulable":true})"), yes);

  const auto tainted = [&on](const std::string& key, const std::string& effect,
                             const std::string& pod_spec = "{}") {
    return on(pod_spec, fmt::format(R"({{"taints":[{{"key":"{}","effect":"{}"}}]}})", key, effect));
  };
  EXPECT_EQ(tainted("dedicated", "NoSchedule"), stays);
  EXPECT_EQ(tainted("dedicated", "NoExecute"), no);
  EXPECT_EQ(tainted("dedicated", "PreferNoSchedule"), yes);
  EXPECT_EQ(tainted("dedicated", "NoExecute", R"({"tolerations":[{"operator":"Exists"}]})"), yes);
  EXPECT_EQ(tainted("node.kubernetes.io/not-ready", "NoExecute"), yes);
  EXPECT_EQ(tainted("node.kubernetes.io/not-ready", "NoSchedule"), stays);
  EXPECT_EQ(tainted("node.kubernetes.io/unreachable", "NoExecute"), yes);
  for (const char* key : {"disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"})
    EXPECT_EQ(tainted(std::string("node.kubernetes.io/") + key, "NoSchedule"), yes) << key;
  const std::string network = "node.kubernetes.io/network-unavailable";
  EXPECT_EQ(tainted(network, "NoSchedule"), stays);
  EXPECT_EQ(tainted(network, "NoSchedule", R"({"hostNetwork":true})"), yes);
}

std::vector<std::string> TolerationLines(const Value& spec) {
  std::vector<std::string> lines;
  for (const Value& t : spec.Get("tolerations").items())
    lines.push_back(fmt::format("{} {} {}{}", t.Get("key").AsString(), t.Get("operator").AsString(),
                                t.Get("effect").AsString(),
                                t.Has("tolerationSeconds") ? " for a while" : ""));
  return lines;
}

// CTRL-DS-06
TEST(DaemonPods, TheirTemplateToleratesTheTroublesOfNodes) {
  const Value plain = WithDaemonTolerations(Value::EmptyObject());
  EXPECT_THAT(TolerationLines(plain),
              ElementsAre("node.kubernetes.io/not-ready Exists NoExecute",
                          "node.kubernetes.io/unreachable Exists NoExecute",
                          "node.kubernetes.io/disk-pressure Exists NoSchedule",
                          "node.kubernetes.io/memory-pressure Exists NoSchedule",
                          "node.kubernetes.io/pid-pressure Exists NoSchedule",
                          "node.kubernetes.io/unschedulable Exists NoSchedule"));
  EXPECT_EQ(WithDaemonTolerations(plain), plain);
  // One of the same key and effect loses its time and keeps its place; others stay.
  const Value given = *value::ParseJson(
      R"({"hostNetwork":true,"tolerations":[{"key":"mine","operator":"Exists"},
          {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
           "tolerationSeconds":300}]})");
  const std::vector<std::string> lines = TolerationLines(WithDaemonTolerations(given));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "mine Exists ");
  EXPECT_EQ(lines[1], "node.kubernetes.io/unreachable Exists NoExecute");
  EXPECT_EQ(lines[7], "node.kubernetes.io/network-unavailable Exists NoSchedule");
}

// CTRL-DS-06: the table of daemonset_util_test.go TestCreatePodTemplate.
TEST(DaemonPods, TheirLabelsSayOfWhichTemplateTheyAre) {
  const auto labels = [](const std::string& annotations, const std::string& hash) {
    std::vector<std::string> lines;
    const Value made = DaemonPodTemplate(DaemonSet("{}", annotations), hash);
    for (const Value::Member& m : made.Get("metadata").Get("labels").members())
      lines.push_back(fmt::format("{}={}", m.name.text(), m.value.AsString()));
    return lines;
  };
  const std::string first = R"({"deprecated.daemonset.template.generation":"1"})";
  EXPECT_THAT(labels(first, ""),
              UnorderedElementsAre("name=simple-daemon", "pod-template-generation=1"));
  EXPECT_THAT(labels(R"({"deprecated.daemonset.template.generation":"2"})", "3242341807"),
              UnorderedElementsAre("name=simple-daemon", "pod-template-generation=2",
                                   "controller-revision-hash=3242341807"));
  EXPECT_THAT(labels("{}", "x"),
              UnorderedElementsAre("name=simple-daemon", "controller-revision-hash=x"));
  EXPECT_THAT(labels(R"({"deprecated.daemonset.template.generation":"2x"})", ""),
              UnorderedElementsAre("name=simple-daemon"));
}

// CTRL-DS-13: the table of daemonset_util_test.go TestIsPodUpdated.
TEST(DaemonPods, AHashOrAGenerationMakesAPodUpdated) {
  const auto pod = [](const std::string& labels) {
    return DaemonObject(fmt::format(R"({{"metadata":{{"name":"pod1","labels":{}}}}})", labels));
  };
  const std::string both =
      R"({"pod-template-generation":"12345","controller-revision-hash":"12345a"})";
  const std::string other =
      R"({"pod-template-generation":"123","controller-revision-hash":"123a"})";
  EXPECT_TRUE(IsUpdatedDaemonPod(pod(both), "12345a", 12345));
  EXPECT_TRUE(IsUpdatedDaemonPod(pod(both), "123a", 12345));
  EXPECT_TRUE(IsUpdatedDaemonPod(pod(both), "12345a", 12346));
  EXPECT_FALSE(IsUpdatedDaemonPod(pod(other), "12345a", 12345));
  EXPECT_FALSE(IsUpdatedDaemonPod(pod(other), "", std::nullopt));
  EXPECT_FALSE(IsUpdatedDaemonPod(pod(R"({"controller-revision-hash":""})"), "", std::nullopt));
}

// CTRL-DS-07: the tables of TestReplaceDaemonSetPodNodeNameNodeAffinity and TestGetTargetNodeName.
TEST(DaemonPods, EachIsForOneNode) {
  const std::string preferred = R"("preferredDuringSchedulingIgnoredDuringExecution":[])";
  const std::string pods = R"("podAffinity":{"x":1})";
  const std::string terms =
      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
         {"matchFields":[{"key":"metadata.name","operator":"In","values":["node_1"]}]}]})";
  const std::string others =
      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
         {"matchExpressions":[{"key":"a","operator":"Exists"}]},
         {"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]})";
  const auto pinned = [](const std::string& affinity) {
    const api::Object given = DaemonObject(R"({"spec":{"affinity":)" + affinity + "}}");
    return PinnedTo(given.tree(), "node_1").Get("spec").Get("affinity");
  };
  const auto affinity = [](const std::string& text) { return *value::ParseJson(text); };
  EXPECT_EQ(pinned("{}"), affinity(R"({"nodeAffinity":{)" + terms + "}}"));
  EXPECT_EQ(pinned("{" + pods + "}"), affinity("{" + pods + R"(,"nodeAffinity":{)" + terms + "}}"));
  EXPECT_EQ(pinned(R"({"nodeAffinity":{)" + preferred + "}}"),
            affinity(R"({"nodeAffinity":{)" + preferred + "," + terms + "}}"));
  EXPECT_EQ(pinned(R"({"nodeAffinity":{)" + others + "}}"),
            affinity(R"({"nodeAffinity":{)" + terms + "}}"));

  const auto target = [](const std::string& spec) {
    return TargetNodeOf(DaemonObject(R"({"metadata":{"name":"pod1"},"spec":)" + spec + "}"));
  };
  EXPECT_EQ(target(R"({"nodeName":"node-1"})"), "node-1");
  EXPECT_EQ(target(R"({"affinity":{"nodeAffinity":{)" + terms + "}}}"), "node_1");
  EXPECT_EQ(target(R"({"affinity":{"nodeAffinity":{)" + others + "}}}"), "n");
  EXPECT_EQ(target("{}"), "");
  EXPECT_EQ(target(R"({"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[
      {"key":"metadata.name","operator":"In","values":["a","b"]}]}]}}}})"),
            "");
}

// CTRL-DS-09: a pod with a node is older than any without.
TEST(DaemonPods, TheOldestWithANodeComesFirst) {
  const auto pod = [](const char* name, const char* created, const char* node) {
    return DaemonObject(fmt::format(
        R"({{"metadata":{{"name":"{}","creationTimestamp":"2025-01-01T00:00:{}Z"}},
            "spec":{{"nodeName":"{}"}}}})",
        name, created, node));
  };
  std::vector<api::Object> pods = {pod("d", "00", ""), pod("c", "02", "n"), pod("b", "01", "n"),
                                   pod("a", "02", "n")};
  SortDaemonPods(&pods);
  std::vector<std::string> names;
  for (const api::Object& p : pods) names.emplace_back(p.name());
  EXPECT_THAT(names, ElementsAre("b", "a", "c", "d"));
}

}  // namespace
}  // namespace ksim::controllers
