#include "ksim/cli/trace_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {
namespace {

// Takes `word` and the number behind it off the front of `text`; 0 when they are not there.
int TakeNumber(std::string_view word, std::string_view* text) {
  int number = 0;
  if (!text->starts_with(word)) return 0;
  const char* begin = text->data() + word.size();
  const auto [end, error] = std::from_chars(begin, text->data() + text->size(), number);
  if (error != std::errc()) return 0;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

Diagnostic NoTrace(const std::string& path, std::string_view what) {
  Diagnostic d = AtItsPlace(path, what);
  d.message = fmt::format("no trace of ksim: {}", d.message);
  return d;
}

}  // namespace

Diagnostic AtItsPlace(const std::string& path, std::string_view what) {
  Diagnostic d;
  d.file = path;
  if (const int line = TakeNumber("line ", &what); line > 0) {
    d.span.line = line;
    d.span.column = std::max(1, TakeNumber(" column ", &what));
    what.remove_prefix(std::min(what.size(), std::string_view(": ").size()));
  }
  d.message = what;
  return d;
}

std::optional<trace::Trace> ReadTraceOrTell(Io& io, const std::string& path) {
  absl::StatusOr<trace::Trace> trace = trace::ReadTrace(path);
  if (!trace.ok()) {
    const bool content = trace.status().code() == absl::StatusCode::kInvalidArgument;
    const std::string message(Message(trace.status()));
    io.Err(content ? Render(NoTrace(path, message), io.err_color())
                   : fmt::format("{}: error: cannot read it: {}\n", path, message));
    return std::nullopt;
  }
  if (!trace->missing.empty()) io.Err(fmt::format("{}: warning: {}\n", path, trace->missing));
  return *std::move(trace);
}

std::optional<scenario::Scenario> ScenarioOf(Io& io, const trace::Trace& trace,
                                             const std::string& path) {
  scenario::Loaded loaded = scenario::ParseScenarioTree(trace.header.scenario);
  if (!loaded.errors.empty() || loaded.scenarios.size() != 1) {
    for (Diagnostic& d : loaded.errors) d.file = path + ": " + d.file;
    io.Err(Render(loaded.errors, io.err_color()));
    return std::nullopt;
  }
  const absl::StatusOr<scenario::RunnerOptions> options =
      fuzz::OptionsOf(loaded.scenarios.front(), trace.header);
  if (!options.ok()) {
    io.Err(fmt::format("{}: error: {}\n", path, Message(options.status())));
    return std::nullopt;
  }
  return std::move(loaded.scenarios.front());
}

std::optional<trace::State> StateOf(Io& io, const trace::Trace& trace, const std::string& at,
                                    int* code) {
  *code = kInvalid;
  const absl::StatusOr<trace::Moment> moment = trace::ParseMoment(at);
  if (!moment.ok()) {
    io.Err(fmt::format("--at: error: {}\n", Message(moment.status())));
    return std::nullopt;
  }
  absl::StatusOr<trace::State> state = trace::StateAt(trace, *moment);
  if (!state.ok()) {
    if (state.status().code() == absl::StatusCode::kOutOfRange) *code = kNothing;
    io.Err(fmt::format("error: {}\n", Message(state.status())));
    return std::nullopt;
  }
  *code = kOk;
  return *std::move(state);
}

void LearnKinds(const trace::State& state, api::Kinds* kinds) {
  for (const auto& [key, object] : state.objects())
    scenario::LearnKind(*kinds, object.api_version(), object.kind());
}

}  // namespace ksim::cli
