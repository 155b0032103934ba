#include "ksim/scheduler/framework/node_info.h"

#include <algorithm>

#include "ksim/base/hash.h"

namespace ksim::scheduler {

namespace {

bool HasPodAffinity(const api::Object& pod) {
  const value::Value& affinity = pod.spec().Get("affinity");
  return !affinity.Get("podAffinity").is_null() || !affinity.Get("podAntiAffinity").is_null();
}

// types.go removeFromSlice: the last one takes its place.
void RemoveFrom(std::vector<api::Object>* pods, std::string_view uid) {
  const auto it = std::find_if(pods->begin(), pods->end(),
                               [&](const api::Object& other) { return other.uid() == uid; });
  if (it == pods->end()) return;
  if (it + 1 != pods->end()) *it = std::move(pods->back());
  pods->pop_back();
}

}  // namespace

PodGroup::PodGroup(std::string_view n, value::Value l)
    : ns(n), labels(std::move(l)), hash(Hasher().Add(n).Add(labels.Hash()).Digest()) {}

bool NodeInfo::PortConflict(const api::HostPort& port, const Profile& profile) const {
  const auto conflicts = [&](const std::multiset<api::HostPort>& held) {
    return std::any_of(held.begin(), held.end(),
                       [&](const api::HostPort& used) { return api::PortsConflict(used, port); });
  };
  return conflicts(ports_) || (profile.sidecar_host_ports && conflicts(sidecar_ports_));
}

void NodeInfo::SetNode(const api::Object& node) {
  node_ = node;
  allocatable_ = api::Resources::FromList(node.status().Get("allocatable"));
}

void NodeInfo::AddPod(const api::Object& pod) {
  pods_.push_back(pod);
  if (HasPodAffinity(pod)) with_affinity_.push_back(pod);
  Account(pod, 1);
}

void NodeInfo::RemovePod(const api::Object& pod) {
  const auto it = std::find_if(pods_.begin(), pods_.end(),
                               [&](const api::Object& other) { return other.uid() == pod.uid(); });
  if (it == pods_.end()) return;
  Account(*it, -1);
  RemoveFrom(&pods_, pod.uid());
  RemoveFrom(&with_affinity_, pod.uid());
}

void NodeInfo::UpdatePodStatus(const api::Object& pod) {
  for (std::vector<api::Object>* pods : {&pods_, &with_affinity_}) {
    const auto it = std::find_if(pods->begin(), pods->end(), [&](const api::Object& other) {
      return other.uid() == pod.uid();
    });
    if (it == pods->end()) continue;
    if (pods == &pods_) {
      CountInGroup(*it, -1);
      CountInGroup(pod, 1);
    }
    RemoveFrom(pods, pod.uid());
    pods->push_back(pod);
  }
}

void NodeInfo::CountInGroup(const api::Object& pod, int sign) {
  if (pod.deleting()) return;
  auto it = std::find_if(pod_groups_.begin(), pod_groups_.end(), [&pod](const PodGroup& a) {
    return a.ns == pod.ns() && a.labels == pod.labels();
  });
  if (it == pod_groups_.end()) it = pod_groups_.emplace(it, pod.ns(), pod.labels());
  it->count += sign;
  if (it->count == 0) pod_groups_.erase(it);
}

void NodeInfo::Account(const api::Object& pod, int sign) {
  CountInGroup(pod, sign);
  const api::Resources requests = api::PodRequests(pod, /*nonzero=*/false);
  const api::Resources nonzero = api::PodRequests(pod, /*nonzero=*/true);
  if (sign > 0) {
    requested_ += requests;
    nonzero_requested_ += nonzero;
  } else {
    requested_ -= requests;
    nonzero_requested_ -= nonzero;
  }
  const auto account = [sign](const std::vector<api::HostPort>& of,
                              std::multiset<api::HostPort>* held) {
    for (const api::HostPort& port : of) {
      if (sign > 0) {
        held->insert(port);
      } else if (const auto it = held->find(port); it != held->end()) {
        held->erase(it);
      }
    }
  };
  account(api::HostPorts(pod), &ports_);
  account(api::SidecarHostPorts(pod), &sidecar_ports_);
}

}  // namespace ksim::scheduler
