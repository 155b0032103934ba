// Events of a running simulation as observations. No text is made: views are into the payloads.
#pragma once
#include <string>

#include "ksim/check/observation.h"
#include "ksim/sim/bus.h"

namespace ksim::check {

class Observer {
 public:
  // False for events that no oracle reads (`stage`, `event`, `compact`, ...): *out is not set then.
  // *out is good until the next call and as long as the event.
  bool Observe(const sim::Event& event, Observation* out);

 private:
  std::string revision_;  // of a store watch, as text
};

}  // namespace ksim::check
