// EventText says in a few words what an event is about, for pictures and tables that show time and
// actor elsewhere:
// "create pods web-x", "MODIFIED pods web-x rv 12", "dropWatch kube-scheduler pods".
#pragma once
#include <string>

#include "ksim/trace/record.h"

namespace ksim::trace {

std::string EventText(const Record& record);

}  // namespace ksim::trace
