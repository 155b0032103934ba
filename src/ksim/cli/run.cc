#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "ksim/base/in_order.h"
#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/run_one.h"
#include "ksim/cli/signals.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {
namespace {

using scenario::Loaded;
using scenario::Scenario;

class RunCommandImpl : public Command {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override {
    return "run scenarios or manifests until nothing is left to do";
  }
  std::string_view usage() const override { return "ksim run FILE... [flags]"; }
  std::string_view description() const override {
    return "FILE is a Scenario, or plain Kubernetes manifests, which together run on a default\n"
           "cluster of 3 nodes; a directory means its *.yaml, sorted; - is standard input.";
  }
  std::vector<Example> examples() const override {
    return {
        {"The whole way of a ReplicaSet, told step by step", "ksim run scenarios/replicaset.yaml"},
        {"Another seed and five nodes; only the result",
         "ksim run scenarios/replicaset.yaml --seed 7 --set cluster.nodes=5 -o wide"},
        {"Keep the trace", "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl"},
        {"What kubectl and the others say to the API server, with curl lines",
         "ksim run scenarios/replicaset.yaml -v 10"},
        {"The result for a program", "ksim run scenarios/replicaset.yaml -o json"}};
  }

  void Define(CLI::App& app) override {
    app.add_option("FILE", files_, "Scenarios or manifests")->type_name("FILE");
    scenario_.Define(app);
    app.add_option("--trace", flags_.trace, "Writes the trace: FILE.jsonl, FILE.ktrace or -")
        ->type_name("FILE")
        ->check(NotEmpty("file"));
    app.add_option("--audit-log", flags_.audit_log,
                   "Writes what the API servers were asked and answered, as their audit log: FILE "
                   "or -")
        ->type_name("FILE")
        ->check(NotEmpty("file"));
    app.add_option("--audit-level", flags_.audit_level,
                   "How much of it: Metadata, Request (with bodies), RequestResponse")
        ->type_name("LEVEL")
        ->check(OneOf({"Metadata", "Request", "RequestResponse"}))
        ->capture_default_str();
    app.add_flag("--trace-objects", flags_.trace_objects,
                 "Whole objects in the trace, for readers");
    flags_.common.DefineOutput(app, {"text", "wide", "json", "yaml", "name"}, "text");
    app.add_option("-v,--v", flags_.common.verbosity,
                   "1 tells how soon handlers heard, 6 shows requests, 8 bodies, 10 curl lines")
        ->type_name("LEVEL")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()));
    flags_.common.DefineColor(app);
    flags_.common.DefineQuiet(app);
    app.add_option("--junit", junit_, "Writes a JUnit report")
        ->type_name("FILE")
        ->check(NotEmpty("file"));
    app.add_option("--jobs", jobs_, "Runs at a time, each in a process of its own")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    app.add_flag("--bisect", flags_.common.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(flags_.common.color);
    if (files_.empty()) {
      io.Err("error: which file?\nhint: ksim run scenarios/replicaset.yaml\n");
      return kInvalid;
    }
    Loaded loaded;
    if (const int code = LoadAll(io, &loaded); code != kOk) return code;
    const Stoppable until_all_is_written;
    if (loaded.scenarios.size() > 1 && jobs_ > 1)
      RunSideBySide(io, loaded.scenarios);
    else
      RunInTurn(io, loaded.scenarios);
    if (!trees_.empty()) io.Out(kubectl::TreeText(ResultList(), flags_.common.output));
    WriteJUnit(io);
    return Worst(codes_);
  }

 private:
  // Everything that can be wrong before a run begins.
  int LoadAll(Io& io, Loaded* loaded) {
    scenario::LoadOptions options;
    options.seed = scenario_.seed;
    options.set = scenario_.set;
    options.strict = scenario_.strict;
    flags_.strict = scenario_.strict;
    *loaded = scenario::Load(files_, options);
    std::vector<Diagnostic> errors = loaded->errors;
    for (std::size_t i = 0; errors.empty() && i < loaded->scenarios.size(); ++i) {
      errors = scenario::NotInThisVersion(loaded->scenarios[i], loaded->files[i]);
      for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
      if (errors.empty()) errors = scenario::DryRun(loaded->scenarios[i]);
    }
    if (errors.empty()) errors = CheckFiles(*loaded);
    if (!flags_.common.quiet) io.Err(Render(loaded->warnings, io.err_color()));
    if (!errors.empty()) {
      io.Err(Render(errors, io.err_color()));
      return kInvalid;
    }
    if (loaded->nothing) {
      io.Err(fmt::format("error: no *.yaml in {}\n", fmt::join(files_, ", ")));
      return kNothing;
    }
    return kOk;
  }

  std::vector<Diagnostic> CheckFiles(const Loaded& loaded) const {
    std::vector<Diagnostic> errors;
    const std::size_t runs = loaded.scenarios.size();
    for (const auto& [flag, file] :
         {std::pair("--trace", &flags_.trace), {"--audit-log", &flags_.audit_log}})
      if (runs > 1 && !file->empty())
        errors.push_back(UsageError(flag, fmt::format("takes one run, there are {}", runs)));
    for (const std::string* file : {&flags_.trace, &flags_.audit_log, &junit_}) {
      if (file->empty()) continue;
      if (const absl::Status s = os::CheckWritable(*file); !s.ok())
        errors.push_back(UsageError(*file, fmt::format("cannot write it: {}", Message(s))));
    }
    CheckApart(loaded, &errors);
    return errors;
  }

  // No file is written twice, or over what is read, and standard output holds one thing.
  void CheckApart(const Loaded& loaded, std::vector<Diagnostic>* errors) const {
    const std::pair<std::string, const std::string*> outputs[] = {
        {"--trace", &flags_.trace}, {"--audit-log", &flags_.audit_log}, {"--junit", &junit_}};
    std::string stdout_taken;
    if (flags_.common.output == "json" || flags_.common.output == "yaml")
      stdout_taken = "-o " + flags_.common.output;
    for (const auto& [flag, file] : outputs) {
      for (const std::string& input : loaded.files)
        if (!file->empty() && os::IsSameFile(*file, input))
          errors->push_back(UsageError(flag, fmt::format("would write over {}", input)));
      for (const auto& [other, its_file] : outputs)
        if (other < flag && !file->empty() && os::IsSameFile(*file, *its_file))
          errors->push_back(UsageError(flag, fmt::format("{} writes {} too", other, *file)));
      if (*file != "-") continue;
      if (!stdout_taken.empty())
        errors->push_back(
            UsageError(flag, fmt::format("{} writes to standard output too", stdout_taken)));
      stdout_taken = flag + " -";
    }
  }

  static Diagnostic UsageError(std::string what, std::string message) {
    Diagnostic d;
    d.file = std::move(what);
    d.message = std::move(message);
    return d;
  }

  void RunInTurn(Io& io, const std::vector<Scenario>& scenarios) {
    for (const Scenario& scenario : scenarios) {
      Keep(io, scenario, RunOne(flags_, io, scenario, scenarios.size() > 1));
      if (interrupted != 0) break;
    }
  }

  // The same words in the same order as one after the other.
  void RunSideBySide(Io& io, const std::vector<Scenario>& scenarios) {
    const auto work = [&](std::size_t i) {
      HearSignals();  // a run that is stopped has something to say
      return Encode(RunOne(flags_, io, scenarios[i], true));
    };
    const auto take = [&](const os::Piece& piece) {
      const Scenario& scenario = scenarios[piece.number];
      absl::StatusOr<Ran> ran = DecodeRan(piece.text.value_or(""));
      Keep(io, scenario, ran.ok() ? *std::move(ran) : Lost(scenario, piece));
    };
    const int workers = std::min(jobs_, static_cast<int>(scenarios.size()));
    const absl::Status status =
        os::InOrder(scenarios.size(), workers, work, take, [] { return interrupted.load(); });
    if (!status.ok()) {
      io.Err(fmt::format("error: cannot start another process: {}\n", Message(status)));
      codes_.push_back(kUndecided);
    }
    if (interrupted != 0) codes_.push_back(InterruptedCode());
  }

  // A run whose process was killed, by a signal or by ksim's own checks, which have said why.
  static Ran Lost(const Scenario& scenario, const os::Piece& piece) {
    Ran ran;
    ran.code = piece.exit_code == kBug ? kBug : kUndecided;
    if (interrupted != 0 && piece.exit_code == InterruptedCode()) ran.code = piece.exit_code;
    ran.complaints = "its process ended with " + piece.how;
    ran.Err(fmt::format("{}: error: {}\n", scenario.name, ran.complaints));
    return ran;
  }

  void Keep(Io& io, const Scenario& scenario, Ran ran) {
    ran.Say(io);
    codes_.push_back(ran.code);
    if (!ran.tree.is_null()) trees_.push_back(std::move(ran.tree));
    JUnitCase result;
    result.name = scenario.name;
    result.exit_code = ran.code;
    result.message = std::move(ran.complaints);
    cases_.push_back(std::move(result));
  }

  void WriteJUnit(Io& io) {
    if (junit_.empty()) return;
    const absl::Status status = os::WriteFile(junit_, JUnitXml(cases_));
    if (status.ok()) return;
    io.Err(CannotWrite(junit_, status));
    codes_.push_back(kUndecided);
  }

  // Of several runs: one document.
  value::Value ResultList() {
    return value::Obj({{"apiVersion", value::Value::Of("ksim.dev/v1")},
                       {"kind", value::Value::Of("RunResultList")},
                       {"items", value::Value::Array(std::move(trees_))}});
  }

  std::vector<std::string> files_;
  ScenarioFlags scenario_;
  RunFlags flags_;
  std::string junit_;
  int jobs_ = 1;
  std::vector<int> codes_;
  std::vector<JUnitCase> cases_;
  std::vector<value::Value> trees_;  // results of several runs, for programs
};

}  // namespace

std::unique_ptr<Command> MakeRun() { return std::make_unique<RunCommandImpl>(); }

}  // namespace ksim::cli
