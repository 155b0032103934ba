// The amounts that a pod asks for and may use at most, as quotas and limit ranges count them: each
// resource by its name, with the format in which it was written.
//
// Source: component-helpers resource/helpers.go PodRequests, PodLimits (1.30: pkg/api/v1/resource).
#pragma once
#include "ksim/api/compat.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/value/value.h"

namespace ksim::api {

struct PodAmountOptions {
  PodAmountOptions() = default;
  bool pod_level = false;           // spec.resources counts in the place of the containers' sums
  bool pod_level_hugepages = true;  // there too
  bool overhead = true;
};

// max(sum of the containers and sidecars, each init container with the sidecars before it), then
// the overhead.
ResourceList PodRequestList(const value::Value& pod, const PodAmountOptions& options);
// The same of limits; the overhead counts only for what has a limit.
ResourceList PodLimitList(const value::Value& pod, const PodAmountOptions& options);

// Gate PodLevelResources.
bool CountsPodLevelResources(Compat compat);

// IsPodLevelResourcesSet: the pod itself asks for or limits cpu, memory or hugepages.
bool HasPodLevelResources(const value::Value& pod);

}  // namespace ksim::api
