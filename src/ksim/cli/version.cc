#include "ksim/base/version.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/trace/header.h"

namespace ksim::cli {
namespace {

using value::Value;

class VersionCommand : public Command {
 public:
  std::string_view name() const override { return "version"; }
  std::string_view summary() const override { return "print the version"; }
  std::string_view usage() const override { return "ksim version [-o json|yaml]"; }
  std::vector<Example> examples() const override {
    return {{"For a program", "ksim version -o json"}};
  }
  void Define(CLI::App& app) override {
    common_.DefineOutput(app, {"text", "json", "yaml"}, "text");
  }
  int Run(Io& io) override {
    if (common_.output != "text") {
      std::vector<Value> compat;
      for (std::string_view v : {"1.25", "1.30", "1.36"}) compat.push_back(Value::Of(v));
      const Value result = value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                                       {"kind", Value::Of("Version")},
                                       {"version", Value::Of(Version())},
                                       {"traceVersion", Value::Of(trace::kTraceVersion)},
                                       {"compat", Value::Array(std::move(compat))}});
      io.Out(kubectl::TreeText(result, common_.output));
      return kOk;
    }
    io.Out(fmt::format("ksim {}\n", Version()));
    return kOk;
  }

 private:
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeVersion() { return std::make_unique<VersionCommand>(); }

}  // namespace ksim::cli
