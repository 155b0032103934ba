// The line on a terminal that says how far a campaign is.
#pragma once
#include <string>

#include "ksim/fuzz/campaign.h"

namespace ksim::cli {

// "1,024/10,000 runs, 10%, 3m20s left, 812 runs/s, ...": as much of it as fits, the most important
// first.
std::string ProgressLine(const fuzz::CampaignProgress& progress, int columns);

}  // namespace ksim::cli
