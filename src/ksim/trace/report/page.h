// The fixed parts of a report: the files in page/, which the build compiles in (cmake/Embed.cmake).
#pragma once
#include <string_view>

namespace ksim::trace {

extern const std::string_view kReportStyle;     // page/style.css
extern const std::string_view kReportTimeline;  // page/timeline.html; the script fills it
extern const std::string_view kReportObjects;   // page/objects.html; the script fills it
// One script, in this order: later files use the names of earlier ones.
extern const std::string_view kReportChartScript;    // page/chart.js: events, chart, panel
extern const std::string_view kReportObjectsScript;  // page/objects.js: revision by revision
extern const std::string_view kReportInputScript;    // page/input.js: mouse, keys, the first view

}  // namespace ksim::trace
