// leader.alone: of the replicas that share a Lease one leads at a time, or CLIENT-120 explains the
// overlap, which is then a remark. G-LT6 (client-go tools/leaderelection).
//
// The rules: a leader gives up renewDeadline + retryPeriod after the answer to its last renewal, or
// after the end of a pause; nobody takes a Lease before its holder's last record is as old as it
// says it holds. Each of the two measures by its own clock: that they run at other rates is a cause
// if by one clock for both a rule was broken.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"
#include "ksim/check/process_clocks.h"

namespace ksim::check {
namespace {

// The durations of kube-controller-manager: 15 s, 10 s and 2 s. A Lease of another duration has
// other deadlines, which no event tells.
constexpr std::int64_t kLeaseDuration = Seconds(15).ns();
constexpr std::int64_t kGivesUpAfter = Seconds(10 + 2).ns();
constexpr std::size_t kMostWritesNamed = 3;

const OracleInfo& LeaderAloneInfo() {
  static const OracleInfo info{
      "leader.alone",
      Guarantee::kSafety,
      "Of the replicas that share a Lease one leads at a time.",
      {sim::EventKind::kActor, sim::EventKind::kFault, sim::EventKind::kRequest,
       sim::EventKind::kResponse, sim::EventKind::kCommit},
      {"two lead when the old leader was paused, when the answer to its renewal arrived more than "
       "3 s after its commit, when somebody wrote over its Lease, or when the clock of one of them "
       "runs at another rate (CLIENT-120): a remark says so",
       "writes of a leader that were on their way when it lost the Lease"},
      "no replicas were elected"};
  return info;
}

// Whether an actor is the process or a part of it.
bool IsOf(std::string_view actor, std::string_view process) {
  return actor.starts_with(process) &&
         (actor.size() == process.size() || actor[process.size()] == '/');
}

std::string At(std::int64_t t) { return FormatTime(VirtualTime(t)); }

std::string_view HolderOf(const value::Value& lease) {
  return lease.Get("spec").Get("holderIdentity").AsString();
}

class LeaderAlone : public Oracle {
 public:
  LeaderAlone() : Oracle(LeaderAloneInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    switch (o.kind) {
      case sim::EventKind::kFault:
        return OnFault(o);
      case sim::EventKind::kActor:
        return OnActor(facts, o);
      case sim::EventKind::kRequest:
        if (!leaders_.empty()) OnRequest(o);
        return;
      case sim::EventKind::kResponse:
        if (!renewals_.empty()) OnResponse(o);
        return;
      default:
        if (!overlaps_.empty()) OnCommit(o);
    }
  }

  void Finish(const Facts& facts, const RunEnd& end) override {
    while (!overlaps_.empty()) End(0, std::max(end.t, facts.now()));
  }

 private:
  struct Leader {
    std::string process;
    std::int64_t since = 0;
    std::uint64_t lease = 0;  // its object
    // When the answer to its last renewal arrived.
    std::int64_t answered = 0;
  };
  // A process' pauses. A fault may stop its reads, its writes, or both: then it is paused.
  struct Pause {
    std::map<std::string, std::string, std::less<>> faults;  // by id: read, write, or "" for both
    std::int64_t began = 0;
    std::int64_t ended = 0;
    bool stopped = false;
  };
  // Two that lead: `old` did before. It may be dead without an event that says so, and counts once
  // something is heard of it.
  struct Overlap {
    std::string old, now;
    std::int64_t since = 0;
    std::uint64_t seq = 0;
    std::string cause;    // of CLIENT-120; else
    bool paused = false;  // that is the cause
    std::string wrong;    // the rule that was broken
    bool seen = false;    // the old leader has been heard of since
    std::size_t writes = 0;
    std::string named;  // the first of them
  };

  void OnFault(const Observation& o) {
    if (o.verb != "pause" || (o.state != "begin" && o.state != "end")) return;
    Pause& pause = pauses_[std::string(o.target)];
    if (o.state == "begin")
      pause.faults.emplace(o.key, o.args == nullptr ? "" : o.args->Get("before").AsString());
    else if (const auto it = pause.faults.find(o.key); it != pause.faults.end())
      pause.faults.erase(it);
    bool reads = true, writes = true;
    for (const auto& [id, before] : pause.faults) {
      if (before != "write") reads = false;
      if (before != "read") writes = false;
    }
    const bool stopped = !reads && !writes;
    if (stopped && !pause.stopped) pause.began = o.t;
    if (!stopped && pause.stopped) pause.ended = o.t;
    pause.stopped = stopped;
  }

  void OnActor(const Facts& facts, const Observation& o) {
    if (o.state == "lead") return Begin(facts, o);
    if (leaders_.empty()) return;
    if (o.state != "lose" && o.state != "stop" && o.state != "start") return;
    const bool lost = o.state == "lose";
    for (Overlap& overlap : overlaps_)
      if (lost && overlap.old == o.target) Hear(overlap);
    for (std::size_t i = overlaps_.size(); i-- > 0;)
      if (overlaps_[i].old == o.target || overlaps_[i].now == o.target) End(i, o.t);
    std::erase_if(leaders_, [&](const Leader& l) { return l.process == o.target; });
  }

  void Begin(const Facts& facts, const Observation& o) {
    Judged();
    const Changes& leases = facts.history().Of("leases");
    const auto own = std::find_if(leases.rbegin(), leases.rend(),
                                  [&](const CommittedChange* c) { return IsOf(c->by, o.target); });
    if (own == leases.rend()) return;  // no Lease: no election that can be followed
    const Changes& of_lease = facts.history().OfObject((*own)->object);
    for (const Leader& old : leaders_)
      if (old.lease == (*own)->object && old.process != o.target) Overlaps(facts, old, of_lease, o);
    leaders_.push_back({std::string(o.target), o.t, (*own)->object, o.t});
  }

  // The commit by which the new leader took the Lease, and the one before that changed its record.
  static std::pair<const CommittedChange*, const CommittedChange*> TakeoverOf(
      const Changes& of_lease, std::string_view process) {
    std::size_t i = of_lease.size();
    while (i-- > 0)
      if (IsOf(of_lease[i]->by, process) &&
          HolderOf(of_lease[i]->before) != HolderOf(of_lease[i]->after))
        break;
    if (i >= of_lease.size()) return {nullptr, nullptr};
    for (std::size_t k = i; k-- > 0;)
      if (of_lease[k]->before.Get("spec") != of_lease[k]->after.Get("spec"))
        return {of_lease[i], of_lease[k]};
    return {of_lease[i], nullptr};
  }

  void Overlaps(const Facts& facts, const Leader& old, const Changes& of_lease,
                const Observation& o) {
    const auto [taken, before] = TakeoverOf(of_lease, o.target);
    if (taken == nullptr || before == nullptr) return;
    const value::Value& record = before->after.Get("spec");
    if (HolderOf(before->after).empty() && IsOf(before->by, old.process)) return;  // gave it up
    Overlap overlap;
    overlap.old = old.process;
    overlap.now = o.target;
    overlap.since = o.t;
    overlap.seq = o.seq;
    const std::int64_t holds = record.Get("leaseDurationSeconds").AsInt() * Seconds(1).ns();
    const bool held = !HolderOf(before->after).empty();
    if (held && holds != kLeaseDuration) return;  // its deadlines are not known
    const ProcessClocks& clocks = facts.clocks();
    const bool early = held && taken->t - before->t < holds;
    if (early && clocks.Passed(o.target, before->t, taken->t) >= holds)
      overlap.cause = ByItsRate(clocks, o.target, before->t, taken->t);
    else if (early)
      overlap.wrong =
          fmt::format("it took the Lease at {}, which {} had renewed at {} for {}", At(taken->t),
                      before->by, At(before->t), FormatDuration(Duration(holds)));
    else
      Explain(clocks, old, *before, o, &overlap);
    overlaps_.push_back(std::move(overlap));
  }

  // Why the old leader still leads: within its right, or not.
  void Explain(const ProcessClocks& clocks, const Leader& old, const CommittedChange& before,
               const Observation& o, Overlap* overlap) const {
    const auto it = pauses_.find(old.process);
    const Pause* pause = it == pauses_.end() ? nullptr : &it->second;
    const bool paused = pause != nullptr && pause->stopped;
    const bool was_paused = pause != nullptr && pause->ended > 0 &&
                            clocks.Passed(old.process, pause->ended, o.t) <= kGivesUpAfter;
    const bool in_time = clocks.Passed(old.process, old.answered, o.t) <= kGivesUpAfter;
    const bool in_true_time = o.t - old.answered <= kGivesUpAfter;
    if (paused || (!in_time && was_paused))
      overlap->paused = true;
    else if (in_time && !in_true_time)
      overlap->cause = ByItsRate(clocks, old.process, old.answered, o.t);
    else if (in_time && !IsOf(before.by, old.process))
      overlap->cause = fmt::format("{} wrote over its Lease at {}", before.by, At(before.t));
    else if (in_time)
      overlap->cause = fmt::format("the answer to its renewal of {} arrived at {}", At(before.t),
                                   At(old.answered));
    else
      overlap->wrong =
          fmt::format("{} had to give up by {}, {} after the last answer to a renewal", old.process,
                      At(clocks.When(old.process, old.answered, kGivesUpAfter)),
                      FormatDuration(Duration(kGivesUpAfter)));
  }

  // "" if its clock ran true.
  static std::string ByItsRate(const ProcessClocks& clocks, std::string_view process,
                               std::int64_t from, std::int64_t to) {
    const std::string_view rate = clocks.RateIn(process, from, to);
    return rate.empty() ? "" : fmt::format("the clock of {} ran at {}", process, rate);
  }

  void OnRequest(const Observation& o) {
    for (Overlap& overlap : overlaps_)
      if (!overlap.seen && IsOf(o.actor, overlap.old)) Hear(overlap);
    if (o.resource != "leases" || (o.verb != "create" && o.verb != "update")) return;
    for (const Leader& l : leaders_)
      if (o.actor == l.process) renewals_[o.request] = l.process;
  }

  void OnResponse(const Observation& o) {
    const auto it = renewals_.find(o.request);
    if (it == renewals_.end()) return;
    const bool renewed = o.code >= 200 && o.code < 300 && !o.lost;
    for (Leader& l : leaders_)
      if (renewed && l.process == it->second) l.answered = o.t;
    renewals_.erase(it);
  }

  void OnCommit(const Observation& o) {
    if (o.resource == "leases") return;
    for (Overlap& overlap : overlaps_) {
      if (!IsOf(o.by, overlap.old)) continue;
      if (++overlap.writes <= kMostWritesNamed)
        overlap.named += (overlap.writes > 1 ? ", " : "") + ObjectOf(o);
    }
  }

  // The old leader lives: from now on the overlap is real.
  void Hear(Overlap& overlap) {
    if (std::exchange(overlap.seen, true) || overlap.wrong.empty()) return;
    Violate(overlap.seq, overlap.now,
            fmt::format("{} leads since {} beside {}, and nothing of CLIENT-120 explains it: {}",
                        overlap.now, At(overlap.since), overlap.old, overlap.wrong),
            {});
  }

  void End(std::size_t i, std::int64_t t) {
    const Overlap overlap = std::move(overlaps_[i]);
    overlaps_.erase(overlaps_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!overlap.seen || !overlap.wrong.empty()) return;
    std::string cause = overlap.cause;
    if (overlap.paused) {
      const Pause& pause = pauses_.find(overlap.old)->second;
      cause = fmt::format("{} was paused from {}", overlap.old, At(pause.began));
      if (!pause.stopped) cause += fmt::format(" to {}", At(pause.ended));
    }
    std::string writes;
    if (overlap.writes > 0)
      writes = fmt::format("; in that time {} wrote {}", overlap.old, overlap.named);
    if (overlap.writes > kMostWritesNamed)
      writes += fmt::format(" and {} more", overlap.writes - kMostWritesNamed);
    Remark(overlap.seq, fmt::format("{} and {} both led from {} to {}, because {}{}", overlap.old,
                                    overlap.now, At(overlap.since), At(t), cause, writes));
  }

  std::vector<Leader> leaders_;
  std::map<std::string, Pause, std::less<>> pauses_;  // by actor
  std::map<std::uint64_t, std::string> renewals_;     // request -> leader, until it is answered
  std::vector<Overlap> overlaps_;
};

}  // namespace

OracleEntry LeaderAloneOracle() {
  return {&LeaderAloneInfo(), [] { return std::unique_ptr<Oracle>(new LeaderAlone); }, ""};
}

}  // namespace ksim::check
