#include "ksim/fuzz/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/fuzz/place.h"
#include "ksim/fuzz/script.h"
#include "ksim/fuzz/simpler.h"
#include "ksim/scenario/expectations.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/event_line.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;
using Decisions = std::vector<sim::Decision>;

constexpr int kOtherSeeds = 10;

// Only what the failure is about is still expected and checked: all else would drown it.
Scenario OnlyAbout(Scenario s, const Finding& finding) {
  std::vector<scenario::Expectation> kept;
  for (scenario::Expectation e : s.expect) {
    if (finding.oracle != "expect") break;
    trace::Violation v;
    v.oracle = "expect";
    v.message = scenario::Describe(e);
    if (PlaceOf(v) != finding.place) continue;
    e.within.reset();  // faults make things late; what counts is that it never comes
    kept.push_back(std::move(e));
  }
  s.expect = std::move(kept);
  s.checks = {finding.oracle};
  return s;
}

class Shrinker {
 public:
  Shrinker(const Finding& finding, const ShrinkOptions& options)
      : finding_(finding), options_(options) {}

  Shrunk Go(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
            const std::vector<sim::Override>& overrides) {
    if (!Begin(scenario, strategy, overrides)) return std::move(out_);
    out_.reproduced = true;
    DropKinds();
    DropParts();
    Lessen();
    Simplify();
    DropParts();
    out_.scenario = scenario_;
    out_.scenario.overrides = ToOverrides(decisions_);
    out_.decisions = decisions_;
    FindNearest();
    WriteScript();
    OtherSeeds();
    return std::move(out_);
  }

 private:
  bool Spent() {
    if (out_.runs >= options_.runs || options_.interrupted()) out_.bounded = true;
    return out_.bounded;
  }

  // Of a run without a strategy: as `ksim run`, or with the fault window of the run that failed.
  RunSetup Phases() const {
    RunSetup setup;
    if (out_.runs_alone) return setup;
    setup.strategy.emplace();
    setup.strategy->seed = phases_seed_;
    return setup;
  }

  // Whether the run shows the failure; `taken` gets its decisions.
  bool Shows(const Scenario& s, RunSetup setup, Decisions* taken, Finding* as = nullptr) {
    ++out_.runs;
    setup.timeout = options_.timeout;
    absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(s, std::move(setup));
    if (!run.ok()) return false;
    Outcome outcome = (*run)->Go();
    const auto same = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                   [this](const Finding& f) { return f.Same(finding_); });
    if (same == outcome.findings.end()) return false;
    if (as != nullptr) *as = *same;
    if (taken != nullptr) *taken = std::move(outcome.decisions);
    return true;
  }

  bool Shows(const Scenario& s, const Decisions& decisions, Decisions* taken) {
    RunSetup setup = Phases();
    Scenario candidate = s;
    candidate.overrides = ToOverrides(decisions);
    return Shows(candidate, std::move(setup), taken, &out_.finding);
  }

  // Finds a form that needs no strategy: as `ksim run` does it, or at least with the phases.
  bool Begin(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
             const std::vector<sim::Override>& overrides) {
    RunSetup setup;
    setup.strategy = strategy;
    if (strategy) phases_seed_ = strategy->seed;
    setup.overrides = overrides;
    Decisions taken;
    if (!Shows(scenario, std::move(setup), &taken)) return false;
    scenario_ = OnlyAbout(scenario, finding_);
    decisions_ = taken;
    for (const bool alone : {true, false}) {
      out_.runs_alone = alone;
      if (Shows(scenario_, decisions_, &taken)) {
        decisions_ = taken;
        return true;
      }
    }
    return false;
  }

  // Takes a smaller list if it still fails; then what was really taken counts.
  bool Take(const Decisions& candidate) {
    if (Spent()) return false;
    Decisions taken;
    if (!Shows(scenario_, candidate, &taken)) return false;
    decisions_ = taken.size() <= candidate.size() ? std::move(taken) : candidate;
    return true;
  }

  // Whether it fails with no decision at all: without the step that makes five pods, "eventually
  // five pods" says nothing of the faults.
  bool FailsAnyway(const Scenario& candidate) {
    Scenario plain = candidate;
    plain.overrides.clear();
    return Shows(plain, Phases(), nullptr);
  }

  bool Take(const Scenario& candidate) {
    if (Spent()) return false;
    Decisions taken;
    if (!Shows(candidate, decisions_, &taken)) return false;
    if (!decisions_.empty() && FailsAnyway(candidate)) return false;
    scenario_ = candidate;
    if (taken.size() <= decisions_.size()) decisions_ = std::move(taken);
    return true;
  }

  void DropKinds() {
    std::set<std::string> kinds;
    for (const sim::Decision& d : decisions_) kinds.emplace(KindOf(d.site));
    for (const std::string& kind : kinds) {
      Decisions rest;
      for (const sim::Decision& d : decisions_)
        if (KindOf(d.site) != kind) rest.push_back(d);
      if (rest.size() < decisions_.size()) Take(rest);
    }
  }

  // Delta debugging (Zeller, Hildebrandt 2002): halves, quarters, ..., single ones.
  void DropParts() {
    if (!decisions_.empty() && Take(Decisions())) return;
    std::size_t parts = 2;
    while (decisions_.size() > 1 && !Spent()) {
      parts = std::min(parts, decisions_.size());
      bool smaller = false;
      for (std::size_t p = 0; p < parts && !smaller; ++p) smaller = Take(Without(p, parts));
      if (smaller) {
        parts = std::max<std::size_t>(2, parts - 1);
      } else if (parts >= decisions_.size()) {
        return;
      } else {
        parts *= 2;
      }
    }
  }

  Decisions Without(std::size_t part, std::size_t parts) const {
    const std::size_t from = decisions_.size() * part / parts;
    const std::size_t to = decisions_.size() * (part + 1) / parts;
    Decisions rest;
    for (std::size_t i = 0; i < decisions_.size(); ++i)
      if (i < from || i >= to) rest.push_back(decisions_[i]);
    return rest;
  }

  // Smaller sizes, the smallest first.
  void Lessen() {
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      for (std::uint32_t answer = 1; answer < decisions_[i].answer; ++answer) {
        Decisions candidate = decisions_;
        candidate[i].answer = answer;
        if (Take(candidate) || Spent()) break;
        if (i >= decisions_.size()) return;
      }
    }
  }

  void Simplify() {
    for (bool smaller = true; smaller && !Spent();) {
      smaller = false;
      for (const Scenario& candidate : SimplerThan(scenario_)) {
        if (!Take(candidate)) continue;
        smaller = true;
        break;
      }
    }
  }

  // The faults by name, if the run then still fails: as a script where that is possible.
  void WriteScript() {
    if (out_.runs_alone) {
      const Scenario script = AsScript(scenario_, decisions_);
      if (!script.faults.empty() && Shows(script, RunSetup(), nullptr, &out_.finding))
        out_.scenario = script;
    }
    bool fails = true;
    out_.trace = TraceOf(out_.scenario, &fails);
  }

  void OtherSeeds() {
    for (int i = 1; i <= kOtherSeeds && !options_.interrupted(); ++i) {
      Scenario other = out_.scenario;
      other.seed += static_cast<std::uint64_t>(i);
      RunSetup setup = Phases();
      ++out_.seeds_tried;
      if (Shows(other, std::move(setup), nullptr)) ++out_.seeds_failing;
    }
  }

  trace::Trace TraceOf(const Scenario& s, bool* fails) {
    RunSetup setup = Phases();
    setup.record = true;
    absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(s, std::move(setup));
    const Outcome outcome = (*run)->Go();
    ++out_.runs;
    *fails = std::any_of(outcome.findings.begin(), outcome.findings.end(),
                         [this](const Finding& f) { return f.Same(finding_); });
    return (*run)->Trace();
  }

  // One decision a size smaller, or not taken: the first such run that passes.
  void FindNearest() {
    bool fails = true;
    const trace::Trace failing = TraceOf(out_.scenario, &fails);
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      Decisions candidate = decisions_;
      const sim::Decision& d = decisions_[i];
      if (d.answer > 1)
        --candidate[i].answer;
      else
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(i));
      Scenario nearly = out_.scenario;
      nearly.overrides = ToOverrides(candidate);
      const trace::Trace passing = TraceOf(nearly, &fails);
      if (fails) continue;
      const std::optional<trace::Divergence> d1 =
          trace::FirstDivergence(failing.events, passing.events);
      if (!d1) continue;
      const auto line = [&d1](const trace::Trace& t) {
        return d1->index < t.events.size() ? trace::EventLine(t.events[d1->index])
                                           : std::string("the end");
      };
      out_.nearest = fmt::format("with {} = {} instead of {} it passes; first: {} | {}", d.site,
                                 d.answer - 1, d.answer, line(failing), line(passing));
      return;
    }
  }

  const Finding& finding_;
  const ShrinkOptions& options_;
  std::uint64_t phases_seed_ = 1;
  Scenario scenario_;
  Decisions decisions_;
  Shrunk out_;
};

}  // namespace

Shrunk Shrink(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
              const std::vector<sim::Override>& overrides, const Finding& finding,
              const ShrinkOptions& options) {
  return Shrinker(finding, options).Go(scenario, strategy, overrides);
}

}  // namespace ksim::fuzz
