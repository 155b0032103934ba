// A campaign for people: its tables, its JUnit report.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/cli/result.h"
#include "ksim/fuzz/summary.h"

namespace ksim::cli {

// The failures, the steps that failed and the expectations that say little, the faults that never
// fired and the probes that were never reached (unless `quiet`), and one line about all.
std::string CampaignText(const fuzz::Summary& summary, bool color, bool quiet);

// A case for each distinct failure, and one for the campaign.
std::vector<JUnitCase> CampaignCases(const fuzz::Summary& summary);

// "12345" -> "12,345".
std::string Grouped(std::uint64_t n);
std::uint64_t PerSecond(std::uint64_t n, std::int64_t wall_ns);

}  // namespace ksim::cli
