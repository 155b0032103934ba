// How an event of a run is named in a trigger, so that the trigger finds the same event in another
// run: by its kind, fields that name it (no seq, time or generated name), and the count of such
// events from the phase `workload` on.
#pragma once
#include <cstdint>
#include <vector>

#include "ksim/fault/spec.h"
#include "ksim/sim/bus.h"

namespace ksim::fault {

// The trigger that the seq-th event of a run is.
Trigger TriggerOf(const std::vector<sim::Event>& events, std::uint64_t seq);

}  // namespace ksim::fault
