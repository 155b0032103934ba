// The rate limiter of controllers of EndpointSlices: a failing key waits 1 s, 2 s, 4 s, ... up to
// `max`, and all keys share 10 a second with a burst of 100.
//
// Source: pkg/controller/endpointslice/endpointslice_controller.go NewController; the same in
// endpointslicemirroring.
#pragma once
#include <memory>

#include "ksim/base/time.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

std::unique_ptr<client::RateLimiter> SliceLimiter(const ControllerContext& context, Duration max);

}  // namespace ksim::controllers
