#include "ksim/check/unseen_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/registry.h"

namespace ksim::check {
namespace {

constexpr Duration kExpectationsTimeout = Minutes(5);

std::string ProcessOf(std::string_view controller) {
  return std::string(controller.substr(0, controller.rfind('/')));
}

}  // namespace

UnseenPods::UnseenPods() {
  for (const controllers::ControllerInfo& c : controllers::AllControllers())
    if (c.expects_pods) suffixes_.push_back(fmt::format("/{}", c.PartName()));
}

bool UnseenPods::IsExpecting(std::string_view actor) const {
  return std::any_of(suffixes_.begin(), suffixes_.end(),
                     [actor](const std::string& suffix) { return actor.ends_with(suffix); });
}

void UnseenPods::On(const ProcessClocks& clocks, const Observation& o) {
  OnSetPod(o);
  switch (o.kind) {
    case sim::EventKind::kCommit:
      if (o.resource == "pods") OnCommit(o);
      return;
    case sim::EventKind::kRequest:
      if (o.verb == "create" && o.resource == "pods" && IsExpecting(o.actor))
        asked_[o.request] = ProcessOf(o.actor);
      return;
    case sim::EventKind::kResponse:
      if (!asked_.empty()) OnResponse(o);
      return;
    case sim::EventKind::kReconcile:
      return OnReconcile(clocks, o);
    case sim::EventKind::kActor:
      return OnProcess(o.target);
    case sim::EventKind::kHandler:
      if (o.resource == "pods" && IsExpecting(o.listener)) OnHandler(o);
      return;
    default:
      return;
  }
}

void UnseenPods::OnSetPod(const Observation& o) {
  static constexpr std::string_view kPart = "/statefulset";
  if (o.kind == sim::EventKind::kCommit && o.resource == "pods") {
    if (o.op == CommitOp::kDelete) {
      const auto it = set_pods_.find(o.uid);
      if (it != set_pods_.end()) it->second.gone = true;
      return;
    }
    if (o.op != CommitOp::kCreate || !o.by.ends_with(kPart)) return;
    const auto owner = api::Object::FromTree(*o.after, o.rv).controller();
    if (!owner) return;
    SetPod& pod = set_pods_[std::string(o.uid)];
    pod.maker = ProcessOf(o.by);
    pod.owner_uid = owner->uid;
    pod.owner_key = fmt::format("{}/{}", o.ns, owner->name);
    return;
  }
  if (set_pods_.empty()) return;
  if (o.kind == sim::EventKind::kHandler && o.resource == "pods" && o.listener.ends_with(kPart)) {
    const auto it = set_pods_.find(o.uid);
    if (it != set_pods_.end()) set_pods_.erase(it);
  } else if (o.kind == sim::EventKind::kReconcile && o.state == "begin" &&
             o.actor.ends_with(kPart)) {
    std::erase_if(set_pods_, [&o](const auto& entry) {
      return entry.second.gone && entry.second.owner_key == o.target;
    });
  } else if (o.kind == sim::EventKind::kActor) {
    std::erase_if(set_pods_, [&o](const auto& entry) { return entry.second.maker == o.target; });
  }
}

// addPod: a pod that is first seen on its way out is no creation observed.
void UnseenPods::OnHandler(const Observation& o) {
  const auto it = pods_.find(o.uid);
  if (it == pods_.end() || it->second.missed) return;
  Pod& pod = it->second;
  pod.missed = o.call == HandlerCall::kAdd && pod.marked != 0 && o.rv >= pod.marked;
  if (!pod.missed) pods_.erase(it);
}

void UnseenPods::OnCommit(const Observation& o) {
  if (o.op == CommitOp::kUpdate && !pods_.empty()) OnUpdate(o);
  if (o.op != CommitOp::kCreate || !asked_.contains(o.request)) return;
  const auto owner = api::Object::FromTree(*o.after, o.rv).controller();
  if (!owner) return;
  Pod pod;
  pod.request = o.request;
  pod.maker = asked_[o.request];
  pod.owner_uid = owner->uid;
  pod.owner_key = fmt::format("{}/{}", o.ns, owner->name);
  pod.made = o.t;
  pods_.insert_or_assign(std::string(o.uid), std::move(pod));
}

void UnseenPods::OnUpdate(const Observation& o) {
  const auto it = pods_.find(o.uid);
  if (it == pods_.end() || it->second.marked != 0) return;
  if (api::Object::FromTree(*o.after, o.rv).deleting()) it->second.marked = o.rv;
}

void UnseenPods::OnResponse(const Observation& o) {
  if (asked_.erase(o.request) == 0 || (!o.lost && o.code >= 200 && o.code < 300)) return;
  std::erase_if(pods_, [&](const auto& entry) { return entry.second.request == o.request; });
}

// Drops the pods that the controller waits for no longer.
void UnseenPods::OnReconcile(const ProcessClocks& clocks, const Observation& o) {
  if (o.state != "begin" || !IsExpecting(o.actor)) return;
  std::erase_if(pods_, [&](const auto& entry) {
    const Pod& pod = entry.second;
    return pod.owner_key == o.target &&
           clocks.Passed(pod.maker, pod.made, o.t) > kExpectationsTimeout.ns();
  });
}

// It stopped, started, or gained or lost the lead: whatever it expected, it does no more.
void UnseenPods::OnProcess(std::string_view process) {
  std::erase_if(asked_, [&](const auto& entry) { return entry.second == process; });
  std::erase_if(pods_, [&](const auto& entry) { return entry.second.maker == process; });
}

bool UnseenPods::MissedBy(std::string_view stateful_set_uid) const {
  return std::any_of(set_pods_.begin(), set_pods_.end(), [&](const auto& entry) {
    return entry.second.gone && entry.second.owner_uid == stateful_set_uid;
  });
}

bool UnseenPods::AwaitedBy(std::string_view replica_set_uid) const {
  return std::any_of(pods_.begin(), pods_.end(),
                     [&](const auto& entry) { return entry.second.owner_uid == replica_set_uid; });
}

}  // namespace ksim::check
