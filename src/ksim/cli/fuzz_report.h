// A campaign for people: its progress line, its tables, its JUnit report.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/result.h"
#include "ksim/fuzz/summary.h"

namespace ksim::cli {

// "1,024 runs, 812 runs/s, ...": while it goes on, without a line end.
std::string ProgressLine(const fuzz::Tally& tally, std::int64_t wall_ns);

// The failures, the faults that never fired and the probes that were never reached (unless
// `quiet`), and one line about all.
std::string CampaignText(const fuzz::Summary& summary, bool color, bool quiet);

// A case for each distinct failure, and one for the campaign.
std::vector<JUnitCase> CampaignCases(const fuzz::Summary& summary);

// "12345" -> "12,345".
std::string Grouped(std::uint64_t n);

}  // namespace ksim::cli
