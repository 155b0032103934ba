// ksim run: scenarios or manifests, run until nothing is left to do.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ksim/base/in_order.h"
#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/guest_programs.h"
#include "ksim/cli/live_line.h"
#include "ksim/cli/result.h"
#include "ksim/cli/run_against.h"
#include "ksim/cli/run_scenario.h"
#include "ksim/cli/scenario_flags.h"
#include "ksim/cli/signals.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"

namespace ksim::cli {
namespace {

using scenario::Loaded;
using scenario::Scenario;

struct RunFlags {
  std::vector<std::string> files;
  ScenarioFlags scenario;
  RunOptions options;
  std::string junit;
  std::string against;
  int jobs = 1;
};

void AddRunFlags(FlagSet& set, RunFlags& flags) {
  RunOptions& options = flags.options;
  set.Add("FILE", &flags.files, "Scenarios or manifests").Type("FILE");
  AddScenarioFlags(set, flags.scenario);
  set.Add("--trace", &options.trace, "Writes the trace: FILE.jsonl, FILE.ktrace or -")
      .Type("FILE")
      .NotEmpty("file");
  set.Add("--audit-log", &options.audit_log,
          "Writes what the API servers were asked and answered, as their audit log: FILE or -")
      .Type("FILE")
      .NotEmpty("file");
  set.Add("--audit-level", &options.audit_level,
          "How much of it: Metadata, Request (with bodies), RequestResponse")
      .Type("LEVEL")
      .OneOf({"Metadata", "Request", "RequestResponse"});
  set.Add("--trace-objects", &options.trace_objects, "Whole objects in the trace, for readers");
  AddOutputFlag(set, options.common, {"text", "wide", "json", "yaml", "name"});
  set.Add("-v,--v", &options.common.verbosity,
          "1 tells how soon handlers heard, 6 shows requests, 8 bodies, 10 curl lines")
      .Type("LEVEL")
      .Range(0, std::numeric_limits<int>::max());
  set.Add("--log", &options.log,
          "The log of this process alone, in its place: its informers with -v 1 to 5, its requests "
          "too with -v 6 to 10")
      .Type("PROCESS")
      .NotEmpty("process");
  AddColorFlag(set, options.common);
  AddQuietFlag(set, options.common);
  set.Add("--junit", &flags.junit, "Writes a JUnit report").Type("FILE").NotEmpty("file");
  set.Add("--jobs", &flags.jobs, "Runs at a time, each in a process of its own")
      .Type("N")
      .Range(1, 1024);
  set.Add("--against", &flags.against,
          "Runs in this version too, and tells what becomes of the objects otherwise")
      .Type("VERSION")
      .Check(CompatComplaint);
  AddBisectFlag(set, options.common);
}

// --- everything that can be wrong before a run begins ---

Diagnostic FileError(std::string file, std::string message) {
  Diagnostic d;
  d.file = std::move(file);
  d.message = std::move(message);
  return d;
}

// Adds an error for a file that would be written twice, or over what is read, and for two results
// on standard output.
void CheckOutputsApart(const RunFlags& flags, const Loaded& loaded,
                       std::vector<Diagnostic>* errors) {
  const RunOptions& options = flags.options;
  const std::pair<std::string, const std::string*> outputs[] = {
      {"--trace", &options.trace}, {"--audit-log", &options.audit_log}, {"--junit", &flags.junit}};
  std::string stdout_taken;
  if (options.common.output == "json" || options.common.output == "yaml")
    stdout_taken = "-o " + options.common.output;
  for (const auto& [flag, file] : outputs) {
    for (const std::string& input : loaded.files)
      if (!file->empty() && os::IsSameFile(*file, input))
        errors->push_back(FileError(flag, fmt::format("would write over {}", input)));
    for (const auto& [other, its_file] : outputs)
      if (other < flag && !file->empty() && os::IsSameFile(*file, *its_file))
        errors->push_back(FileError(flag, fmt::format("{} writes {} too", other, *file)));
    if (*file != "-") continue;
    if (!stdout_taken.empty())
      errors->push_back(
          FileError(flag, fmt::format("{} writes to standard output too", stdout_taken)));
    stdout_taken = flag + " -";
  }
}

std::vector<Diagnostic> CheckOutputs(const RunFlags& flags, const Loaded& loaded) {
  const RunOptions& options = flags.options;
  std::vector<Diagnostic> errors;
  const std::size_t runs = loaded.scenarios.size();
  for (const auto& [flag, file] :
       {std::pair("--trace", &options.trace), {"--audit-log", &options.audit_log}})
    if (runs > 1 && !file->empty())
      errors.push_back(FileError(flag, fmt::format("takes one run, there are {}", runs)));
  for (const std::string* file : {&options.trace, &options.audit_log, &flags.junit}) {
    if (file->empty()) continue;
    if (const absl::Status s = os::CheckWritable(*file); !s.ok())
      errors.push_back(FileError(*file, fmt::format("cannot write it: {}", Message(s))));
  }
  CheckOutputsApart(flags, loaded, &errors);
  return errors;
}

// For each scenario, whatever its run will do nothing about.
using NotSimulatedLists = std::vector<std::vector<scenario::NotSimulated>>;

NotSimulatedLists FindNotSimulated(Io& io, const RunFlags& flags, const Loaded& loaded) {
  NotSimulatedLists lists;
  const bool strict = flags.scenario.strict;
  for (std::size_t i = 0; i < loaded.scenarios.size(); ++i) {
    lists.push_back(scenario::NotSimulatedIn(loaded.scenarios[i], loaded.files[i]));
    io.Err(NotSimulatedText(lists.back(), strict, io.err_color()));
  }
  return lists;
}

int LoadScenarios(Io& io, const RunFlags& flags, Loaded* loaded) {
  *loaded = scenario::Load(flags.files, LoadOptionsOf(flags.scenario, io.program()));
  std::vector<Diagnostic> errors = loaded->errors;
  for (std::size_t i = 0; errors.empty() && i < loaded->scenarios.size(); ++i) {
    errors = scenario::NotInThisVersion(loaded->scenarios[i], loaded->files[i]);
    for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
    if (errors.empty()) errors = scenario::DryRun(loaded->scenarios[i]);
  }
  if (errors.empty()) errors = CheckOutputs(flags, *loaded);
  if (!flags.options.common.quiet) io.Err(Render(loaded->warnings, io.err_color()));
  if (!errors.empty()) {
    io.Err(Render(errors, io.err_color()));
    return kInvalid;
  }
  if (loaded->nothing) {
    io.Err(fmt::format("error: no *.yaml in {}\n", fmt::join(flags.files, ", ")));
    return kNothing;
  }
  return LoadGuestPrograms(io, loaded->scenarios) ? kOk : kInvalid;
}

// --- the runs ---

// The results of the runs so far.
struct RunResults {
  std::vector<int> codes;
  std::vector<JUnitCase> cases;
  std::vector<value::Value> trees;  // of several runs, for programs
};

void TakeRunOutput(Io& io, const Scenario& scenario, RunOutput output, RunResults* results) {
  output.WriteTo(io);
  results->codes.push_back(output.code);
  if (!output.tree.is_null()) results->trees.push_back(std::move(output.tree));
  JUnitCase result;
  result.name = scenario.name;
  result.exit_code = output.code;
  result.message = std::move(output.complaints);
  results->cases.push_back(std::move(result));
}

void RunInTurn(Io& io, const RunOptions& options, const std::vector<Scenario>& scenarios,
               const NotSimulatedLists& not_simulated, RunResults* results) {
  const bool many = scenarios.size() > 1;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    LiveLine progress;
    RunOutput output = RunScenario(options, io, scenarios[i], not_simulated[i], many, &progress);
    progress.Erase();
    TakeRunOutput(io, scenarios[i], std::move(output), results);
    if (interrupted != 0) break;
  }
}

// The output in place of that of a run whose process was killed, by a signal or by ksim's own
// checks, which have said why.
RunOutput OutputOfLostRun(const Scenario& scenario, const os::Piece& piece) {
  RunOutput output;
  output.code = piece.exit_code == kBug ? kBug : kUndecided;
  if (interrupted != 0 && piece.exit_code == InterruptedCode()) output.code = piece.exit_code;
  output.complaints = "its process ended with " + piece.how;
  output.Err(fmt::format("{}: error: {}\n", scenario.name, output.complaints));
  return output;
}

// Runs in worker processes, and prints the same in the same order as RunInTurn.
void RunSideBySide(Io& io, const RunOptions& options, const std::vector<Scenario>& scenarios,
                   const NotSimulatedLists& not_simulated, int jobs, RunResults* results) {
  LiveLine progress;
  const auto work = [&](std::size_t i) {
    InstallSignalHandlers();  // a run that is stopped has something to say
    return Encode(RunScenario(options, io, scenarios[i], not_simulated[i], true, nullptr));
  };
  const auto take = [&](const os::Piece& piece) {
    const Scenario& scenario = scenarios[piece.number];
    absl::StatusOr<RunOutput> output = DecodeRunOutput(piece.text.value_or(""));
    progress.Erase();
    TakeRunOutput(io, scenario, output.ok() ? *std::move(output) : OutputOfLostRun(scenario, piece),
                  results);
    io.Flush();
    if (results->codes.size() < scenarios.size() && progress.IsDue(1))
      progress.Show(fmt::format("{} of {} runs", results->codes.size(), scenarios.size()));
  };
  const int workers = std::min(jobs, static_cast<int>(scenarios.size()));
  const absl::Status status =
      os::InOrder(scenarios.size(), workers, work, take, [] { return interrupted.load(); });
  if (!status.ok()) {
    io.Err(fmt::format("error: cannot start another process: {}\n", Message(status)));
    results->codes.push_back(kUndecided);
  }
  if (interrupted != 0) results->codes.push_back(InterruptedCode());
}

void WriteJUnit(Io& io, const std::string& path, RunResults* results) {
  if (path.empty()) return;
  const absl::Status status = os::WriteFile(path, JUnitXml(results->cases));
  if (status.ok()) return;
  io.Err(CannotWrite(path, status));
  results->codes.push_back(kUndecided);
}

// The results of several runs as one document.
value::Value ResultList(std::vector<value::Value> trees) {
  return value::Obj({{"apiVersion", value::Value::Of("ksim.dev/v1")},
                     {"kind", value::Value::Of("RunResultList")},
                     {"items", value::Value::Array(std::move(trees))}});
}

// --- in two versions ---

// The flag that asks for something of one run; "" if none does.
std::string FlagOfOneRun(const RunFlags& flags) {
  const RunOptions& options = flags.options;
  if (!options.trace.empty()) return "--trace";
  if (!options.audit_log.empty()) return "--audit-log";
  if (!flags.junit.empty()) return "--junit";
  if (options.common.verbosity > 0) return "-v";
  if (!options.log.empty()) return "--log";
  if (flags.scenario.strict) return "--strict";
  if (options.common.output == "wide" || options.common.output == "name")
    return "-o " + options.common.output;
  return "";
}

int RunInTwoVersions(Io& io, const RunFlags& flags) {
  if (const std::string flag = FlagOfOneRun(flags); !flag.empty()) {
    io.Err(
        fmt::format("error: {} is for one run, and --against makes two\n"
                    "hint: --compat {} runs in that version alone\n",
                    flag, flags.against));
    return kInvalid;
  }
  RunFlags other_flags = flags;
  other_flags.scenario.compat = flags.against;
  other_flags.options.common.quiet = true;  // the warnings are the same
  Loaded loaded, other;
  if (const int code = LoadScenarios(io, flags, &loaded); code != kOk) return code;
  if (const int code = LoadScenarios(io, other_flags, &other); code != kOk) return code;
  for (std::size_t i = 0; i < loaded.scenarios.size(); ++i) {
    const Scenario& one = loaded.scenarios[i];
    if (api::ToString(one.compat) != flags.against) continue;
    io.Err(fmt::format("error: {} runs in {} already\nhint: --compat VERSION names the other\n",
                       one.name, flags.against));
    return kInvalid;
  }
  FindNotSimulated(io, flags, loaded);
  const InterruptibleScope until_all_is_written("interrupted; another signal ends at once\n");
  std::vector<int> codes;
  for (std::size_t i = 0; i < loaded.scenarios.size() && interrupted == 0; ++i) {
    LiveLine progress;
    codes.push_back(
        RunAgainst(io, flags.options.common, loaded.scenarios[i], other.scenarios[i], &progress));
  }
  return Worst(codes);
}

int RunRun(Io& io, const RunFlags& flags) {
  RunOptions options = flags.options;
  if (!options.log.empty() && options.common.verbosity == 0) options.common.verbosity = 10;
  options.strict = flags.scenario.strict;
  io.SetColor(options.common.color);
  if (flags.files.empty() && flags.scenario.from.empty()) {
    io.Err(
        InNameOf(io.program(), "error: which file?\nhint: ksim run scenarios/replicaset.yaml\n"));
    return kInvalid;
  }
  if (!flags.against.empty()) return RunInTwoVersions(io, flags);
  Loaded loaded;
  if (const int code = LoadScenarios(io, flags, &loaded); code != kOk) return code;
  const NotSimulatedLists not_simulated = FindNotSimulated(io, flags, loaded);
  const InterruptibleScope until_all_is_written(
      "interrupted: what there is so far follows; another signal ends at once\n");
  RunResults results;
  if (loaded.scenarios.size() > 1 && flags.jobs > 1)
    RunSideBySide(io, options, loaded.scenarios, not_simulated, flags.jobs, &results);
  else
    RunInTurn(io, options, loaded.scenarios, not_simulated, &results);
  if (!results.trees.empty())
    io.Out(kubectl::TreeText(ResultList(std::move(results.trees)), options.common.output));
  WriteJUnit(io, flags.junit, &results);
  return Worst(results.codes);
}

}  // namespace

Command RunCommand() {
  return {
      .name = "run",
      .summary = "run scenarios or manifests until nothing is left to do",
      .usage = "ksim run FILE... [flags]",
      .description =
          "FILE is a Scenario, or plain Kubernetes manifests, which together run on a default\n"
          "cluster of 3 nodes; a directory means its *.yaml, sorted; - is standard input.",
      .examples = {{"The whole way of a ReplicaSet, told step by step",
                    "ksim run scenarios/replicaset.yaml"},
                   {"Another seed and five nodes; only the result",
                    "ksim run scenarios/replicaset.yaml --seed 7 --set cluster.nodes=5 -o wide"},
                   {"Keep the trace",
                    "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl"},
                   {"What kubectl and the others say to the API server, with curl lines",
                    "ksim run scenarios/replicaset.yaml -v 10"},
                   {"What kubectl itself logs of the way to the API server",
                    "ksim run scenarios/replicaset.yaml --log kubectl -v 8"},
                   {"Begin with the state of a cluster of your own, and drain a node of it",
                    "kubectl get nodes,ns,deploy,rs,ds,sts,pods,svc,pdb -A -o yaml >mine.yaml; "
                    "ksim run drain.yaml --from mine.yaml"},
                   {"What another version of Kubernetes makes of the same; --from, too",
                    "ksim run scenarios/deployment.yaml --compat 1.30 --against 1.36"},
                   {"The result for a program", "ksim run scenarios/replicaset.yaml -o json"}},
      .invoke = &Invoke<RunFlags, AddRunFlags, RunRun>};
}

}  // namespace ksim::cli
