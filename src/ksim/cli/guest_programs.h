// The guest programs of scenarios, loaded before a run begins.
#pragma once
#include <vector>

#include "ksim/cli/io.h"
#include "ksim/guest/engine/wasmtime_engine.h"
#include "ksim/scenario/scenario.h"

namespace ksim::cli {

// False with the complaint printed: a program that is missing, is no guest or is another one than
// is meant, or no Wasmtime. `tier`: how one is compiled that never was; that is told.
bool LoadGuestPrograms(Io& io, const std::vector<scenario::Scenario>& scenarios,
                       guest::Tier tier = guest::Tier::kBaseline);

}  // namespace ksim::cli
