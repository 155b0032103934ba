#include "ksim/scheduler/cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/views/zone.h"

namespace ksim::scheduler {

absl::Status SchedulerCache::AssumePod(const api::Object& pod) {
  const std::string uid(pod.uid());
  if (pods_.contains(uid)) {
    return absl::AlreadyExistsError(
        fmt::format("pod {}({}) is in the cache, so can't be assumed", uid, pod.key()));
  }
  AddToNode(pod);
  pods_[uid] = PodState{pod, true};
  return absl::OkStatus();
}

absl::Status SchedulerCache::ForgetPod(const api::Object& pod) {
  const auto it = pods_.find(std::string(pod.uid()));
  if (it == pods_.end()) return absl::OkStatus();
  if (!it->second.assumed) {
    return absl::FailedPreconditionError(
        fmt::format("pod {}({}) wasn't assumed so cannot be forgotten", pod.uid(), pod.key()));
  }
  RemoveFromNode(it->second.pod);
  pods_.erase(it);
  return absl::OkStatus();
}

bool SchedulerCache::IsAssumed(const api::Object& pod) const {
  const auto it = pods_.find(std::string(pod.uid()));
  return it != pods_.end() && it->second.assumed;
}

void SchedulerCache::AddPod(const api::Object& pod) {
  PodState& state = pods_[std::string(pod.uid())];
  if (state.pod.empty()) {
    AddToNode(pod);
  } else {
    Replace(state.pod, pod);
  }
  state.pod = pod;
  state.assumed = false;
}

absl::Status SchedulerCache::UpdatePod(const api::Object& old_pod, const api::Object& new_pod) {
  const auto it = pods_.find(std::string(old_pod.uid()));
  if (it == pods_.end() || it->second.assumed) {
    return absl::FailedPreconditionError(
        fmt::format("pod {}({}) is not added to scheduler cache, so cannot be updated",
                    old_pod.uid(), old_pod.key()));
  }
  Replace(it->second.pod, new_pod);
  it->second.pod = new_pod;
  return absl::OkStatus();
}

void SchedulerCache::RemovePod(const api::Object& pod) {
  const auto it = pods_.find(std::string(pod.uid()));
  if (it == pods_.end()) return;
  RemoveFromNode(it->second.pod);
  pods_.erase(it);
}

void SchedulerCache::AddNode(const api::Object& node) {
  NodeInfo& info = infos_[std::string(node.name())];
  const std::string zone = api::ZoneKey(node);
  const bool is_listed = !info.node().empty();
  if (!is_listed || ZoneKey(info.node()) != zone) {
    if (is_listed) RemoveFromTree(info);
    AddToTree(zone, info);
  }
  info.SetNode(node);
}

void SchedulerCache::RemoveNode(const api::Object& node) {
  const auto it = infos_.find(node.name());
  if (it == infos_.end() || it->second.node().empty()) return;
  RemoveFromTree(it->second);
  it->second.RemoveNode();
  if (it->second.pods().empty()) infos_.erase(it);
}

std::vector<const NodeInfo*> SchedulerCache::ListNodes() const {
  std::vector<const NodeInfo*> list;
  const std::size_t count = node_count();
  list.reserve(count);
  for (std::size_t row = 0; list.size() < count; ++row) {
    for (const Zone& zone : zones_) {
      if (row < zone.nodes.size()) list.push_back(zone.nodes[row]);
    }
  }
  return list;
}

const NodeInfo* SchedulerCache::Find(std::string_view node) const {
  const auto it = infos_.find(node);
  return it == infos_.end() ? nullptr : &it->second;
}

std::size_t SchedulerCache::node_count() const {
  std::size_t count = 0;
  for (const Zone& zone : zones_) count += zone.nodes.size();
  return count;
}

void SchedulerCache::AddToNode(const api::Object& pod) {
  infos_[std::string(pod.node_name())].AddPod(pod);
}

void SchedulerCache::RemoveFromNode(const api::Object& pod) {
  const auto it = infos_.find(pod.node_name());
  if (it == infos_.end()) return;
  it->second.RemovePod(pod);
  if (it->second.pods().empty() && it->second.node().empty()) infos_.erase(it);
}

// Most updates of a pod change its status only, and its node's sums stay.
void SchedulerCache::Replace(const api::Object& known, const api::Object& pod) {
  if (known.uid() == pod.uid() && known.spec() == pod.spec()) {
    infos_[std::string(pod.node_name())].UpdatePodStatus(pod);
    return;
  }
  RemoveFromNode(known);
  AddToNode(pod);
}

void SchedulerCache::AddToTree(const std::string& key, const NodeInfo& info) {
  auto zone =
      std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.name == key; });
  if (zone == zones_.end()) zone = zones_.insert(zones_.end(), Zone{key, {}});
  zone->nodes.push_back(&info);
}

void SchedulerCache::RemoveFromTree(const NodeInfo& info) {
  const std::string key = ZoneKey(info.node());
  const auto zone =
      std::find_if(zones_.begin(), zones_.end(), [&](const Zone& z) { return z.name == key; });
  if (zone == zones_.end()) return;
  std::erase(zone->nodes, &info);
  if (zone->nodes.empty()) zones_.erase(zone);
}

}  // namespace ksim::scheduler
