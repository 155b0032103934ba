// spec.nodeSelector and required node affinity reject; preferred terms score.
// Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go.
#include "ksim/api/views/node_selector.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

const Value& NodeAffinityOf(const api::Object& pod) {
  static const value::Path kNodeAffinity{"affinity", "nodeAffinity"};
  return pod.spec().Get(kNodeAffinity);
}

// The nodes that fit all requirements about names of a term, if it has any.
std::optional<std::set<std::string>> NodesNamedBy(const Value& term) {
  std::optional<std::set<std::string>> names;
  for (const Value& field : term.Get("matchFields").items()) {
    if (field.Get("key").AsString() != "metadata.name" || field.Get("operator").AsString() != "In")
      continue;
    std::set<std::string> listed;
    for (const Value& name : field.Get("values").items()) listed.emplace(name.AsString());
    if (names) std::erase_if(listed, [&](const std::string& n) { return !names->contains(n); });
    names = std::move(listed);
  }
  return names;
}

class NodeAffinity : public Plugin {
 public:
  std::string_view name() const override { return "NodeAffinity"; }

  Status PreFilter(CycleState&, const api::Object& pod, const NodeList&) const override {
    const Value& required =
        NodeAffinityOf(pod).Get("requiredDuringSchedulingIgnoredDuringExecution");
    if (required.is_null() && pod.spec().Get("nodeSelector").empty()) {
      return {Status::Code::kSkip, ""};
    }
    return {};
  }
  // Those that every term names, if every term names some.
  std::optional<std::set<std::string, std::less<>>> PreFilterNodeNames(
      const api::Object& pod) const override {
    static const value::Path kTerms{"requiredDuringSchedulingIgnoredDuringExecution",
                                    "nodeSelectorTerms"};
    std::optional<std::set<std::string, std::less<>>> names;
    for (const Value& term : NodeAffinityOf(pod).Get(kTerms).items()) {
      const std::optional<std::set<std::string>> named = NodesNamedBy(term);
      if (!named) return std::nullopt;
      if (!names) names.emplace();
      names->insert(named->begin(), named->end());
    }
    return names;
  }
  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (api::MatchesRequiredNodeAffinity(pod, info.node())) return {};
    return {Status::Code::kUnschedulableAndUnresolvable,
            "node(s) didn't match Pod's node affinity/selector"};
  }

  std::int64_t weight() const override { return 2; }
  Status PreScore(CycleState&, const api::Object& pod, const NodeList&,
                  const NodeList&) const override {
    const Value& preferred =
        NodeAffinityOf(pod).Get("preferredDuringSchedulingIgnoredDuringExecution");
    if (preferred.empty()) return {Status::Code::kSkip, ""};
    return {};
  }
  std::int64_t Score(const CycleState&, const api::Object& pod,
                     const NodeInfo& info) const override {
    return api::PreferredNodeAffinityScore(pod, info.node());
  }
  void Normalize(const CycleState&, const api::Object&, const NodeList&,
                 Scores& scores) const override {
    NormalizeScores(scores, /*reverse=*/false);
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    return NodeEvents(profile, ClusterEvent::kNodeUpdateLabel);
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent&, const api::Object& before,
                    const api::Object& after) const override {
    const bool matched = !before.empty() && api::MatchesRequiredNodeAffinity(pod, before);
    return !matched && api::MatchesRequiredNodeAffinity(pod, after);
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeNodeAffinity() { return std::make_unique<NodeAffinity>(); }

}  // namespace ksim::scheduler
