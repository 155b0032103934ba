// One line about an event: "#41 +0.310s kube-scheduler request create pods x".
#pragma once
#include <string>

#include "ksim/trace/record.h"

namespace ksim::trace {

std::string EventLine(const Record& record);

}  // namespace ksim::trace
