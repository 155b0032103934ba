// Triggers: calls something when the count-th matching event of a kind has happened: after the
// event's own effect, before any other event, at the same virtual time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/fault/spec.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/record.h"

namespace ksim::fault {

class Triggers {
 public:
  // Subscribes itself at the first Add; must live as long as the bus is used.
  explicit Triggers(sim::Simulation& sim) : sim_(sim) {}
  Triggers(const Triggers&) = delete;
  Triggers& operator=(const Triggers&) = delete;

  // `fire` gets the seq of the event; it is called once.
  void Add(const Trigger& trigger, std::function<void(std::uint64_t)> fire);

 private:
  struct Armed {
    Trigger trigger;
    sim::EventKind kind{};
    std::int64_t left = 1;
    std::function<void(std::uint64_t)> fire;
  };
  void OnEvent(const sim::Event& e);

  sim::Simulation& sim_;
  bool subscribed_ = false;
  std::vector<Armed> armed_;
};

// Whether the record has all the trigger's fields with their values.
bool Matches(const Trigger& trigger, const trace::Record& record);

// The trigger with its resource, which may be named as kubectl names it, as these kinds know it.
Trigger WithKnownResource(Trigger trigger, const api::Kinds& kinds);

}  // namespace ksim::fault
