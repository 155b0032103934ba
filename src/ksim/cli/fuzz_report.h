// A campaign for people: its tables, its JUnit report.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/cli/result.h"
#include "ksim/fuzz/corpus.h"
#include "ksim/fuzz/summary.h"

namespace ksim::cli {

// The failures, the steps that failed and the expectations that say little, the faults that never
// fired and the probes that were never reached (unless `quiet`), and one line about all.
std::string CampaignText(const fuzz::Summary& summary, bool color, bool quiet);

// A case for each distinct failure, and one for the campaign.
std::vector<JUnitCase> CampaignCases(const fuzz::Summary& summary);

// Inputs of a corpus that another ksim or scenario kept, if there are any; and, when the campaign
// is over, what became of the corpus.
std::string ForeignText(const fuzz::Corpus& corpus);
std::string CorpusText(const fuzz::Corpus& corpus);

// Columns as wide as their widest cell, three spaces between, as kubectl prints them.
using TableRow = std::vector<std::string>;
std::string Columns(const std::vector<TableRow>& rows);

// "12345" -> "12,345".
std::string Grouped(std::uint64_t n);
std::uint64_t PerSecond(std::uint64_t n, std::int64_t wall_ns);

}  // namespace ksim::cli
