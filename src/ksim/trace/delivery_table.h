// How soon the handlers of each informer heard of what was committed, read from a trace: the
// numbers that `ksim run -o json` tells of its own run.
#pragma once
#include <vector>

#include "ksim/trace/delivery_meter.h"
#include "ksim/trace/excerpt.h"

namespace ksim::trace {

// The rows of all informers, from the calls and lists in the window.
std::vector<DeliveryRow> DeliveryRows(const Excerpt& excerpt);

}  // namespace ksim::trace
