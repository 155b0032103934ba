#include "ksim/fuzz/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/check/invariant_tree.h"
#include "ksim/fuzz/decision_text.h"
#include "ksim/fuzz/delta_debugging.h"
#include "ksim/fuzz/failure_place.h"
#include "ksim/fuzz/fault_script.h"
#include "ksim/fuzz/shrink_candidates.h"
#include "ksim/scenario/expectations.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/event_line.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::fuzz {
namespace {

using check::kInvariantPrefix;
using scenario::Scenario;

constexpr int kOtherSeeds = 10;
constexpr std::string_view kGuestRuns = "guest.runs";

void KeepOnlyInvariant(const CampaignFinding& finding, Scenario* s) {
  std::erase_if(s->invariants,
                [&](const check::Invariant& i) { return check::OracleOf(i) != finding.oracle; });
  for (check::Invariant& i : s->invariants) i.within.reset();  // as a campaign judges it
}

// Only what the failure is about is still expected and checked: all else would drown it.
Scenario OnlyAbout(Scenario s, const CampaignFinding& finding) {
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
  KeepOnlyInvariant(finding, &s);
  // That a guest runs is always asked, and so are invariants: they are none of ksim's oracles.
  const bool own = finding.oracle == kGuestRuns || finding.oracle.starts_with(kInvariantPrefix);
  s.checks = {own ? "expect" : finding.oracle};
  return s;
}

// One place of an event's fields that reads differently in the other: "args.for: 5m1s | 4m59s".
std::string FirstPlaceApart(const trace::Record& a, const trace::Record& b) {
  const auto tree = [](const trace::Record& r) {
    value::ObjectBuilder out;
    for (const value::Value::Member& m : r.fields) out.Add(m.name.text(), m.value);
    return out.Build();
  };
  const std::vector<value::Change> changes = value::Diff(tree(a), tree(b));
  if (changes.empty()) return "";
  const auto text = [](const std::optional<value::Value>& v) {
    if (!v) return std::string("not there");
    return v->is_string() ? std::string(v->AsString()) : value::ToJson(*v);
  };
  const value::Change& c = changes.front();
  return fmt::format("{}: {} | {}", c.path.ToString(), text(c.before), text(c.after));
}

// How two runs part at their events of this number: both lines, or, where these read the same, one
// and the place in which the events differ.
std::string Parting(const trace::Trace& failing, const trace::Trace& passing, std::size_t index) {
  const auto line = [index](const trace::Trace& t) {
    return index < t.events.size() ? trace::EventLine(t.events[index]) : std::string("the end");
  };
  const std::string left = line(failing), right = line(passing);
  if (left != right) return fmt::format("{} | {}", left, right);
  return fmt::format("{} ({})", left,
                     FirstPlaceApart(failing.events[index], passing.events[index]));
}

class Shrinker {
 public:
  Shrinker(const CampaignFinding& finding, const ShrinkOptions& options)
      : finding_(finding), options_(options) {}

  Shrunk Shrink(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
                const std::vector<sim::Override>& overrides) {
    if (!Begin(scenario, strategy, overrides)) return std::move(out_);
    out_.reproduced = true;
    decisions_ = MinimalDecisions(std::move(decisions_), Judge());
    Simplify();
    decisions_ = WithoutUnneeded(std::move(decisions_), Judge());
    if (!out_.runs_alone) TryAlone();
    out_.scenario = scenario_;
    out_.scenario.overrides = ToOverrides(decisions_);
    out_.decisions = decisions_;
    WriteScript();
    FindNearest();
    OtherSeeds();
    return std::move(out_);
  }

 private:
  // Whether no run is left for making the scenario smaller: a part of the bound is kept for the
  // end, which records the run, looks for the nearest run that passes and tries other seeds.
  bool Spent() {
    const std::uint64_t kept = std::min<std::uint64_t>(options_.runs / 2, kOtherSeeds + 5);
    if (AllSpent(kept)) out_.bounded = true;
    return out_.bounded;
  }
  bool AllSpent(std::uint64_t kept) const {
    return out_.runs + kept >= options_.runs || options_.interrupted();
  }

  // A run without a strategy: as `ksim run`, or with the fault window of the run that failed.
  RunSetup Phases() const {
    RunSetup setup;
    if (out_.runs_alone) return setup;
    setup.strategy.emplace();
    setup.strategy->seed = phases_seed_;
    return setup;
  }

  // Whether the run shows the failure; `taken` gets its decisions.
  bool ShowsIn(const Scenario& s, RunSetup setup, Decisions* taken, CampaignFinding* as = nullptr) {
    ++out_.runs;
    setup.timeout = options_.timeout;
    absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(s, std::move(setup));
    if (!run.ok()) return false;
    RunOutcome outcome = (*run)->Execute();
    const auto same = std::find_if(outcome.findings.begin(), outcome.findings.end(),
                                   [this](const CampaignFinding& f) { return f.Same(finding_); });
    if (same == outcome.findings.end()) return false;
    // Nobody else fails where a step of the user has not come true.
    if (failed_steps_ && outcome.failed_steps.size() > *failed_steps_) return false;
    failed_steps_ = outcome.failed_steps.size();
    finding_.by = same->by;
    lasted_ = outcome.lasted;
    if (as != nullptr) *as = *same;
    if (taken != nullptr) *taken = std::move(outcome.decisions);
    return true;
  }

  bool ShowsWith(const Scenario& s, const Decisions& decisions, Decisions* taken) {
    RunSetup setup = Phases();
    Scenario candidate = s;
    candidate.overrides = ToOverrides(decisions);
    return ShowsIn(candidate, std::move(setup), taken, &out_.finding);
  }

  // How a run without a strategy is done: as `ksim run` does it, as it does with `until` (what is
  // refused for ever is quiet at once), or with the phases of a campaign.
  enum class Form { kAlone, kAloneForLong, kPhases };

  // The first form that fails.
  bool Begin(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
             const std::vector<sim::Override>& overrides) {
    RunSetup setup;
    setup.strategy = strategy;
    if (strategy) phases_seed_ = strategy->seed;
    setup.overrides = overrides;
    Decisions taken;
    if (!ShowsIn(scenario, std::move(setup), &taken)) return false;
    scenario_ = OnlyAbout(scenario, finding_);
    decisions_ = taken;
    const Scenario whole = scenario_;
    const Duration whole_run = lasted_;
    for (const Form form : {Form::kAlone, Form::kAloneForLong, Form::kPhases}) {
      out_.runs_alone = form != Form::kPhases;
      scenario_ = whole;
      if (form == Form::kAloneForLong) RunUntil(whole_run, &scenario_);
      if (ShowsWith(scenario_, decisions_, &taken)) {
        decisions_ = taken;
        return true;
      }
    }
    return false;
  }

  Reproduces Judge() {
    return [this](const Decisions& candidate) -> std::optional<Decisions> {
      Decisions taken;
      if (Spent() || !ShowsWith(scenario_, candidate, &taken)) return std::nullopt;
      return taken;
    };
  }

  static void RunUntil(Duration end, Scenario* s) {
    s->until = Seconds((end.ns() + Seconds(1).ns() - 1) / Seconds(1).ns());
    s->limit.time = std::max(s->limit.time, *s->until);
  }

  static Scenario InTurn(Scenario s) {
    for (std::size_t i = 1; i < s.steps.size(); ++i) s.steps[i].at.reset();
    return s;
  }

  // A failure that takes the phases of a campaign with all its faults and steps may not take them
  // when it is small: tries to show it by `ksim run`, as it is or with each step after the one
  // before.
  void TryAlone() {
    const Duration small_run = lasted_;
    const Scenario phased = scenario_, in_turn = InTurn(scenario_);
    for (const Form form : {Form::kAlone, Form::kAloneForLong}) {
      for (const Scenario* s : {&phased, &in_turn}) {
        if (AllSpent(0)) return;
        Scenario candidate = *s;
        if (form == Form::kAloneForLong) RunUntil(small_run, &candidate);
        if (TakeAlone(std::move(candidate))) return;
      }
    }
  }

  bool TakeAlone(Scenario candidate) {
    out_.runs_alone = true;
    Decisions taken;
    const bool shows = ShowsWith(candidate, decisions_, &taken);
    if (!shows) {
      out_.runs_alone = false;
      return false;
    }
    scenario_ = std::move(candidate);
    decisions_ = WithoutUnneeded(std::move(taken), Judge());
    return true;
  }

  // Whether it fails with no decision at all: without the step that makes five pods, "eventually
  // five pods" says nothing of the faults.
  bool FailsAnyway(const Scenario& candidate) {
    Scenario plain = candidate;
    plain.overrides.clear();
    return ShowsIn(plain, Phases(), nullptr);
  }

  bool Take(const Scenario& candidate) {
    if (Spent()) return false;
    Decisions taken;
    if (!ShowsWith(candidate, decisions_, &taken)) return false;
    if (!decisions_.empty() && FailsAnyway(candidate)) return false;
    scenario_ = candidate;
    if (taken.size() <= decisions_.size()) decisions_ = std::move(taken);
    return true;
  }

  void Simplify() {
    for (bool smaller = true; smaller && !Spent();) {
      smaller = false;
      for (const Scenario& candidate : ShrinkCandidates(scenario_)) {
        if (!Take(candidate)) continue;
        smaller = true;
        break;
      }
    }
  }

  // The faults by name, if the run then still fails: as a script where that is possible.
  void WriteScript() {
    if (out_.runs_alone && !AllSpent(1)) {
      ++out_.runs;
      const Scenario script = WithScriptedFaults(scenario_, decisions_);
      if (!script.faults.empty() && ShowsIn(script, RunSetup(), nullptr, &out_.finding)) {
        out_.scenario = script;
        DropScripted();
      }
    }
    bool fails = true;
    out_.trace = TraceOf(out_.scenario, &fails);
  }

  // One decision of a motif is several faults, and not all may be needed: one alone, or all but
  // some.
  void DropScripted() {
    const std::vector<scenario::FaultSpec> all = out_.scenario.faults;
    for (const scenario::FaultSpec& only : all)
      if (all.size() > 1 && TakeFaults({only})) return;
    for (std::size_t i = 0; i < out_.scenario.faults.size();) {
      std::vector<scenario::FaultSpec> rest = out_.scenario.faults;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (!TakeFaults(std::move(rest))) ++i;
    }
    TakeFew();
  }

  // None of those that are left can go alone, and still two or three of them may be enough: what
  // one did, another undid.
  void TakeFew() {
    constexpr std::size_t kMost = 7;
    const std::vector<scenario::FaultSpec> all = out_.scenario.faults;
    if (all.size() > kMost) return;
    for (std::size_t few = 2; few <= 3 && few + 1 < all.size(); ++few) {
      std::vector<bool> taken(all.size(), false);
      std::fill(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(few), true);
      do {
        std::vector<scenario::FaultSpec> faults;
        for (std::size_t i = 0; i < all.size(); ++i)
          if (taken[i]) faults.push_back(all[i]);
        if (TakeFaults(std::move(faults))) return;
      } while (std::prev_permutation(taken.begin(), taken.end()));
    }
  }

  bool TakeFaults(std::vector<scenario::FaultSpec> faults) {
    Scenario candidate = out_.scenario;
    candidate.faults = std::move(faults);
    if (Spent() || !ShowsIn(candidate, RunSetup(), nullptr, &out_.finding)) return false;
    out_.scenario = std::move(candidate);
    return true;
  }

  void OtherSeeds() {
    for (int i = 1; i <= kOtherSeeds && !AllSpent(0); ++i) {
      Scenario other = out_.scenario;
      other.seed += static_cast<std::uint64_t>(i);
      RunSetup setup = Phases();
      ++out_.seeds_tried;
      if (ShowsIn(other, std::move(setup), nullptr)) ++out_.seeds_failing;
    }
  }

  trace::Trace TraceOf(const Scenario& s, bool* fails) {
    RunSetup setup = Phases();
    setup.record = true;
    absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(s, std::move(setup));
    const RunOutcome outcome = (*run)->Execute();
    ++out_.runs;
    *fails = std::any_of(outcome.findings.begin(), outcome.findings.end(),
                         [this](const CampaignFinding& f) { return f.Same(finding_); });
    return (*run)->Trace();
  }

  // The fault with its length a little less, then half of it; nothing if it has none.
  static std::vector<scenario::FaultSpec> Shorter(const scenario::FaultSpec& fault) {
    std::vector<scenario::FaultSpec> out;
    for (const std::string_view length : {"for", "by"}) {
      const absl::StatusOr<Duration> whole = ParseDuration(fault.args.Get(length).AsString());
      if (!whole.ok()) continue;
      for (const Duration less : {*whole - Seconds(2), *whole / 2}) {
        if (less <= Duration()) continue;
        scenario::FaultSpec& shorter = out.emplace_back(fault);
        shorter.args = fault.args.Set(length, value::Value::Of(FormatDuration(less)));
      }
    }
    return out;
  }

  // The runs that have one fault shorter or not at all, or one decision a size smaller, beside what
  // that is called. What happens last parts the runs last.
  std::vector<std::pair<std::string, Scenario>> Neighbours() const {
    std::vector<std::pair<std::string, Scenario>> out;
    for (std::size_t i = out_.scenario.faults.size(); i-- > 0;) {
      const std::string fault = FaultText(out_.scenario.faults[i]);
      Scenario nearly = out_.scenario;
      for (scenario::FaultSpec& shorter : Shorter(nearly.faults[i])) {
        nearly.faults[i] = std::move(shorter);
        std::string what =
            fmt::format("with {} in place of {}", FaultText(nearly.faults[i]), fault);
        out.emplace_back(std::move(what), nearly);
      }
      nearly.faults.erase(nearly.faults.begin() + static_cast<std::ptrdiff_t>(i));
      out.emplace_back("without " + fault, std::move(nearly));
    }
    for (std::size_t i = out_.scenario.overrides.size(); i-- > 0;) {
      Scenario nearly = out_.scenario;
      sim::Override& o = nearly.overrides[i];
      const std::string was = DecisionText({o.site, o.key, o.answer});
      if (o.answer > 1) {
        --o.answer;
        const std::string now = DecisionText({o.site, o.key, o.answer});
        out.emplace_back(fmt::format("with {} in place of {}", now, was), std::move(nearly));
      } else {
        nearly.overrides.erase(nearly.overrides.begin() + static_cast<std::ptrdiff_t>(i));
        out.emplace_back("without " + was, std::move(nearly));
      }
    }
    return out;
  }

  // The first neighbour that passes, and the step in which the two part.
  void FindNearest() {
    for (const auto& [what, nearly] : Neighbours()) {
      if (AllSpent(kOtherSeeds)) return;
      bool fails = true;
      const trace::Trace passing = TraceOf(nearly, &fails);
      if (fails) continue;
      const std::optional<trace::Divergence> apart =
          trace::FirstDivergence(out_.trace.events, passing.events);
      if (!apart) continue;
      out_.nearest =
          fmt::format("{} it passes; first: {}", what, Parting(out_.trace, passing, apart->index));
      out_.wrong_step = FindWrongStep(out_.trace, passing, out_.finding);
      return;
    }
  }

  CampaignFinding finding_;  // with the deed that broke it, once it has been shown
  const ShrinkOptions& options_;
  std::optional<std::size_t> failed_steps_;  // at most so many, as in the last run that showed it
  std::uint64_t phases_seed_ = 1;
  Duration lasted_;  // the last run that showed it
  Scenario scenario_;
  Decisions decisions_;
  Shrunk out_;
};

}  // namespace

Shrunk Shrink(const Scenario& scenario, const std::optional<StrategySpec>& strategy,
              const std::vector<sim::Override>& overrides, const CampaignFinding& finding,
              const ShrinkOptions& options) {
  return Shrinker(finding, options).Shrink(scenario, strategy, overrides);
}

}  // namespace ksim::fuzz
