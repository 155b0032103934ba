#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/apiserver/audit.h"
#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/klog.h"
#include "ksim/cli/result.h"
#include "ksim/cli/story.h"
#include "ksim/cli/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

using scenario::Loaded;
using scenario::Runner;
using scenario::RunReport;
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
    app.add_option("--trace", trace_, "Writes the trace: FILE.jsonl, FILE.ktrace or -")
        ->type_name("FILE");
    app.add_option("--audit-log", audit_log_,
                   "Writes what the API servers were asked and answered, as their audit log: FILE "
                   "or -")
        ->type_name("FILE");
    app.add_option("--audit-level", audit_level_,
                   "How much of it: Metadata, Request (with bodies), RequestResponse")
        ->type_name("LEVEL")
        ->check(OneOf({"Metadata", "Request", "RequestResponse"}))
        ->capture_default_str();
    app.add_flag("--trace-objects", trace_objects_, "Whole objects in the trace, for readers");
    common_.DefineOutput(app, {"text", "wide", "json", "yaml", "name"}, "text");
    app.add_option("-v,--v", common_.verbosity,
                   "1 tells how soon handlers heard, 6 shows requests, 8 bodies, 10 curl lines")
        ->type_name("LEVEL");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
    app.add_option("--junit", junit_, "Writes a JUnit report")->type_name("FILE");
    app.add_option("--jobs", jobs_, "Runs at a time; this version runs one after the other")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    app.add_flag("--bisect", common_.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (files_.empty()) {
      io.Err("error: which file?\nhint: ksim run scenarios/replicaset.yaml\n");
      return kInvalid;
    }
    Loaded loaded;
    if (const int code = LoadAll(io, &loaded); code != kOk) return code;
    std::vector<int> codes;
    std::vector<JUnitCase> cases;
    for (std::size_t i = 0; i < loaded.scenarios.size(); ++i) {
      codes.push_back(RunOne(io, loaded.scenarios[i], loaded.scenarios.size() > 1, &cases));
      if (interrupted != 0) break;
    }
    if (!trees_.empty()) io.Out(TreeText(ResultList(), common_.output));
    if (!junit_.empty() && !Written(io, junit_, os::WriteFile(junit_, JUnitXml(cases))))
      codes.push_back(kUndecided);
    return Worst(codes);
  }

 private:
  // Everything that can be wrong before a run begins.
  int LoadAll(Io& io, Loaded* loaded) {
    scenario::LoadOptions options;
    options.seed = scenario_.seed;
    options.set = scenario_.set;
    options.strict = scenario_.strict;
    *loaded = scenario::Load(files_, options);
    std::vector<Diagnostic> errors = loaded->errors;
    for (std::size_t i = 0; errors.empty() && i < loaded->scenarios.size(); ++i) {
      errors = scenario::NotInThisVersion(loaded->scenarios[i], loaded->files[i]);
      for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
      if (errors.empty()) errors = scenario::DryRun(loaded->scenarios[i]);
    }
    if (errors.empty()) errors = CheckFiles(loaded->scenarios.size());
    if (!common_.quiet) io.Err(Render(loaded->warnings, io.err_color()));
    if (!errors.empty()) {
      io.Err(Render(errors, io.err_color()));
      return kInvalid;
    }
    if (loaded->nothing) {
      io.Err("error: no *.yaml in there\n");
      return kNothing;
    }
    return kOk;
  }

  std::vector<Diagnostic> CheckFiles(std::size_t runs) const {
    std::vector<Diagnostic> errors;
    for (const auto& [flag, file] : {std::pair("--trace", &trace_), {"--audit-log", &audit_log_}})
      if (runs > 1 && !file->empty())
        errors.push_back(UsageError(flag, fmt::format("takes one run, there are {}", runs)));
    for (const std::string* file : {&trace_, &audit_log_, &junit_}) {
      if (file->empty()) continue;
      if (const absl::Status s = os::CheckWritable(*file); !s.ok())
        errors.push_back(UsageError(*file, fmt::format("cannot write it: {}", Message(s))));
    }
    return errors;
  }

  static Diagnostic UsageError(std::string what, std::string message) {
    Diagnostic d;
    d.file = std::move(what);
    d.message = std::move(message);
    return d;
  }

  int RunOne(Io& io, const Scenario& scenario, bool many, std::vector<JUnitCase>* cases) {
    scenario::RunnerOptions options;
    options.stop = [](const sim::Event&) { return interrupted != 0; };
    apiserver::AuditLog audit(apiserver::ParseAuditLevel(audit_level_).value());
    if (!audit_log_.empty()) options.world.audit = &audit;
    Runner runner(scenario, std::move(options));
    RunReport report = runner.Run();
    int code = report.exit_code;
    if (scenario_.strict && code == kOk &&
        !(report.never_begun.empty() && report.faults_missing.empty()))
      code = kViolation;
    if (interrupted != 0 && code == kOk) code = interrupted == 2 ? kInterrupted : kTerminated;
    const bool written =
        (trace_.empty() || WriteTrace(io, runner)) && (audit_log_.empty() || WriteAudit(io, audit));
    if (!written) code = Worst({code, kUndecided});
    report.exit_code = code;
    Print(io, scenario, runner, report, many);
    JUnitCase result;
    result.name = scenario.name;
    result.exit_code = code;
    result.message = Complaints(report, runner.events(), scenario_.strict, false);
    cases->push_back(std::move(result));
    return code;
  }

  bool WriteTrace(Io& io, const Runner& runner) {
    trace::RenderOptions options;
    options.objects = trace_objects_;
    const trace::Trace trace = runner.MakeTrace(options);
    if (trace_ == "-") {
      io.Out(trace::FormatTrace(trace, false));
      return true;
    }
    return Written(io, trace_, trace::WriteTrace(trace, trace_));
  }

  static bool Written(Io& io, const std::string& path, const absl::Status& status) {
    if (!status.ok())
      io.Err(fmt::format("{}: error: cannot write it: {}\n", path, Message(status)));
    return status.ok();
  }

  bool WriteAudit(Io& io, const apiserver::AuditLog& audit) {
    if (audit_log_ == "-") {
      io.Out(audit.ToJsonLines());
      return true;
    }
    return Written(io, audit_log_, os::WriteFile(audit_log_, audit.ToJsonLines()));
  }

  void Print(Io& io, const Scenario& scenario, Runner& runner, const RunReport& report, bool many) {
    if (common_.verbosity >= 6) io.Err(RequestLog(runner.events(), common_.verbosity));
    const std::vector<api::Object> objects = runner.world().Objects();
    const api::Kinds& kinds = runner.world().kinds();
    const bool trace_on_stdout = trace_ == "-" || audit_log_ == "-";
    const auto tree = [&] {
      return ResultTree(scenario, report, objects, scenario::DeliveryOf(runner.events()));
    };
    const bool program = common_.output == "json" || common_.output == "yaml";
    if (program && many)
      trees_.push_back(tree());
    else if (program)
      io.Out(TreeText(tree(), common_.output));
    else if (common_.output == "name")
      io.Out(ResultNames(scenario, kinds, objects));
    else if (!trace_on_stdout)
      PrintText(io, scenario, runner, report, objects, many);
    io.Err(Complaints(report, runner.events(), scenario_.strict, io.err_color()));
  }

  // Of several runs: one document.
  value::Value ResultList() {
    return value::Obj({{"apiVersion", value::Value::Of("ksim.dev/v1")},
                       {"kind", value::Value::Of("RunResultList")},
                       {"items", value::Value::Array(std::move(trees_))}});
  }

  void PrintText(Io& io, const Scenario& scenario, Runner& runner, const RunReport& report,
                 const std::vector<api::Object>& objects, bool many) {
    const api::Kinds& kinds = runner.world().kinds();
    if (common_.output == "text" && !common_.quiet && !many) {
      io.Out(fmt::format(
          "scenario {}: {} nodes, seed {}, Kubernetes {}, ksim {}\n"
          "Each line: step of the walk-through, virtual time, event, who, what  <- the event that "
          "led to it.\n",
          scenario.name, scenario.cluster.NodeNames().size(), scenario.seed,
          api::ToString(scenario.compat), Version()));
      std::vector<trace::Record> records;
      for (const sim::Event& e : runner.events())
        records.push_back(trace::Render(e, trace::RenderOptions()));
      io.Out(TellStory(records, kinds, io.out_color()) + "\n");
    }
    if (!many && !(common_.quiet && common_.output == "text")) {
      const std::string table =
          ResultTable(scenario, kinds, objects, runner.world().sim().now(), true);
      if (common_.output == "text" && !table.empty()) io.Out("$ kubectl get -o wide\n");
      io.Out(table + (table.empty() ? "" : "\n"));
    }
    if (common_.verbosity >= 1) {
      io.Out("From a commit to the handlers, and what was listed:\n");
      io.Out(scenario::DeliveryTable(scenario::DeliveryOf(runner.events())) + "\n");
    }
    io.Out(SummaryLine(scenario, report, many));
  }

  std::vector<std::string> files_;
  ScenarioFlags scenario_;
  CommonFlags common_;
  std::string trace_;
  std::string audit_log_;
  std::string audit_level_ = "Metadata";
  bool trace_objects_ = false;
  std::string junit_;
  int jobs_ = 1;
  std::vector<value::Value> trees_;  // results of several runs, for programs
};

}  // namespace

std::unique_ptr<Command> MakeRun() { return std::make_unique<RunCommandImpl>(); }

}  // namespace ksim::cli
