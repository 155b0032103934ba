// The in-tree plugins of the default profile, one file each.
#pragma once
#include <memory>
#include <vector>

#include "ksim/scheduler/framework/framework.h"

namespace ksim::scheduler {

class VolumeBinder;  // volumes/volume_binder.h

// A required affinity term of `pod` matches `other`.
bool HasAffinityTo(const api::Object& pod, const api::Object& other);

// The default profile's plugins in their order (apis/config/v1/default_plugins.go). Null `volumes`:
// pods are placed as if they had no claims.
std::vector<std::unique_ptr<Plugin>> DefaultPlugins(const Profile& profile,
                                                    SelectorSource selectors,
                                                    const VolumeBinder* volumes = nullptr);

std::unique_ptr<Plugin> MakeNodeUnschedulable();
std::unique_ptr<Plugin> MakeNodeName();
std::unique_ptr<Plugin> MakeTaintToleration(const Profile& profile);
std::unique_ptr<Plugin> MakeNodeAffinity();
std::unique_ptr<Plugin> MakeNodePorts(const Profile& profile);
std::unique_ptr<Plugin> MakeNodeResourcesFit(const Profile& profile);
std::unique_ptr<Plugin> MakeVolumeRestrictions(const Profile& profile, const VolumeBinder& volumes);
std::unique_ptr<Plugin> MakeVolumeBinding(const VolumeBinder& volumes);
std::unique_ptr<Plugin> MakePodTopologySpread(const Profile& profile, SelectorSource selectors);
std::unique_ptr<Plugin> MakeInterPodAffinity(const Profile& profile);
std::unique_ptr<Plugin> MakeNodeResourcesBalancedAllocation(const Profile& profile);

}  // namespace ksim::scheduler
