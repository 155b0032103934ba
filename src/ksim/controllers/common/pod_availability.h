// When a ready pod that is not available yet will be: nothing else will say so.
//
// Source: pkg/controller/controller_utils.go FindMinNextPodAvailabilityCheck.
#pragma once
#include <optional>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::controllers {

// The least time from `now` until one of the pods that were ready and not available at `evaluated`,
// when the owner's status was worked out, becomes available; zero if it has by now. nullopt: there
// is no such pod.
std::optional<Duration> NextPodAvailability(const std::vector<api::Object>& pods,
                                            Duration min_ready, VirtualTime evaluated,
                                            VirtualTime now);

}  // namespace ksim::controllers
