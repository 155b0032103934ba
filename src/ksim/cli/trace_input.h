// Traces as commands take them: read, complained about, and rerun.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/base/diagnostic.h"
#include "ksim/cli/io.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/event_line.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace ksim::cli {

// What a reader says of a file, "line 7 column 3: what", at its place.
Diagnostic AtItsPlace(const std::string& path, std::string_view what);

// Reads a trace; on failure says why and returns nullopt (exit code 2). A cut one is returned, and
// what is missing told on stderr.
std::optional<trace::Trace> ReadTraceOrTell(Io& io, const std::string& path,
                                            bool judges_format = false);

// The scenario in the header, ready to run; nullopt when there is none that this version can run.
std::optional<scenario::Scenario> ScenarioOf(Io& io, const trace::Trace& trace,
                                             const std::string& path);

// The state at --at, or nullopt with the complaint told; `code` gets 2, 5, or 6 of a
// moment that may be in what a cut trace lacks.
std::optional<trace::State> StateOf(Io& io, const trace::Trace& trace, const std::string& at,
                                    int* code);

// The built-in kinds and the custom ones that the state holds objects of.
void LearnKinds(const trace::State& state, api::Kinds* kinds);

using trace::EventLine;

}  // namespace ksim::cli
