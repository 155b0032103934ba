#include "ksim/fuzz/shrink.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/failure_files.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/help.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {
namespace {

using fuzz::Finding;
using fuzz::Shrunk;
using scenario::Scenario;

// A run that fails, and how.
struct Case {
  Scenario scenario;
  std::optional<fuzz::StrategySpec> strategy;
  std::vector<sim::Override> overrides;
  std::vector<Finding> findings;
  bool to_run = false;  // how it fails is not known yet
  bool cut = false;     // the trace does not say how the run ended
};

class ShrinkCommand : public Command {
 public:
  std::string_view name() const override { return "shrink"; }
  std::string_view summary() const override {
    return "make a failing trace or scenario as small as it gets";
  }
  std::string_view usage() const override { return "ksim shrink FILE [flags]"; }
  std::string_view description() const override {
    return "FILE is a trace that ends with a violation, a directory of `ksim fuzz`, or a Scenario\n"
           "that fails. What is left fails the same oracle at the same place; it is written to\n"
           "DIR/scenario.yaml with its trace and a README.md.";
  }
  std::vector<Example> examples() const override {
    return {{"What does the failure hang on?",
             "ksim fuzz scenarios/replicaset.yaml --seeds 1..100 --shrink-runs 0 --out /tmp/found; "
             "ksim shrink /tmp/found/* --out /tmp/small"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("FILE", path_, "A trace, a directory of `ksim fuzz`, or a Scenario; - is stdin")
        ->required();
    app.add_option("--out", out_, "Where the result is written; default ksim-shrink")
        ->type_name("DIR");
    app.add_option("--shrink-runs", runs_,
                   "Most runs; default 2000. Showing the failure takes up to five in any case")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000'000));
    app.add_option("--oracle", oracle_, "Which violation, if there are several; default the first")
        ->type_name("NAME");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (out_.empty()) {
      io.Err("--out: error: \"\" is no directory\n");
      return kInvalid;
    }
    if (path_ == "-" && !ReadStdin(io)) return kInvalid;
    std::optional<Case> c = IsScenario() ? FromScenario(io) : FromTrace(io);
    if (!c) return kInvalid;
    const Stoppable until_all_is_written;
    if (c->to_run) FindOut(&*c);
    const Finding* finding = Wanted(*c);
    if (finding == nullptr && interrupted != 0) return InterruptedCode();
    if (finding == nullptr) {
      io.Err(fmt::format("{}: error: no violation{} in it\n", path_,
                         oracle_.empty() ? "" : " of " + oracle_));
      return c->cut ? kUndecided : kNothing;
    }
    fuzz::ShrinkOptions options;
    options.runs = runs_;
    options.interrupted = [] { return interrupted != 0; };
    const Shrunk shrunk = fuzz::Shrink(c->scenario, c->strategy, c->overrides, *finding, options);
    if (!shrunk.reproduced && interrupted != 0) return InterruptedCode();
    if (!shrunk.reproduced) {
      io.Err(fmt::format("{}: error: {} did not come again\n", path_, finding->Key()));
      return kNothing;
    }
    return Tell(io, *c, *finding, shrunk);
  }

 private:
  // A trace says so in its first bytes. A file whose name says what it is may be a bad one.
  bool IsScenario() const {
    if (path_ == "-") return !IsTrace(stdin_);
    if (!path_.ends_with(".json")) return path_.ends_with(".yaml") || path_.ends_with(".yml");
    const absl::StatusOr<std::string> text = os::ReadFile(path_);
    return text.ok() && !IsTrace(*text);
  }
  static bool IsTrace(std::string_view text) {
    return text.starts_with("{\"ksim\":") || text.starts_with(kBinary);
  }

  // It can be read once only, whatever it is.
  bool ReadStdin(Io& io) {
    absl::StatusOr<std::string> text = os::ReadFile("-");
    if (text.ok()) stdin_ = *std::move(text);
    if (!text.ok())
      io.Err(fmt::format("stdin: error: cannot read it: {}\n", Message(text.status())));
    return text.ok();
  }

  std::optional<trace::Trace> ReadTrace(Io& io, const std::string& path) const {
    if (path != "-") return ReadTraceOrTell(io, path);
    absl::StatusOr<trace::Trace> trace = trace::ParseTrace(stdin_);
    if (trace.ok()) return *std::move(trace);
    io.Err(fmt::format("stdin: error: no trace of ksim: {}\n", Message(trace.status())));
    return std::nullopt;
  }

  std::optional<Case> FromScenario(Io& io) {
    scenario::LoadOptions options;
    if (path_ == "-")
      options.read = [this](const std::string& path) -> absl::StatusOr<std::string> {
        if (path == "-") return stdin_;
        return os::ReadFile(path);
      };
    scenario::Loaded loaded = scenario::Load({path_}, options);
    if (!loaded.errors.empty() || loaded.scenarios.size() != 1) {
      io.Err(Render(loaded.errors, io.err_color()));
      return std::nullopt;
    }
    Case c;
    c.scenario = std::move(loaded.scenarios.front());
    c.to_run = true;
    return c;
  }

  static void FindOut(Case* c) {
    fuzz::RunSetup setup;
    setup.stop = [] { return interrupted != 0; };
    // Without a strategy there is none that could be unknown.
    const absl::StatusOr<std::unique_ptr<fuzz::Run>> run =
        fuzz::Run::Make(c->scenario, std::move(setup));
    c->findings = (*run)->Go().findings;
  }

  std::optional<Case> FromTrace(Io& io) {
    const std::string path = os::IsDirectory(path_) ? path_ + "/trace.jsonl" : path_;
    const std::optional<trace::Trace> trace = ReadTrace(io, path);
    if (!trace) return std::nullopt;
    std::optional<Scenario> scenario = ScenarioOf(io, *trace, path);
    if (!scenario) return std::nullopt;
    Case c;
    c.scenario = *std::move(scenario);
    c.overrides = trace->header.overrides;
    if (trace->header.mode == "fuzz") {
      c.strategy.emplace();
      c.strategy->name = trace->header.strategy;
      c.strategy->seed = trace->header.strategy_seed;
      c.strategy->params = trace->header.strategy_params;
    }
    c.cut = !trace->end;
    if (trace->end) c.findings = fuzz::FindingsOf(trace->end->violations);
    return c;
  }

  const Finding* Wanted(const Case& c) const {
    for (const Finding& f : c.findings)
      if (oracle_.empty() || f.oracle == oracle_) return &f;
    return nullptr;
  }

  int Tell(Io& io, const Case& c, const Finding& finding, const Shrunk& shrunk) {
    fuzz::Failure failure;
    failure.finding = finding;
    failure.number = c.scenario.seed;
    if (c.strategy) failure.job.strategy = *c.strategy;
    const absl::Status status = WriteWhole(
        out_, [&](const std::string& dir) { return fuzz::WriteShrunk(dir, failure, shrunk); });
    if (!status.ok()) {
      io.Err(CannotWrite(out_, status));
      return kInvalid;
    }
    io.Out(fmt::format("{}: {}\n", shrunk.finding.oracle, shrunk.finding.message));
    if (!common_.quiet) {
      const std::size_t left = fuzz::StepsLeft(shrunk);
      io.Out(fmt::format("{} decision{} left, after {} runs:\n", left, left == 1 ? " is" : "s are",
                         Grouped(shrunk.runs)));
      for (const std::string& line : fuzz::StepLines(shrunk)) io.Out(fmt::format("  {}\n", line));
      if (!shrunk.nearest.empty()) io.Out(fmt::format("nearest: {}\n", shrunk.nearest));
    }
    io.Out(fmt::format("{}/{} seeds\n", shrunk.seeds_failing, shrunk.seeds_tried));
    io.Out(shrunk.runs_alone ? fmt::format("ksim run {}\n", ShellQuote(out_ + "/scenario.yaml"))
                             : fmt::format("ksim replay {}\n", ShellQuote(out_ + "/trace.jsonl")));
    return interrupted == 0 ? kOk : InterruptedCode();
  }

  static constexpr std::string_view kBinary = "ksimtrc1";
  std::string path_, stdin_;
  std::string out_ = "ksim-shrink";
  std::string oracle_;
  std::uint64_t runs_ = 2000;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeShrink() { return std::make_unique<ShrinkCommand>(); }

}  // namespace ksim::cli
