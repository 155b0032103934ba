// Pods spread evenly over topology domains: DoNotSchedule constraints reject, ScheduleAnyway ones
// score. Pods without constraints of their own but with a Service or workload that selects them get
// the system's: hostname maxSkew 3, zone maxSkew 5, ScheduleAnyway.
//
// The weight ln(size+2) is computed in 32.32 fixed point, so that no floating point decides.
// Source: pkg/scheduler/framework/plugins/podtopologyspread/{common,filtering,scoring}.go.
#include <algorithm>
#include <limits>
#include <optional>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "ksim/api/views/node_selector.h"
#include "ksim/api/views/taints.h"
#include "ksim/scheduler/plugins/fixed_log.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/value/selector.h"

namespace ksim::scheduler {

namespace {

using value::Value;

constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";

struct SpreadConstraint {
  std::string key;
  std::int64_t max_skew = 1;
  std::int64_t min_domains = 1;
  std::vector<value::LabelSelector> selectors;  // all must match
  bool honor_affinity = true;
  bool honor_taints = false;
  bool counts_nobody = false;  // an empty selector does, from 1.30 on (countPodsMatchSelector)

  bool Matches(const Value& labels) const {
    return std::all_of(selectors.begin(), selectors.end(),
                       [&](const auto& s) { return s.Matches(labels); });
  }
  bool Matches(const api::Object& pod) const { return Matches(pod.labels()); }
  // Whether it counts the group's pods for a pod of `ns`, the same at every call. The groups of a
  // template are on many nodes: what came of one is kept for the others.
  bool Matches(const PodGroup& pods, std::string_view ns) const {
    const auto [it, fresh] = known_.try_emplace(pods.hash);
    if (fresh) it->second = pods.ns == ns && Matches(pods.labels);
    return it->second;
  }
  bool Counts(const api::Object& pod, const api::Object& node) const {
    if (honor_affinity && !api::MatchesRequiredNodeAffinity(pod, node)) return false;
    return !honor_taints ||
           api::FirstUntolerated(node.spec().Get("taints"), pod.spec().Get("tolerations"),
                                 {"NoSchedule", "NoExecute"}) == nullptr;
  }

 private:
  mutable absl::flat_hash_map<std::uint64_t, bool> known_;  // by PodGroup::hash
};

std::int64_t CountMatching(const SpreadConstraint& constraint, const NodeInfo& info,
                           std::string_view ns) {
  if (constraint.counts_nobody) return 0;
  std::int64_t count = 0;
  for (const PodGroup& pods : info.pod_groups())
    if (constraint.Matches(pods, ns)) count += pods.count;
  return count;
}

std::optional<std::string> LabelOf(const api::Object& node, std::string_view key) {
  if (!node.labels().Has(key)) return std::nullopt;
  return std::string(node.Label(key));
}

bool HasAllKeys(const api::Object& node, const std::vector<SpreadConstraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const SpreadConstraint& c) { return node.labels().Has(c.key); });
}

// common.go filterTopologySpreadConstraints: matchLabelKeys narrow the selector to the pod's own
// values. In 1.25 they, and the policies, are behind gates that are off.
std::vector<SpreadConstraint> OwnConstraints(const api::Object& pod, std::string_view action,
                                             const Profile& profile) {
  std::vector<SpreadConstraint> constraints;
  for (const Value& c : pod.spec().Get("topologySpreadConstraints").items()) {
    if (c.Get("whenUnsatisfiable").AsString() != action) continue;
    const auto selector = value::LabelSelector::FromObject(c.Get("labelSelector"));
    if (!selector.ok()) continue;
    SpreadConstraint constraint;
    constraint.key = std::string(c.Get("topologyKey").AsString());
    constraint.max_skew = c.Get("maxSkew").AsInt();
    constraint.min_domains = std::max<std::int64_t>(1, c.Get("minDomains").AsInt());
    constraint.selectors.push_back(*selector);
    value::ObjectBuilder own;
    for (const Value& key : c.Get("matchLabelKeys").items()) {
      const Value& label = pod.labels().Get(key.AsString());
      own.AddIf(!label.is_null(), key.AsString(), label);
    }
    const auto narrowed =
        value::LabelSelector::FromObject(value::Obj({{"matchLabels", own.Build()}}));
    if (profile.spread_match_label_keys && narrowed.ok()) constraint.selectors.push_back(*narrowed);
    constraint.counts_nobody = profile.spread_empty_selector_counts_none &&
                               std::all_of(constraint.selectors.begin(), constraint.selectors.end(),
                                           [](const value::LabelSelector& s) { return s.empty(); });
    const bool policies = profile.spread_node_inclusion_policies;
    constraint.honor_affinity = !policies || c.Get("nodeAffinityPolicy").AsString() != "Ignore";
    constraint.honor_taints = policies && c.Get("nodeTaintsPolicy").AsString() == "Honor";
    constraints.push_back(std::move(constraint));
  }
  return constraints;
}

// Pods per domain of each hard constraint, over the nodes that count.
struct SpreadFilterState {
  std::vector<SpreadConstraint> constraints;
  std::vector<absl::btree_map<std::string, std::int64_t>> domains;

  std::int64_t LeastIn(std::size_t i) const {
    const auto& counts = domains[i];
    if (static_cast<std::int64_t>(counts.size()) < constraints[i].min_domains) return 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [value, count] : counts) least = std::min(least, count);
    return least;
  }
};

struct SpreadScoreState {
  std::vector<SpreadConstraint> constraints;
  absl::btree_set<std::string> ignored;  // nodes that lack a key
  std::vector<absl::btree_map<std::string, std::int64_t>> domains;
  std::vector<std::uint64_t> weights;  // ln(size+2), 32.32

  bool Ignores(const NodeInfo& info) const {
    return !ignored.empty() && ignored.contains(std::string(info.name()));
  }
};

class PodTopologySpread : public Plugin {
 public:
  PodTopologySpread(const Profile& profile, SelectorSource selectors)
      : profile_(profile), selectors_(std::move(selectors)) {}
  std::string_view name() const override { return "PodTopologySpread"; }

  Status PreFilter(CycleState& state, const api::Object& pod, const NodeList& all) const override {
    SpreadFilterState s;
    s.constraints = OwnConstraints(pod, "DoNotSchedule", profile_);
    if (s.constraints.empty()) return {Status::Code::kSkip, ""};
    s.domains.resize(s.constraints.size());
    for (const NodeInfo* info : all) {
      if (!HasAllKeys(info->node(), s.constraints)) continue;
      for (std::size_t i = 0; i < s.constraints.size(); ++i) {
        const SpreadConstraint& c = s.constraints[i];
        if (!c.Counts(pod, info->node())) continue;
        s.domains[i][*LabelOf(info->node(), c.key)] += CountMatching(c, *info, pod.ns());
      }
    }
    state.Write(FilterKey(), std::move(s));
    return {};
  }

  Status Filter(const CycleState& state, const api::Object& pod,
                const NodeInfo& info) const override {
    const SpreadFilterState& s = *state.Read<SpreadFilterState>(FilterKey());
    for (std::size_t i = 0; i < s.constraints.size(); ++i) {
      const SpreadConstraint& c = s.constraints[i];
      const std::optional<std::string> domain = LabelOf(info.node(), c.key);
      if (!domain) {
        return {Status::Code::kUnschedulableAndUnresolvable,
                "node(s) didn't match pod topology spread constraints (missing required label)"};
      }
      const auto count = s.domains[i].find(*domain);
      const std::int64_t here = count == s.domains[i].end() ? 0 : count->second;
      const std::int64_t self = c.Matches(pod) ? 1 : 0;
      if (here + self - s.LeastIn(i) > c.max_skew) {
        return {Status::Code::kUnschedulable,
                "node(s) didn't match pod topology spread constraints"};
      }
    }
    return {};
  }

  std::int64_t weight() const override { return 2; }

  Status PreScore(CycleState& state, const api::Object& pod, const NodeList& feasible,
                  const NodeList& all) const override {
    const bool own = !pod.spec().Get("topologySpreadConstraints").empty();
    SpreadScoreState s;
    s.constraints = own ? OwnConstraints(pod, "ScheduleAnyway", profile_) : SystemConstraints(pod);
    if (s.constraints.empty()) return {Status::Code::kSkip, ""};
    CollectDomains(s, feasible, own);
    for (const NodeInfo* info : all) {
      if (own && !HasAllKeys(info->node(), s.constraints)) continue;
      CountOn(s, pod, *info);
    }
    state.Write(ScoreKey(), std::move(s));
    return {};
  }

  std::int64_t Score(const CycleState& state, const api::Object& pod,
                     const NodeInfo& info) const override {
    const SpreadScoreState& s = *state.Read<SpreadScoreState>(ScoreKey());
    if (s.Ignores(info)) return 0;
    std::uint64_t score = 0;  // 32.32
    for (std::size_t i = 0; i < s.constraints.size(); ++i) {
      const SpreadConstraint& c = s.constraints[i];
      const std::optional<std::string> domain = LabelOf(info.node(), c.key);
      if (!domain) continue;
      const std::int64_t count = c.key == kHostname ? CountMatching(c, info, pod.ns())
                                                    : s.domains[i].find(*domain)->second;
      score += static_cast<std::uint64_t>(count) * s.weights[i] +
               (static_cast<std::uint64_t>(c.max_skew - 1) << 32);
    }
    return static_cast<std::int64_t>((score + (std::uint64_t{1} << 31)) >> 32);
  }

  void Normalize(const CycleState& state, const api::Object&, const NodeList& nodes,
                 Scores& scores) const override {
    const SpreadScoreState& s = *state.Read<SpreadScoreState>(ScoreKey());
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (s.Ignores(*nodes[i])) continue;
      least = std::min(least, scores[i]);
      most = std::max(most, scores[i]);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (s.Ignores(*nodes[i])) {
        scores[i] = 0;
      } else {
        scores[i] = most == 0 ? kMaxNodeScore : kMaxNodeScore * (most + least - scores[i]) / most;
      }
    }
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    const std::uint32_t bits = ClusterEvent::kAssignedPodAdd | ClusterEvent::kAssignedPodDelete |
                               ClusterEvent::kNodeAdd | ClusterEvent::kNodeDelete |
                               ClusterEvent::kNodeUpdateLabel;
    constexpr std::uint32_t kAll = ClusterEvent::kAssignedPodUpdate;
    if (profile.queueing_hints)
      return bits | ClusterEvent::kNodeUpdateTaint | ClusterEvent::kAssignedPodLabel |
             ClusterEvent::kTargetPodLabel | ClusterEvent::kTargetPodToleration;
    return profile.registers_for_pre_check ? bits | kAll | ClusterEvent::kNodeUpdateTaint
                                           : bits | kAll;
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    constexpr std::uint32_t kNode =
        ClusterEvent::kNodeAdd | ClusterEvent::kNodeDelete | ClusterEvent::kNodeUpdate;
    const std::vector<SpreadConstraint> constraints =
        OwnConstraints(pod, "DoNotSchedule", profile_);
    return (event.bits & kNode) ? NodeMayHelp(constraints, before, after)
                                : PodMayHelp(pod, constraints, before, after);
  }

 private:
  // isSchedulableAfterPodChange
  static bool PodMayHelp(const api::Object& pod, const std::vector<SpreadConstraint>& constraints,
                         const api::Object& before, const api::Object& after) {
    for (const api::Object* other : {&before, &after}) {
      if (other->empty() || other->uid() == pod.uid()) continue;
      if (!IsAssignedOrNominated(*other) || other->ns() != pod.ns()) return false;
    }
    const auto any = [&](const auto& holds) {
      return std::any_of(constraints.begin(), constraints.end(), holds);
    };
    if (before.empty()) return any([&](const SpreadConstraint& c) { return c.Matches(after); });
    if (after.empty()) return any([&](const SpreadConstraint& c) { return c.Matches(before); });
    const bool tolerates = before.spec().Get("tolerations") != after.spec().Get("tolerations") &&
                           after.uid() == pod.uid() &&
                           any([](const SpreadConstraint& c) { return c.honor_taints; });
    return tolerates ||
           any([&](const SpreadConstraint& c) { return c.Matches(before) != c.Matches(after); });
  }

  // isSchedulableAfterNodeChange: the node begins or ceases to count, or counts elsewhere.
  static bool NodeMayHelp(const std::vector<SpreadConstraint>& constraints,
                          const api::Object& before, const api::Object& after) {
    const bool was = !before.empty() && HasAllKeys(before, constraints);
    const bool is = !after.empty() && HasAllKeys(after, constraints);
    if (before.empty() || after.empty()) return was || is;
    if (was != is) return true;
    const bool moved = std::any_of(
        constraints.begin(), constraints.end(),
        [&](const SpreadConstraint& c) { return before.Label(c.key) != after.Label(c.key); });
    return is && (moved || before.spec().Get("taints") != after.spec().Get("taints"));
  }

  static std::string_view FilterKey() { return "PreFilterPodTopologySpread"; }
  static std::string_view ScoreKey() { return "PreScorePodTopologySpread"; }

  std::vector<SpreadConstraint> SystemConstraints(const api::Object& pod) const {
    std::vector<value::LabelSelector> selectors = selectors_(pod);
    if (selectors.empty()) return {};
    SpreadConstraint hostname;
    hostname.key = kHostname;
    hostname.max_skew = 3;
    hostname.selectors = selectors;
    SpreadConstraint zone = hostname;
    zone.key = kZone;
    zone.max_skew = 5;
    return {std::move(hostname), std::move(zone)};
  }

  static void CollectDomains(SpreadScoreState& s, const NodeList& feasible, bool require_all) {
    s.domains.resize(s.constraints.size());
    for (const NodeInfo* info : feasible) {
      if (require_all && !HasAllKeys(info->node(), s.constraints)) {
        s.ignored.insert(std::string(info->name()));
        continue;
      }
      for (std::size_t i = 0; i < s.constraints.size(); ++i) {
        if (s.constraints[i].key == kHostname) continue;
        s.domains[i].emplace(std::string(info->node().Label(s.constraints[i].key)), 0);
      }
    }
    for (std::size_t i = 0; i < s.constraints.size(); ++i) {
      const std::size_t size = s.constraints[i].key == kHostname
                                   ? feasible.size() - s.ignored.size()
                                   : s.domains[i].size();
      s.weights.push_back(FixedLn(size + 2));
    }
  }

  static void CountOn(SpreadScoreState& s, const api::Object& pod, const NodeInfo& info) {
    for (std::size_t i = 0; i < s.constraints.size(); ++i) {
      const SpreadConstraint& c = s.constraints[i];
      // A node without the key is in no domain that Score reads.
      if (s.domains[i].empty() || !info.node().labels().Has(c.key)) continue;
      const auto domain = s.domains[i].find(std::string(info.node().Label(c.key)));
      if (domain == s.domains[i].end() || !c.Counts(pod, info.node())) continue;
      domain->second += CountMatching(c, info, pod.ns());
    }
  }

  const Profile& profile_;
  SelectorSource selectors_;
};

}  // namespace

std::unique_ptr<Plugin> MakePodTopologySpread(const Profile& profile, SelectorSource selectors) {
  return std::make_unique<PodTopologySpread>(profile, std::move(selectors));
}

}  // namespace ksim::scheduler
