#include "ksim/scheduler/nominator.h"

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::scheduler {

void Nominator::Add(const api::Object& pod, const Nomination& nomination) {
  Remove(pod);
  const std::string node =
      nomination.overrides ? nomination.node : std::string(api::PodView(pod).nominated_node_name());
  if (!node.empty()) entries_.push_back({pod, node});
}

// UpdateNominatedPod: a nomination that is not in the pod's status yet stays.
void Nominator::Update(const api::Object& before, const api::Object& after) {
  const auto named = [](const api::Object& pod) {
    return !api::PodView(pod).nominated_node_name().empty();
  };
  Nomination kept;
  if (!named(before) && !named(after)) {
    for (const Entry& e : entries_)
      if (e.pod.uid() == before.uid()) kept = Nomination::Of(e.node);
  }
  Remove(before);
  Add(after, kept);
}

void Nominator::Remove(const api::Object& pod) {
  std::erase_if(entries_, [&](const Entry& e) { return e.pod.uid() == pod.uid(); });
}

std::vector<api::Object> Nominator::On(std::string_view node) const {
  std::vector<api::Object> pods;
  for (const Entry& e : entries_)
    if (e.node == node) pods.push_back(e.pod);
  return pods;
}

}  // namespace ksim::scheduler
