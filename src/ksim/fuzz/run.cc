#include "ksim/fuzz/run.h"

#include <algorithm>

#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/check/oracle.h"
#include "ksim/fuzz/continuations.h"
#include "ksim/fuzz/coverage.h"
#include "ksim/fuzz/failure_place.h"
#include "ksim/scenario/runner.h"
#include "ksim/sim/probe.h"

namespace ksim::fuzz {
namespace {

// The clock is looked at once in so many events.
constexpr std::uint64_t kEventsPerLook = 1024;

// The oracles whose violation is one of liveness (docs/exit-codes.md).
bool IsLiveness(std::string_view oracle) {
  static constexpr std::string_view kNames[] = {"informer.converges", "esr", "quiet", "noLeak",
                                                "limit"};
  return std::find(std::begin(kNames), std::end(kNames), oracle) != std::end(kNames);
}

scenario::FuzzPhases PhasesOf(const scenario::Scenario& scenario, const StrategySpec& spec,
                              const std::shared_ptr<Strategy>& strategy) {
  scenario::FuzzPhases phases;
  phases.window = WindowOf(scenario, spec);
  phases.settle = scenario.fuzz.settle;
  phases.on_window = [strategy](bool open) {
    if (strategy) strategy->SetOpen(open);
  };
  return phases;
}

void SetStrategy(const scenario::Scenario& scenario, const StrategySpec& spec,
                 const std::shared_ptr<Strategy>& strategy, scenario::RunnerOptions* options) {
  options->world.strategy = strategy;
  options->strategy_seed = spec.seed;
  options->strategy_params = spec.params;
  options->fuzz = PhasesOf(scenario, spec, strategy);
}

bool HasOracles(const scenario::Scenario& scenario) {
  const auto& all = check::AllOracles();
  return std::any_of(all.begin(), all.end(), [&](const check::OracleEntry& entry) {
    return entry.make != nullptr && check::Selected(scenario.checks, entry.info->name);
  });
}

}  // namespace

std::vector<CampaignFinding> FindingsOf(const std::vector<trace::Violation>& violations,
                                        const std::vector<std::string>& broken_by) {
  std::vector<CampaignFinding> out;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const trace::Violation& v = violations[i];
    CampaignFinding f;
    if (i < broken_by.size()) f.by = Generalised(broken_by[i]);
    f.oracle = v.oracle;
    f.place = PlaceOf(v);
    f.message = v.message;
    f.objects = v.objects;
    f.safety = !IsLiveness(v.oracle);
    out.push_back(std::move(f));
  }
  std::stable_sort(out.begin(), out.end(), [](const CampaignFinding& a, const CampaignFinding& b) {
    return a.safety && !b.safety;
  });
  return out;
}

absl::StatusOr<scenario::RunnerOptions> OptionsOf(const scenario::Scenario& scenario,
                                                  const trace::Header& header) {
  scenario::RunnerOptions options;
  options.world.overrides = header.overrides;
  if (header.mode != "fuzz") return options;
  StrategySpec spec;
  spec.name = header.strategy;
  spec.seed = header.strategy_seed;
  spec.params = header.strategy_params;
  absl::StatusOr<std::shared_ptr<Strategy>> strategy = Make(spec, KindsOf(scenario));
  if (!strategy.ok()) return strategy.status();
  SetStrategy(scenario, spec, *strategy, &options);
  return options;
}

absl::StatusOr<std::unique_ptr<Run>> Run::Make(const scenario::Scenario& scenario, RunSetup setup) {
  std::shared_ptr<Strategy> strategy;
  if (setup.strategy) {
    absl::StatusOr<std::shared_ptr<Strategy>> made = fuzz::Make(*setup.strategy, KindsOf(scenario));
    if (!made.ok()) return made.status();
    strategy = *std::move(made);
  }
  return std::unique_ptr<Run>(new Run(scenario, std::move(setup), std::move(strategy)));
}

Run::Run(const scenario::Scenario& scenario, RunSetup setup, std::shared_ptr<Strategy> strategy)
    : setup_(std::move(setup)),
      has_oracles_(HasOracles(scenario)),
      strategy_(std::move(strategy)),
      started_(os::MonotonicNow()) {
  for (std::size_t i = 0; i < scenario.steps.size(); ++i)
    if (scenario.steps[i].kind == scenario::StepKind::kWait ||
        scenario.steps[i].kind == scenario::StepKind::kRollout)
      wait_steps_.push_back(static_cast<std::int64_t>(i) + 1);
  scenario::RunnerOptions options;
  if (setup_.strategy) SetStrategy(scenario, *setup_.strategy, strategy_, &options);
  options.world.overrides = setup_.overrides;
  options.record = setup_.record;
  options.outcome = setup_.continuations;
  options.world.digest = setup_.record || setup_.digest;
  if (setup_.timeout || setup_.stop) {
    options.stop = [this](const sim::Event&) { return TimeIsUp(); };
    options.stop_after = sim::EventKinds::AllBut({sim::EventKind::kStage});
  }
  runner_ = std::make_unique<scenario::Runner>(scenario, std::move(options));
  if (setup_.coverage) coverage_ = std::make_unique<Coverage>(runner_->world().sim().bus());
  if (setup_.continuations)
    continuations_ = std::make_unique<Continuations>(runner_->world().sim().bus());
  ListenToStrategy();
}

Run::~Run() { runner_.reset(); }

void Run::ListenToStrategy() {
  if (continuations_ == nullptr || strategy_ == nullptr) return;
  strategy_->SetListener(
      [all = continuations_.get()](const Question& question) { all->OnQuestion(question); });
}

bool Run::TimeIsUp() {
  if (++asked_ % kEventsPerLook != 0) return false;
  out_of_time_ = (setup_.timeout && os::MonotonicNow() - started_ > *setup_.timeout) ||
                 (setup_.stop && setup_.stop());
  return out_of_time_;
}

// Whether an oracle, an expectation or a wait had more to judge than that the steps made objects: a
// component that acted on them, an object that an expectation speaks of, a condition that came.
bool Run::Judged(const scenario::RunReport& report) const {
  if (has_oracles_ && report.workload_served) return true;
  for (const std::vector<bool>* applied : {&report.applied, &report.invariants_applied})
    if (std::find(applied->begin(), applied->end(), true) != applied->end()) return true;
  return std::any_of(wait_steps_.begin(), wait_steps_.end(), [&report](std::int64_t number) {
    const auto is_it = [number](const auto& step) { return step.number == number; };
    return std::none_of(report.failures.begin(), report.failures.end(), is_it) &&
           std::none_of(report.never_begun.begin(), report.never_begun.end(), is_it);
  });
}

std::uint64_t Run::Boot() {
  runner_->Boot();
  return runner_->world().sim().bus().last_seq();
}

absl::Status Run::Become(std::uint64_t seed, const StrategySpec& strategy) {
  const scenario::Scenario& scenario = runner_->scenario();
  absl::StatusOr<std::shared_ptr<Strategy>> made = fuzz::Make(strategy, KindsOf(scenario));
  if (!made.ok()) return made.status();
  strategy_ = *std::move(made);
  ListenToStrategy();
  scenario::RunnerOptions options;
  SetStrategy(scenario, strategy, strategy_, &options);
  runner_->Become(seed, options);
  started_ = os::MonotonicNow();
  return absl::OkStatus();
}

RunOutcome Run::Execute() {
  scenario::RunReport report = runner_->Run();
  RunOutcome out;
  out.seed = runner_->world().sim().seed();
  out.findings = FindingsOf(report.end.violations, report.broken_by);
  if (!out.findings.empty()) out.code = out.findings.front().safety ? kSafety : kLiveness;
  if (out.findings.empty() && out_of_time_) out.code = kUndecided;
  out.digest = report.end.digest;
  out.events = report.end.events;
  out.steps = report.kernel_steps;
  out.lasted = Duration(report.end.time);
  out.judged = !out.findings.empty() || (!report.stopped && Judged(report));
  for (std::size_t i = 0; i < report.applied.size(); ++i)
    if (report.applied[i]) out.applied.push_back(i);
  for (std::size_t i = 0; i < report.invariants_applied.size(); ++i)
    if (report.invariants_applied[i]) out.invariants_applied.push_back(i);
  for (const scenario::StepFailure& failure : report.failures) {
    out.failed_steps.emplace_back();
    out.failed_steps.back().number = failure.number;
    out.failed_steps.back().error = failure.error;
  }
  for (const sim::Decision& d : report.end.decisions) ++out.faults[std::string(KindOf(d.site))];
  out.decisions = std::move(report.end.decisions);
  if (coverage_) out.coverage = coverage_->Pairs();
  if (continuations_) out.continuations = continuations_->Take();
  out.state = report.end.state;
  for (const sim::ProbeCount& probe : sim::Probes())
    if (probe.count > 0) out.probes.emplace_back(probe.name);
  return out;
}

trace::Trace Run::Trace() { return runner_->MakeTrace(trace::RenderOptions()); }

Runs::Runs(scenario::Scenario scenario, std::optional<Duration> timeout)
    : scenario_(std::move(scenario)), timeout_(timeout) {}

RunSetup Runs::SetupOf(const Job& job, bool coverage) const {
  RunSetup setup;
  setup.strategy = job.strategy;
  setup.coverage = coverage;
  setup.continuations = job.continuations;
  setup.timeout = timeout_;
  setup.digest = job.twice;
  return setup;
}

RunOutcome Runs::DoOnce(const Job& job, bool coverage) {
  scenario_.seed = job.seed;
  sim::ResetProbes();
  absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(scenario_, SetupOf(job, coverage));
  KSIM_CHECK(run.ok()) << Message(run.status());
  return (*run)->Execute();
}

RunOutcome Runs::Do(const Job& job) {
  RunOutcome out = DoOnce(job, job.coverage);
  out.number = job.number;
  KeepNews(&out);
  if (out.code == kFine && !job.coverage) out.decisions.clear();
  if (!job.twice || out.code == kUndecided) return out;
  // The second one does all by itself, its boot too.
  const RunOutcome second = Runs::DoOnce(job, false);
  if (second.digest == out.digest || second.code == kUndecided) return out;
  CampaignFinding f;
  f.oracle = "determinism";
  f.place = "two runs of one seed";
  f.message = "two runs of one seed have the digests " + out.digest + " and " + second.digest;
  out.findings.insert(out.findings.begin(), std::move(f));
  out.code = kNotDeterministic;
  return out;
}

// Keeps only what this process has not told before: the rest need not cross the pipe again.
void Runs::KeepNews(RunOutcome* out) {
  std::erase_if(out->coverage,
                [this](std::uint64_t pair) { return !told_coverage_.insert(pair).second; });
  std::erase_if(out->applied,
                [this](std::uint64_t number) { return !told_applied_.insert(number).second; });
  std::erase_if(out->probes,
                [this](const std::string& probe) { return !told_probes_.insert(probe).second; });
  std::erase_if(out->invariants_applied,
                [this](std::uint64_t number) { return !told_invariants_.insert(number).second; });
}

std::vector<sim::Override> ToOverrides(const std::vector<sim::Decision>& decisions) {
  std::vector<sim::Override> out;
  for (const sim::Decision& d : decisions) out.push_back({d.site, d.key, d.answer});
  return out;
}

}  // namespace ksim::fuzz
