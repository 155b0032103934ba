// `ksim fuzz --staleness`: how late each client may hear of each resource.
#pragma once
#include <string>

#include "ksim/base/time.h"
#include "ksim/cli/fuzz_flags.h"
#include "ksim/cli/io.h"
#include "ksim/fuzz/staleness.h"
#include "ksim/scenario/scenario.h"

namespace ksim::cli {

// False, and the complaint printed, for flags that are about campaigns.
bool CheckStalenessFlags(Io& io, const FuzzFlags& flags);

// The table, with a line for each stream that stands a delay longer than one that it fails at.
std::string StalenessText(const fuzz::Staleness& staleness, const std::string& scenario);

// Searches and reports; returns the exit code. `timeout`: of one run, real time.
int RunStaleness(Io& io, const FuzzFlags& flags, const scenario::Scenario& scenario,
                 Duration timeout);

}  // namespace ksim::cli
