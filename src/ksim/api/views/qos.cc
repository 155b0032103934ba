#include "ksim/api/views/qos.h"

#include <array>

#include "ksim/api/core/fields.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

using value::Atom;
using value::Quantity;
using value::Value;

namespace {

// Sums of cpu and memory; `found` says which were asked for at all.
struct Sums {
  std::array<Quantity, 2> amount;
  std::array<bool, 2> found = {false, false};

  // Whether this list has both.
  bool Add(const Value& list) {
    static const std::array<Atom, 2> kNames = {Atom("cpu"), Atom("memory")};
    bool both = true;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const auto quantity = Quantity::FromTree(list.Get(kNames[i]));
      const bool given = quantity.ok() && quantity->Sign() > 0;
      if (given) {
        amount[i] += *quantity;
        found[i] = true;
      }
      both = both && given;
    }
    return both;
  }
  bool none() const { return !found[0] && !found[1]; }
};

}  // namespace

const char* ComputeQosClass(const Value& pod_spec) {
  Sums requests, limits;
  bool guaranteed = true;
  for (const Atom list : {Fields().containers, Fields().init_containers}) {
    for (const Value& container : pod_spec.Get(list).items()) {
      const Value& resources = container.Get(Fields().resources);
      requests.Add(resources.Get(Fields().requests));
      if (!limits.Add(resources.Get(Fields().limits))) guaranteed = false;
    }
  }
  if (requests.none() && limits.none()) return "BestEffort";
  guaranteed = guaranteed && requests.found == limits.found && requests.amount == limits.amount;
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace ksim::api
