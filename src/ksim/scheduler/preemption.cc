#include "ksim/scheduler/preemption.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "ksim/api/pod.h"

namespace ksim::scheduler {

namespace {

constexpr std::size_t kMinCandidates = 100;
constexpr std::size_t kMinCandidatesPercentage = 10;

std::int64_t PriorityOf(const api::Object& pod) { return api::PodView(pod).priority(); }

VirtualTime StartOf(const api::Object& pod, VirtualTime now) {
  return api::PodView(pod).start_time().value_or(now);
}

// podTerminatingByPreemption; without the condition every pod that is being deleted counts.
bool IsTerminatingByPreemption(const api::Object& pod, const Profile& profile) {
  if (!pod.deleting()) return false;
  if (!profile.disruption_conditions) return true;
  static const value::Path kCondition{"status", "conditions",
                                      value::PathStep::Match("type", "DisruptionTarget")};
  const value::Value& condition = pod.Get(kCondition);
  return condition.Get("status").AsString() == "True" &&
         condition.Get("reason").AsString() == "PreemptionByScheduler";
}

// pickOneNodeForPreemption compares candidates by this; the smallest is chosen.
auto CostOf(const Candidate& candidate, VirtualTime now) {
  const std::vector<api::Object>& victims = candidate.victims;
  std::int64_t highest = std::numeric_limits<std::int64_t>::min(), sum = 0;
  VirtualTime earliest = now;
  for (const api::Object& pod : victims) {
    const std::int64_t priority = PriorityOf(pod);
    sum += priority + (std::int64_t{1} << 31);  // none below zero, or many would beat few
    if (priority > highest) earliest = StartOf(pod, now);
    if (priority == highest) earliest = std::min(earliest, StartOf(pod, now));
    highest = std::max(highest, priority);
  }
  return std::make_tuple(candidate.violations, PriorityOf(victims.front()), sum, victims.size(),
                         -earliest.ns());
}

}  // namespace

std::size_t CandidatesToFind(std::size_t nodes) {
  return std::min(nodes, std::max(kMinCandidates, nodes * kMinCandidatesPercentage / 100));
}

void SortByImportance(std::vector<api::Object>* pods) {
  struct Ranked {
    std::int64_t priority;
    std::optional<VirtualTime> start;
    api::Object pod;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(pods->size());
  for (api::Object& pod : *pods)
    ranked.push_back({PriorityOf(pod), api::PodView(pod).start_time(), std::move(pod)});
  const auto has_started = [](const Ranked& r) { return r.start.has_value(); };
  std::reverse(std::stable_partition(ranked.begin(), ranked.end(), has_started), ranked.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.start && (!b.start || *a.start < *b.start);
  });
  for (std::size_t i = 0; i < ranked.size(); ++i) (*pods)[i] = std::move(ranked[i].pod);
}

std::vector<const Candidate*> LeastCostly(const std::vector<Candidate>& candidates,
                                          VirtualTime now) {
  std::vector<const Candidate*> least;
  if (candidates.empty()) return least;
  auto lowest = CostOf(candidates.front(), now);
  for (const Candidate& candidate : candidates) {
    const auto cost = CostOf(candidate, now);
    if (lowest < cost) continue;
    if (cost < lowest) least.clear();
    lowest = cost;
    least.push_back(&candidate);
  }
  return least;
}

Preemption::Preemption(const Profile& profile, sim::Decisions& decisions, const Plugins& plugins,
                       const Nominator& nominator)
    : profile_(profile),
      decisions_(decisions),
      offset_site_(decisions.Site("scheduler/preemption")),
      tie_site_(decisions.Site("scheduler/preemptionTie")),
      plugins_(plugins),
      nominator_(nominator) {}

std::string Preemption::WhyNotEligible(const NodeList& nodes, const api::Object& pod,
                                       const NodeStatuses& statuses) const {
  if (pod.spec().Get("preemptionPolicy").AsString() == "Never")
    return "not eligible due to preemptionPolicy=Never.";
  const std::string_view nominated = api::PodView(pod).nominated_node_name();
  if (nominated.empty()) return "";
  const auto status = statuses.find(nominated);
  if (status != statuses.end() && status->second == Status::Code::kUnschedulableAndUnresolvable)
    return "";
  const std::int64_t priority = PriorityOf(pod);
  for (const NodeInfo* node : nodes) {
    if (node->name() != nominated) continue;
    for (const api::Object& other : node->pods())
      if (PriorityOf(other) < priority && IsTerminatingByPreemption(other, profile_))
        return "not eligible due to a terminating pod on the nominated node.";
  }
  return "";
}

PreemptionPlan Preemption::Plan(const NodeList& nodes, const api::Object& pod,
                                const NodeStatuses& statuses, const DisruptionBudgets& budgets,
                                std::uint64_t identity, VirtualTime now) {
  PreemptionPlan plan;
  plan.message = WhyNotEligible(nodes, pod, statuses);
  if (!plan.message.empty()) return plan;
  absl::btree_map<std::string, int> reasons;
  NodeList potential;
  for (const NodeInfo* node : nodes) {
    const auto status = statuses.find(node->name());
    if (status != statuses.end() && status->second == Status::Code::kUnschedulable)
      potential.push_back(node);
    else
      ++reasons["Preemption is not helpful for scheduling"];
  }
  plan.hopeless = potential.empty();
  const std::size_t wanted = CandidatesToFind(potential.size());
  std::size_t offset = 0;
  if (wanted < potential.size())
    offset = decisions_.Draw(offset_site_, identity, static_cast<std::uint32_t>(potential.size()));
  const Filters filters(plugins_, nominator_, pod, nodes);
  // As many as are wanted are enough if one of them violates no budget.
  std::vector<Candidate> candidates, violating;
  const auto enough = [&] {
    return !candidates.empty() && candidates.size() + violating.size() >= wanted;
  };
  for (std::size_t i = 0; i < potential.size() && !enough(); ++i) {
    const NodeInfo& node = *potential[(offset + i) % potential.size()];
    Candidate candidate;
    const Status status = SelectVictims(filters, node, pod, budgets, &candidate);
    for (const std::string& reason : status.reasons) ++reasons[reason];
    if (!status.ok() || candidate.victims.empty()) continue;
    candidate.node = node.name();
    std::vector<Candidate>& list = candidate.violations == 0 ? candidates : violating;
    if (list.size() < wanted) list.push_back(std::move(candidate));
  }
  std::move(violating.begin(), violating.end(), std::back_inserter(candidates));
  plan.nomination = Nomination::Clear();
  if (candidates.empty()) {
    plan.message = FitMessage(nodes.size(), reasons);
    return plan;
  }
  const std::vector<const Candidate*> least = LeastCostly(candidates, now);
  std::size_t chosen = 0;
  if (least.size() > 1)
    chosen = decisions_.Draw(tie_site_, identity, static_cast<std::uint32_t>(least.size()));
  plan.best = *least[chosen];
  plan.nomination = Nomination::Of(plan.best.node);
  return plan;
}

// Takes all pods of a lower priority off the node, then puts them back one after another as long as
// the pod still fits: those first that a budget wants to stay, of these and of the others the most
// important first.
Status Preemption::SelectVictims(const Filters& filters, const NodeInfo& node,
                                 const api::Object& pod, const DisruptionBudgets& budgets,
                                 Candidate* out) const {
  std::vector<api::Object> lower;
  const std::int64_t priority = PriorityOf(pod);
  for (const api::Object& other : node.pods())
    if (PriorityOf(other) < priority) lower.push_back(other);
  if (lower.empty())
    return {Status::Code::kUnschedulableAndUnresolvable,
            "No preemption victims found for incoming pod"};
  NodeInfo rest = node;
  for (const api::Object& other : lower) rest.RemovePod(other);
  const Status status = filters.With(node, rest).Fits(rest);
  if (!status.ok()) return status;
  SortByImportance(&lower);
  const DisruptionBudgets::Parted parted = budgets.Part(std::move(lower));
  std::vector<api::Object>& victims = out->victims;
  const auto reprieve = [&](const std::vector<api::Object>& pods) {
    for (const api::Object& other : pods) {
      rest.AddPod(other);
      if (filters.With(node, rest).Fits(rest).ok()) continue;
      rest.RemovePod(other);
      victims.push_back(other);
    }
  };
  reprieve(parted.violating);
  out->violations = std::ssize(victims);
  reprieve(parted.others);
  if (profile_.sorts_victims) SortByImportance(&victims);
  return {};
}

}  // namespace ksim::scheduler
