// ksim export: a trace for other tools.
#include "ksim/trace/export/export.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/picture.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {
namespace {

using trace::Excerpt;

class ExportCommand : public Picture {
 public:
  ExportCommand() { out_ = "-"; }
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override {
    return "write a trace for other tools: Perfetto, mermaid, Graphviz, spreadsheets";
  }
  std::string_view usage() const override { return "ksim export TRACE --format FORMAT [flags]"; }
  std::string_view description() const override {
    return "Formats:\n"
           "  perfetto  Chrome's trace events, for https://ui.perfetto.dev: a process each, its\n"
           "            requests and reconciles, an arrow from each commit to each delivery of it\n"
           "  mermaid   a sequence diagram for Markdown; give it a short window\n"
           "  dot       what led to what, for Graphviz; give it a short window\n"
           "  jsonl     the events as JSON Lines: a .ktrace becomes text\n"
           "  csv       one event a row";
  }
  std::vector<Example> examples() const override {
    return {{"Open the whole run in https://ui.perfetto.dev",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim export /tmp/run.jsonl --format perfetto -o /tmp/run.json"},
            {"From the user's wish to the first pod, as a diagram",
             "ksim export /tmp/run.jsonl --format mermaid --window 1.4s..1.43s"},
            {"What the scheduler did, for a spreadsheet",
             "ksim export /tmp/run.jsonl --format csv --actors kube-scheduler -o /tmp/run.csv"}};
  }
  void Define(CLI::App& app) override {
    DefineExcerpt(app);
    app.add_option("-F,--format", format_,
                   fmt::format("{}", fmt::join(trace::ExportFormats(), ", ")))
        ->type_name("FORMAT")
        ->required()
        ->check(OneOf(trace::ExportFormats()));
    app.add_option("--actors", actors_, "Only these: actors, or processes with all their parts")
        ->type_name("NAME[,NAME]")
        ->delimiter(',');
    common_.DefineColor(app);
    common_.DefineQuiet(app);
  }

  int Run(Io& io) override {
    const std::optional<trace::Trace> trace = ReadTraceOrTell(io, path_);
    if (!trace) return kInvalid;
    int code = kOk;
    const std::optional<Excerpt> excerpt = ExcerptOf(io, *trace, &code);
    if (!excerpt) return code;
    std::size_t size = 0;
    code = Write(io, [&](const auto& sink) {
      trace::Export(format_, *excerpt, [&](std::string_view text) {
        size += text.size();
        sink(text);
      });
    });
    if (code == kOk && !common_.quiet) Advise(io, size);
    return code == kOk && !trace->end ? kUndecided : code;
  }

 private:
  std::string OutputText() const override { return "The file to write; default - (stdout)"; }

  // Mermaid draws no more than its maxTextSize.
  void Advise(Io& io, std::size_t size) const {
    constexpr std::size_t kMaxTextSize = 50'000;
    if (format_ != "mermaid" || size <= kMaxTextSize) return;
    io.Err(
        fmt::format("warning: mermaid draws up to {} characters unless told otherwise, these "
                    "are {}; --window A..B and --actors make it smaller\n",
                    kMaxTextSize, size));
  }

  std::string format_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeExport() { return std::make_unique<ExportCommand>(); }

}  // namespace ksim::cli
