// Delivery: how soon the handlers of each informer heard of what was committed, and what that took
// in lists. Nothing is promised here: a number for "soon".
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/sim/bus.h"

namespace ksim::scenario {

// Counted are the calls about a commit made after the informer's first list; not those about what
// was there before (initial), about nothing new (resync, relist of what had not changed), or about
// a deletion that was not seen (a tombstone has no revision of its own).
struct InformerDelivery {
  InformerDelivery() = default;
  std::string informer;  // "PROCESS RESOURCE"
  std::uint64_t calls = 0;
  Duration p50, p99, max;          // from the commit to the call; nearest rank
  std::uint64_t relists = 0;       // the first list included
  std::uint64_t items_listed = 0;  // by all of them
};

// By name of informer. `events` are those of one run from its start.
std::vector<InformerDelivery> DeliveryOf(const std::vector<sim::Event>& events);

// A table for people; "" if there is no informer.
std::string DeliveryTable(const std::vector<InformerDelivery>& delivery);

}  // namespace ksim::scenario
