// ksim shrink: makes a failing trace or scenario as small as it gets.
#include "ksim/fuzz/shrink.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/failure_files.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/guest_programs.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {
namespace {

using fuzz::CampaignFinding;
using fuzz::Shrunk;
using scenario::Scenario;

constexpr std::string_view kBinaryTrace = "ksimtrc1";

struct ShrinkFlags {
  std::string path;
  std::string out = "ksim-shrink";
  std::string oracle;
  std::uint64_t runs = 2000;
  CommonFlags common;
};

void AddShrinkFlags(FlagSet& set, ShrinkFlags& flags) {
  set.Add("FILE", &flags.path, "A trace, a directory of `ksim fuzz`, or a Scenario; - is stdin")
      .Required();
  set.Add("--out", &flags.out, "Where the result is written; default ksim-shrink").Type("DIR");
  set.Add("--shrink-runs", &flags.runs,
          "Most runs; default 2000. Showing the failure takes up to five in any case")
      .Type("N")
      .Range(0, 1'000'000'000);
  set.Add("--oracle", &flags.oracle, "Which violation, if there are several; default the first")
      .Type("NAME");
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

// --- reading the failing run ---

// A run that fails, and how.
struct FailingRun {
  Scenario scenario;
  std::optional<fuzz::StrategySpec> strategy;
  std::vector<sim::Override> overrides;
  std::vector<CampaignFinding> findings;
  bool to_run = false;  // how it fails is not known yet
  bool cut = false;     // the trace does not say how the run ended
};

bool IsTrace(std::string_view text) {
  return text.starts_with("{\"ksim\":") || text.starts_with(kBinaryTrace);
}

// A file is a scenario by its name, which a bad one has too; a .json is one if it is no trace.
// `input`: the standard input, if FILE is "-".
bool IsScenario(const std::string& path, const std::string& input) {
  if (path == "-") return !IsTrace(input);
  if (!path.ends_with(".json")) return path.ends_with(".yaml") || path.ends_with(".yml");
  const absl::StatusOr<std::string> text = os::ReadFile(path);
  return text.ok() && !IsTrace(*text);
}

std::optional<trace::Trace> ReadFailingTrace(Io& io, const std::string& path,
                                             const std::string& input) {
  if (path != "-") return ReadTraceOrPrintError(io, path);
  absl::StatusOr<trace::Trace> trace = trace::ParseTrace(input);
  if (trace.ok()) return *std::move(trace);
  io.Err(fmt::format("stdin: error: no trace of ksim: {}\n", Message(trace.status())));
  return std::nullopt;
}

std::optional<FailingRun> FromScenario(Io& io, const std::string& path, const std::string& input) {
  scenario::LoadOptions options;
  options.program = io.program().registry;
  if (path == "-")
    options.read = [&input](const std::string& file) -> absl::StatusOr<std::string> {
      if (file == "-") return input;
      return os::ReadFile(file);
    };
  scenario::Loaded loaded = scenario::Load({path}, options);
  if (!loaded.errors.empty() || loaded.scenarios.size() != 1) {
    io.Err(Render(loaded.errors, io.err_color()));
    return std::nullopt;
  }
  if (!LoadGuestPrograms(io, loaded.scenarios)) return std::nullopt;
  FailingRun run;
  run.scenario = std::move(loaded.scenarios.front());
  run.to_run = true;
  return run;
}

std::optional<FailingRun> FromTrace(Io& io, const std::string& file, const std::string& input) {
  const std::string path = os::IsDirectory(file) ? file + "/trace.jsonl" : file;
  const std::optional<trace::Trace> trace = ReadFailingTrace(io, path, input);
  if (!trace) return std::nullopt;
  std::optional<Scenario> scenario = ScenarioOf(io, *trace, path);
  if (!scenario) return std::nullopt;
  FailingRun run;
  run.scenario = *std::move(scenario);
  run.overrides = trace->header.overrides;
  if (trace->header.mode == "fuzz") {
    run.strategy.emplace();
    run.strategy->name = trace->header.strategy;
    run.strategy->seed = trace->header.strategy_seed;
    run.strategy->params = trace->header.strategy_params;
  }
  run.cut = !trace->end;
  if (trace->end) run.findings = fuzz::FindingsOf(trace->end->violations);
  return run;
}

std::optional<FailingRun> ReadFailingRun(Io& io, const std::string& path) {
  std::string input;
  if (path == "-") {  // it can be read once only, whatever it is
    absl::StatusOr<std::string> text = os::ReadFile("-");
    if (!text.ok()) {
      io.Err(fmt::format("stdin: error: cannot read it: {}\n", Message(text.status())));
      return std::nullopt;
    }
    input = *std::move(text);
  }
  return IsScenario(path, input) ? FromScenario(io, path, input) : FromTrace(io, path, input);
}

// --- shrinking ---

// Runs the scenario to see how it fails.
void RunToFindings(FailingRun* run) {
  fuzz::RunSetup setup;
  setup.stop = [] { return interrupted != 0; };
  // Without a strategy there is none that could be unknown.
  const absl::StatusOr<std::unique_ptr<fuzz::Run>> made =
      fuzz::Run::Make(run->scenario, std::move(setup));
  run->findings = (*made)->Execute().findings;
}

const CampaignFinding* FindingOf(const FailingRun& run, const std::string& oracle) {
  for (const CampaignFinding& f : run.findings)
    if (oracle.empty() || f.oracle == oracle) return &f;
  return nullptr;
}

int WriteAndPrintShrunk(Io& io, const ShrinkFlags& flags, const FailingRun& run,
                        const CampaignFinding& finding, const Shrunk& shrunk) {
  fuzz::Failure failure;
  failure.finding = finding;
  failure.number = run.scenario.seed;
  if (run.strategy) failure.job.strategy = *run.strategy;
  const absl::Status status = WriteAsWhole(
      flags.out, [&](const std::string& dir) { return fuzz::WriteShrunk(dir, failure, shrunk); });
  if (!status.ok()) {
    io.Err(CannotWrite(flags.out, status));
    return kInvalid;
  }
  io.Out(fmt::format("{}: {}\n", shrunk.finding.oracle, shrunk.finding.message));
  if (!flags.common.quiet) {
    const std::size_t left = fuzz::StepsLeft(shrunk);
    io.Out(fmt::format("{} decision{} left, after {} runs:\n", left, left == 1 ? " is" : "s are",
                       Grouped(shrunk.runs)));
    for (const std::string& line : fuzz::StepLines(shrunk)) io.Out(fmt::format("  {}\n", line));
    if (!shrunk.nearest.empty()) io.Out(fmt::format("nearest: {}\n", shrunk.nearest));
    if (shrunk.wrong_step) io.Out(shrunk.wrong_step->text);
  }
  io.Out(fmt::format("{}/{} seeds\n", shrunk.seeds_failing, shrunk.seeds_tried));
  io.Out(CommandOn(io.program().command, shrunk.runs_alone, flags.out) + "\n");
  return interrupted == 0 ? kOk : InterruptedCode();
}

int RunShrink(Io& io, const ShrinkFlags& flags) {
  io.SetColor(flags.common.color);
  if (flags.out.empty()) {
    io.Err("--out: error: \"\" is no directory\n");
    return kInvalid;
  }
  std::optional<FailingRun> run = ReadFailingRun(io, flags.path);
  if (!run) return kInvalid;
  const InterruptibleScope until_all_is_written;
  if (run->to_run) RunToFindings(&*run);
  const CampaignFinding* finding = FindingOf(*run, flags.oracle);
  if (finding == nullptr && interrupted != 0) return InterruptedCode();
  if (finding == nullptr) {
    io.Err(fmt::format("{}: error: no violation{} in it\n", flags.path,
                       flags.oracle.empty() ? "" : " of " + flags.oracle));
    return run->cut ? kUndecided : kNothing;
  }
  fuzz::ShrinkOptions options;
  options.runs = flags.runs;
  options.interrupted = [] { return interrupted != 0; };
  const Shrunk shrunk =
      fuzz::Shrink(run->scenario, run->strategy, run->overrides, *finding, options);
  if (!shrunk.reproduced && interrupted != 0) return InterruptedCode();
  if (!shrunk.reproduced) {
    io.Err(fmt::format("{}: error: {} did not come again\n", flags.path, finding->Key()));
    return kNothing;
  }
  return WriteAndPrintShrunk(io, flags, *run, *finding, shrunk);
}

}  // namespace

Command ShrinkCommand() {
  return {
      .name = "shrink",
      .summary = "make a failing trace or scenario as small as it gets",
      .usage = "ksim shrink FILE [flags]",
      .description =
          "FILE is a trace that ends with a violation, a directory of `ksim fuzz`, or a Scenario\n"
          "that fails. What is left fails the same oracle at the same place; it is written to\n"
          "DIR/scenario.yaml with its trace and a README.md.",
      .examples =
          {{"What does the failure hang on?",
            "ksim fuzz scenarios/replicaset.yaml --seeds 1..100 --shrink-runs 0 --out /tmp/found; "
            "ksim shrink /tmp/found/* --out /tmp/small"}},
      .invoke = &Invoke<ShrinkFlags, AddShrinkFlags, RunShrink>};
}

}  // namespace ksim::cli
