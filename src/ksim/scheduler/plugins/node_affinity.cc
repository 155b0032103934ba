// spec.nodeSelector and required node affinity reject; preferred terms score.
// Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go.
#include "ksim/api/node_selector.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

const Value& Affinity(const api::Object& pod) {
  static const value::Path kNodeAffinity{"affinity", "nodeAffinity"};
  return pod.spec().Get(kNodeAffinity);
}

class NodeAffinity : public Plugin {
 public:
  std::string_view name() const override { return "NodeAffinity"; }

  Status PreFilter(CycleState&, const api::Object& pod, const NodeList&) const override {
    const Value& required = Affinity(pod).Get("requiredDuringSchedulingIgnoredDuringExecution");
    if (required.is_null() && pod.spec().Get("nodeSelector").empty()) {
      return {Status::Code::kSkip, ""};
    }
    return {};
  }
  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    if (api::MatchesRequiredNodeAffinity(pod, info.node())) return {};
    return {Status::Code::kUnschedulableAndUnresolvable,
            "node(s) didn't match Pod's node affinity/selector"};
  }

  std::int64_t weight() const override { return 2; }
  Status PreScore(CycleState&, const api::Object& pod, const NodeList&,
                  const NodeList&) const override {
    const Value& preferred = Affinity(pod).Get("preferredDuringSchedulingIgnoredDuringExecution");
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

  std::uint32_t EventsToRegister(api::Compat compat) const override {
    return NodeEvents(compat, ClusterEvent::kNodeUpdateLabel);
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
