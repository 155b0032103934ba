#include "ksim/check/verdict.h"

#include <algorithm>

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

}  // namespace

std::vector<Verdict> VerdictsOf(const Checker& checker, const trace::Trace& trace) {
  const auto not_judged = checker.not_judged();
  std::vector<Verdict> out;
  for (const OracleEntry& entry : AllOracles()) {
    Verdict v;
    v.oracle = std::string(entry.info->name);
    v.guarantee = entry.info->guarantee;
    if (entry.make == nullptr && entry.why.empty()) {
      FromLastLine(trace, &v);
      out.push_back(std::move(v));
      continue;
    }
    for (const Finding& f : checker.findings())
      if (f.violation.oracle == v.oracle) v.findings.push_back(f);
    if (!v.findings.empty()) v.state = Verdict::State::kViolated;
    for (const auto& [oracle, why] : not_judged) {
      if (oracle != v.oracle || v.state == Verdict::State::kViolated) continue;
      v.state = Verdict::State::kNotJudged;
      v.why = why;
    }
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace ksim::check
