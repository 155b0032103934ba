// The scheduling algorithm: which node fits a pod best.
//
// Source: pkg/scheduler/schedule_one.go schedulePod, findNodesThatFitPod, prioritizeNodes,
// selectHost (1.25, 1.30), newSortedNodeScores (1.36); framework/types.go FitError.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/scheduler/cache.h"
#include "ksim/scheduler/filters.h"
#include "ksim/scheduler/framework/framework.h"
#include "ksim/sim/decisions.h"

namespace ksim::scheduler {

// The codes with which the filters rejected nodes, by the node's name.
using NodeStatuses = std::map<std::string, Status::Code, std::less<>>;

// How a pod's attempt ended: a node, or why there is none.
struct ScheduleResult {
  ScheduleResult() = default;
  std::optional<std::string> node;
  int evaluated = 0;
  int feasible = 0;
  std::string message;                       // "0/3 nodes are available: ..."
  absl::btree_set<std::string> rejected_by;  // plugins
  NodeStatuses statuses;
  bool by_prefilter = false;  // no node was asked
};

// FitError.Error: "0/3 nodes are available: 1 node(s) were unschedulable, 2 Too many pods."
std::string FitMessage(std::size_t nodes, const absl::btree_map<std::string, int>& reasons);

// All if there are fewer than 100 nodes; else that percentage of them, but at least 100 nodes.
// 0 per cent stands for 50 - n/125, at least 5.
int FeasibleNodesToFind(int nodes, int percentage = 0);

// 1.35 and later, without extenders: the root of a binary max-heap made of the list, as an index.
// For [1,2,10,10] that is 3.
std::size_t HeapRoot(const Scores& totals);

class Algorithm {
 public:
  // `percentage`: percentageOfNodesToScore of the scheduler's configuration; 0: not set.
  Algorithm(const Profile& profile, sim::Decisions& decisions, const Plugins& plugins,
            const Nominator& nominator, int percentage = 0);

  // `identity` keys the draw among equals (1.25, 1.30). Runs without waiting: what it reads of the
  // cache is one snapshot.
  ScheduleResult Schedule(const SchedulerCache& cache, const api::Object& pod,
                          std::uint64_t identity);

 private:
  struct Rejection {
    absl::btree_map<std::string, int> reasons;  // reason -> nodes
    absl::btree_set<std::string> plugins;
    NodeStatuses statuses;
  };
  NodeList Feasible(const Filters& filters, const api::Object& pod, const NodeList& all,
                    Rejection& rejection);
  bool HasConflictingNodeNames(const api::Object& pod) const;
  // A plugin's PreFilter has rejected the pod.
  ScheduleResult RejectAll(const NodeList& all, const std::string& reason,
                           const std::string& plugin) const;
  // Leaves the nodes that the pod's affinity names, if it names any, and says why the others are
  // left out.
  NodeList NodesWorthAsking(const api::Object& pod, const NodeList& all) const;
  void RejectNodesLeftOut(const NodeList& all, const NodeList& asked, Rejection& rejection) const;
  Scores Prioritize(CycleState& state, const api::Object& pod, const NodeList& feasible,
                    const NodeList& all) const;
  std::size_t Select(const Scores& totals, std::uint64_t identity);

  const Profile& profile_;
  sim::Decisions& decisions_;
  sim::SiteId tie_site_;
  const Plugins& plugins_;
  const Nominator& nominator_;
  int percentage_;
  std::size_t next_start_ = 0;
};

}  // namespace ksim::scheduler
