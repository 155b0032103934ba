// Fewer: the part of a failing run's decisions that the failure needs, found by running again with
// less: design of delta debugging (Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing
// Input", 2002), and of Hypothesis's shrinker the order: what goes as a whole first.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ksim/sim/decisions.h"

namespace ksim::fuzz {

using Decisions = std::vector<sim::Decision>;

// Runs with these decisions. The ones that were really taken if the failure shows (a decision may
// never be asked for in another run); nullopt if it does not, or if no run is left.
using Reproduces = std::function<std::optional<Decisions>(const Decisions&)>;

// All decisions of a kind go, then halves, quarters, ..., single ones.
Decisions WithoutUnneeded(Decisions all, const Reproduces& shows);

// The same; then a long fault in place of several short ones; then each as small as it may be.
Decisions MinimalDecisions(Decisions all, const Reproduces& shows);

}  // namespace ksim::fuzz
