// Preemption: finds the node, and on it the pods of a lower priority, whose eviction makes room for
// a pod that fits nowhere. It only plans; the scheduler evicts.
//
// Source: pkg/scheduler/framework/preemption/preemption.go (Preempt, findCandidates,
// DryRunPreemption, pickOneNodeForPreemption), plugins/defaultpreemption/default_preemption.go
// (PodEligibleToPreemptOthers, SelectVictimsOnNode).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/scheduler/algorithm.h"
#include "ksim/scheduler/disruption_budgets.h"
#include "ksim/scheduler/filters.h"

namespace ksim::scheduler {

// A node, and the victims that would have to leave it, the most important first; where a profile
// does not sort_victims, those whose budgets do not allow it come before the others.
struct Candidate {
  Candidate() = default;
  std::string node;
  std::vector<api::Object> victims;
  std::int64_t violations = 0;  // victims whose PodDisruptionBudget does not allow it
};

struct PreemptionPlan {
  PreemptionPlan() = default;
  Candidate best;         // no node: there is no help
  bool hopeless = false;  // no node could be helped, whoever left it
  std::string message;    // why, after "preemption: "
  Nomination nomination;  // of the pod that asks
};

// The number of nodes that are tried at most: a tenth, at least 100.
std::size_t CandidatesToFind(std::size_t nodes);

// Sorts as sort.Slice by MoreImportantPod does: a higher priority comes first, then an earlier
// start. Pods that have not started come last, in the opposite order: each counts as starting now,
// and of two that are compared the clock is read earlier for the one further back
// (GetPodStartTime). True of up to 12 pods, which Go sorts by insertion; of more no order is
// certain there.
void SortByImportance(std::vector<api::Object>* pods);

// Those whose victims matter least: the fewest that violate a budget, then the lowest priority of
// the first victim, the lowest sum of priorities, the fewest, the latest start among those of the
// highest priority. Upstream, which walks a Go map, takes any of them.
std::vector<const Candidate*> LeastCostly(const std::vector<Candidate>& candidates,
                                          VirtualTime now);

class Preemption {
 public:
  Preemption(const Profile& profile, sim::Decisions& decisions, const Plugins& plugins,
             const Nominator& nominator);

  // `statuses`: what the filters said of each node. `identity` keys the draws: of the node to begin
  // with, where not all are tried, and of one among several that cost the same.
  PreemptionPlan Plan(const NodeList& nodes, const api::Object& pod, const NodeStatuses& statuses,
                      const DisruptionBudgets& budgets, std::uint64_t identity, VirtualTime now);

 private:
  // Why the pod may not preempt others; "" if it may.
  std::string WhyNotEligible(const NodeList& nodes, const api::Object& pod,
                             const NodeStatuses& statuses) const;
  Status SelectVictims(const Filters& filters, const NodeInfo& node, const api::Object& pod,
                       const DisruptionBudgets& budgets, Candidate* out) const;

  const Profile& profile_;
  sim::Decisions& decisions_;
  sim::SiteId offset_site_;
  sim::SiteId tie_site_;
  const Plugins& plugins_;
  const Nominator& nominator_;
};

}  // namespace ksim::scheduler
