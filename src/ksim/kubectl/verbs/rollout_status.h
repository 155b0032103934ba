// RolloutState: what kubectl rollout status says of a Deployment, DaemonSet or StatefulSet.
//
// Source: kubectl pkg/polymorphichelpers/rollout_status.go.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/api/object.h"

namespace ksim::kubectl {

struct RolloutState {
  RolloutState() = default;
  std::string text;   // a line; "" with an error
  std::string error;  // "" = none
  bool done = false;
};

// `revision`: the one that the Deployment has to be at; 0 = any.
RolloutState RolloutStateOf(const api::Object& object, std::int64_t revision);

}  // namespace ksim::kubectl
