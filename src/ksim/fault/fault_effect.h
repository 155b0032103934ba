// FaultEffect: what a verb has done, and how the fault goes on from there.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "ksim/base/time.h"

namespace ksim::fault {

struct FaultEffect {
  FaultEffect() = default;
  std::string skipped;            // not empty: the verb did nothing, and why
  std::function<void()> undo;     // called when the fault ends; empty: nothing is left to undo
  std::optional<Duration> lasts;  // zero: over at once; nullopt: until something ends it
  // Set: the fault waits until FaultCall::Struck is called, but no longer than `lasts`; then `undo`
  // stops the waiting, and this says how the fault goes on.
  std::function<FaultEffect()> strikes;
  // Tells why a fault that waits could not strike what came; "" if nothing came. May be empty.
  std::function<std::string()> passed_over;
};
FaultEffect Skipped(std::string why);
FaultEffect AtOnce();

}  // namespace ksim::fault
