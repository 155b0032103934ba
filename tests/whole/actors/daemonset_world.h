// A DaemonSet controller against real API servers, nodes, and pods that the test binds and makes
// ready.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/controllers/daemonset/daemonset_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {

inline constexpr const char* kAgent = "default/agent";

// A DaemonSet `agent`; the strategy is RollingUpdate with one node at a time, unless another is
// among `more_spec`.
inline std::string DaemonSetJson(std::string_view more_spec = {},
                                 std::string_view more_pod_spec = {},
                                 std::string_view image = "i:1") {
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{{"name":"agent"}},
      "spec":{{"selector":{{"matchLabels":{{"app":"agent"}}}}{0},
      "template":{{"metadata":{{"labels":{{"app":"agent"}}}},
        "spec":{{"containers":[{{"name":"c","image":"{2}"}}]{1}}}}}}}}})",
      more_spec, more_pod_spec, image);
}

class DaemonSets : public testing::TestWithParam<api::Compat> {
 protected:
  DaemonSets() : w(GetParam()) {}
  void Start() {
    w.StartController("daemonset", [this](controllers::ControllerContext context) {
      auto made = std::make_unique<controllers::DaemonSetController>(std::move(context));
      controller = made.get();
      return made;
    });
  }
  void AddNodes(int n) {
    for (int i = 1; i <= n; ++i) w.AddNode(fmt::format("n{}", i));
  }
  // The pods that are for a node.
  std::vector<api::Object> PodsFor(std::string_view node) {
    std::vector<api::Object> pods;
    for (const api::Object& pod : w.List("pods"))
      if (controllers::TargetNodeOf(pod) == node) pods.push_back(pod);
    return pods;
  }
  // Binds the pods that have no node to those that they are for, and makes all of them ready.
  void RunPods() {
    for (const api::Object& pod : w.List("pods")) {
      if (pod.deleting()) continue;
      if (pod.node_name().empty()) w.Bind(pod.name(), controllers::TargetNodeOf(pod));
      if (!api::PodView(pod).ready()) w.MakeReady(pod.name());
    }
    w.Settle();
  }
  // Ends the pods that are being deleted, as their kubelets would.
  void EndPods() {
    for (const api::Object& pod : w.List("pods"))
      if (pod.deleting()) w.Delete("pods", pod.name(), Grace(0));
    w.Settle();
  }
  std::int64_t Status(std::string_view field) {
    return w.Get("daemonsets", "agent").status().Get(field).AsInt();
  }
  void SetImage(std::string_view image) {
    w.Patch("daemonsets", "agent",
            fmt::format(
                R"({{"spec":{{"template":{{"spec":{{
                "containers":[{{"name":"c","image":"{}"}}]}}}}}}}})",
                image));
    w.Settle();
  }
  std::vector<api::Object> Revisions() {
    std::vector<api::Object> revisions = w.List("controllerrevisions");
    std::sort(revisions.begin(), revisions.end(), [](const api::Object& a, const api::Object& b) {
      return a.tree().Get("revision").AsInt() < b.tree().Get("revision").AsInt();
    });
    return revisions;
  }
  static std::string_view HashOf(const api::Object& object) {
    return object.Label("controller-revision-hash");
  }
  static std::string_view ImageOf(const api::Object& pod) {
    return pod.spec().Get("containers").at(0).Get("image").AsString();
  }
  ActorWorld w;
  controllers::DaemonSetController* controller = nullptr;
};

}  // namespace ksim
