// Events of a running simulation as observations. No text is made: views are into the payloads.
#pragma once
#include <string>

#include "ksim/check/observation.h"
#include "ksim/sim/bus.h"

namespace ksim::check {

class BusObserver {
 public:
  // The kinds that oracles read: half of all events.
  static constexpr sim::EventKinds kRead = sim::EventKinds::AllBut(
      {sim::EventKind::kStage, sim::EventKind::kEvent, sim::EventKind::kViolation,
       sim::EventKind::kInput, sim::EventKind::kLog});

  // False for events of other kinds: *out is not set then. *out is good until the next call and as
  // long as the event.
  bool Observe(const sim::Event& event, Observation* out) {
    if (!kRead.Has(event.kind) || !event.payload) return false;
    Fill(event, out);
    return true;
  }

 private:
  void Fill(const sim::Event& event, Observation* out);

  std::string revision_;  // of a store watch, as text
};

}  // namespace ksim::check
