#include "ksim/cli/trace_input.h"

#include <fmt/format.h>

#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {

std::optional<trace::Trace> ReadTraceOrTell(Io& io, const std::string& path) {
  absl::StatusOr<trace::Trace> trace = trace::ReadTrace(path);
  if (!trace.ok()) {
    const bool content = trace.status().code() == absl::StatusCode::kInvalidArgument;
    io.Err(
        fmt::format("{}: error: {}{}\n", path,
                    content ? "no trace of ksim: " : "cannot read it: ", Message(trace.status())));
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
