// sched.real: the scheduler binds no pod to a node that it could know is gone. Bug:
// kubernetes#56261 (docs/museum.md, B10).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

// From the decision to the request it leads to.
constexpr std::int64_t kDecided = Seconds(5).ns();

const OracleInfo& RealInfo() {
  static const OracleInfo info{
      "sched.real",
      Guarantee::kSafety,
      "The scheduler binds no pod to a node that it was told is gone, or that never was.",
      {sim::EventKind::kRequest, sim::EventKind::kCommit, sim::EventKind::kHandler,
       sim::EventKind::kFault, sim::EventKind::kPhase},
      {"a node was deleted, and the scheduler has not been told so yet",
       "it was told so less than 5 s before, pauses not counted, when the pod was on its way",
       "it decided before, and its client sends the binding again that was answered 429"},
      "the scheduler bound no pod"};
  return info;
}

class Real : public Oracle {
 public:
  Real() : Oracle(RealInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      // Refused with 429 it is sent again: what led to it is what led to the first try.
      if (o.subresource == "binding")
        sent_[o.request] = *first_try_.emplace(Decided(o.cause, o.name), o.t).first;
      return;
    }
    if (o.kind == sim::EventKind::kPhase) {
      if (o.state == "heal") awake_ = o.t;  // drawn faults need not be told to end
      return;
    }
    if (o.kind == sim::EventKind::kFault) {
      if (o.verb == "pause" && o.target.starts_with("kube-scheduler")) awake_ = o.t;
      return;
    }
    if (o.kind == sim::EventKind::kHandler) {
      if (o.resource != "nodes" || !o.informer.starts_with("kube-scheduler")) return;
      if (o.call == HandlerCall::kDelete)
        told_gone_[o.object] = {o.t, o.seq};
      else
        told_gone_.erase(o.object);
      return;
    }
    if (o.resource == "nodes") OnNode(o);
    if (o.resource == "pods" && o.by.starts_with("kube-scheduler")) OnPod(facts, o);
  }

 private:
  struct Told {
    std::int64_t t = 0;
    std::uint64_t seq = 0;
  };
  using Decided =
      std::pair<std::uint64_t, std::string>;  // seq of what led to a binding, and its pod
  struct Node {
    bool there = false;
    std::int64_t gone_since = 0;  // revision
  };

  void OnNode(const Observation& o) {
    Node& node = nodes_[o.object];
    node.there = !o.after->is_null();
    if (!node.there) node.gone_since = o.rv;
  }

  // Longer than it takes from the decision on; what it waits for in between it measures by its own
  // clock, which may be slow.
  static bool HasDecided(const Facts& facts, std::string_view scheduler, std::int64_t told,
                         std::int64_t asked) {
    return std::min(asked - told, facts.clocks().Passed(scheduler, told, asked)) > kDecided;
  }

  void OnPod(const Facts& facts, const Observation& o) {
    if (o.before->is_null() || o.after->is_null()) return;
    const std::string_view node = o.after->Get("spec").Get("nodeName").AsString();
    if (node.empty() || !o.before->Get("spec").Get("nodeName").AsString().empty()) return;
    Judged();
    const auto sent = sent_.find(o.request);
    const std::int64_t asked = sent == sent_.end() ? o.t : sent->second.second;
    if (sent != sent_.end()) {
      first_try_.erase(sent->second.first);
      sent_.erase(sent);
    }
    const std::uint64_t object = api::ObjectHash("nodes", "", node);
    const auto known = nodes_.find(object);
    if (known != nodes_.end() && known->second.there) return;
    const auto told = told_gone_.find(object);
    std::string why;
    if (known == nodes_.end())
      why = "which never was";
    else if (told != told_gone_.end() &&
             HasDecided(facts, o.by, std::max(told->second.t, awake_), asked))
      why = fmt::format("which is gone since revision {}; it was told so by event #{}",
                        known->second.gone_since, told->second.seq);
    if (why.empty()) return;
    Violate(o.seq, std::string(o.by),
            fmt::format("{} binds {} to {}, {}", o.by, ObjectOf(o), node, why),
            {ObjectOf(o), fmt::format("nodes/{}", node)});
  }

  std::map<Decided, std::int64_t> first_try_;                       // of a binding: when
  std::map<std::uint64_t, std::pair<Decided, std::int64_t>> sent_;  // those under way, by request
  std::map<std::uint64_t, Node> nodes_;                             // all that ever were
  std::map<std::uint64_t, Told> told_gone_;  // nodes that the scheduler was told are gone
  std::int64_t awake_ = 0;                   // when it was last paused, or woken
};

}  // namespace

OracleEntry SchedRealOracle() {
  return {&RealInfo(), [] { return std::unique_ptr<Oracle>(new Real); }, ""};
}

}  // namespace ksim::check
