// Pod affinity and anti-affinity: required terms reject nodes, preferred terms score, those of the
// existing pods too. A namespaceSelector knows only the label kubernetes.io/metadata.name.
//
// Source: pkg/scheduler/framework/plugins/interpodaffinity/{plugin,filtering,scoring}.go,
// kube-scheduler/framework/types.go GetAffinityTerms, AffinityTerm.Matches.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ksim/base/float64.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/value/selector.h"

namespace ksim::scheduler {

namespace {

using value::Value;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::int64_t kHardPodAffinityWeight = 1;

struct AffinityTerm {
  std::string key;
  value::LabelSelector pods, namespaces;
  std::set<std::string, std::less<>> named;  // namespaces
  std::int64_t weight = 0;                   // of a preferred one

  bool Matches(const api::Object& pod) const {
    if (!named.contains(pod.ns())) {
      const Value labels = value::Obj({{"kubernetes.io/metadata.name", Value::String(pod.ns())}});
      if (!namespaces.Matches(labels)) return false;
    }
    return pods.Matches(pod.labels());
  }
};
using AffinityTerms = std::vector<AffinityTerm>;

// newAffinityTerm: without namespaces of its own a term is about those of its pod's namespace.
AffinityTerms TermsOf(const api::Object& pod, const char* affinity, const char* when) {
  AffinityTerms terms;
  for (const Value& item : pod.spec().Get("affinity").Get(affinity).Get(when).items()) {
    const Value& t = when == kPreferred ? item.Get("podAffinityTerm") : item;
    const auto pods = value::LabelSelector::FromObject(t.Get("labelSelector"));
    const auto namespaces = value::LabelSelector::FromObject(t.Get("namespaceSelector"));
    if (!pods.ok() || !namespaces.ok()) continue;
    AffinityTerm term;
    term.key = t.Get("topologyKey").AsString();
    term.pods = *pods;
    term.namespaces = *namespaces;
    for (const Value& ns : t.Get("namespaces").items()) term.named.emplace(ns.AsString());
    if (t.Get("namespaces").empty() && t.Get("namespaceSelector").is_null())
      term.named.emplace(pod.ns());
    term.weight = item.Get("weight").AsInt();
    terms.push_back(std::move(term));
  }
  return terms;
}

AffinityTerms RequiredTerms(const api::Object& pod, const char* affinity) {
  return TermsOf(pod, affinity, kRequired);
}
AffinityTerms PreferredTerms(const api::Object& pod, const char* affinity) {
  return TermsOf(pod, affinity, kPreferred);
}

bool MatchesAllTerms(const AffinityTerms& terms, const api::Object& pod) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(),
                                       [&](const AffinityTerm& t) { return t.Matches(pod); });
}

// A domain of a topology: its key and value.
using TopologyDomain = std::pair<std::string, std::string>;
using DomainCounts = std::map<TopologyDomain, std::int64_t>;

bool HasTopologyKey(const api::Object& node, const AffinityTerm& term) {
  return node.labels().Has(term.key);
}
TopologyDomain DomainOf(const api::Object& node, const AffinityTerm& term) {
  return {term.key, std::string(node.Label(term.key))};
}
std::int64_t CountIn(const DomainCounts& counts, const TopologyDomain& domain) {
  const auto it = counts.find(domain);
  return it == counts.end() ? 0 : it->second;
}
void AddToDomain(const api::Object& node, const AffinityTerm& term, std::int64_t by,
                 DomainCounts* counts) {
  if (HasTopologyKey(node, term)) (*counts)[DomainOf(node, term)] += by;
}

struct AffinityFilterState {
  AffinityTerms affinity, anti_affinity;
  DomainCounts near, far;  // pods that match them
  DomainCounts existing;   // pods that do not want this one in their domain
  bool own = false;        // it matches its own affinity
};

struct AffinityScoreState {
  DomainCounts domains;
};

class InterPodAffinity : public Plugin {
 public:
  explicit InterPodAffinity(const Profile& profile) : profile_(profile) {}
  std::string_view name() const override { return "InterPodAffinity"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList& all) const override {
    AffinityFilterState s;
    s.affinity = RequiredTerms(pod, "podAffinity");
    s.anti_affinity = RequiredTerms(pod, "podAntiAffinity");
    const bool terms = !s.affinity.empty() || !s.anti_affinity.empty();
    for (const NodeInfo* info : all) {
      const api::Object& node = info->node();
      for (const api::Object& other : info->with_affinity())
        for (const AffinityTerm& t : RequiredTerms(other, "podAntiAffinity"))
          if (t.Matches(pod)) AddToDomain(node, t, 1, &s.existing);
      if (!terms) continue;
      for (const api::Object& other : info->pods()) {
        if (MatchesAllTerms(s.affinity, other))
          for (const AffinityTerm& t : s.affinity) AddToDomain(node, t, 1, &s.near);
        for (const AffinityTerm& t : s.anti_affinity)
          if (t.Matches(other)) AddToDomain(node, t, 1, &s.far);
      }
    }
    if (profile_.affinity_skips_for_good && !terms && s.existing.empty()) {
      Status skip;
      skip.code = Status::Code::kSkip;
      return skip;
    }
    s.own = MatchesAllTerms(s.affinity, pod);
    state.Write(name(), std::move(s));
    return {};
  }

  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    const AffinityFilterState& s = *state.Read<AffinityFilterState>(name());
    const api::Object& node = info.node();
    if (!SatisfiesAffinity(s, node))
      return {Status::Code::kUnschedulableAndUnresolvable,
              "node(s) didn't match pod affinity rules"};
    for (const AffinityTerm& t : s.anti_affinity)
      if (HasTopologyKey(node, t) && CountIn(s.far, DomainOf(node, t)) > 0)
        return {Status::Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules"};
    for (const auto& [domain, count] : s.existing)
      if (count > 0 && node.labels().Has(domain.first) && node.Label(domain.first) == domain.second)
        return {Status::Code::kUnschedulable,
                "node(s) didn't satisfy existing pods anti-affinity rules"};
    return {};
  }

  std::int64_t weight() const override { return 2; }
  Status PreScore(CycleState& state, const api::Object& pod, const NodeList&,
                  const NodeList& all) const override {
    const AffinityTerms wanted = PreferredTerms(pod, "podAffinity");
    const AffinityTerms unwanted = PreferredTerms(pod, "podAntiAffinity");
    const bool terms = !wanted.empty() || !unwanted.empty();
    AffinityScoreState s;
    for (const NodeInfo* info : all) {
      const auto count = [&](const AffinityTerms& of, const api::Object& other, std::int64_t sign) {
        for (const AffinityTerm& t : of)
          if (t.Matches(other)) AddToDomain(info->node(), t, sign * t.weight, &s.domains);
      };
      for (const api::Object& other : info->with_affinity()) {
        for (AffinityTerm t : RequiredTerms(other, "podAffinity")) {
          t.weight = kHardPodAffinityWeight;
          count({t}, pod, 1);
        }
        count(PreferredTerms(other, "podAffinity"), pod, 1);
        count(PreferredTerms(other, "podAntiAffinity"), pod, -1);
      }
      if (!terms) continue;
      for (const api::Object& other : info->pods()) {
        count(wanted, other, 1);
        count(unwanted, other, -1);
      }
    }
    Status status;
    if (s.domains.empty()) status.code = Status::Code::kSkip;
    state.Write("PreScore/InterPodAffinity", std::move(s));
    return status;
  }
  std::int64_t Score(const CycleState& state, const api::Object&,
                     const NodeInfo& info) const override {
    const api::Object& node = info.node();
    std::int64_t score = 0;
    for (const auto& [domain, sum] :
         state.Read<AffinityScoreState>("PreScore/InterPodAffinity")->domains)
      if (node.labels().Has(domain.first) && node.Label(domain.first) == domain.second)
        score += sum;
    return score;
  }
  // From the least to the most, 0 to 100; 29 of 100 is 28, as float64 has it.
  void Normalize(const CycleState&, const api::Object&, const NodeList&,
                 Scores& scores) const override {
    if (scores.empty()) return;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    const std::int64_t from = *least, range = *most - *least;
    for (std::int64_t& score : scores) {
      const Float64 share = range == 0 ? Float64() : Float64::Of(score - from) / Float64::Of(range);
      score = (Float64::Of(kMaxNodeScore) * share).Floor();
    }
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    const std::uint32_t bits = ClusterEvent::kAssignedPodAdd | ClusterEvent::kAssignedPodDelete |
                               ClusterEvent::kNodeAdd | ClusterEvent::kNodeUpdateLabel;
    constexpr std::uint32_t kAll = ClusterEvent::kAssignedPodUpdate;
    if (profile.queueing_hints)
      return bits | ClusterEvent::kAssignedPodLabel | ClusterEvent::kTargetPodLabel;
    return profile.registers_for_pre_check ? bits | kAll | ClusterEvent::kNodeUpdateTaint
                                           : bits | kAll;
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodLabel) return pod.uid() == after.uid();
    constexpr std::uint32_t kNode = ClusterEvent::kNodeAdd | ClusterEvent::kNodeUpdateLabel;
    return (event.bits & kNode) ? NodeMayHelp(pod, before, after) : PodMayHelp(pod, before, after);
  }

 private:
  const Profile& profile_;
  // The first pod of a group with affinity to itself matches no other pod: every node will do.
  static bool SatisfiesAffinity(const AffinityFilterState& s, const api::Object& node) {
    bool all = true;
    for (const AffinityTerm& t : s.affinity) {
      if (!HasTopologyKey(node, t)) return false;
      all = all && CountIn(s.near, DomainOf(node, t)) > 0;
    }
    return all || (s.near.empty() && s.own);
  }

  // isSchedulableAfterPodChange
  static bool PodMayHelp(const api::Object& pod, const api::Object& before,
                         const api::Object& after) {
    for (const api::Object* other : {&before, &after})
      if (!other->empty() && !IsAssignedOrNominated(*other)) return false;
    const AffinityTerms near = RequiredTerms(pod, "podAffinity"),
                        far = RequiredTerms(pod, "podAntiAffinity");
    if (before.empty()) return MatchesAllTerms(near, after);
    if (after.empty())
      return MatchesAllTerms(far, before) ||
             MatchesAllTerms(RequiredTerms(before, "podAntiAffinity"), pod);
    return (!MatchesAllTerms(near, before) && MatchesAllTerms(near, after)) ||
           (MatchesAllTerms(far, before) && !MatchesAllTerms(far, after));
  }

  // isSchedulableAfterNodeChange: the node is new, or is in another domain.
  static bool NodeMayHelp(const api::Object& pod, const api::Object& before,
                          const api::Object& after) {
    const auto moved = [&](const AffinityTerm& t) {
      return HasTopologyKey(before, t) && HasTopologyKey(after, t) &&
             DomainOf(before, t) != DomainOf(after, t);
    };
    for (const AffinityTerm& t : RequiredTerms(pod, "podAffinity"))
      if (HasTopologyKey(after, t) && (before.empty() || !HasTopologyKey(before, t) || moved(t)))
        return true;
    for (const AffinityTerm& t : RequiredTerms(pod, "podAntiAffinity"))
      if (before.empty() || (HasTopologyKey(before, t) && !HasTopologyKey(after, t)) || moved(t))
        return true;
    return false;
  }
};

}  // namespace

bool HasAffinityTo(const api::Object& pod, const api::Object& other) {
  const AffinityTerms terms = RequiredTerms(pod, "podAffinity");
  return std::any_of(terms.begin(), terms.end(),
                     [&](const AffinityTerm& t) { return t.Matches(other); });
}

std::unique_ptr<Plugin> MakeInterPodAffinity(const Profile& profile) {
  return std::make_unique<InterPodAffinity>(profile);
}

}  // namespace ksim::scheduler
