// evict.sane: nodes are given up, and pods evicted from them, for a reason that the API server's
// state shows. Bugs: kubernetes#24597, #32510, #139992.
//
// It reads what the two controllers did and what they had been told by then; a controller's cache
// is as new as what its handlers were told, or newer. Taint eviction is
// PROCESS/tainteviction, in 1.25 PROCESS/nodelifecycle.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/views/taints.h"
#include "ksim/check/ledger.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/process_clocks.h"

namespace ksim::check {
namespace {

using value::Value;

constexpr std::int64_t kGrace = Seconds(40).ns();     // the shortest of all versions
constexpr std::int64_t kLook = Seconds(10).ns();      // a look is over by then, and the next one
constexpr std::int64_t kHop = Milliseconds(50).ns();  // from a handler's call to a request
constexpr std::int64_t kOneTry = Seconds(61).ns();    // a request gives up after 60 s
constexpr std::int64_t kBetween = Seconds(1).ns();    // two tries
constexpr std::int64_t kNobody = Seconds(15).ns();    // three looks
constexpr std::size_t kBurst = 20;                    // more requests than that wait for tokens
constexpr std::size_t kMostVersions = 256;

const OracleInfo& SaneInfo() {
  static const OracleInfo info{
      "evict.sane",
      Guarantee::kSafety,
      "A node is given up only when it was silent for its grace, and a pod is evicted only for a "
      "taint that its node has and that it does not tolerate, or no longer, and not while no node "
      "reports.",
      {sim::EventKind::kCommit, sim::EventKind::kHandler, sim::EventKind::kDeliver,
       sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kActor,
       sim::EventKind::kFault},
      {"a controller that was told late of a lease, a heartbeat or the end of a taint",
       "a node whose clock was set back: its lease is not renewed until it is later than before",
       "an eviction that had begun when its taint went: its tries go on",
       ("a time that began while the node had other taints, or before a controller saw that it had "
        "none for a moment"),
       ("while a controller is paused or its caches are stalled, and for a minute after, and while "
        "it sends more requests than its client may at once, nothing is judged"),
       "pods on nodes that are gone",
       ("taints stay when a write of the node lifecycle controller fails or takes long as all "
        "nodes fall silent")},
      "no node was given up and no pod evicted for a taint"};
  return info;
}

bool IsPart(std::string_view actor, std::string_view part) {
  return actor.size() > part.size() && actor.ends_with(part) &&
         actor[actor.size() - part.size() - 1] == '/';
}

// One version of a node, as far as it matters here.
struct Version {
  std::int64_t rv = 0, t = 0;
  Value taints;  // NoExecute
  bool ready = false;
};

struct NodeState {
  std::deque<Version> versions;  // in order; the last is the store's
  std::int64_t sign_rv = 0;      // of the last heartbeat or lease
  std::string renewed;           // the latest renewTime of its lease
  bool gone = false;
};

// The last that an actor was told of a node.
struct ToldNode {
  std::int64_t rv = 0;
  std::int64_t empty_rv = 0;  // the last version without NoExecute taints, and when it was told
  std::int64_t empty_at = 0;
  bool ready = false;
};

struct Actor {
  std::map<std::string, ToldNode, std::less<>> nodes;
  std::optional<std::int64_t> nobody_since;       // it was told of nodes, and none is ready
  std::deque<std::int64_t> sent;                  // when, the last few requests
  std::map<std::uint64_t, std::int64_t> pending;  // requests without an answer -> when
  std::int64_t failed_at = -1;                    // a write
};

struct Process {
  std::int64_t started = -1;                               // or leads since then
  std::map<std::string, std::int64_t, std::less<>> signs;  // node -> when one was delivered
  int blind = 0;                                           // faults in force
  std::int64_t saw_again = -1;                             // when the last one ended
};

class Sane : public Oracle {
 public:
  Sane() : Oracle(SaneInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    now_ = o.t;
    clocks_ = &facts.clocks();
    switch (o.kind) {
      case sim::EventKind::kCommit:
        return OnCommit(o);
      case sim::EventKind::kHandler:
        if (o.resource == "nodes" && Judges(o.listener)) OnTold(o);
        return;
      case sim::EventKind::kDeliver:
        if (o.level == Level::kApi) OnDeliver(o);
        return;
      case sim::EventKind::kRequest:
        if (Judges(o.actor)) OnRequest(o);
        return;
      case sim::EventKind::kResponse:
        if (Judges(o.actor)) OnResponse(o);
        return;
      case sim::EventKind::kActor:
        if (o.state == "start" || o.state == "lead") Started(o);
        return;
      default:
        return OnFault(o);
    }
  }

 private:
  static std::string Name(std::string_view actor) { return std::string(actor); }
  static bool Judges(std::string_view actor) {
    return IsPart(actor, "nodelifecycle") || IsPart(actor, "tainteviction");
  }

  // --- what is known -----------------------------------------------------------------------------

  void Started(const Observation& o) {
    Process& process = processes_[std::string(o.target)];
    process = Process();
    process.started = o.t;
    for (auto& [name, actor] : actors_)
      if (ProcessOfActor(name) == o.target) actor = Actor();
  }

  void OnFault(const Observation& o) {
    if (o.verb != "pause" && o.verb != "stallHandler" && o.verb != "slowHandler") return;
    Process& process = processes_[std::string(ProcessOfActor(o.target))];
    if (o.state == "begin") ++process.blind;
    if (o.state == "end" && process.blind > 0) --process.blind;
    if (o.state == "end") process.saw_again = o.t;
  }

  bool IsBlind(std::string_view actor) {
    const Process& process = processes_[std::string(ProcessOfActor(actor))];
    const std::deque<std::int64_t>& sent = actors_[Name(actor)].sent;
    const bool just_now =
        process.saw_again >= 0 && Waited(actor, process.saw_again, now_) <= kOneTry;
    return process.blind > 0 || just_now ||
           (sent.size() >= kBurst && Waited(actor, sent.front(), now_) < Seconds(10).ns());
  }

  // By the clock of the actor's process, which waits and measures by it.
  std::int64_t Age(std::string_view actor, std::int64_t since, std::int64_t t) const {
    return clocks_->Passed(ProcessOfActor(actor), since, t);
  }

  // The same for what is a network's time in part: a fast clock makes that no longer.
  std::int64_t Waited(std::string_view actor, std::int64_t since, std::int64_t t) const {
    return std::min(t - since, Age(actor, since, t));
  }

  void OnCommit(const Observation& o) {
    if (o.resource == "nodes") {
      JudgeNode(o);
      OnNode(o);
    } else if (o.resource == "leases" && o.ns == "kube-node-lease") {
      if (!o.after->is_null()) OnLease(o);
    } else if (o.resource == "pods") {
      OnPod(o);
    }
  }

  // The controller takes a lease for a sign if it was renewed later than the one that it saved
  // (node_lifecycle_controller.go tryUpdateNodeHealth). Times of one length are in text order.
  void OnLease(const Observation& o) {
    NodeState& node = nodes_[std::string(o.name)];
    const std::string_view renewed = o.after->Get("spec").Get("renewTime").AsString();
    if (renewed <= node.renewed) return;
    node.renewed = std::string(renewed);
    node.sign_rv = o.rv;
  }

  void OnNode(const Observation& o) {
    NodeState& node = nodes_[std::string(o.name)];
    node.gone = o.after->is_null();
    if (node.gone) return;
    Version v;
    v.rv = o.rv;
    v.t = o.t;
    v.ready = Ready(*o.after) == "True";
    std::vector<Value> taints;
    for (const Value& taint : o.after->Get("spec").Get("taints").items())
      if (taint.Get("effect").AsString() == "NoExecute") taints.push_back(taint);
    v.taints = Value::Array(std::move(taints));
    if (Heartbeat(*o.after) != Heartbeat(*o.before)) node.sign_rv = o.rv;
    const bool same = !node.versions.empty() && node.versions.back().taints == v.taints &&
                      node.versions.back().ready == v.ready;
    if (!same) node.versions.push_back(std::move(v));
    if (node.versions.size() > kMostVersions) node.versions.pop_front();
  }

  static std::string_view Ready(const Value& node) {
    return api::ConditionStatus(node.Get("status").Get("conditions"), "Ready");
  }
  static std::string_view Heartbeat(const Value& node) {
    const Value* const ready = api::FindCondition(node.Get("status").Get("conditions"), "Ready");
    return ready == nullptr ? std::string_view() : ready->Get("lastHeartbeatTime").AsString();
  }

  // The version that an actor knows which was told of `rv`; null if it is not known here.
  static const Version* At(const NodeState& node, std::int64_t rv) {
    const Version* found = nullptr;
    for (const Version& v : node.versions)
      if (v.rv <= rv) found = &v;
    return found;
  }

  void OnTold(const Observation& o) {
    Actor& actor = actors_[Name(o.listener)];
    if (o.call == HandlerCall::kDelete) {
      actor.nodes.erase(std::string(o.name));
    } else {
      const Version* const v = At(nodes_[std::string(o.name)], o.rv);
      ToldNode& told = actor.nodes[std::string(o.name)];
      told.rv = o.rv;
      if (v != nullptr && v->taints.empty()) {
        told.empty_rv = o.rv;
        told.empty_at = o.t;
      }
      told.ready = v == nullptr || v->ready;
    }
    const bool some = std::any_of(actor.nodes.begin(), actor.nodes.end(),
                                  [](const auto& node) { return node.second.ready; });
    if (some || actor.nodes.empty())
      actor.nobody_since.reset();
    else if (!actor.nobody_since)
      actor.nobody_since = o.t;
  }

  // A lease or a heartbeat that reaches a process.
  void OnDeliver(const Observation& o) {
    if (o.resource != "leases" && o.resource != "nodes") return;
    const auto node = nodes_.find(o.name);
    if (node == nodes_.end() || o.rv != node->second.sign_rv) return;
    processes_[std::string(ProcessOfActor(o.actor))].signs[std::string(o.name)] = o.t;
  }

  void OnRequest(const Observation& o) {
    Actor& actor = actors_[Name(o.actor)];
    actor.pending[o.request] = o.t;
    actor.sent.push_back(o.t);
    if (actor.sent.size() > kBurst) actor.sent.pop_front();
    if (o.resource != "pods" || o.subresource == "status" ||
        (o.verb != "get" && o.verb != "delete"))
      return;
    // The tries of one eviction follow each other 10 ms apart; what comes later is another one.
    Eviction& eviction = evictions_[o.object];
    const bool over = eviction.answered >= eviction.asked && o.t - eviction.answered > kBetween;
    if (eviction.began < 0 || over) eviction.began = o.t;
    eviction.asked = o.t;
    asked_[o.request] = o.object;
  }

  void OnResponse(const Observation& o) {
    Actor& actor = actors_[Name(o.actor)];
    const bool failed = o.lost || (o.code >= 400 && o.code != 409);  // conflicts are tried again
    if (failed) actor.failed_at = o.t;
    actor.pending.erase(o.request);
    const auto it = asked_.find(o.request);
    if (it == asked_.end()) return;
    const auto eviction = evictions_.find(it->second);
    if (eviction != evictions_.end()) eviction->second.answered = o.t;
    asked_.erase(it);
  }

  // --- nodes that are given up -------------------------------------------------------------------

  void JudgeNode(const Observation& o) {
    if (!IsPart(o.by, "nodelifecycle") || o.before->is_null() || o.after->is_null()) return;
    const std::string_view before = Ready(*o.before);
    if (before.empty() || before == "Unknown" || Ready(*o.after) != "Unknown") return;
    Judged();
    if (IsBlind(o.by)) return;
    // It was decided when the request was sent, which may have taken long.
    const std::map<std::uint64_t, std::int64_t>& pending = actors_[Name(o.by)].pending;
    const auto request = pending.find(o.request);
    if (request == pending.end()) return;
    const std::int64_t decided = request->second;
    const Process& process = processes_[std::string(ProcessOfActor(o.by))];
    if (process.started >= 0 && Age(o.by, process.started, decided) < kGrace)
      return Violate(o.seq, Name(o.by),
                     fmt::format("{} gives {} up {} after its start, which is less than the grace "
                                 "of a node",
                                 o.by, ObjectOf(o), Text(Age(o.by, process.started, decided))),
                     {ObjectOf(o)});
    const auto sign = process.signs.find(o.name);
    if (sign == process.signs.end()) return;
    const std::int64_t age = Age(o.by, sign->second, decided);
    if (Waited(o.by, sign->second, decided) < kLook || age >= kGrace) return;
    Violate(o.seq, Name(o.by),
            fmt::format("{} gives {} up, of which it was told a sign of life {} before", o.by,
                        ObjectOf(o), Text(age)),
            {ObjectOf(o)});
  }

  // --- pods that are evicted ---------------------------------------------------------------------

  struct Eviction {
    std::int64_t began = -1;                 // its first request
    std::int64_t asked = -1, answered = -1;  // the last one, and the last answer
  };

  void OnPod(const Observation& o) {
    if (o.after->is_null()) {
      JudgeEviction(o);
      bound_.erase(o.object);
      evictions_.erase(o.object);
      return;
    }
    const std::string_view before = o.before->Get("spec").Get("nodeName").AsString();
    const std::string_view after = o.after->Get("spec").Get("nodeName").AsString();
    if (before.empty() && !after.empty()) bound_[o.object] = o.t;
    const auto deleting = [](const Value& pod) {
      return pod.Get("metadata").Has("deletionTimestamp");
    };
    if (!deleting(*o.before) && deleting(*o.after)) JudgeEviction(o);
  }

  void JudgeEviction(const Observation& o) {
    const bool separate = IsPart(o.by, "tainteviction");
    if (!separate && !IsPart(o.by, "nodelifecycle")) return;
    const auto eviction = evictions_.find(o.object);
    const std::string_view name = o.before->Get("spec").Get("nodeName").AsString();
    const auto node = nodes_.find(name);
    if (eviction == evictions_.end() || node == nodes_.end() || node->second.gone) return;
    Judged();
    if (IsBlind(o.by)) return;
    const std::int64_t began = eviction->second.began;
    const Actor& actor = actors_[Name(o.by)];
    const auto told = actor.nodes.find(name);
    if (told == actor.nodes.end()) return;
    const ToldNode& view = told->second;
    const Value& tolerations = o.before->Get("spec").Get("tolerations");

    // 1. The least time that the taints leave which the node had since the actor last saw none.
    std::optional<std::int64_t> least;
    std::int64_t since = -1;
    for (const Version& v : node->second.versions) {
      if (v.rv <= view.empty_rv || v.taints.empty() || v.t > began) continue;
      if (since < 0) since = v.t;
      const std::optional<std::int64_t> time = TimeOf(v.taints, tolerations);
      if (time && (!least || *time < *least)) least = time;
    }
    if (since < 0 && began - view.empty_at <= kHop) return;
    if (!least)
      return Found(o, since < 0 ? "has no NoExecute taint" : "has taints that it tolerates", name);
    const Process& process = processes_[std::string(ProcessOfActor(o.by))];
    const auto bound = bound_.find(o.object);
    const std::int64_t start =
        std::max({since, process.started, bound == bound_.end() ? 0 : bound->second});
    if (Age(o.by, start, began) < *least)
      return Found(o,
                   fmt::format("has taints that it tolerates for {}, since {}", Text(*least),
                               Text(Age(o.by, start, began))),
                   name);

    // 2. Somebody reports.
    const std::string nl = std::string(ProcessOfActor(o.by)) + "/nodelifecycle";
    const auto keeper = actors_.find(nl);
    if (keeper == actors_.end() || !keeper->second.nobody_since) return;
    const std::int64_t nobody = *keeper->second.nobody_since;
    if (Waited(o.by, nobody, began) < kNobody || IsHindered(keeper->second, nobody)) return;
    // The keeper has taken them away, and the actor was told late.
    if (node->second.versions.back().taints.empty()) return;
    if (HasOtherTaints(node->second, tolerations)) return;
    Found(o, fmt::format("is one of those of which none has reported for {}", Text(began - nobody)),
          name);
  }

  // A write of the actor has failed since then or shortly before, or takes long.
  bool IsHindered(const Actor& actor, std::int64_t since) const {
    const bool waits =
        std::any_of(actor.pending.begin(), actor.pending.end(),
                    [this](const auto& request) { return now_ - request.second > kLook / 2; });
    return waits || actor.failed_at >= since - kLook;
  }

  // How long the pod may stay; nullopt: for ever.
  static std::optional<std::int64_t> TimeOf(const Value& taints, const Value& tolerations) {
    std::optional<std::int64_t> least;
    const Value::Items all = tolerations.items();
    for (const Value& taint : taints.items()) {
      const Value* const match = std::find_if(
          all.begin(), all.end(), [&taint](const Value& t) { return api::Tolerates(t, taint); });
      if (match == all.end()) return 0;
      if (!match->Has("tolerationSeconds")) continue;
      const std::int64_t time =
          Seconds(std::max<std::int64_t>(match->Get("tolerationSeconds").AsInt(), 0)).ns();
      if (!least || time < *least) least = time;
    }
    return least;
  }

  // Taints that nobody gave for silence, and that do not let the pod stay for ever.
  static bool HasOtherTaints(const NodeState& node, const Value& tolerations) {
    if (node.versions.empty()) return false;
    std::vector<Value> others;
    for (const Value& taint : node.versions.back().taints.items()) {
      const std::string_view key = taint.Get("key").AsString();
      if (key != "node.kubernetes.io/not-ready" && key != "node.kubernetes.io/unreachable")
        others.push_back(taint);
    }
    return TimeOf(Value::Array(std::move(others)), tolerations).has_value();
  }

  void Found(const Observation& o, std::string_view why, std::string_view node) {
    Violate(o.seq, Name(o.by),
            fmt::format("{} evicts {} from {}, which {}", o.by, ObjectOf(o), node, why),
            {ObjectOf(o), fmt::format("nodes/{}", node)});
  }

  static std::string Text(std::int64_t ns) { return FormatDuration(Duration(ns)); }

  std::int64_t now_ = 0;
  const ProcessClocks* clocks_ = nullptr;
  std::map<std::string, NodeState, std::less<>> nodes_;
  std::map<std::string, Actor, std::less<>> actors_;
  std::map<std::string, Process, std::less<>> processes_;
  std::map<std::uint64_t, std::int64_t> bound_;   // pods: when they were bound
  std::map<std::uint64_t, Eviction> evictions_;   // of pods that are there
  std::map<std::uint64_t, std::uint64_t> asked_;  // requests under way -> pod
};

}  // namespace

OracleEntry EvictSaneOracle() {
  return {&SaneInfo(), [] { return std::unique_ptr<Oracle>(new Sane); }, ""};
}

}  // namespace ksim::check
