#include "ksim/scheduler/plugins/plugins.h"

#include <utility>

namespace ksim::scheduler {

std::vector<std::unique_ptr<Plugin>> DefaultPlugins(api::Compat compat, SelectorSource selectors) {
  std::vector<std::unique_ptr<Plugin>> plugins;
  plugins.push_back(MakeNodeUnschedulable());
  plugins.push_back(MakeNodeName());
  plugins.push_back(MakeTaintToleration(compat));
  plugins.push_back(MakeNodeAffinity());
  plugins.push_back(MakeNodePorts(compat));
  plugins.push_back(MakeNodeResourcesFit(compat));
  plugins.push_back(MakePodTopologySpread(compat, std::move(selectors)));
  plugins.push_back(MakeInterPodAffinity());
  plugins.push_back(MakeNodeResourcesBalancedAllocation(compat));
  return plugins;
}

}  // namespace ksim::scheduler
