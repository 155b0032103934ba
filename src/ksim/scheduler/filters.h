// The filter plugins asked about one pod: what they worked out of all nodes beforehand, and then
// node by node.
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

  // Whether the pod fits the node, one of those given: with the pods of its priority or a higher
  // one that are nominated to it, and without them. The first plugin that rejects ends it.
  Status Fits(const NodeInfo& node) const;
  // The same pod, with `now` in the place of `was`. Upstream takes single pods in and out of what
  // the plugins know (AddPod, RemovePod); here they look at all nodes again.
  Filters With(const NodeInfo& was, const NodeInfo& now) const;

  CycleState& state() { return state_; }

 private:
  Status Run(const NodeInfo& node) const;

  const Plugins& plugins_;
  const Nominator& nominator_;
  const api::Object& pod_;
  NodeList nodes_;
  CycleState state_;
  std::vector<const Plugin*> filters_;  // without those that have nothing to do
};

// Whether the pod has a chance on the node as it is: its resources, affinity, name, ports and
// NoSchedule taints (eventhandlers.go preCheckForNode, 1.25 and 1.30).
bool AdmissionCheck(const Plugins& plugins, const api::Object& pod, const NodeInfo& node);

}  // namespace ksim::scheduler
