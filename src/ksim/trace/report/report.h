// Report: a trace, or a window of it, as one HTML page that needs nothing else: the verdict and
// what shows it again, the oracles, a timeline, the objects revision by revision, delivery times.
// The verdict, the tables and the list of faults are there without scripts.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ksim/trace/export/export.h"

namespace ksim::trace {

struct ReportOptions {
  ReportOptions() = default;
  std::vector<std::string> commands;  // what shows the run again, as typed into a shell
  std::size_t max_events = 10'000;    // of which the page has all fields
};

// How many events of the window the page has.
struct ReportSize {
  ReportSize() = default;
  std::size_t events = 0;  // in the window
  std::size_t kept = 0;
};

// The same excerpt and options give the same bytes.
ReportSize WriteReport(const Excerpt& excerpt, const ReportOptions& options, Sink sink);

// Text in HTML, also between quotes.
std::string HtmlText(std::string_view text);

}  // namespace ksim::trace
