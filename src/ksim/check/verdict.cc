#include "ksim/check/verdict.h"

#include <algorithm>
#include <utility>

#include "ksim/check/own_oracles.h"
#include "ksim/check/trace_expectations.h"
#include "ksim/check/trace_law.h"

namespace ksim::check {
namespace {

void FromLastLine(const trace::Trace& trace, Verdict* v) {
  v->state = Verdict::State::kNotJudged;
  v->why = "the trace is cut short";
  if (!trace.end) return;
  v->why = "the run did not judge it";
  const std::vector<std::string>& judged = trace.end->judged;
  if (std::find(judged.begin(), judged.end(), v->oracle) == judged.end()) return;
  v->state = Verdict::State::kOk;
  for (const trace::Violation& violation : trace.end->violations) {
    if (violation.oracle != v->oracle) continue;
    v->state = Verdict::State::kViolated;
    Finding f;
    f.violation = violation;
    f.guarantee = v->guarantee;
    v->findings.push_back(std::move(f));
  }
}

// The commits are in the trace: what the run said of them is looked at once more.
void JudgeAgain(const Checker& checker, const trace::Trace& trace, Verdict* v) {
  if (v->state == Verdict::State::kNotJudged && trace.end) return;  // left out by `checks`
  ExpectationJudgement again = JudgeExpected(checker.whole_history(), trace);
  v->notes = std::move(again.notes);
  if (!again.findings.empty()) {
    v->state = Verdict::State::kViolated;
    v->findings = std::move(again.findings);
  } else if (v->state == Verdict::State::kOk && !again.why.empty()) {
    v->state = Verdict::State::kNotJudged;
    v->why = std::move(again.why);
  }
}

// A trace shows neither what its kernel did nor whether the run became quiet.
void TakeFromRun(Verdict* v) {
  if (v->state != Verdict::State::kOk) return;
  v->state = Verdict::State::kNotJudged;
  v->why = "the run kept to it; the trace does not show that";
}

void FromChecker(const Checker& checker,
                 const std::vector<std::pair<std::string, std::string>>& not_judged, Verdict* v) {
  for (const Finding& f : checker.findings())
    if (f.violation.oracle == v->oracle) v->findings.push_back(f);
  if (!v->findings.empty()) v->state = Verdict::State::kViolated;
  for (const auto& [oracle, why] : not_judged) {
    if (oracle != v->oracle || v->state == Verdict::State::kViolated) continue;
    v->state = Verdict::State::kNotJudged;
    v->why = why;
  }
}

}  // namespace

std::vector<Verdict> VerdictsOf(const Checker& checker, const trace::Trace& trace) {
  const auto not_judged = checker.not_judged();
  const std::vector<Remark> remarks = checker.remarks();
  std::vector<Verdict> out;
  for (const OracleEntry& entry : AllOracles()) {
    Verdict v;
    v.oracle = std::string(entry.info->name);
    v.guarantee = entry.info->guarantee;
    if (v.oracle == kTraceConsistent) {
      v.findings = ContradictionsIn(trace, checker);
      if (!v.findings.empty()) v.state = Verdict::State::kViolated;
      out.push_back(std::move(v));
      continue;
    }
    if (entry.make == nullptr && entry.why.empty()) {
      FromLastLine(trace, &v);
      if (v.oracle == "expect")
        JudgeAgain(checker, trace, &v);
      else
        TakeFromRun(&v);
      out.push_back(std::move(v));
      continue;
    }
    FromChecker(checker, not_judged, &v);
    for (const Remark& r : remarks)
      if (r.oracle == v.oracle) v.remarks.push_back(r);
    out.push_back(std::move(v));
  }
  for (const std::string& name : trace.header.own_oracles) {
    if (IsOwnOracle(name)) continue;
    Verdict& v = out.emplace_back();
    v.oracle = name;
    FromLastLine(trace, &v);
    if (v.state != Verdict::State::kOk) continue;
    v.state = Verdict::State::kNotJudged;
    v.why = "the program that made the trace has judged it, and this one does not have it";
  }
  for (const auto& judge : checker.invariants()) {
    Verdict& v = out.emplace_back();
    v.oracle = std::string(judge->info().name);
    FromChecker(checker, not_judged, &v);
  }
  return out;
}

}  // namespace ksim::check
