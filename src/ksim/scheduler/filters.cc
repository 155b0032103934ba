#include "ksim/scheduler/filters.h"

#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/api/views/taints.h"

namespace ksim::scheduler {

Filters::Filters(const Plugins& plugins, const Nominator& nominator, const api::Object& pod,
                 NodeList nodes)
    : Filters(nominator, pod, std::move(nodes)) {
  for (const auto& plugin : plugins) {
    Prepare(*plugin);
    if (rejection_.rejected()) return;
  }
}

void Filters::Prepare(const Plugin& plugin) {
  const Status status = plugin.PreFilter(state_, pod_, nodes_);
  if (status.rejected()) {
    rejection_ = status;
    rejection_.plugin = plugin.name();
  } else if (status.code != Status::Code::kSkip) {
    filters_.push_back(&plugin);
  }
}

Status Filters::Run(const NodeInfo& node) const {
  if (rejection_.rejected()) return rejection_;
  for (const Plugin* filter : filters_) {
    Status status = filter->Filter(state_, pod_, node);
    if (status.ok()) continue;
    status.plugin = filter->name();
    return status;
  }
  return {};
}

Filters Filters::With(const NodeInfo& was, const NodeInfo& now) const {
  NodeList nodes = nodes_;
  std::replace(nodes.begin(), nodes.end(), &was, &now);
  Filters with(nominator_, pod_, std::move(nodes));
  for (const Plugin* plugin : filters_) with.Prepare(*plugin);
  return with;
}

Status Filters::Fits(const NodeInfo& node) const {
  std::vector<api::Object> nominated = nominator_.On(node.name());
  std::erase_if(nominated, [this](const api::Object& other) {
    return other.uid() == pod_.uid() ||
           api::PodView(other).priority() < api::PodView(pod_).priority();
  });
  if (!nominated.empty()) {
    NodeInfo with = node;
    for (const api::Object& other : nominated) with.AddPod(other);
    const Status status = With(node, with).Run(with);
    if (!status.ok()) return status;
  }
  return Run(node);
}

bool PassesPreCheck(const Plugins& plugins, const api::Object& pod, const NodeInfo& node) {
  CycleState state;
  for (const auto& plugin : plugins) {
    const std::string_view name = plugin->name();
    if (name != "NodeResourcesFit" && name != "NodeAffinity" && name != "NodeName" &&
        name != "NodePorts")
      continue;
    if (plugin->PreFilter(state, pod, {&node}).code == Status::Code::kSkip) continue;
    if (!plugin->Filter(state, pod, node).ok()) return false;
  }
  return api::FirstUntolerated(node.node().spec().Get("taints"), pod.spec().Get("tolerations"),
                               {"NoSchedule"}) == nullptr;
}

}  // namespace ksim::scheduler
