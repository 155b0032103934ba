// ksim report: a trace as one HTML page.
#include "ksim/trace/report/report.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/picture.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {
namespace {

class ReportCommand : public Picture {
 public:
  ReportCommand() { out_ = "report.html"; }
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override { return "write a trace as one HTML page for eyes"; }
  std::string_view usage() const override { return "ksim report TRACE [flags]"; }
  std::string_view description() const override {
    return "The page needs nothing else, neither a network nor a server. It has the verdict and "
           "the\n"
           "command that shows it again, the oracles, a timeline with the cause of each event, "
           "the\n"
           "objects revision by revision, the faults, and how soon each informer was told.";
  }
  std::vector<Example> examples() const override {
    return {{"A run to look at",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl && "
             "ksim report /tmp/run.jsonl -o /tmp/report.html"},
            {"The second in which the pods start",
             "ksim report /tmp/run.jsonl -o /tmp/report.html --window 1.4s..2.4s"}};
  }
  void Define(CLI::App& app) override {
    DefineExcerpt(app);
    app.add_option("--max-events", options_.max_events,
                   "Most events in the page; it says what it left out; default 10000")
        ->type_name("N")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()));
    common_.DefineColor(app);
    common_.DefineQuiet(app);
  }

  int Run(Io& io) override {
    const std::optional<trace::Trace> trace = ReadTraceOrTell(io, path_);
    if (!trace) return kInvalid;
    int code = kOk;
    const std::optional<trace::Excerpt> excerpt = ExcerptOf(io, *trace, &code);
    if (!excerpt) return code;
    AddCommands(*trace);
    std::size_t bytes = 0;
    trace::ReportSize size;
    code = Write(io, [&](const auto& sink) {
      size = trace::WriteReport(*excerpt, options_, [&](std::string_view text) {
        bytes += text.size();
        sink(text);
      });
    });
    if (code == kOk && !common_.quiet && out_ != "-") {
      const std::string part = size.kept < size.events ? fmt::format(" of {}", size.events) : "";
      io.Out(fmt::format("{}: {}{} events, {} kB\n", out_, size.kept, part, (bytes + 999) / 1000));
    }
    return code == kOk && !trace->end ? kUndecided : code;
  }

 private:
  std::string OutputText() const override {
    return "The file to write; default report.html; - is stdout";
  }

  void AddCommands(const trace::Trace& trace) {
    if (path_ == "-") return;
    const std::string path = ShellQuote(path_);
    options_.commands.push_back("ksim replay " + path);
    if (trace.end && !trace.end->violations.empty())
      options_.commands.push_back("ksim shrink " + path);
  }

  trace::ReportOptions options_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeReport() { return std::make_unique<ReportCommand>(); }

}  // namespace ksim::cli
