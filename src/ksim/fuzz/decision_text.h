// Faults and answers to decisions as a line each, for people.
#pragma once
#include <string>

#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"

namespace ksim::fuzz {

// "dropWatch {client: kube-scheduler, resource: pods}".
std::string FaultText(const scenario::FaultSpec& fault);

// "delay/a/b/pods 301s".
std::string DecisionText(const sim::Decision& decision);

}  // namespace ksim::fuzz
