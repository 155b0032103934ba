// ksim export and report: a trace for other tools, and for eyes.
#include "ksim/trace/export.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {
namespace {

using trace::Excerpt;

// What both commands take, and how they write.
class Picture : public Command {
 protected:
  void DefineExcerpt(CLI::App& app) {
    app.add_option("TRACE", path_, "A trace; - is standard input")->required();
    app.add_option("-o,--output", out_, OutputText())->type_name("FILE");
    app.add_option("--window", window_, "Only from A to B, each a time such as 1.5s, seq:N, rv:N")
        ->type_name("A..B");
  }
  virtual std::string OutputText() const = 0;

  // What of the trace was asked for; nullopt, and the complaint told, if there is none.
  std::optional<Excerpt> ExcerptOf(Io& io, const trace::Trace& trace, int* code) const {
    Excerpt excerpt(trace);
    if (!window_.empty()) {
      const absl::Status status = excerpt.SetWindow(window_);
      if (!status.ok()) return Refused(io, "--window: ", status, trace, code);
    }
    if (!actors_.empty()) {
      const absl::Status status = excerpt.SetActors(actors_);
      if (!status.ok()) return Refused(io, "--actors: ", status, trace, code);
    }
    return excerpt;
  }

  // Writes what `write` gives its sink: all of it, or nothing and the complaint.
  template <class F>
  int Write(Io& io, const F& write) const {
    if (out_ == "-") {
      write([&io](std::string_view text) { io.Out(text); });
      return kOk;
    }
    absl::StatusOr<os::OutputFile> file = os::OutputFile::Create(out_);
    if (!file.ok()) return CannotWrite(io, file.status(), kInvalid);
    absl::Status status;
    write([&](std::string_view text) {
      if (status.ok()) status = file->Write(text);
    });
    if (status.ok()) status = file->Commit();
    return status.ok() ? kOk : CannotWrite(io, status, kUndecided);
  }

  std::string path_, out_, window_;
  std::vector<std::string> actors_;

 private:
  static std::optional<Excerpt> Refused(Io& io, std::string_view flag, const absl::Status& status,
                                        const trace::Trace& trace, int* code) {
    const bool wrong = status.code() == absl::StatusCode::kInvalidArgument;
    *code = wrong ? kInvalid : trace.end ? kNothing : kUndecided;
    io.Err(fmt::format("{}error: {}\n", wrong ? flag : "", Message(status)));
    return std::nullopt;
  }

  int CannotWrite(Io& io, const absl::Status& status, int code) const {
    io.Err(fmt::format("{}: error: cannot write it: {}\n", out_, Message(status)));
    return code;
  }
};

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
