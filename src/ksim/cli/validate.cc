#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"

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

class ValidateCommand : public Command {
 public:
  std::string_view name() const override { return "validate"; }
  std::string_view summary() const override { return "check scenarios without running them"; }
  std::string_view usage() const override { return "ksim validate FILE... [flags]"; }
  std::string_view description() const override {
    return "Exits 1 when a file is wrong, or names what this version has not got.";
  }
  std::vector<Example> examples() const override {
    return {{"All scenarios of a folder", "ksim validate scenarios"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("FILE", files_, "Scenarios or manifests");
    scenario_.Define(app);
    common_.DefineOutput(app, {"text", "json", "yaml"}, "text");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (files_.empty()) {
      io.Err("error: which file?\nhint: ksim validate scenarios\n");
      return kInvalid;
    }
    scenario::LoadOptions options;
    options.seed = scenario_.seed;
    options.set = scenario_.set;
    options.strict = scenario_.strict;
    scenario::Loaded loaded = scenario::Load(files_, options);
    if (loaded.nothing) {
      io.Err(fmt::format("error: no *.yaml in {}\n", fmt::join(files_, ", ")));
      return kNothing;
    }
    if (loaded.errors.empty()) CheckMore(&loaded);
    Print(io, loaded);
    return loaded.errors.empty() ? kOk : kViolation;
  }

 private:
  static void CheckMore(scenario::Loaded* loaded) {
    for (std::size_t i = 0; i < loaded->scenarios.size(); ++i) {
      for (Diagnostic& d : scenario::DryRun(loaded->scenarios[i]))
        loaded->errors.push_back(std::move(d));
      for (Diagnostic& d : scenario::NotInThisVersion(loaded->scenarios[i], loaded->files[i])) {
        const bool error = d.severity == Diagnostic::Severity::kError;
        (error ? loaded->errors : loaded->warnings).push_back(std::move(d));
      }
    }
  }

  void Print(Io& io, const scenario::Loaded& loaded) {
    if (common_.output != "text") {
      std::vector<Value> problems;
      for (const Diagnostic& d : loaded.errors) problems.push_back(ProblemTree(d));
      for (const Diagnostic& d : loaded.warnings) problems.push_back(ProblemTree(d));
      const Value result = value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                                       {"kind", Value::Of("ValidateResult")},
                                       {"valid", Value::Of(loaded.errors.empty())},
                                       {"problems", Value::Array(std::move(problems))}});
      io.Out(kubectl::TreeText(result, common_.output));
      return;
    }
    io.Err(Render(loaded.warnings, io.err_color()));
    io.Err(Render(loaded.errors, io.err_color()));
    if (loaded.errors.empty() && !common_.quiet)
      for (std::size_t i = 0; i < loaded.scenarios.size(); ++i)
        io.Out(fmt::format("{}: ok ({} step{})\n", loaded.files[i],
                           loaded.scenarios[i].steps.size(),
                           loaded.scenarios[i].steps.size() == 1 ? "" : "s"));
  }

  std::vector<std::string> files_;
  ScenarioFlags scenario_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeValidate() { return std::make_unique<ValidateCommand>(); }

}  // namespace ksim::cli
