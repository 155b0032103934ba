// The pod garbage collector: deletes pods that nobody else will. Every 20 s it looks for
//
//   terminated pods    the oldest of those above the threshold (ControllerContext)
//   out of service     pods that terminate on a node which is not ready and has that taint
//   orphans            pods of a node that the cache has not had for 40 s and etcd has not either
//   never scheduled    pods that terminate and have no node
//
// It has no handlers: a pass reads the caches. While there is nothing to collect a pass does
// nothing, and the run may end.
//
// Source: pkg/controller/podgc/gc_controller.go.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

// Terminated pods in the order in which they are collected: evicted ones first (not in 1.25), then
// by age, then by name. byEvictionAndCreationTimestamp.
void SortForCollection(std::vector<api::Object>& pods, const Profile& profile);

class PodGcController : public Controller {
 public:
  explicit PodGcController(ControllerContext context);
  ~PodGcController() override;
  void Start() override;
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  using Pods = std::vector<api::Object>;
  sim::Task<void> Run();
  sim::Task<void> Collect();  // one pass
  Pods Terminated(const Pods& pods) const;
  bool IsOutOfService(const api::Object& pod) const;
  sim::Task<void> CollectOrphans(Pods pods);
  // The nodes that have been missing for the time of quarantine; they are in it no more.
  std::vector<std::string> TakeDue(VirtualTime now);
  // Those of them that etcd does not have either.
  sim::Task<std::set<std::string, std::less<>>> FindDeletedNodes(std::vector<std::string> due);
  // All at once; returns when the last is done.
  sim::Task<void> DeleteAll(Pods pods);
  struct Batch;
  sim::Task<void> DeleteInBatch(Batch* batch, api::Object pod);
  // Marks the pod as failed, with a condition or without (null), and deletes it without grace.
  sim::Task<void> MarkAndDelete(api::Object pod, value::Value condition);
  bool IsOrphan(const api::Object& pod) const;

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* pod_resource_;
  const api::ResourceInfo* node_resource_;
  client::Client client_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  // Names of nodes -> the end of their quarantine. Upstream has a delaying queue, of which a look
  // takes what is due; a wait that has begun is not changed by the next look.
  absl::btree_map<std::string, VirtualTime> quarantine_;
};

}  // namespace ksim::controllers
