// NodeOptions: the machine a kubelet runs on.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::kubelet {

class StageSet;  // kubelet/stages/stage.h

struct NodeOptions {
  NodeOptions() = default;
  std::string name;
  int ordinal = 0;        // 0, 1, ...: gives the node its addresses
  value::Value capacity;  // {cpu: "4", memory: "8Gi", pods: "110", ...}
  value::Value labels;    // beside the kubelet's own
  value::Value taints;    // array
  // The kubelet gives the node the taints that its conditions ask for. Nobody else does where no
  // node lifecycle controller runs.
  bool taints_by_conditions = true;
  // Somebody acts on its leases: a run is not quiet while one of them is late.
  bool lease_is_awaited = false;
  // Stages play the pods that they select; null: there are none.
  std::shared_ptr<const StageSet> stages;

  // The Node as the cluster's initial state has it; null: the kubelet registers one. The kubelet
  // has run all the time: it registers nothing, and knows what its pods' probes have found.
  value::Value found;
  // Takes the address, the network and the capacity of a found Node; null changes nothing.
  void UseNode(value::Value node);

  std::string internal_ip() const;  // 192.168.0.10 onwards
  std::string pod_network() const;  // 10.244.N, the first three bytes of its /24
};

// 4 CPUs, 8 GiB, 100 GiB of disk, 110 pods.
value::Value DefaultNodeCapacity();

}  // namespace ksim::kubelet
