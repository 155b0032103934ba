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
  bool Observe(const sim::Event& event, Observation* out) {
    if (!IsRead(event)) return false;
    Fill(event, out);
    return true;
  }

 private:
  // Half of all events are not.
  static bool IsRead(const sim::Event& e) {
    return e.kind != sim::EventKind::kStage && e.kind != sim::EventKind::kEvent &&
           e.kind != sim::EventKind::kCompact && e.kind != sim::EventKind::kViolation && e.payload;
  }
  void Fill(const sim::Event& event, Observation* out);

  std::string revision_;  // of a store watch, as text
};

}  // namespace ksim::check
