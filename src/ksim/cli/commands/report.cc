// ksim report: a trace as one HTML page.
#include "ksim/trace/report/report.h"

#include <fmt/format.h>

#include <limits>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/trace_excerpt.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {
namespace {

struct ReportFlags {
  ExcerptFlags excerpt;
  std::uint64_t max_events = trace::ReportOptions().max_events;
  CommonFlags common;
};

void AddReportFlags(FlagSet& set, ReportFlags& flags) {
  flags.excerpt.out = "report.html";
  AddExcerptFlags(set, flags.excerpt, "The file to write; default report.html; - is stdout");
  set.Add("--max-events", &flags.max_events,
          "Most events in the page; it says what it left out; default 10000")
      .Type("N")
      .Range(0, std::numeric_limits<int>::max());
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
}

// The command lines that the page offers to copy.
std::vector<std::string> CommandsFor(const Program& program, const std::string& path,
                                     const trace::Trace& trace) {
  if (path == "-") return {};
  std::vector<std::string> commands{program.command + " replay " + ShellQuote(path)};
  if (trace.end && !trace.end->violations.empty())
    commands.push_back(program.command + " shrink " + ShellQuote(path));
  return commands;
}

int WriteHtmlReport(Io& io, const ReportFlags& flags) {
  const std::string& out = flags.excerpt.out;
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.excerpt.path);
  if (!trace) return kInvalid;
  int code = kOk;
  const std::optional<trace::Excerpt> excerpt = ExcerptOf(io, flags.excerpt, *trace, &code);
  if (!excerpt) return code;
  trace::ReportOptions options;
  options.max_events = flags.max_events;
  options.commands = CommandsFor(io.program(), flags.excerpt.path, *trace);
  std::size_t bytes = 0;
  trace::ReportSize size;
  code = WriteOutput(io, flags.excerpt, [&](const TextSink& sink) {
    size = trace::WriteReport(*excerpt, options, [&](std::string_view text) {
      bytes += text.size();
      sink(text);
    });
  });
  if (code == kOk && !flags.common.quiet && out != "-") {
    const std::string part = size.kept < size.events ? fmt::format(" of {}", size.events) : "";
    io.Out(fmt::format("{}: {}{} events, {} kB\n", out, size.kept, part, (bytes + 999) / 1000));
  }
  return code == kOk && !trace->end ? kUndecided : code;
}

}  // namespace

Command ReportCommand() {
  return {.name = "report",
          .summary = "write a trace as one HTML page for eyes",
          .usage = "ksim report TRACE [flags]",
          .description =
              "The page needs nothing else, neither a network nor a server. It has the verdict and "
              "the\n"
              "command that shows it again, the oracles, a timeline with the cause of each event, "
              "the\n"
              "objects revision by revision, the faults, and how soon each informer was told.",
          .examples = {{"A run to look at",
                        "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
                        "ksim report /tmp/run.jsonl -o /tmp/report.html"},
                       {"The second in which the pods start",
                        "ksim report /tmp/run.jsonl -o /tmp/report.html --window 1.4s..2.4s"}},
          .invoke = &Invoke<ReportFlags, AddReportFlags, WriteHtmlReport>};
}

}  // namespace ksim::cli
