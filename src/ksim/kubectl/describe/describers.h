// The describers, one a kind. Each stands in the file of its group: pod.cc, node.cc, workloads.cc,
// autoscaler.cc, service.cc, storage.cc, namespace.cc, configuration.cc; describe.cc chooses among
// them.
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/kubectl/cluster_view.h"

namespace ksim::kubectl {

// An object, and the cluster that it is in. Both outlive the call that gets them.
struct Described {
  Described(const api::Object& o, const ClusterView& c, bool e)
      : object(o), tree(o.ToTree()), cluster(c), show_events(e) {}
  const api::Object& object;
  value::Value tree;  // with its resource version
  const ClusterView& cluster;
  bool show_events;

  const value::Value& spec() const { return tree.Get("spec"); }
  const value::Value& status() const { return tree.Get("status"); }
  VirtualTime now() const { return cluster.now(); }
};

std::string DescribePod(const Described& d);
std::string DescribeNode(const Described& d);
std::string DescribeReplicaSet(const Described& d);  // and ReplicationControllers
std::string DescribeDeployment(const Described& d);
std::string DescribeStatefulSet(const Described& d);
std::string DescribeDaemonSet(const Described& d);
std::string DescribeJob(const Described& d);
std::string DescribeCronJob(const Described& d);
std::string DescribeAutoscaler(const Described& d);
std::string DescribeService(const Described& d);
std::string DescribeEndpointSlice(const Described& d);
std::string DescribeVolume(const Described& d);
std::string DescribeVolumeClaim(const Described& d);
std::string DescribeStorageClass(const Described& d);
std::string DescribeQuota(const Described& d);
std::string DescribeLimitRange(const Described& d);
std::string DescribeNamespace(const Described& d);
std::string DescribeConfigMap(const Described& d);
std::string DescribeSecret(const Described& d);
std::string DescribeServiceAccount(const Described& d);
std::string DescribePriorityClass(const Described& d);
std::string DescribeDisruptionBudget(const Described& d);
std::string DescribeGenerically(const Described& d);

}  // namespace ksim::kubectl
