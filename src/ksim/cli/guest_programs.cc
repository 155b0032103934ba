#include "ksim/cli/guest_programs.h"

#include <fmt/format.h>

#include <string>

#include "ksim/base/status.h"
#include "ksim/guest/process/shared_library.h"
#include "ksim/scenario/guests.h"

namespace ksim::cli {

bool LoadGuestPrograms(Io& io, const std::vector<scenario::Scenario>& scenarios, guest::Tier tier) {
  for (const scenario::Scenario& scenario : scenarios) {
    if (scenario.cluster.guests.empty()) continue;
    guest::ConfigureGuests(
        tier, [&io](const std::string& what) { io.Err(fmt::format("guest: {}\n", what)); });
    const absl::Status status = scenario::PrepareGuests(scenario.cluster);
    guest::ConfigureGuests(tier, [](const std::string&) {});
    if (status.ok()) continue;
    io.Err(fmt::format("error: {}\n", Message(status)));
    return false;
  }
  return true;
}

}  // namespace ksim::cli
