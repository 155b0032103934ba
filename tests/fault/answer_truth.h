// LiesIn lists what the answers and watch errors of a run say of objects that was not so, from the
// events alone: a slow oracle beside fault/server_answers.h, which looks before it answers.
#pragma once
#include <string>
#include <vector>

#include "ksim/sim/bus.h"

namespace ksim::fault {

std::vector<std::string> LiesIn(const std::vector<sim::Event>& events);

}  // namespace ksim::fault
