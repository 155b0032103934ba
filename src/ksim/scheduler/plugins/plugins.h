// The in-tree plugins of the default profile, one file each.
#pragma once
#include <memory>

#include "ksim/scheduler/framework.h"

namespace ksim::scheduler {

std::unique_ptr<Plugin> MakeNodeUnschedulable();
std::unique_ptr<Plugin> MakeNodeName();
std::unique_ptr<Plugin> MakeTaintToleration();
std::unique_ptr<Plugin> MakeNodeAffinity();
std::unique_ptr<Plugin> MakeNodePorts();
std::unique_ptr<Plugin> MakeNodeResourcesFit(api::Compat compat);
std::unique_ptr<Plugin> MakePodTopologySpread(SelectorSource selectors);
std::unique_ptr<Plugin> MakeInterPodAffinity(api::Compat compat);
std::unique_ptr<Plugin> MakeNodeResourcesBalancedAllocation(api::Compat compat);

}  // namespace ksim::scheduler
