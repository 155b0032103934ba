#include "ksim/scheduler/algorithm.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::scheduler {

namespace {

constexpr int kMinFeasibleNodes = 100;
constexpr int kMinFeasiblePercentage = 5;

}  // namespace

// Reasons as "count reason", sorted as text.
std::string FitMessage(std::size_t nodes, const absl::btree_map<std::string, int>& reasons) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());
  std::string message = fmt::format("0/{} nodes are available:", nodes);
  if (!parts.empty()) message += fmt::format(" {}.", fmt::join(parts, ", "));
  return message;
}

int FeasibleNodesToFind(int nodes, int percentage) {
  if (nodes < kMinFeasibleNodes) return nodes;
  if (percentage == 0) percentage = std::max(kMinFeasiblePercentage, 50 - nodes / 125);
  return std::max(kMinFeasibleNodes, nodes * percentage / 100);
}

// container/heap.Init over the list, largest score on top.
std::size_t HeapRoot(const Scores& totals) {
  std::vector<std::size_t> heap(totals.size());
  for (std::size_t i = 0; i < heap.size(); ++i) heap[i] = i;
  const auto sift_down = [&](std::size_t at) {
    while (2 * at + 1 < heap.size()) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < heap.size() && totals[heap[child + 1]] > totals[heap[child]]) ++child;
      if (totals[heap[child]] <= totals[heap[at]]) return;
      std::swap(heap[at], heap[child]);
      at = child;
    }
  };
  for (std::size_t i = heap.size() / 2; i-- > 0;) sift_down(i);
  return heap.front();
}

Algorithm::Algorithm(const Profile& profile, sim::Decisions& decisions, const Plugins& plugins,
                     const Nominator& nominator, int percentage)
    : profile_(profile),
      decisions_(decisions),
      tie_site_(decisions.Site("scheduler/tie")),
      plugins_(plugins),
      nominator_(nominator),
      percentage_(percentage) {}

ScheduleResult Algorithm::Schedule(const SchedulerCache& cache, const api::Object& pod,
                                   std::uint64_t identity) {
  ScheduleResult result;
  const NodeList all = cache.ListNodes();
  if (all.empty()) {
    result.message = "no nodes available to schedule pods";
    return result;
  }
  result.evaluated = static_cast<int>(all.size());
  if (HasConflictingNodeNames(pod))
    return RejectAll(all, "pod affinity terms conflict", "NodeAffinity");
  Filters filters(plugins_, nominator_, pod, all);
  if (const Status& rejection = filters.rejection(); rejection.rejected())
    return RejectAll(all, rejection.reasons.front(), rejection.plugin);
  Rejection rejection;
  const NodeList feasible = Feasible(filters, pod, all, rejection);
  result.feasible = static_cast<int>(feasible.size());
  if (feasible.empty()) {
    result.message = FitMessage(all.size(), rejection.reasons);
    result.rejected_by = std::move(rejection.plugins);
    result.statuses = std::move(rejection.statuses);
    return result;
  }
  const std::size_t chosen =
      feasible.size() == 1 ? 0 : Select(Prioritize(filters.state(), pod, feasible, all), identity);
  result.node = std::string(feasible[chosen]->name());
  return result;
}

// The node that was cleared for the pod first. Then nodes are asked in list order from where the
// last search stopped, until enough fit; on each the first plugin that rejects ends it.
NodeList Algorithm::Feasible(const Filters& filters, const api::Object& pod, const NodeList& all,
                             Rejection& rejection) {
  const auto fits = [&](const NodeInfo* info) {
    const Status status = filters.Fits(*info);
    if (status.ok()) return true;
    const bool first = rejection.statuses.emplace(info->name(), status.code).second;
    if (!first) return false;
    rejection.plugins.insert(status.plugin);
    for (const std::string& reason : status.reasons) ++rejection.reasons[reason];
    return false;
  };
  const std::string_view nominated = api::PodView(pod).nominated_node_name();
  for (const NodeInfo* info : all)
    if (!nominated.empty() && info->name() == nominated && fits(info)) return {info};
  const NodeList nodes = NodesWorthAsking(pod, all);
  const auto wanted =
      static_cast<std::size_t>(FeasibleNodesToFind(static_cast<int>(nodes.size()), percentage_));
  NodeList feasible;
  for (std::size_t i = 0; i < nodes.size() && feasible.size() < wanted; ++i) {
    const NodeInfo* info = nodes[(next_start_ + i) % nodes.size()];
    if (fits(info)) feasible.push_back(info);
  }
  const std::size_t among = profile_.search_counts_all_nodes ? all.size() : nodes.size();
  const std::size_t processed = feasible.size() + rejection.statuses.size();
  if (among > 0) next_start_ = (next_start_ + processed) % among;
  if (nodes.size() < all.size()) RejectNodesLeftOut(all, nodes, rejection);
  return feasible;
}

// Its terms name nodes, and none that fits.
bool Algorithm::HasConflictingNodeNames(const api::Object& pod) const {
  return std::any_of(plugins_.begin(), plugins_.end(), [&](const auto& plugin) {
    const auto names = plugin->PreFilterNodeNames(pod);
    return names && names->empty();
  });
}

// From 1.30 on the reason is said once.
ScheduleResult Algorithm::RejectAll(const NodeList& all, const std::string& reason,
                                    const std::string& plugin) const {
  ScheduleResult result;
  result.by_prefilter = true;
  const int count = static_cast<int>(all.size());
  result.evaluated = count;
  result.message = profile_.pre_filter_reason_once
                       ? fmt::format("{} {}.", FitMessage(all.size(), {}), reason)
                       : FitMessage(all.size(), {{reason, count}});
  result.rejected_by.insert(plugin);
  for (const NodeInfo* info : all)
    result.statuses.emplace(info->name(), Status::Code::kUnschedulableAndUnresolvable);
  return result;
}

NodeList Algorithm::NodesWorthAsking(const api::Object& pod, const NodeList& all) const {
  NodeList nodes = all;
  for (const auto& plugin : plugins_) {
    const auto names = plugin->PreFilterNodeNames(pod);
    if (names) std::erase_if(nodes, [&](const NodeInfo* n) { return !names->contains(n->name()); });
  }
  return nodes;
}

// Up to 1.30 nobody says anything of nodes that are not asked.
void Algorithm::RejectNodesLeftOut(const NodeList& all, const NodeList& asked,
                                   Rejection& rejection) const {
  if (!profile_.reports_nodes_left_out) return;
  rejection.plugins.insert("NodeAffinity");
  for (const NodeInfo* info : all) {
    if (std::find(asked.begin(), asked.end(), info) != asked.end()) continue;
    const bool first =
        rejection.statuses.emplace(info->name(), Status::Code::kUnschedulableAndUnresolvable)
            .second;
    if (first) ++rejection.reasons["node(s) didn't satisfy plugin(s) [NodeAffinity]"];
  }
}

Scores Algorithm::Prioritize(CycleState& state, const api::Object& pod, const NodeList& feasible,
                             const NodeList& all) const {
  Scores totals(feasible.size(), 0);
  for (const auto& plugin : plugins_) {
    if (plugin->weight() == 0) continue;
    if (plugin->PreScore(state, pod, feasible, all).code == Status::Code::kSkip) continue;
    Scores scores;
    for (const NodeInfo* info : feasible) scores.push_back(plugin->Score(state, pod, *info));
    plugin->Normalize(state, pod, feasible, scores);
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += scores[i] * plugin->weight();
  }
  return totals;
}

std::size_t Algorithm::Select(const Scores& totals, std::uint64_t identity) {
  if (profile_.picks_heap_root) return HeapRoot(totals);
  const std::int64_t best = *std::max_element(totals.begin(), totals.end());
  std::vector<std::size_t> equals;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == best) equals.push_back(i);
  }
  if (equals.size() == 1) return equals[0];
  return equals[decisions_.Draw(tie_site_, identity, static_cast<std::uint32_t>(equals.size()))];
}

}  // namespace ksim::scheduler
