// Delivery: how soon the handlers of each informer heard of what was committed, and what that took
// in lists. Nothing is promised here: a number for "soon".
#pragma once
#include <string>
#include <vector>

#include "ksim/sim/bus.h"
#include "ksim/trace/delivery_meter.h"

namespace ksim::scenario {

using InformerDelivery = trace::DeliveryRow;

// By name of informer. `events` are those of one run from its start.
std::vector<InformerDelivery> DeliveryOf(const std::vector<sim::Event>& events);

// A table for people; "" if there is no informer.
std::string DeliveryTable(const std::vector<InformerDelivery>& delivery);

}  // namespace ksim::scenario
