// pdb.respected: evictions leave a PodDisruptionBudget as many healthy pods as it wants.
//
// It counts the pods itself. The budget's status, which the eviction asks, is as old as what its
// controller had heard of; so it judges only while nothing but evictions has taken a healthy pod
// since the controller wrote a number that was true.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "ksim/api/conditions.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/value/selector.h"

namespace ksim::check {
namespace {

using value::Value;

// The disruption controller waits so long for the deletion of a pod that was let go
// (pkg/controller/disruption/disruption.go DeletionTimeout).
constexpr std::int64_t kDeletionTimeout = Minutes(2).ns();

const OracleInfo& RespectedInfo() {
  static const OracleInfo info{
      "pdb.respected",
      Guarantee::kSafety,
      "An eviction takes a disruption of the pod's PodDisruptionBudget, and leaves it as many "
      "healthy pods as it wants.",
      {sim::EventKind::kCommit, sim::EventKind::kRequest},
      {"a pod that is not ready, is being deleted, or has ended: it is not healthy before",
       ("pods that go, or are ready no longer, for another reason: the budget's status is as old "
        "as what its controller had heard of, and until it is true again nothing is judged"),
       "a budget, or labels, that changed while the eviction was under way",
       "a deletion more than two minutes after its disruption: the controller counts the pod again",
       "deletions, preemption, taints: these ask no budget"},
      "no healthy pod with a budget was evicted"};
  return info;
}

bool IsHealthy(const Value& pod) {
  return !pod.is_null() && !pod.Get("metadata").Has("deletionTimestamp") &&
         api::ConditionStatus(pod.Get("status").Get("conditions"), "Ready") == "True";
}

class Respected : public Oracle {
 public:
  Respected() : Oracle(RespectedInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.subresource == "eviction") evictions_[o.request] = o.seq;
    } else if (o.resource == "poddisruptionbudgets") {
      OnBudget(o);
    } else if (o.resource == "pods") {
      OnPod(facts, o);
    }
  }

 private:
  struct Pod {
    std::string ns, name;
    Value labels;
    std::uint64_t healthy_since = 0;  // seq; 0: it is not healthy
  };
  struct Budget {
    std::string name, ns;
    value::LabelSelector selector;
    Value spec, status;
    std::uint64_t since = 0;  // seq of the last change of its spec
    std::int64_t generation = 0;
    bool is_true = false;  // its status, but for what evictions took since
    // Pods that evictions took a disruption for: name -> when.
    std::map<std::string, std::int64_t, std::less<>> taken;
  };

  void OnBudget(const Observation& o) {
    if (o.after->is_null()) {
      budgets_.erase(o.object);
      return;
    }
    Budget& budget = budgets_[o.object];
    const Value& spec = o.after->Get("spec");
    if (budget.since == 0 || budget.spec != spec) {
      budget.name = ObjectOf(o);
      budget.ns = std::string(o.ns);
      budget.since = o.seq;
      budget.is_true = false;
      budget.spec = spec;
      auto selector = value::LabelSelector::FromObject(spec.Get("selector"));
      budget.selector = selector.ok() ? *std::move(selector) : value::LabelSelector::Nothing();
    }
    budget.generation = o.after->Get("metadata").Get("generation").AsInt();
    const Value before = budget.status.Get("disruptedPods");
    budget.status = o.after->Get("status");
    if (o.request == 0) {  // an API server did it, for an eviction
      for (const Value::Member& pod : budget.status.Get("disruptedPods").members())
        if (!before.Has(pod.name.text())) budget.taken[std::string(pod.name.text())] = o.t;
      return;
    }
    // The controller does not count the pods that have been let go.
    const Value& let_go = budget.status.Get("disruptedPods");
    budget.is_true = HealthyOf(budget, let_go) >= budget.status.Get("currentHealthy").AsInt();
  }

  void OnPod(const Facts& facts, const Observation& o) {
    const bool is_healthy = IsHealthy(*o.after);
    const auto before = pods_.find(o.object);
    const Pod was = before == pods_.end() ? Pod() : before->second;
    const Value labels = o.after->Get("metadata").Get("labels");
    if (o.after->is_null()) {
      pods_.erase(o.object);
    } else {
      Pod& pod = pods_[o.object];
      pod.ns = std::string(o.ns);
      pod.name = std::string(o.name);
      if (pod.labels != labels || !is_healthy || pod.healthy_since == 0)
        pod.healthy_since = is_healthy ? o.seq : 0;
      pod.labels = labels;
    }
    if (was.healthy_since == 0) return;
    const bool relabelled = !o.after->is_null() && was.labels != labels;
    if (is_healthy && !relabelled) return;
    const auto eviction = evictions_.find(o.request);
    for (auto& [object, budget] : budgets_) {
      if (budget.ns != was.ns || !budget.selector.Matches(was.labels)) continue;
      if (o.request == 0 || eviction == evictions_.end())
        budget.is_true = false;
      else
        OnEviction(facts, o, was, eviction->second, budget);
    }
  }

  // The eviction, sent at `sent`, marks a healthy pod for deletion.
  void OnEviction(const Facts& facts, const Observation& o, const Pod& pod, std::uint64_t sent,
                  Budget& budget) {
    Judged();
    const auto taken = budget.taken.find(o.name);
    if (taken == budget.taken.end()) {
      if (budget.since < sent && pod.healthy_since < sent)
        Violate(o.seq, std::string(o.by),
                fmt::format("{} evicts {}, which is healthy, and takes no disruption of {}", o.by,
                            ObjectOf(o), budget.name),
                {ObjectOf(o), budget.name});
      budget.is_true = false;
      return;
    }
    const bool late = facts.clocks().MostPassed(taken->second, o.t) > kDeletionTimeout;
    budget.taken.erase(taken);
    if (late || budget.status.Get("observedGeneration").AsInt() < budget.generation)
      budget.is_true = false;
    if (!budget.is_true) return;
    const Value& least = budget.spec.Get("minAvailable");
    const std::int64_t wanted =
        least.is_int() ? least.AsInt() : budget.status.Get("desiredHealthy").AsInt();
    const std::int64_t left = HealthyOf(budget, Value());
    if (left >= wanted) return;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} evicts {}, which leaves {} healthy pods to {}, which wants {}", o.by,
                        ObjectOf(o), left, budget.name, wanted),
            {ObjectOf(o), budget.name});
  }

  // But for those that `but` has a member for.
  std::int64_t HealthyOf(const Budget& budget, const Value& but) const {
    std::int64_t count = 0;
    for (const auto& [object, pod] : pods_)
      count += pod.healthy_since != 0 && pod.ns == budget.ns && !but.Has(pod.name) &&
               budget.selector.Matches(pod.labels);
    return count;
  }

  std::map<std::uint64_t, Pod> pods_;
  std::map<std::uint64_t, Budget> budgets_;
  std::map<std::uint64_t, std::uint64_t> evictions_;  // request -> seq
};

}  // namespace

OracleEntry PdbRespectedOracle() {
  return {&RespectedInfo(), [] { return std::unique_ptr<Oracle>(new Respected); }, ""};
}

}  // namespace ksim::check
