// The resources that pods ask for and nodes have, in the units of scheduler and kubelet: CPU in
// thousandths, everything else in whole units (bytes, pieces).
//
// Source: pkg/scheduler/framework/types.go Resource, calculateResource;
// component-helpers resource.PodRequests; pkg/scheduler/util/pod_resources.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"

namespace ksim::api {

// The request that scoring assumes for a container that asks for nothing.
inline constexpr std::int64_t kDefaultMilliCpuRequest = 100;
inline constexpr std::int64_t kDefaultMemoryRequest = 200 * 1024 * 1024;

struct Resources {
  Resources() = default;
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t pods = 0;                               // of a node: how many it may run
  absl::btree_map<std::string, std::int64_t> scalars;  // extended resources, hugepages

  // A ResourceList: {cpu: "100m", memory: "1Gi"}. Unreadable quantities count as 0.
  static Resources FromList(const value::Value& list);
  Resources& operator+=(const Resources& o);
  Resources& operator-=(const Resources& o);
  void RaiseTo(const Resources& o);  // the larger of each
  bool empty() const;                // nothing asked for; `pods` aside
};

// No prefix, or one of Kubernetes' own: cpu, hugepages-2Mi, node.kubernetes.io/x (core helper
// IsNativeResource).
bool IsNativeResource(std::string_view name);
// A device: example.com/gpu (core helper IsExtendedResourceName).
bool IsExtendedResource(std::string_view name);

// max(sum of the containers and sidecars, each init container with the sidecars before it) plus the
// overhead. With `nonzero`, containers that do not name cpu or memory count with the defaults
// above.
Resources PodRequests(const Object& pod, bool nonzero);

}  // namespace ksim::api
