#include "ksim/scenario/observers/waiting_pods.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace ksim::scenario {

using value::Value;

namespace {

bool IsStarting(const api::Object& object) {
  return object.kind() == "Pod" && !object.deleting() &&
         object.status().Get("phase").AsString() == "Pending" &&
         !object.spec().Get("nodeName").AsString().empty();
}

// The thing that a container of the pod waits for; "" if none waits for its configuration.
std::string MissingConfig(const api::Object& pod) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Value& container : pod.status().Get(list).items()) {
      const Value& waiting = container.Get("state").Get("waiting");
      if (waiting.Get("reason").AsString() == "CreateContainerConfigError")
        return std::string(waiting.Get("message").AsString());
    }
  }
  return "";
}

// The last FailedMount of each pod, by its uid.
std::map<std::string, std::string> MountFailures(const std::vector<api::Object>& objects) {
  std::map<std::string, std::pair<std::string, std::string>> last;  // when, and what
  for (const api::Object& event : objects) {
    const Value& tree = event.tree();
    if (event.kind() != "Event" || tree.Get("reason").AsString() != "FailedMount") continue;
    std::pair<std::string, std::string> told(tree.Get("lastTimestamp").AsString(),
                                             tree.Get("message").AsString());
    auto& known = last[std::string(tree.Get("involvedObject").Get("uid").AsString())];
    known = std::max(known, std::move(told));
  }
  std::map<std::string, std::string> out;
  for (auto& [uid, told] : last) out[uid] = std::move(told.second);
  return out;
}

}  // namespace

std::vector<std::string> WaitingPods(const std::vector<api::Object>& objects) {
  const std::map<std::string, std::string> mounts = MountFailures(objects);
  std::map<std::string, std::vector<std::string>> pods;
  for (const api::Object& object : objects) {
    if (!IsStarting(object)) continue;
    std::string missing = MissingConfig(object);
    const auto mount = mounts.find(std::string(object.uid()));
    if (missing.empty() && mount != mounts.end()) missing = mount->second;
    if (!missing.empty()) pods[missing].push_back(fmt::format("{}/{}", object.ns(), object.name()));
  }
  std::vector<std::string> out;
  for (const auto& [missing, names] : pods) {
    constexpr std::size_t kMostNames = 3;
    const std::size_t shown = std::min(names.size(), kMostNames);
    std::string who = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
    if (names.size() > shown) who += fmt::format(" and {} more", names.size() - shown);
    out.push_back(
        fmt::format("{} {} not ready: {}", names.size() == 1 ? "pod" : "pods", who, missing));
  }
  return out;
}

}  // namespace ksim::scenario
