// The in-tree plugins of the default profile, one file each.
#pragma once
#include <memory>

#include "ksim/scheduler/framework.h"

namespace ksim::scheduler {

// What a plugin about single nodes registers for: a new node and, with hints, the updates `hinted`.
// Before, all updates, since preCheckForNode may have held back the one that would have helped.
std::uint32_t NodeEvents(api::Compat compat, std::uint32_t hinted);
// It is on a node, or nominated to one.
bool HoldsPlace(const api::Object& pod);
// One of the terms of its required affinity matches the other pod.
bool WantsToBeNear(const api::Object& pod, const api::Object& other);

std::unique_ptr<Plugin> MakeNodeUnschedulable();
std::unique_ptr<Plugin> MakeNodeName();
std::unique_ptr<Plugin> MakeTaintToleration(api::Compat compat);
std::unique_ptr<Plugin> MakeNodeAffinity();
std::unique_ptr<Plugin> MakeNodePorts(api::Compat compat);
std::unique_ptr<Plugin> MakeNodeResourcesFit(api::Compat compat);
std::unique_ptr<Plugin> MakePodTopologySpread(api::Compat compat, SelectorSource selectors);
std::unique_ptr<Plugin> MakeInterPodAffinity();
std::unique_ptr<Plugin> MakeNodeResourcesBalancedAllocation(api::Compat compat);

}  // namespace ksim::scheduler
