// Pods that want to be near others, or far from them: required terms reject nodes, preferred ones
// score, those of the pods that are there too. Of a namespace only the label that each one has, its
// name, is known to a namespaceSelector.
//
// Source: pkg/scheduler/framework/plugins/interpodaffinity/{plugin,filtering,scoring}.go,
// kube-scheduler/framework/types.go GetAffinityTerms, AffinityTerm.Matches.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/value/selector.h"

namespace ksim::scheduler {

namespace {

using value::Value;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::int64_t kHardPodAffinityWeight = 1;

struct Term {
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
using Terms = std::vector<Term>;

// newAffinityTerm: without namespaces of its own a term is about those of its pod's namespace.
Terms TermsOf(const api::Object& pod, const char* affinity, const char* when) {
  Terms terms;
  for (const Value& item : pod.spec().Get("affinity").Get(affinity).Get(when).items()) {
    const Value& t = when == kPreferred ? item.Get("podAffinityTerm") : item;
    const auto pods = value::LabelSelector::FromObject(t.Get("labelSelector"));
    const auto namespaces = value::LabelSelector::FromObject(t.Get("namespaceSelector"));
    if (!pods.ok() || !namespaces.ok()) continue;
    Term term;
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

Terms Required(const api::Object& pod, const char* affinity) {
  return TermsOf(pod, affinity, kRequired);
}
Terms Preferred(const api::Object& pod, const char* affinity) {
  return TermsOf(pod, affinity, kPreferred);
}

bool MatchesAll(const Terms& terms, const api::Object& pod) {
  return !terms.empty() &&
         std::all_of(terms.begin(), terms.end(), [&](const Term& t) { return t.Matches(pod); });
}

// A domain of a topology: its key and value.
using Domain = std::pair<std::string, std::string>;
using Counts = std::map<Domain, std::int64_t>;

bool HasKey(const api::Object& node, const Term& term) { return node.labels().Has(term.key); }
Domain DomainOf(const api::Object& node, const Term& term) {
  return {term.key, std::string(node.Label(term.key))};
}
std::int64_t At(const Counts& counts, const Domain& domain) {
  const auto it = counts.find(domain);
  return it == counts.end() ? 0 : it->second;
}
void Count(const api::Object& node, const Term& term, std::int64_t by, Counts* counts) {
  if (HasKey(node, term)) (*counts)[DomainOf(node, term)] += by;
}

struct FilterState {
  Terms affinity, anti_affinity;
  Counts near, far;  // pods that match them
  Counts existing;   // pods that do not want this one in their domain
  bool own = false;  // it matches its own affinity
};

struct ScoreState {
  Counts domains;
};

class InterPodAffinity : public Plugin {
 public:
  std::string_view name() const override { return "InterPodAffinity"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList& all) const override {
    FilterState s;
    s.affinity = Required(pod, "podAffinity");
    s.anti_affinity = Required(pod, "podAntiAffinity");
    const bool terms = !s.affinity.empty() || !s.anti_affinity.empty();
    for (const NodeInfo* info : all) {
      const api::Object& node = info->node();
      for (const api::Object& other : info->with_affinity())
        for (const Term& t : Required(other, "podAntiAffinity"))
          if (t.Matches(pod)) Count(node, t, 1, &s.existing);
      if (!terms) continue;
      for (const api::Object& other : info->pods()) {
        if (MatchesAll(s.affinity, other))
          for (const Term& t : s.affinity) Count(node, t, 1, &s.near);
        for (const Term& t : s.anti_affinity)
          if (t.Matches(other)) Count(node, t, 1, &s.far);
      }
    }
    if (!terms && s.existing.empty()) {
      Status skip;
      skip.code = Status::Code::kSkip;
      return skip;
    }
    s.own = MatchesAll(s.affinity, pod);
    state.Write(name(), std::move(s));
    return {};
  }

  Status Filter(const CycleState& state, const api::Object&, const NodeInfo& info) const override {
    const FilterState& s = *state.Read<FilterState>(name());
    const api::Object& node = info.node();
    if (!SatisfiesAffinity(s, node))
      return {Status::Code::kUnschedulableAndUnresolvable,
              "node(s) didn't match pod affinity rules"};
    for (const Term& t : s.anti_affinity)
      if (HasKey(node, t) && At(s.far, DomainOf(node, t)) > 0)
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
    const Terms wanted = Preferred(pod, "podAffinity");
    const Terms unwanted = Preferred(pod, "podAntiAffinity");
    const bool terms = !wanted.empty() || !unwanted.empty();
    ScoreState s;
    for (const NodeInfo* info : all) {
      const auto count = [&](const Terms& of, const api::Object& other, std::int64_t sign) {
        for (const Term& t : of)
          if (t.Matches(other)) Count(info->node(), t, sign * t.weight, &s.domains);
      };
      for (const api::Object& other : info->with_affinity()) {
        for (Term t : Required(other, "podAffinity")) {
          t.weight = kHardPodAffinityWeight;
          count({t}, pod, 1);
        }
        count(Preferred(other, "podAffinity"), pod, 1);
        count(Preferred(other, "podAntiAffinity"), pod, -1);
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
    for (const auto& [domain, sum] : state.Read<ScoreState>("PreScore/InterPodAffinity")->domains)
      if (node.labels().Has(domain.first) && node.Label(domain.first) == domain.second)
        score += sum;
    return score;
  }
  // From the least to the most, 0 to 100.
  void Normalize(const CycleState&, const api::Object&, const NodeList&,
                 Scores& scores) const override {
    if (scores.empty()) return;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    const std::int64_t from = *least, range = *most - *least;
    for (std::int64_t& score : scores)
      score = range == 0 ? 0 : kMaxNodeScore * (score - from) / range;
  }

  std::uint32_t EventsToRegister(api::Compat compat) const override {
    const std::uint32_t bits = ClusterEvent::kAssignedPodAdd | ClusterEvent::kAssignedPodDelete |
                               ClusterEvent::kNodeAdd | ClusterEvent::kNodeUpdateLabel;
    constexpr std::uint32_t kAll = ClusterEvent::kAssignedPodUpdate;
    if (compat == api::Compat::k1_25) return bits | kAll;
    if (compat == api::Compat::k1_30) return bits | kAll | ClusterEvent::kNodeUpdateTaint;
    return bits | ClusterEvent::kAssignedPodLabel | ClusterEvent::kTargetPodLabel;
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodLabel) return pod.uid() == after.uid();
    constexpr std::uint32_t kNode = ClusterEvent::kNodeAdd | ClusterEvent::kNodeUpdateLabel;
    return (event.bits & kNode) ? NodeMayHelp(pod, before, after) : PodMayHelp(pod, before, after);
  }

 private:
  // The first pod of a group that wants to be together has nobody to join: it may go anywhere.
  static bool SatisfiesAffinity(const FilterState& s, const api::Object& node) {
    bool all = true;
    for (const Term& t : s.affinity) {
      if (!HasKey(node, t)) return false;
      all = all && At(s.near, DomainOf(node, t)) > 0;
    }
    return all || (s.near.empty() && s.own);
  }

  // isSchedulableAfterPodChange
  static bool PodMayHelp(const api::Object& pod, const api::Object& before,
                         const api::Object& after) {
    for (const api::Object* other : {&before, &after})
      if (!other->empty() && !HoldsPlace(*other)) return false;
    const Terms near = Required(pod, "podAffinity"), far = Required(pod, "podAntiAffinity");
    if (before.empty()) return MatchesAll(near, after);
    if (after.empty())
      return MatchesAll(far, before) || MatchesAll(Required(before, "podAntiAffinity"), pod);
    return (!MatchesAll(near, before) && MatchesAll(near, after)) ||
           (MatchesAll(far, before) && !MatchesAll(far, after));
  }

  // isSchedulableAfterNodeChange: the node is new, or is in another domain.
  static bool NodeMayHelp(const api::Object& pod, const api::Object& before,
                          const api::Object& after) {
    const auto moved = [&](const Term& t) {
      return HasKey(before, t) && HasKey(after, t) && DomainOf(before, t) != DomainOf(after, t);
    };
    for (const Term& t : Required(pod, "podAffinity"))
      if (HasKey(after, t) && (before.empty() || !HasKey(before, t) || moved(t))) return true;
    for (const Term& t : Required(pod, "podAntiAffinity"))
      if (before.empty() || (HasKey(before, t) && !HasKey(after, t)) || moved(t)) return true;
    return false;
  }
};

}  // namespace

bool WantsToBeNear(const api::Object& pod, const api::Object& other) {
  const Terms terms = Required(pod, "podAffinity");
  return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return t.Matches(other); });
}

std::unique_ptr<Plugin> MakeInterPodAffinity() { return std::make_unique<InterPodAffinity>(); }

}  // namespace ksim::scheduler
