// Exports: an excerpt of a trace in the words of other tools. Each takes time linear in the trace
// and writes as it goes; the same excerpt gives the same bytes.
//   perfetto  Chrome's trace events (JSON), for ui.perfetto.dev and chrome://tracing
//   mermaid   a sequence diagram, for a short window
//   dot       the graph of causes, for Graphviz
//   jsonl     the events as they stand in a .jsonl trace; all of a trace is that trace
//   csv       one event a row (RFC 4180)
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ksim/trace/excerpt.h"

namespace ksim::trace {

// Takes the next piece of the output.
using Sink = absl::FunctionRef<void(std::string_view)>;

const std::vector<std::string>& ExportFormats();

// `format` is one of ExportFormats().
void Export(std::string_view format, const Excerpt& excerpt, Sink sink);

void ExportPerfetto(const Excerpt& excerpt, Sink sink);
void ExportMermaid(const Excerpt& excerpt, Sink sink);
void ExportDot(const Excerpt& excerpt, Sink sink);
void ExportJsonLines(const Excerpt& excerpt, Sink sink);
void ExportCsv(const Excerpt& excerpt, Sink sink);

}  // namespace ksim::trace
