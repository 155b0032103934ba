#include "ksim/scenario/run_verdict.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace ksim::scenario {
namespace {

using Stop = sim::Simulation::Stop;

}  // namespace

bool PassedALimit(Stop stop) {
  return stop == Stop::kTimeLimit || stop == Stop::kEventLimit || stop == Stop::kInstantLimit;
}

trace::Violation LimitViolation(Stop stop, const std::vector<std::string>& busy) {
  trace::Violation v;
  v.oracle = "limit";
  const char* which = stop == Stop::kTimeLimit ? "time" : "events";
  if (stop == Stop::kInstantLimit) which = "instant";
  v.message = fmt::format("not quiet when limit.{} had passed", which);
  if (!busy.empty()) v.message += "; busy with: " + busy.front();
  return v;
}

std::vector<FaultNote> FaultsMissing(const std::vector<FaultSpec>& script,
                                     const std::vector<fault::FaultOutcome>& outcomes) {
  using State = fault::FaultOutcome::State;
  std::vector<FaultNote> notes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].state == State::kFired) continue;
    FaultNote note;
    note.number = static_cast<std::int64_t>(i) + 1;
    note.fault = fmt::format("{} {}", script[i].verb, fault::TargetOf(script[i]));
    note.why = outcomes[i].why;
    if (outcomes[i].state == State::kNotFired)
      note.why = script[i].at ? "the run was over before its time" : "its trigger did not come";
    notes.push_back(std::move(note));
  }
  return notes;
}

void SetResult(const std::vector<trace::Violation>& unmet,
               const std::vector<check::Finding>& findings, RunReport* report) {
  trace::End& end = report->end;
  std::vector<trace::Violation> all = unmet;
  report->broken_by.assign(all.size(), "");
  bool safety = !all.empty() || !report->failures.empty();
  bool liveness = !end.violations.empty();
  for (const check::Finding& f : findings) {
    all.push_back(f.violation);
    report->broken_by.push_back(f.by);
    (f.guarantee == check::Guarantee::kSafety ? safety : liveness) = true;
  }
  all.insert(all.end(), end.violations.begin(), end.violations.end());
  report->broken_by.resize(all.size());
  end.violations = std::move(all);
  end.result = "ok";
  if (safety || liveness) end.result = "violation";
  if (end.violations.empty() && !report->failures.empty()) end.result = "stepFailed";
  if (report->stopped) end.result = "interrupted";
  report->exit_code = safety ? 1 : liveness ? 3 : 0;
}

void NoteInvariants(const check::Checker& checker, RunReport* report) {
  for (const auto& judge : checker.invariants()) {
    const std::string why = judge->WhyNot();
    report->invariants_applied.push_back(why.empty());
    if (why.empty()) continue;
    InvariantNote& note = report->vacuous_invariants.emplace_back();
    note.name = judge->invariant().name;
    note.why = why;
  }
}

void NameOracles(const std::vector<std::string>& checks, const check::Checker& checker,
                 trace::End* end) {
  end->judged = checker.judged();
  end->not_judged = checker.not_judged();
  for (const char* own : {"limit", "expect"})
    if (check::Selected(checks, own)) end->judged.emplace_back(own);
}

}  // namespace ksim::scenario
