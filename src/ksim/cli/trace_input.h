// Traces as commands take them: read, judged, and ready to be run again.
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

// A reader's message about a file, "line 7 column 3: what", as a diagnostic at that place.
Diagnostic DiagnosticAtPlace(const std::string& path, std::string_view what);

// Reads a trace; on failure prints why and returns nullopt (exit code 2). A cut one is returned,
// and a warning says what is missing.
std::optional<trace::Trace> ReadTraceOrPrintError(Io& io, const std::string& path,
                                                  bool judges_format = false);

// The scenario in the header, ready to run; nullopt, with the complaint printed, when there is none
// that this version and this program can run.
std::optional<scenario::Scenario> ScenarioOf(Io& io, const trace::Trace& trace,
                                             const std::string& path);

// The state at --at, or nullopt with the complaint printed; `code` gets 2, 5, or 6 for a
// moment that may be in what a cut trace lacks.
std::optional<trace::State> StateAtOrPrintError(Io& io, const trace::Trace& trace,
                                                const std::string& at, int* code);

// Tells `kinds` how the run knew each custom resource. Call it before kinds are added.
void LearnResourceNames(const trace::Trace& trace, api::Kinds* kinds);
// Adds the custom kinds that the state holds objects of.
void AddKindsOf(const trace::State& state, api::Kinds* kinds);

using trace::EventLine;

}  // namespace ksim::cli
