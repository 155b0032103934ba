#include "ksim/fuzz/shrink.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/help.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/findings.h"
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
  bool cut = false;  // the trace does not say how the run ended
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
    app.add_option("FILE", path_, "A trace, a directory of `ksim fuzz`, or a Scenario")->required();
    app.add_option("--out", out_, "Where the result is written; default ksim-shrink")
        ->type_name("DIR");
    app.add_option("--shrink-runs", runs_, "Most runs; default 2000")->type_name("N");
    app.add_option("--oracle", oracle_, "Which violation, if there are several; default the first")
        ->type_name("NAME");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    std::optional<Case> c = IsScenario() ? FromScenario(io) : FromTrace(io);
    if (!c) return kInvalid;
    const Finding* finding = Wanted(*c);
    if (finding == nullptr) {
      io.Err(fmt::format("{}: error: no violation{} in it\n", path_,
                         oracle_.empty() ? "" : " of " + oracle_));
      return c->cut ? kUndecided : kNothing;
    }
    fuzz::ShrinkOptions options;
    options.runs = runs_;
    options.interrupted = [] { return interrupted != 0; };
    const Shrunk shrunk = fuzz::Shrink(c->scenario, c->strategy, c->overrides, *finding, options);
    if (!shrunk.reproduced) {
      io.Err(fmt::format("{}: error: {} did not come again\n", path_, finding->Key()));
      return kNothing;
    }
    return Tell(io, *c, *finding, shrunk);
  }

 private:
  bool IsScenario() const { return path_.ends_with(".yaml") || path_.ends_with(".yml"); }

  std::optional<Case> FromScenario(Io& io) {
    scenario::Loaded loaded = scenario::Load({path_}, scenario::LoadOptions());
    if (!loaded.errors.empty() || loaded.scenarios.size() != 1) {
      io.Err(Render(loaded.errors, io.err_color()));
      return std::nullopt;
    }
    Case c;
    c.scenario = std::move(loaded.scenarios.front());
    const absl::StatusOr<std::unique_ptr<fuzz::Run>> run =
        fuzz::Run::Make(c.scenario, fuzz::RunSetup());
    c.findings = (*run)->Go().findings;
    return c;
  }

  std::optional<Case> FromTrace(Io& io) {
    const std::string path = os::IsDirectory(path_) ? path_ + "/trace.jsonl" : path_;
    const std::optional<trace::Trace> trace = ReadTraceOrTell(io, path);
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
    const absl::Status status = fuzz::WriteShrunk(out_, failure, shrunk);
    if (!status.ok()) {
      io.Err(CannotWrite(out_, status));
      return kInvalid;
    }
    io.Out(fmt::format("{}: {}\n", shrunk.finding.oracle, shrunk.finding.message));
    if (!common_.quiet) {
      io.Out(fmt::format("{} decisions are left, after {} runs:\n", shrunk.decisions.size(),
                         Grouped(shrunk.runs)));
      for (const sim::Decision& d : shrunk.decisions)
        io.Out(fmt::format("  {}\n", fuzz::DecisionText(d)));
      if (!shrunk.nearest.empty()) io.Out(fmt::format("nearest: {}\n", shrunk.nearest));
    }
    io.Out(fmt::format("{}/{} seeds\n", shrunk.seeds_failing, shrunk.seeds_tried));
    io.Out(shrunk.runs_alone ? fmt::format("ksim run {}\n", ShellQuote(out_ + "/scenario.yaml"))
                             : fmt::format("ksim replay {}\n", ShellQuote(out_ + "/trace.jsonl")));
    if (interrupted != 0) return interrupted == 2 ? kInterrupted : kTerminated;
    return kOk;
  }

  std::string path_;
  std::string out_ = "ksim-shrink";
  std::string oracle_;
  std::uint64_t runs_ = 2000;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeShrink() { return std::make_unique<ShrinkCommand>(); }

}  // namespace ksim::cli
