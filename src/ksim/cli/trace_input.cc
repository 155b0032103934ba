#include "ksim/cli/trace_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ksim/base/diagnostic.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/check/kubectl_output.h"
#include "ksim/check/own_oracles.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/guest_programs.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/object_key.h"

namespace ksim::cli {
namespace {

// The line of the file. "" for standard input, which has been read, and for what is no text.
std::string LineToShow(const std::string& path, int line) {
  const absl::StatusOr<std::string> text = path == "-" ? std::string() : os::ReadFile(path);
  if (!text.ok()) return "";
  std::string_view rest = *text;
  for (int n = 1; n < line; ++n) {
    const std::size_t newline = rest.find('\n');
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  const bool text_only = std::none_of(rest.begin(), rest.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e;
  });
  return text_only ? std::string(rest) : "";
}

Diagnostic NotATraceError(const std::string& path, std::string_view what) {
  Diagnostic d = DiagnosticAtPlace(path, what);
  if (d.span.line > 0) d.source_line = LineToShow(path, d.span.line);
  d.message = fmt::format("no trace of ksim: {}", d.message);
  const absl::StatusOr<std::string> text = path == "-" ? std::string() : os::ReadFile(path);
  if (text.ok() && check::KubectlOutputOf(*text) != check::KubectlOutput::kNone)
    d.hint = "kubectl printed it: `ksim check` judges it; `ksim run --trace` writes traces";
  return d;
}

}  // namespace

Diagnostic DiagnosticAtPlace(const std::string& path, std::string_view what) {
  Diagnostic d;
  d.file = path;
  d.span = TakePlace(&what);
  d.message = what;
  return d;
}

std::optional<trace::Trace> ReadTraceOrPrintError(Io& io, const std::string& path,
                                                  bool judges_format) {
  absl::StatusOr<trace::Trace> trace = trace::ReadTrace(path);
  if (!trace.ok()) {
    const bool content = trace.status().code() == absl::StatusCode::kInvalidArgument;
    const std::string message(Message(trace.status()));
    io.Err(content ? Render(NotATraceError(path, message), io.err_color())
                   : fmt::format("{}: error: cannot read it: {}\n", path, message));
    return std::nullopt;
  }
  if (!trace->missing.empty()) io.Err(fmt::format("{}: warning: {}\n", path, trace->missing));
  if (trace->header.version != trace::kTraceVersion && !judges_format)
    io.Err(fmt::format("{}: warning: a trace of format {}, this ksim reads format {}\n", path,
                       trace->header.version, trace::kTraceVersion));
  return *std::move(trace);
}

namespace {

// Prints why only the program that made the trace can run it again.
void PrintProgramNeeded(Io& io, const trace::Header& header, const std::string& path) {
  std::string with = header.own_controllers.empty()
                         ? ""
                         : fmt::format(" with controllers of its own: {}",
                                       fmt::join(header.own_controllers, ", "));
  if (!header.own_oracles.empty())
    with += fmt::format("{} oracles of its own: {}", with.empty() ? " with" : ", and",
                        fmt::join(header.own_oracles, ", "));
  io.Err(fmt::format(
      "{}: error: a program made this trace{}\nhint: ksim cannot run it again; let the program do "
      "so with seed {}, and compare the two traces by `ksim diff`\n",
      path, with, header.seed));
}

}  // namespace

std::optional<scenario::Scenario> ScenarioOf(Io& io, const trace::Trace& trace,
                                             const std::string& path) {
  const std::string why = WhyNotRunAgain(io.program(), trace.header.program);
  if (!why.empty()) {
    io.Err(fmt::format("{}: error: {}\n", path, why));
    return std::nullopt;
  }
  const std::vector<std::string>& oracles = trace.header.own_oracles;
  const bool lacks_oracles = !std::all_of(oracles.begin(), oracles.end(), check::IsOwnOracle);
  if (trace.header.mode == trace::kModeProgram || !trace.header.own_controllers.empty() ||
      lacks_oracles) {
    PrintProgramNeeded(io, trace.header, path);
    return std::nullopt;
  }
  // A trace of ksim itself has no program, whoever runs it again.
  scenario::Loaded loaded = scenario::ParseScenarioTree(
      trace.header.scenario, scenario::DirectoryOf(path),
      trace.header.program.name.empty() ? nullptr : io.program().registry);
  if (!loaded.errors.empty() || loaded.scenarios.size() != 1) {
    for (Diagnostic& d : loaded.errors) d.file = path + ": " + d.file;
    io.Err(Render(loaded.errors, io.err_color()));
    return std::nullopt;
  }
  if (!LoadGuestPrograms(io, loaded.scenarios)) return std::nullopt;
  const absl::StatusOr<scenario::RunnerOptions> options =
      fuzz::OptionsOf(loaded.scenarios.front(), trace.header);
  if (!options.ok()) {
    io.Err(fmt::format("{}: error: {}\n", path, Message(options.status())));
    return std::nullopt;
  }
  return std::move(loaded.scenarios.front());
}

std::optional<trace::State> StateAtOrPrintError(Io& io, const trace::Trace& trace,
                                                const std::string& at, int* code) {
  *code = kInvalid;
  const absl::StatusOr<trace::Moment> moment = trace::ParseMoment(at);
  if (!moment.ok()) {
    io.Err(fmt::format("--at: error: {}\n", Message(moment.status())));
    return std::nullopt;
  }
  absl::StatusOr<trace::State> state = trace::StateAt(trace, *moment);
  if (!state.ok()) {
    if (state.status().code() == absl::StatusCode::kOutOfRange)
      *code = trace.end ? kNothing : kUndecided;
    io.Err(fmt::format("error: {}\n", Message(state.status())));
    return std::nullopt;
  }
  *code = kOk;
  return *std::move(state);
}

void LearnResourceNames(const trace::Trace& trace, api::Kinds* kinds) {
  for (const trace::Record& r : trace.events) {
    if (r.kind != sim::EventKind::kCommit || r.Text("op") != "create") continue;
    const std::optional<store::ObjectParts> parts = store::PartsOfKey(r.Text("key"));
    if (parts && !parts->group.empty())
      kinds->SetKnownAs(parts->group, parts->resource, r.Text("resource"));
  }
}

void AddKindsOf(const trace::State& state, api::Kinds* kinds) {
  for (const auto& [key, object] : state.objects()) {
    if (object.kind() != "CustomResourceDefinition") continue;
    const auto added = kinds->AddFromCrd(object.tree());
    static_cast<void>(added);  // a server has seen to the names
  }
  for (const auto& [key, object] : state.objects())
    scenario::LearnKind(*kinds, object.api_version(), object.kind());
}

}  // namespace ksim::cli
