// Filters: the filter plugins for one pod. PreFilter looks at all nodes beforehand, then Filter at
// one node after the other.
//
// Source: pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins, RunFilterPlugins,
// RunFilterPluginsWithNominatedPods.
#pragma once
#include <memory>
#include <vector>

#include "ksim/scheduler/framework/framework.h"
#include "ksim/scheduler/nominator.h"

namespace ksim::scheduler {

using Plugins = std::vector<std::unique_ptr<Plugin>>;

class Filters {
 public:
  // Asks each plugin's PreFilter. What it is given must outlive it.
  Filters(const Plugins& plugins, const Nominator& nominator, const api::Object& pod,
          NodeList nodes);

  // Whether the pod fits the node, one of those given: with the nominated pods of its priority or a
  // higher one, and without them. The first plugin that rejects ends the search.
  Status Fits(const NodeInfo& node) const;
  // Filters for the same pod, with the node `now` in the place of `was`. Upstream adds and removes
  // single pods in the plugins' state (AddPod, RemovePod); here PreFilter runs again, of the
  // plugins that had something to do (CycleState.SkipFilterPlugins).
  Filters With(const NodeInfo& was, const NodeInfo& now) const;

  // A plugin's PreFilter says that the pod fits nowhere, whatever pods may go; else ok.
  const Status& rejection() const { return rejection_; }
  CycleState& state() { return state_; }

 private:
  Filters(const Nominator& nominator, const api::Object& pod, NodeList nodes)
      : nominator_(nominator), pod_(pod), nodes_(std::move(nodes)) {}
  void Prepare(const Plugin& plugin);
  Status Run(const NodeInfo& node) const;

  const Nominator& nominator_;
  const api::Object& pod_;
  NodeList nodes_;
  CycleState state_;
  Status rejection_;
  std::vector<const Plugin*> filters_;  // without those that have nothing to do
};

// Whether the pod passes a node's resources, affinity, name, ports and NoSchedule taints
// (eventhandlers.go preCheckForNode, 1.25 and 1.30).
bool PassesPreCheck(const Plugins& plugins, const api::Object& pod, const NodeInfo& node);

}  // namespace ksim::scheduler
