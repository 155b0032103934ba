// Delivery: how soon the handlers of each informer heard of what was committed, and what that took
// in lists. Nothing is promised here: a number for "soon".
#pragma once
#include <string>
#include <vector>

#include "ksim/sim/bus.h"
#include "ksim/trace/delivery_meter.h"

namespace ksim::scenario {

using InformerDelivery = trace::DeliveryRow;

// RunDelivery listens to a run from its start.
class RunDelivery {
 public:
  // Subscribes itself; must live as long as the bus is used.
  explicit RunDelivery(sim::Bus& bus);
  RunDelivery(const RunDelivery&) = delete;
  RunDelivery& operator=(const RunDelivery&) = delete;
  // By name of informer; once, at the end.
  std::vector<InformerDelivery> Rows() { return meter_.Rows(); }

 private:
  void Take(const sim::Event& e);

  trace::DeliveryMeter meter_;
};

// A table for people; "" if there is no informer.
std::string DeliveryTable(const std::vector<InformerDelivery>& delivery);

}  // namespace ksim::scenario
