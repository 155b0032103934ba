#include "ksim/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/check/invariant_tree.h"
#include "ksim/check/trace_law.h"
#include "ksim/check/trace_observer.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/events.h"

namespace ksim::check {

Checker::Checker(const std::vector<std::string>& checks, api::Compat compat,
                 const InvariantSet& invariants)
    : facts_(compat), checks_(checks), invariants_(invariants, facts_) {
  for (const OracleEntry& entry : AllOracles()) {
    if (entry.make == nullptr || !Selected(checks_, entry.info->name)) continue;
    oracles_.push_back(entry.make());
    for (sim::EventKind kind : entry.info->reads)
      readers_[static_cast<std::size_t>(kind)].push_back(oracles_.back().get());
  }
}

namespace {

std::string DeedOf(const Observation& o) {
  if (o.kind == sim::EventKind::kRuntime) return fmt::format("{} {}", o.actor, o.action);
  if (o.kind != sim::EventKind::kCommit) return "";
  static constexpr std::string_view kVerbs[] = {"create", "update", "delete"};
  const std::string_view part = trace::PartOf(o.by);
  return fmt::format("{} {} {}", part.empty() ? o.by : part, kVerbs[static_cast<std::size_t>(o.op)],
                     o.resource);
}

}  // namespace

void Checker::Gather(Oracle& oracle, std::uint64_t seq, const std::string& by) {
  for (Finding& f : oracle.Take()) {
    f.seq = seq;
    f.by = by;
    findings_.push_back(std::move(f));
  }
}

void Checker::Take(const Observation& o) {
  facts_.Take(o);
  KSIM_CHECK(static_cast<std::size_t>(o.kind) < readers_.size()) << "a kind of event without place";
  for (Oracle* oracle : readers_[static_cast<std::size_t>(o.kind)]) {
    oracle->On(facts_, o);
    if (oracle->found()) Gather(*oracle, o.seq, DeedOf(o));
  }
  if (!invariants_.empty())
    invariants_.Take(facts_, o, [this, &o](Oracle& judge) { Gather(judge, o.seq, DeedOf(o)); });
}

void Checker::Finish(const RunEnd& end) {
  for (const auto& oracle : oracles_) {
    oracle->Finish(facts_, end);
    Gather(*oracle, 0, "");
  }
  invariants_.Finish(facts_, end, [this](Oracle& judge) { Gather(judge, 0, ""); });
}

std::vector<Remark> Checker::remarks() const {
  std::vector<Remark> out;
  for (const auto& oracle : oracles_)
    out.insert(out.end(), oracle->remarks().begin(), oracle->remarks().end());
  return out;
}

std::vector<std::string> Checker::judged() const {
  std::vector<std::string> out;
  for (const auto& oracle : oracles_)
    if (oracle->WhyNot().empty()) out.emplace_back(oracle->info().name);
  for (const auto& judge : invariants())
    if (judge->WhyNot().empty()) out.emplace_back(judge->info().name);
  return out;
}

std::vector<std::pair<std::string, std::string>> Checker::not_judged() const {
  std::vector<std::pair<std::string, std::string>> out;
  std::size_t next = 0;
  for (const OracleEntry& entry : AllOracles()) {
    const std::string name(entry.info->name);
    if (name == kTraceConsistent) continue;  // no run judges it
    if (!Selected(checks_, name)) {
      out.emplace_back(name, "left out by `checks`");
    } else if (entry.make == nullptr) {
      if (!entry.why.empty()) out.emplace_back(name, entry.why);
    } else if (const std::string why = oracles_[next++]->WhyNot(); !why.empty()) {
      out.emplace_back(name, why);
    }
  }
  for (const auto& judge : invariants())
    if (std::string why = judge->WhyNot(); !why.empty())
      out.emplace_back(judge->info().name, std::move(why));
  return out;
}

LiveChecker::LiveChecker(sim::Simulation& sim, const std::vector<std::string>& checks,
                         api::Compat compat, const InvariantSet& invariants)
    : sim_(sim), checker_(checks, compat, invariants) {
  sim.bus().Subscribe(sim::Bus::Stage::kOracle, BusObserver::kRead,
                      [this](const sim::Event& e) { OnEvent(e); });
}

void LiveChecker::OnEvent(const sim::Event& e) {
  if (!observer_.Observe(e, &observation_)) return;
  const std::size_t before = checker_.findings().size();
  checker_.Take(observation_);
  for (std::size_t i = before; i < checker_.findings().size(); ++i) Emit(i, true);
}

void LiveChecker::Emit(std::size_t finding, bool later) {
  auto emit = [this, finding] {
    const Finding& f = checker_.findings()[finding];
    sim_.EmitAs(sim::ActorId::Of("ksim"), f.seq, sim::EventInfo{sim::EventKind::kViolation},
                sim::MakePayload<trace::ViolationPayload>(f.violation));
  };
  if (later)
    sim_.Defer(std::move(emit));
  else
    emit();
}

void LiveChecker::Finish(const RunEnd& end) {
  const std::size_t before = checker_.findings().size();
  checker_.Finish(end);
  for (std::size_t i = before; i < checker_.findings().size(); ++i) Emit(i, false);
}

namespace {

RunEnd EndOf(const trace::Trace& trace) {
  RunEnd end;
  end.cut = !trace.end.has_value() || trace.end->result == "interrupted";
  if (!trace.events.empty()) end.t = trace.events.back().t;
  if (!trace.end) return end;
  end.t = trace.end->time;
  for (const trace::Violation& v : trace.end->violations) end.limit |= v.oracle == "limit";
  const std::string_view until = trace.header.scenario.Get("spec").Get("until").AsString();
  // A fuzzed run goes on until it is quiet, whatever `until` says; a served one until it is told.
  const std::string_view mode = trace.header.mode;
  const bool to_the_end =
      mode != "serve" && (until.empty() || until == "quiescent" || mode == "fuzz");
  end.quiet = !end.cut && !end.limit && to_the_end;
  return end;
}

}  // namespace

namespace {

// Those of the run, and `added` in the place of such as have the same name, or behind them.
InvariantSet InvariantsOf(const trace::Trace& trace, const std::vector<Invariant>& added) {
  InvariantSet out;
  out.campaign = trace.header.mode == "fuzz";
  out.list = InvariantsFromTree(trace.header.scenario.Get("spec").Get("invariants"));
  for (const Invariant& invariant : added) {
    const auto same = std::find_if(out.list.begin(), out.list.end(), [&](const Invariant& known) {
      return known.name == invariant.name;
    });
    if (same == out.list.end())
      out.list.push_back(invariant);
    else
      *same = invariant;
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Checker>> CheckTrace(const trace::Trace& trace,
                                                    const std::vector<std::string>& checks,
                                                    const std::vector<Invariant>& added) {
  const api::Compat compat = api::ParseCompat(trace.header.compat).value_or(kNewestCompat);
  auto checker = std::make_unique<Checker>(checks, compat, InvariantsOf(trace, added));
  for (const Invariant& invariant : added) checker->added_.insert(OracleOf(invariant));
  TraceObserver observer;
  Observation o;
  for (const trace::Record& r : trace.events) {
    if (!observer.Observe(r, &o)) continue;
    if (o.kind == sim::EventKind::kCommit) checker->whole_history_.Take(o);
    checker->Take(o);
  }
  if (!observer.status().ok()) return observer.status();
  checker->Finish(EndOf(trace));
  return checker;
}

}  // namespace ksim::check
