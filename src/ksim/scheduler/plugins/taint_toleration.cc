// Taints with NoSchedule or NoExecute reject; PreferNoSchedule ones count against a node.
// Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go.
#include <fmt/format.h>

#include "ksim/api/views/taints.h"
#include "ksim/scheduler/plugins/plugins.h"

namespace ksim::scheduler {

namespace {

using value::Value;

const Value* BlockingTaint(const api::Object& pod, const api::Object& node) {
  return api::FirstUntolerated(node.spec().Get("taints"), pod.spec().Get("tolerations"),
                               {"NoSchedule", "NoExecute"});
}

class TaintToleration : public Plugin {
 public:
  explicit TaintToleration(const Profile& profile) : profile_(profile) {}
  std::string_view name() const override { return "TaintToleration"; }

  Status Filter(const CycleState&, const api::Object& pod, const NodeInfo& info) const override {
    const Value* taint = BlockingTaint(pod, info.node());
    if (taint == nullptr) return {};
    constexpr Status::Code kHopeless = Status::Code::kUnschedulableAndUnresolvable;
    if (profile_.taint_reason_without_taint) return {kHopeless, "node(s) had untolerated taint(s)"};
    return {kHopeless, fmt::format("node(s) had untolerated taint {{{}: {}}}",
                                   taint->Get("key").AsString(), taint->Get("value").AsString())};
  }

  std::int64_t weight() const override { return 3; }
  // Only tolerations that cover PreferNoSchedule (or every effect) count here.
  std::int64_t Score(const CycleState&, const api::Object& pod,
                     const NodeInfo& info) const override {
    std::vector<Value> tolerations;
    for (const Value& t : pod.spec().Get("tolerations").items()) {
      const std::string_view effect = t.Get("effect").AsString();
      if (effect.empty() || effect == "PreferNoSchedule") tolerations.push_back(t);
    }
    const Value preferring = Value::Array(std::move(tolerations));
    std::int64_t intolerable = 0;
    for (const Value& taint : info.node().spec().Get("taints").items()) {
      if (taint.Get("effect").AsString() != "PreferNoSchedule") continue;
      if (!api::TolerationsTolerate(preferring, taint)) ++intolerable;
    }
    return intolerable;
  }
  void Normalize(const CycleState&, const api::Object&, const NodeList&,
                 Scores& scores) const override {
    NormalizeScores(scores, /*reverse=*/true);
  }

  std::uint32_t EventsToRegister(const Profile& profile) const override {
    const std::uint32_t node = NodeEvents(profile, ClusterEvent::kNodeUpdateTaint);
    return profile.queueing_hints ? node | ClusterEvent::kTargetPodToleration : node;
  }
  bool QueueingHint(const api::Object& pod, const ClusterEvent& event, const api::Object& before,
                    const api::Object& after) const override {
    if (event.bits & ClusterEvent::kTargetPodToleration) return true;
    const bool was_tolerated = !before.empty() && BlockingTaint(pod, before) == nullptr;
    return !was_tolerated && BlockingTaint(pod, after) == nullptr;
  }

 private:
  const Profile& profile_;
};

}  // namespace

std::unique_ptr<Plugin> MakeTaintToleration(const Profile& profile) {
  return std::make_unique<TaintToleration>(profile);
}

}  // namespace ksim::scheduler
