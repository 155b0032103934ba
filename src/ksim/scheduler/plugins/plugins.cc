#include "ksim/scheduler/plugins/plugins.h"

#include <utility>

namespace ksim::scheduler {

std::vector<std::unique_ptr<Plugin>> DefaultPlugins(const Profile& profile,
                                                    SelectorSource selectors,
                                                    const VolumeBinder* volumes) {
  std::vector<std::unique_ptr<Plugin>> plugins;
  plugins.push_back(MakeNodeUnschedulable());
  plugins.push_back(MakeNodeName());
  plugins.push_back(MakeTaintToleration(profile));
  plugins.push_back(MakeNodeAffinity());
  plugins.push_back(MakeNodePorts(profile));
  plugins.push_back(MakeNodeResourcesFit(profile));
  if (volumes != nullptr) {
    plugins.push_back(MakeVolumeRestrictions(profile, *volumes));
    plugins.push_back(MakeVolumeBinding(*volumes));
  }
  plugins.push_back(MakePodTopologySpread(profile, std::move(selectors)));
  plugins.push_back(MakeInterPodAffinity(profile));
  plugins.push_back(MakeNodeResourcesBalancedAllocation(profile));
  return plugins;
}

}  // namespace ksim::scheduler
