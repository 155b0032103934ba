// The fixed parts of a report.
#pragma once
#include <string_view>

namespace ksim::trace {

extern const std::string_view kReportStyle;     // CSS
extern const std::string_view kReportTimeline;  // HTML that the script fills
extern const std::string_view kReportObjects;
// JavaScript, one after the other.
extern const std::string_view kReportChartScript;
extern const std::string_view kReportHandsScript;

}  // namespace ksim::trace
