// ksim export: a trace for other tools.
#include "ksim/trace/export/export.h"

#include <fmt/format.h>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_excerpt.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {
namespace {

using trace::Excerpt;

struct ExportFlags {
  ExcerptFlags excerpt;
  std::string format;
  CommonFlags common;
};

void AddExportFlags(FlagSet& set, ExportFlags& flags) {
  flags.excerpt.out = "-";
  AddExcerptFlags(set, flags.excerpt, "The file to write; default - (stdout)");
  set.Add("-F,--format", &flags.format, fmt::format("{}", fmt::join(trace::ExportFormats(), ", ")))
      .Type("FORMAT")
      .Required()
      .OneOf(trace::ExportFormats());
  set.Add("--actors", &flags.excerpt.actors,
          "Only these: actors, or processes with all their parts")
      .Type("NAME[,NAME]")
      .SplitAtCommas();
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

// Warns of a diagram beyond mermaid's maxTextSize, which it does not draw.
void WarnIfTooLarge(Io& io, const std::string& format, std::size_t size) {
  constexpr std::size_t kMaxTextSize = 50'000;
  if (format != "mermaid" || size <= kMaxTextSize) return;
  io.Err(
      fmt::format("warning: mermaid draws up to {} characters unless told otherwise, these "
                  "are {}; --window A..B and --actors make it smaller\n",
                  kMaxTextSize, size));
}

int RunExport(Io& io, const ExportFlags& flags) {
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.excerpt.path);
  if (!trace) return kInvalid;
  int code = kOk;
  const std::optional<Excerpt> excerpt = ExcerptOf(io, flags.excerpt, *trace, &code);
  if (!excerpt) return code;
  std::size_t size = 0;
  code = WriteOutput(io, flags.excerpt, [&](const TextSink& sink) {
    trace::Export(flags.format, *excerpt, [&](std::string_view text) {
      size += text.size();
      sink(text);
    });
  });
  if (code == kOk && !flags.common.quiet) WarnIfTooLarge(io, flags.format, size);
  return code == kOk && !trace->end ? kUndecided : code;
}

}  // namespace

Command ExportCommand() {
  return {
      .name = "export",
      .summary = "write a trace for other tools: Perfetto, mermaid, Graphviz, spreadsheets",
      .usage = "ksim export TRACE --format FORMAT [flags]",
      .description =
          "Formats:\n"
          "  perfetto  Chrome's trace events, for https://ui.perfetto.dev: a process each, its\n"
          "            requests and reconciles, an arrow from each commit to each delivery of it\n"
          "  mermaid   a sequence diagram for Markdown; give it a short window\n"
          "  dot       what led to what, for Graphviz; give it a short window\n"
          "  jsonl     the events as JSON Lines: a .ktrace becomes text\n"
          "  csv       one event a row",
      .examples =
          {{"Open the whole run in https://ui.perfetto.dev",
            "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
            "ksim export /tmp/run.jsonl --format perfetto -o /tmp/run.json"},
           {"From the user's wish to the first pod, as a diagram",
            "ksim export /tmp/run.jsonl --format mermaid --window 1.4s..1.43s"},
           {"What the scheduler did, for a spreadsheet",
            "ksim export /tmp/run.jsonl --format csv --actors kube-scheduler -o /tmp/run.csv"}},
      .invoke = &Invoke<ExportFlags, AddExportFlags, RunExport>};
}

}  // namespace ksim::cli
