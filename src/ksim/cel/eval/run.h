// Run: one evaluation: the variables, the loops' variables, and the cost so far.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

// The value of a variable of the environment; nullopt: it has none.
using Activation = std::function<std::optional<Val>(std::string_view)>;

class PlanNode;

struct Slot {
  Val value;
  const PlanNode* init = nullptr;  // still to be evaluated: a bound value is made when asked for
};

struct Run {
  Run(const Activation& a, std::uint64_t l) : activation(a), limit(l) {}

  const Activation& activation;
  std::uint64_t limit;  // of the cost
  std::uint64_t cost = 0;
  bool cancelled = false;  // the limit is exceeded: nothing is evaluated any more
  std::vector<Slot> slots;
  std::vector<std::optional<Val>> variables;

  void Charge(std::uint64_t amount) {
    cost = cost > UINT64_MAX - amount ? UINT64_MAX : cost + amount;
    if (cost > limit) cancelled = true;
  }
};

}  // namespace ksim::cel
