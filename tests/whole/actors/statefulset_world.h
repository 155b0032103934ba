// A world with the StatefulSet controller and nobody else: tests play scheduler and kubelet.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/controllers/statefulset/statefulset_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {

// A StatefulSet `web` whose selector and template labels are app=web.
inline std::string StatefulSetJson(int replicas, std::string_view more_spec = {},
                                   std::string_view image = "i:1") {
  return fmt::format(R"({{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{{"name":"web"}},
    "spec":{{"replicas":{},"serviceName":"web","selector":{{"matchLabels":{{"app":"web"}}}}{},
    "template":{{"metadata":{{"labels":{{"app":"web"}}}},
      "spec":{{"containers":[{{"name":"c","image":"{}"}}]}}}}}}}})",
                     replicas, more_spec, image);
}

class StatefulSetTest : public testing::TestWithParam<api::Compat> {
 protected:
  StatefulSetTest() : w(GetParam()) {}

  void StartSets() {
    w.StartController("statefulset", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::StatefulSetController>(std::move(context));
    });
  }
  // The set, with the controller at work and all pods bound and ready.
  void MakeReadySet(int replicas, std::string_view more_spec = {}) {
    w.Create("statefulsets", StatefulSetJson(replicas, more_spec));
    StartSets();
    for (int i = 0; i < replicas; ++i) Run(PodName(i));
    w.Forget();
  }
  static std::string PodName(int ordinal) { return fmt::format("web-{}", ordinal); }
  void Run(const std::string& pod) {
    w.Bind(pod, "n1");
    w.MakeReady(pod);
    w.Settle();
  }
  // The kubelet's last word on a pod that is being deleted.
  void Finish(const std::string& pod) {
    w.Delete("pods", pod, Grace(0));
    w.Settle();
  }
  void SetPhase(const std::string& pod, std::string_view phase) {
    w.Patch("pods", pod, fmt::format(R"({{"status":{{"phase":"{}"}}}})", phase), "status");
    w.Settle();
  }
  void SetImage(std::string_view image) {
    w.Patch("statefulsets", "web",
            fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"c",)"
                        R"("image":"{}"}}]}}}}}}}})",
                        image));
    w.Settle();
  }
  void Scale(int replicas) {
    w.Patch("statefulsets", "web", fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas));
    w.Settle();
  }
  std::string ImageOf(const std::string& pod) {
    return std::string(w.Get("pods", pod).spec().Get("containers").at(0).Get("image").AsString());
  }
  std::string RevisionOfPod(const std::string& pod) {
    return std::string(w.Get("pods", pod).Label("controller-revision-hash"));
  }
  value::Value Status(std::string_view field) {
    return w.Get("statefulsets", "web").status().Get(field);
  }
  std::string Text(std::string_view field) { return std::string(Status(field).AsString()); }
  // "create pods" among the writes since the last call, without those of status and revisions.
  std::vector<std::string> PodWrites() {
    std::vector<std::string> writes;
    for (std::string& write : w.Writes())
      if (write.find(" pods") != write.npos) writes.push_back(std::move(write));
    return writes;
  }
  bool From130() const { return GetParam() != api::Compat::k1_25; }
  bool From136() const { return GetParam() == api::Compat::k1_36; }
  // The verb in Events: "create", from 1.36 on "Create".
  std::string Word(std::string word) const {
    if (From136()) word[0] = static_cast<char>(word[0] - 'a' + 'A');
    return word;
  }

  ActorWorld w;
};

}  // namespace ksim
