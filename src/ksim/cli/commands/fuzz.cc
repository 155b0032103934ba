// ksim fuzz: a campaign of runs with faults; and `ksim fuzz merge`: its shards put together.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/campaign_output.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/failure_files.h"
#include "ksim/cli/fuzz_flags.h"
#include "ksim/cli/fuzz_progress.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/fuzz_staleness.h"
#include "ksim/cli/guest_programs.h"
#include "ksim/cli/help.h"
#include "ksim/cli/live_line.h"
#include "ksim/cli/result.h"
#include "ksim/cli/signals.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/corpus.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/known_findings.h"
#include "ksim/fuzz/rehearsal.h"
#include "ksim/fuzz/summary.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/expectations.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/scenario/step_scheduler.h"

namespace ksim::cli {
namespace {

using fuzz::Failure;
using fuzz::FailureLine;
using fuzz::Rehearsal;
using fuzz::Summary;
using fuzz::Tally;
using scenario::Scenario;

// The scenario to fuzz, and whatever of it a run does nothing about.
struct Fuzzed {
  Scenario scenario;
  std::vector<scenario::NotSimulated> not_simulated;
};

// Guests' code that is compiled by the optimizing compiler takes some three times as long to make
// and half as long to run: a campaign that is this long gets that back.
guest::Tier TierFor(const fuzz::CampaignOptions& options) {
  constexpr std::uint64_t kManyRuns = 5000;
  constexpr Duration kLongTime = Minutes(30);
  std::uint64_t runs = (options.last - options.first) / options.shard.count;
  if (options.most_runs > 0) runs = std::min(runs, options.most_runs);
  const bool many = runs >= kManyRuns && options.most_events == 0;
  const bool enough_time = !options.time || *options.time >= kLongTime;
  return many && enough_time ? guest::Tier::kOptimized : guest::Tier::kBaseline;
}

// The scenarios of --known: those of the directory, and scenario.yaml of each of its folders, as a
// campaign leaves them. Nullopt with the complaint printed.
std::optional<std::vector<std::string>> KnownFiles(Io& io, const FuzzFlags& flags) {
  std::vector<std::string> out;
  if (flags.known.empty()) return out;
  const absl::StatusOr<std::vector<std::string>> names = os::ListDirectory(flags.known);
  if (!names.ok()) {
    PrintFuzzError(io, flags.known, Message(names.status()));
    return std::nullopt;
  }
  for (const std::string& name : *names) {
    const std::string path = flags.known + "/" + name;
    const std::string inside = path + "/scenario.yaml";
    if (name.ends_with(".yaml") && os::IsRegularFile(path)) out.push_back(path);
    if (os::IsRegularFile(inside)) out.push_back(inside);
  }
  if (!out.empty()) return out;
  PrintFuzzError(io, flags.known, "holds no scenario: neither NAME.yaml nor NAME/scenario.yaml");
  return std::nullopt;
}

// Runs them. Nullopt with the complaint printed.
std::optional<fuzz::KnownFindings> RunKnown(Io& io, const FuzzFlags& flags,
                                            const std::function<bool()>& stop) {
  const std::optional<std::vector<std::string>> files = KnownFiles(io, flags);
  if (!files) return std::nullopt;
  fuzz::KnownFindings known;
  for (const std::string& file : *files) {
    scenario::LoadOptions options;
    options.program = io.program().registry;
    scenario::Loaded loaded = scenario::Load({file}, options);
    if (!loaded.errors.empty()) {
      io.Err(Render(loaded.errors, io.err_color()));
      return std::nullopt;
    }
    if (!LoadGuestPrograms(io, loaded.scenarios, guest::Tier::kBaseline)) return std::nullopt;
    for (const Scenario& scenario : loaded.scenarios) known.Add(file, scenario, stop);
  }
  return known;
}

// Nullopt with the complaint printed.
std::optional<Fuzzed> LoadFuzzedScenario(Io& io, const FuzzFlags& flags, guest::Tier tier) {
  scenario::LoadOptions options;
  options.set = flags.set;
  options.strict = flags.strict;
  options.program = io.program().registry;
  scenario::Loaded loaded = scenario::Load(flags.files, options);
  std::vector<Diagnostic> errors = loaded.errors;
  if (errors.empty() && loaded.scenarios.size() != 1) {
    PrintFuzzError(io, flags.files.front(), "holds no scenario, or more than one");
    return std::nullopt;
  }
  if (errors.empty()) {
    errors = scenario::NotInThisVersion(loaded.scenarios[0], loaded.files[0]);
    for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
  }
  if (errors.empty()) errors = scenario::DryRun(loaded.scenarios[0]);
  if (!flags.common.quiet) io.Err(Render(loaded.warnings, io.err_color()));
  if (errors.empty() && !LoadGuestPrograms(io, loaded.scenarios, tier)) return std::nullopt;
  if (errors.empty()) {
    Fuzzed fuzzed;
    fuzzed.not_simulated = scenario::NotSimulatedIn(loaded.scenarios[0], loaded.files[0]);
    if (!flags.common.quiet || flags.strict)
      io.Err(NotSimulatedText(fuzzed.not_simulated, flags.strict, io.err_color()));
    fuzzed.scenario = std::move(loaded.scenarios[0]);
    return fuzzed;
  }
  io.Err(Render(errors, io.err_color()));
  return std::nullopt;
}

// The name that `spec.fuzz.faults` has for a kind of decision: fault.crash is crash.
std::string FaultName(std::string_view kind) {
  constexpr std::string_view kFault = "fault.";
  return std::string(kind.substr(kind.starts_with(kFault) ? kFault.size() : 0));
}

FailureLine LineOf(const Program& program, const Failure& f, const FuzzFlags& flags,
                   const CampaignPlan& plan, const CampaignOutput& output) {
  FailureLine line;
  line.oracle = f.finding.oracle;
  line.place = f.finding.place;
  line.message = f.finding.message;
  line.seed = f.number;
  line.count = f.count;
  line.code = f.code;
  line.steps = static_cast<std::int64_t>(f.decisions.size());
  if (output.IsWritten(f)) line.dir = output.DirectoryOf(f);
  line.show = line.dir.empty() ? CommandForRun(program, flags, plan, f.number, f.code)
                               : CommandOn(program.command, false, line.dir);
  return line;
}

std::string NameOfStep(const Scenario& scenario, std::int64_t number) {
  const scenario::Step& step = scenario.steps[static_cast<std::size_t>(number) - 1];
  return fmt::format("step {} ({} {})", number, scenario::ToString(step.kind),
                     scenario::TargetOf(step));
}

bool FailsAnyway(const Rehearsal& rehearsal, std::int64_t step) {
  return std::any_of(rehearsal.failed_steps.begin(), rehearsal.failed_steps.end(),
                     [step](const scenario::StepFailure& f) { return f.number == step; });
}

// A step that fails without any drawn fault: a failure that `ksim run` shows.
FailureLine LineOf(const Program& program, const scenario::StepFailure& f, const Scenario& scenario,
                   const FuzzFlags& flags, const Tally& t) {
  FailureLine line;
  line.oracle = "step";
  line.place = NameOfStep(scenario, f.number);
  line.message = fmt::format("{}: {}", line.place, f.error);
  line.code = fuzz::kSafety;
  line.steps = 0;
  const auto count = t.failed_steps.find(f.number);
  if (count != t.failed_steps.end()) line.count = count->second.runs;
  line.show = program.command + " run " + ShellQuote(flags.files.front());
  for (const std::string& set : flags.set) line.show += " --set " + ShellQuote(set);
  return line;
}

fuzz::ExpectationLine LineOf(const scenario::ExpectationNote& note) {
  fuzz::ExpectationLine line;
  line.number = note.number;
  line.what = note.expectation;
  line.why = note.why;
  return line;
}

// The expectations that a campaign kept and no run had anything for. `all`: those of the scenario
// as the user wrote it.
std::vector<fuzz::ExpectationLine> Vacuous(const std::vector<scenario::Expectation>& all,
                                           const Rehearsal& rehearsal, const Tally& t) {
  std::vector<fuzz::ExpectationLine> out;
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < all.size() && t.runs > 0; ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    const auto& dropped = rehearsal.dropped;
    if (std::find(dropped.begin(), dropped.end(), number) != dropped.end()) continue;
    if (t.applied.contains(kept++)) continue;
    fuzz::ExpectationLine& line = out.emplace_back();
    line.number = number;
    line.what = scenario::Describe(all[i]);
    line.why = "in no run was there an object that it speaks of";
  }
  return out;
}

std::vector<fuzz::ExpectationLine> VacuousInvariants(const Scenario& scenario, const Tally& t) {
  std::vector<fuzz::ExpectationLine> out;
  for (std::size_t i = 0; i < scenario.invariants.size() && t.runs > 0; ++i) {
    if (t.invariants_applied.contains(i)) continue;
    fuzz::ExpectationLine& line = out.emplace_back();
    line.number = static_cast<std::int64_t>(i) + 1;
    line.what = scenario.invariants[i].name;
    line.why = "in no run was there anything that it speaks of";
  }
  return out;
}

Summary Summarise(const Program& program, const Fuzzed& fuzzed, const Rehearsal& rehearsal,
                  const Scenario& scenario, const FuzzFlags& flags, const CampaignPlan& plan,
                  const Tally& t, std::int64_t wall_ns, const CampaignOutput& output) {
  Summary s;
  s.scenario = scenario.name;
  s.strategy = flags.plan.strategy;
  s.campaign = fuzz::CampaignOf(scenario, flags.plan);
  s.first = t.first;
  s.last = t.last;
  fuzz::Part& part = s.parts.emplace_back();
  part.shard = plan.options.shard;
  part.first = t.first;
  part.last = t.last;
  s.repeatable = !plan.options.time && !t.interrupted;
  s.budget = flags.budget;
  s.pairs = t.coverage.size();
  s.runs = t.runs;
  s.events = t.events;
  s.rechecked = t.rechecked;
  s.equivalent = t.equivalent;
  s.undecided = t.undecided;
  s.timeout = flags.run_timeout;
  s.show_undecided = CommandForRun(program, flags, plan,
                                   t.undecided.empty() ? 0 : t.undecided.front(), kUndecided);
  s.wall_ns = wall_ns;
  for (const auto& [kind, n] : t.faults) s.faults[FaultName(kind)] = n;
  s.probes = t.probes;
  s.interrupted = t.interrupted;
  s.judged = t.judged;
  s.strict = flags.strict;
  s.not_simulated = fuzzed.not_simulated;
  s.vacuous = Vacuous(fuzzed.scenario.expect, rehearsal, t);
  s.vacuous_invariants = VacuousInvariants(scenario, t);
  for (const scenario::ExpectationNote& note : rehearsal.not_lasting)
    s.not_lasting.push_back(LineOf(note));
  for (const auto& [number, count] : t.failed_steps) {
    if (FailsAnyway(rehearsal, number)) continue;
    fuzz::StepLine& line = s.failed_steps.emplace_back();
    line.number = number;
    line.what = NameOfStep(scenario, number);
    line.runs = count.runs;
    line.seed = count.first;
    line.error = count.error;
  }
  for (const Failure& f : t.failures) s.failures.push_back(LineOf(program, f, flags, plan, output));
  return s;
}

int RunCampaign(Io& io, const FuzzFlags& flags, const CampaignPlan& plan, const Fuzzed& fuzzed,
                CampaignOutput& output, Duration started) {
  const auto wall_ns = [started] { return (os::MonotonicNow() - started).ns(); };
  const int jobs = flags.jobs > 0 ? flags.jobs : os::ProcessorCount();
  io.Flush();
  const InterruptibleScope until_all_is_written(
      "interrupted: the runs under way are ended, and what was found is written; once more ends "
      "it at once\n");
  LiveLine live(flags.common.quiet ? -1 : STDERR_FILENO);
  if (!flags.known.empty()) live.Show("what is known");
  const std::optional<fuzz::KnownFindings> known =
      RunKnown(io, flags, [] { return interrupted != 0; });
  if (!known) return kInvalid;
  live.Show("a run without drawn faults");
  const Duration rehearsed = os::MonotonicNow();  // a guest that was compiled before took its time
  const Rehearsal rehearsal = fuzz::Rehearse(fuzzed.scenario, [&] {
    return interrupted != 0 || os::MonotonicNow() - rehearsed > plan.timeout;
  });
  const Scenario scenario = fuzz::ForCampaign(fuzzed.scenario, rehearsal);
  live.Erase();  // a worker begins with what is not printed yet
  absl::StatusOr<std::unique_ptr<fuzz::Executor>> executor =
      fuzz::MakeWorkers(scenario, plan.timeout, jobs);
  if (!executor.ok()) return PrintFuzzError(io, "--jobs", Message(executor.status()));

  // The runs.
  fuzz::CampaignOptions options = plan.options;
  options.interrupted = [] { return interrupted != 0; };
  options.on_progress = [&live](const fuzz::CampaignProgress& p) {
    if (live.IsDue(1)) live.Show(ProgressLine(p, live.columns()));
  };
  options.on_failure = [&](const Failure& f) {
    if (known->PathOf(f.finding).empty()) output.WriteFound(scenario, f);
  };
  std::optional<fuzz::Corpus> corpus;
  if (!flags.corpus.empty()) {
    absl::StatusOr<fuzz::Corpus> opened = fuzz::Corpus::Open(flags.corpus, scenario);
    if (!opened.ok()) return PrintFuzzError(io, flags.corpus, Message(opened.status()));
    corpus = *std::move(opened);
    options.plan.corpus = &*corpus;
    if (!flags.common.quiet) io.Err(ForeignText(*corpus));
  }
  absl::StatusOr<fuzz::Campaign> campaign =
      fuzz::Campaign::Make(scenario, **executor, std::move(options));
  if (!campaign.ok()) return PrintFuzzError(io, "--strategy", Message(campaign.status()));
  const Tally tally = campaign->Execute();
  const std::int64_t wall = wall_ns();
  executor->reset();
  live.Erase();
  if (tally.runs + tally.equivalent == 0 && !tally.interrupted) {
    io.Err("error: no seed to run\n");
    return kNothing;
  }

  // The report.
  Summary summary =
      Summarise(io.program(), fuzzed, rehearsal, scenario, flags, plan, tally, wall, output);
  summary.silent_known = known->silent();
  for (std::size_t i = 0; i < summary.failures.size(); ++i)
    summary.failures[i].known = known->PathOf(tally.failures[i].finding);
  output.ShrinkAll(scenario, tally, plan.timeout, live, &summary);
  for (auto f = rehearsal.failed_steps.rbegin(); f != rehearsal.failed_steps.rend(); ++f)
    summary.failures.insert(summary.failures.begin(),
                            LineOf(io.program(), *f, scenario, flags, tally));
  const int code = output.Report(summary);
  if (corpus && !corpus->status().ok())
    return PrintFuzzError(io, flags.corpus, Message(corpus->status())), kUndecided;
  if (corpus && flags.common.output == "text") io.Out(CorpusText(*corpus));
  const bool counted = !fuzz::IsExhaustive(flags.plan.strategy);
  if (counted && (tally.out_of_time || tally.budget_spent) && flags.common.output == "text")
    io.Out(fmt::format("the same runs: --seeds {}..{}\n", tally.first, tally.last));
  return code;
}

// Puts the campaign.json of each directory together; the failures' directories are copied to
// --out.
int MergeShards(Io& io, const FuzzFlags& flags, CampaignOutput& output) {
  if (flags.out.empty()) return PrintFuzzError(io, "--out", "\"\" is no directory");
  std::vector<Summary> shards;
  const std::vector<std::string> dirs(flags.files.begin() + 1, flags.files.end());
  for (const std::string& dir : dirs) {
    absl::StatusOr<Summary> summary = ReadCampaign(dir + "/campaign.json");
    if (!summary.ok()) return PrintFuzzError(io, dir + "/campaign.json", Message(summary.status()));
    // It may have been moved from where it was written.
    for (FailureLine& f : summary->failures)
      if (!f.dir.empty())
        SetDirectory(io.program().command, dir + "/" + fuzz::DirectoryName(f.dir), &f);
    shards.push_back(*std::move(summary));
  }
  if (shards.empty()) return PrintFuzzError(io, "merge", "takes the directories of the shards");
  const absl::Status together = fuzz::CheckShards(shards, dirs);
  if (!together.ok()) return PrintFuzzError(io, "merge", Message(together));
  Summary merged = fuzz::Merged(shards);
  if (!output.CanWrite() || !output.Lock()) return kInvalid;
  merged.strict = flags.strict;
  if (flags.has_out()) {
    for (FailureLine& f : merged.failures)
      if (!f.dir.empty()) output.Copy(&f);
  }
  return output.Report(merged);
}

int RunFuzz(Io& io, const FuzzFlags& flags) {
  io.SetColor(flags.common.color);
  const Duration started = os::MonotonicNow();
  CampaignOutput output(io, flags);
  if (flags.merges()) return MergeShards(io, flags, output);
  if (flags.files.size() != 1)
    return PrintFuzzError(io, "FILE", io.program().command + " fuzz takes one scenario");
  if (!flags.known.empty() && os::IsSameFile(flags.known, flags.out))
    return PrintFuzzError(io, "--known", "a campaign replaces what is in --out: keep it elsewhere");
  if (flags.staleness && !CheckStalenessFlags(io, flags)) return kInvalid;
  const std::optional<CampaignPlan> plan = ParseCampaignPlan(io, flags);
  if (!plan) return kInvalid;
  const std::optional<Fuzzed> fuzzed = LoadFuzzedScenario(io, flags, TierFor(plan->options));
  if (!fuzzed) return kInvalid;
  if (flags.staleness) return RunStaleness(io, flags, fuzzed->scenario, plan->timeout);
  if (!output.CanWrite() || !output.Lock()) return kInvalid;
  return RunCampaign(io, flags, *plan, *fuzzed, output, started);
}

}  // namespace

Command FuzzCommand() {
  return {
      .name = "fuzz",
      .summary = "many runs with faults; what breaks is shrunk and written down",
      .usage = "ksim fuzz FILE [flags]\n       ksim fuzz merge DIR... [flags]",
      .description =
          "Each seed is a run of its own: faults come for a while, then everything heals, and "
          "the\n"
          "run must converge. Each distinct failure (oracle and place) is shrunk and written to\n"
          "DIR/NAME/: scenario.yaml, trace.jsonl, README.md. What an earlier campaign left in "
          "DIR\n"
          "is replaced. `merge` puts the DIRs of the shards of one campaign together.",
      .examples =
          {{"The first hundred seeds, two at a time",
            "ksim fuzz scenarios/replicaset.yaml --seeds 1..100 --jobs 2 --out /tmp/ksim-fuzz"},
           {"The second of four machines",
            "ksim fuzz scenarios/replicaset.yaml --seeds 1..40 --shard 2/4 --out /tmp/shard-2"},
           {"How late each client may hear of each resource",
            "ksim fuzz scenarios/museum/b6-rs-expectations.workload.yaml --staleness"},
           {"Every single fault, one after the other",
            "ksim fuzz scenarios/replicaset.yaml --strategy exhaustive --seeds 1..50 "
            "--shrink-runs 0 --out /tmp/ksim-fuzz"}},
      .invoke = &Invoke<FuzzFlags, AddFuzzFlags, RunFuzz>};
}

}  // namespace ksim::cli
