// ksim validate: scenarios checked without a run.
#include <fmt/format.h>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/result.h"
#include "ksim/cli/scenario_flags.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/not_simulated.h"

namespace ksim::cli {
namespace {

using value::Value;

Value ProblemTree(const Diagnostic& d) {
  return value::Obj(
      {{"file", Value::Of(d.file)},
       {"line", Value::Of(d.span.line)},
       {"column", Value::Of(d.span.column)},
       {"severity", Value::Of(d.severity == Diagnostic::Severity::kError ? "error" : "warning")},
       {"message", Value::Of(d.message)},
       {"hint", Value::Of(d.hint)}});
}

struct ValidateFlags {
  std::vector<std::string> files;
  ScenarioFlags scenario;
  CommonFlags common;
};

void AddValidateFlags(FlagSet& set, ValidateFlags& flags) {
  set.Add("FILE", &flags.files, "Scenarios or manifests");
  AddScenarioFlags(set, flags.scenario);
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

// Adds the problems that only a run would show, but for what is not simulated.
void AddRunProblems(scenario::Loaded* loaded) {
  for (std::size_t i = 0; i < loaded->scenarios.size(); ++i) {
    for (Diagnostic& d : scenario::DryRun(loaded->scenarios[i]))
      loaded->errors.push_back(std::move(d));
    for (Diagnostic& d : scenario::NotInThisVersion(loaded->scenarios[i], loaded->files[i])) {
      const bool error = d.severity == Diagnostic::Severity::kError;
      (error ? loaded->errors : loaded->warnings).push_back(std::move(d));
    }
  }
}

// Whatever the runs will not simulate is a warning, or an error with --strict.
std::vector<scenario::NotSimulated> AddNotSimulated(bool strict, scenario::Loaded* loaded) {
  const auto severity = strict ? Diagnostic::Severity::kError : Diagnostic::Severity::kWarning;
  std::vector<scenario::NotSimulated> all;
  for (std::size_t i = 0; i < loaded->scenarios.size(); ++i)
    for (scenario::NotSimulated& one :
         scenario::NotSimulatedIn(loaded->scenarios[i], loaded->files[i]))
      all.push_back(std::move(one));
  for (Diagnostic& d : scenario::ToDiagnostics(all, severity))
    (strict ? loaded->errors : loaded->warnings).push_back(std::move(d));
  return all;
}

void PrintProblems(Io& io, const scenario::Loaded& loaded,
                   const std::vector<scenario::NotSimulated>& not_simulated,
                   const CommonFlags& flags) {
  if (flags.output != "text") {
    std::vector<Value> problems;
    for (const Diagnostic& d : loaded.errors) problems.push_back(ProblemTree(d));
    for (const Diagnostic& d : loaded.warnings) problems.push_back(ProblemTree(d));
    const Value result = value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                                     {"kind", Value::Of("ValidateResult")},
                                     {"valid", Value::Of(loaded.errors.empty())},
                                     {"problems", Value::Array(std::move(problems))},
                                     {"notSimulated", scenario::ToTree(not_simulated)}});
    io.Out(kubectl::TreeText(result, flags.output));
    return;
  }
  io.Err(Render(loaded.warnings, io.err_color(), static_cast<int>(loaded.warnings.size())));
  io.Err(Render(loaded.errors, io.err_color()));
  if (loaded.errors.empty() && !flags.quiet)
    for (std::size_t i = 0; i < loaded.scenarios.size(); ++i)
      io.Out(fmt::format("{}: ok ({} step{})\n", loaded.files[i], loaded.scenarios[i].steps.size(),
                         loaded.scenarios[i].steps.size() == 1 ? "" : "s"));
}

int RunValidate(Io& io, const ValidateFlags& flags) {
  io.SetColor(flags.common.color);
  if (flags.files.empty()) {
    io.Err(InNameOf(io.program(), "error: which file?\nhint: ksim validate scenarios\n"));
    return kInvalid;
  }
  scenario::Loaded loaded =
      scenario::Load(flags.files, LoadOptionsOf(flags.scenario, io.program()));
  if (loaded.nothing) {
    io.Err(fmt::format("error: no *.yaml in {}\n", fmt::join(flags.files, ", ")));
    return kNothing;
  }
  if (loaded.errors.empty()) AddRunProblems(&loaded);
  const std::vector<scenario::NotSimulated> not_simulated =
      AddNotSimulated(flags.scenario.strict, &loaded);
  PrintProblems(io, loaded, not_simulated, flags.common);
  return loaded.errors.empty() ? kOk : kViolation;
}

}  // namespace

Command ValidateCommand() {
  return {.name = "validate",
          .summary = "check scenarios without running them",
          .usage = "ksim validate FILE... [flags]",
          .description = "Exits 1 when a file is wrong, or names what this version has not got.",
          .examples = {{"All scenarios of a folder", "ksim validate scenarios"}},
          .invoke = &Invoke<ValidateFlags, AddValidateFlags, RunValidate>};
}

}  // namespace ksim::cli
