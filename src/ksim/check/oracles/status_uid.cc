// status.uid: a status that was computed for one incarnation of an object never lands on another.
// CTRL-F-03; upstream's guards: the uid in a PUT's object, and in each patch of
// pkg/kubelet/status/status_manager.go syncPod.
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& StatusUidInfo() {
  static const OracleInfo info{
      "status.uid",
      Guarantee::kSafety,
      "A status lands only on the incarnation of the object that it was computed for.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit,
       sim::EventKind::kRuntime},
      {"a patch of somebody who names no uid, unless a kubelet's: its containers give it away",
       "a status answered 404 or 409 because another incarnation is there"},
      "no status was written that tells whom it is for"};
  return info;
}

class StatusUid : public Oracle {
 public:
  StatusUid() : Oracle(StatusUidInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.subresource == "status" && !o.uid.empty()) meant_[o.request] = std::string(o.uid);
    } else if (o.kind == sim::EventKind::kRuntime) {
      if (o.action == "create") made_.emplace(o.uid, o.container);
    } else if (o.kind == sim::EventKind::kResponse) {
      if (!o.lost) meant_.erase(o.request);
    } else if (!o.before->is_null() && !o.after->is_null()) {
      OnUpdate(facts, o);
    } else if (o.resource == "pods" && o.after->is_null()) {
      ForgetContainers(std::string(o.uid));  // nothing is written to this pod any more
    }
  }

 private:
  void OnUpdate(const Facts& facts, const Observation& o) {
    const auto meant = meant_.find(o.request);
    if (meant != meant_.end()) {
      Judged();
      if (meant->second != o.uid) Report(facts, o, fmt::format("uid {}", meant->second));
    }
    if (o.resource != "pods" || !o.by.starts_with("kubelet/")) return;
    const value::Value &before = o.before->Get("status"), &after = o.after->Get("status");
    for (std::string_view list : {"containerStatuses", "initContainerStatuses"})
      if (before.Get(list) != after.Get(list)) OnContainers(facts, o, after.Get(list));
  }

  void ForgetContainers(const std::string& uid) {
    auto it = made_.lower_bound({uid, ""});
    while (it != made_.end() && it->first == uid) it = made_.erase(it);
  }

  // Only a pod itself can report a container that exists.
  void OnContainers(const Facts& facts, const Observation& o, const value::Value& statuses) {
    for (const value::Value& s : statuses.items()) {
      if (s.Get("containerID").AsString().empty()) continue;
      Judged();
      std::pair<std::string, std::string> key(o.uid, s.Get("name").AsString());
      if (made_.contains(key)) continue;
      Report(facts, o, fmt::format("a pod with a container {}", key.second));
      return;
    }
  }

  void Report(const Facts& facts, const Observation& o, const std::string& meant) {
    Violate(o.seq, std::string(o.by),
            fmt::format("{} writes a status meant for {} to {} with uid {}{}", o.by, meant,
                        ObjectOf(o), o.uid, Believed(facts, o.object)),
            {ObjectOf(o)});
  }

  absl::flat_hash_map<std::uint64_t, std::string> meant_;  // request -> uid; looked up only
  std::set<std::pair<std::string, std::string>> made_;     // containers, by the pod's uid
};

}  // namespace

OracleEntry StatusUidOracle() {
  return {&StatusUidInfo(), [] { return std::unique_ptr<Oracle>(new StatusUid); }, ""};
}

}  // namespace ksim::check
