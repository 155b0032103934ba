// LastLineLaw of laws/register.h: the last line says what the events come to.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ksim/check/laws/register.h"
#include "ksim/check/own_oracles.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

// Judged elsewhere than by an oracle that reads the trace.
bool IsOfTheRun(std::string_view oracle) { return oracle == "limit" || oracle == "expect"; }

// Judged by one of the run and this program only: an invariant that came later, an oracle that the
// program which made the trace has linked, or this one.
bool IsApart(const trace::Trace& trace, const Checker& checker, std::string_view oracle) {
  const std::vector<std::string>& own = trace.header.own_oracles;
  const bool theirs = std::find(own.begin(), own.end(), oracle) != own.end();
  return checker.IsAdded(oracle) || theirs != IsOwnOracle(oracle);
}

class LastLine : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    phases_ = phases_ || r.kind == Kind::kPhase;
    if (r.kind != Kind::kViolation) return;
    const std::string text =
        TextOf(r.Text("oracle"), r.Text("message"), r.Get("objects"), r.Int("first"));
    if (!ledger.trace().end || ledger.trace().end->result == "interrupted") return;
    if (told_.empty() && left_.empty()) TakeEnd(*ledger.trace().end);
    told_.push_back(r.seq);
    const auto at = left_.find(text);
    if (at == left_.end()) return Contradict(r, "the last line does not have this violation");
    if (--at->second == 0) left_.erase(at);
    causes_[text] = {r.cause, r.seq};
  }

  void Finish(const Ledger& ledger, const Checker& checker) override {
    const trace::Trace& trace = ledger.trace();
    if (told_.empty()) TakeEnd(*trace.end);
    for (const auto& [text, n] : left_)
      Contradict(0, fmt::format("no event tells of the violation {}", text));
    // A cluster that a program drives ends later than its last event.
    const std::int64_t last = trace.events.empty() ? 0 : trace.events.back().t;
    if (phases_ ? trace.end->time != last : trace.end->time < last)
      Contradict(0, fmt::format("the run ends at {} ns, its last event is at {} ns",
                                trace.end->time, last));
    JudgeForm(trace);
    JudgeResult(trace);
    JudgeHeader(trace);
    if (!phases_) return;  // a program that embeds ksim judges by itself
    if (trace.end->state.empty()) Contradict(0, "it does not say what became of the objects");
    JudgeFindings(trace, checker);
    JudgeJudged(trace, checker);
  }

 private:
  static std::string TextOf(std::string_view oracle, std::string_view message, const Value& objects,
                            std::int64_t first) {
    return fmt::format("{} {} {} {}", oracle, value::ToJson(Value::Of(message)),
                       value::ToJson(objects), first);
  }
  static std::string TextOf(const trace::Violation& v) {
    return TextOf(v.oracle, v.message, trace::ToTree(v).Get("objects"),
                  static_cast<std::int64_t>(v.first));
  }

  // The oracles that the scenario asks for.
  static std::vector<std::string> Checks(const trace::Trace& trace) {
    std::vector<std::string> checks;
    for (const Value& name : trace.header.scenario.Get("spec").Get("checks").items())
      checks.emplace_back(name.AsString());
    return checks;
  }

  void TakeEnd(const trace::End& end) {
    for (const trace::Violation& v : end.violations) ++left_[TextOf(v)];
  }

  // A reader takes a field that is missing for an empty one.
  void JudgeForm(const trace::Trace& trace) {
    const auto written = value::ParseJson(trace::ToJsonLine(*trace.end));
    if (!trace.last_line.is_null() && written->Get("end") != trace.last_line.Get("end"))
      Contradict(0, "it lacks fields, or has some that no trace has");
  }

  void JudgeResult(const trace::Trace& trace) {
    const std::string& result = trace.end->result;
    const bool violated = !trace.end->violations.empty();
    const bool fits = violated ? result == "violation"
                               : result == "ok" || result == "stepFailed" || result == "violation";
    if (!fits)
      Contradict(
          0, fmt::format("result \"{}\" with {} violations", result, trace.end->violations.size()));
    for (const Record& r : trace.events) {
      if (r.kind != Kind::kStep || !r.Text("result").starts_with("error")) continue;
      if (result == "ok") Contradict(0, fmt::format("result \"ok\", but seq {} failed", r.seq));
    }
  }

  void JudgeHeader(const trace::Trace& trace) {
    const Value& hash = trace.last_line.Get("header");
    if (hash.is_null() || trace.first_line.is_null()) return;
    if (hash.AsString() != trace::HashOfHeader(trace.first_line))
      Contradict(0, "the first line was altered since the trace was written");
  }

  // The oracles find in the trace what the run had found.
  void JudgeFindings(const trace::Trace& trace, const Checker& checker) {
    const std::vector<std::string> checks = Checks(trace);
    std::map<std::string, int> found;
    for (const Finding& f : checker.findings()) {
      if (!Selected(checks, f.violation.oracle) || IsApart(trace, checker, f.violation.oracle))
        continue;
      ++found[TextOf(f.violation)];
      const auto told = causes_.find(TextOf(f.violation));
      if (told != causes_.end() && told->second.first != f.seq)
        Contradict(told->second.second,
                   fmt::format("found at seq {}, not {}", f.seq, told->second.first));
    }
    for (const trace::Violation& v : trace.end->violations)
      if (!IsOfTheRun(v.oracle) && !IsApart(trace, checker, v.oracle)) --found[TextOf(v)];
    for (const auto& [text, n] : found)
      if (n != 0)
        Contradict(0, fmt::format("{} the violation {}",
                                  n > 0 ? "does not have" : "no oracle finds", text));
  }

  void JudgeJudged(const trace::Trace& trace, const Checker& checker) {
    const std::vector<std::string> checks = Checks(trace);
    const std::vector<std::string> judged = checker.judged();
    const auto has = []<class T>(const std::vector<T>& list, const T& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const std::string& name : trace.end->judged)
      if (!IsOfTheRun(name) && !IsApart(trace, checker, name) && !has(judged, name))
        Contradict(0, fmt::format("it says that {} was judged; there was nothing to judge", name));
    for (const std::string own : {"limit", "expect"})
      if (Selected(checks, own) != has(trace.end->judged, own))
        Contradict(0, fmt::format("whether {} was judged follows from `checks`", own));
    for (const std::string& name : judged)
      if (Selected(checks, name) && !IsApart(trace, checker, name) && !has(trace.end->judged, name))
        Contradict(0, fmt::format("it does not say that {} was judged", name));
    std::vector<std::pair<std::string, std::string>> not_judged;
    for (const OracleEntry& entry : AllOracles())
      if (entry.info->name != kTraceConsistent && !Selected(checks, entry.info->name) &&
          !IsApart(trace, checker, entry.info->name))
        not_judged.emplace_back(entry.info->name, "left out by `checks`");
    for (const auto& oracle : checker.not_judged())
      if (Selected(checks, oracle.first) && !IsApart(trace, checker, oracle.first))
        not_judged.push_back(oracle);
    for (const auto& [name, why] : not_judged)
      if (!has(trace.end->not_judged, {name, why}))
        Contradict(0, fmt::format("it does not say that {} was not judged: {}", name, why));
    const auto known =
        std::count_if(trace.end->not_judged.begin(), trace.end->not_judged.end(),
                      [&](const auto& oracle) { return !IsApart(trace, checker, oracle.first); });
    if (static_cast<std::size_t>(known) != not_judged.size())
      Contradict(0, fmt::format("it names {} oracles that were not judged, there are {}", known,
                                not_judged.size()));
  }

  bool phases_ = false;  // a run of ksim itself has them
  std::vector<std::uint64_t> told_;
  std::map<std::string, int> left_;  // violations of the last line that no event has told
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> causes_;  // cause, seq
};

}  // namespace

std::unique_ptr<TraceLaw> LastLineLaw() { return std::make_unique<LastLine>(); }

}  // namespace ksim::check
