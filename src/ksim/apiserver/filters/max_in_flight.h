// MaxInFlight: limits the number of requests that a server serves at a time.
//
// Source: apiserver pkg/server/filters/maxinflight.go WithMaxInFlightLimit.
#pragma once
#include <memory>

#include "ksim/api/request.h"
#include "ksim/apiserver/core/in_flight_place.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/apiserver/policy.h"

namespace ksim::apiserver {

class MaxInFlight {
 public:
  explicit MaxInFlight(InFlightLimits limits) : limits_(limits), now_(std::make_shared<Counts>()) {}

  // Takes a place for the request; returns false if it has to be refused. A request that is not
  // counted leaves `place` empty.
  bool TryEnter(const User& user, const api::Request& request, InFlightPlace* place);

 private:
  struct Counts {
    int reading = 0;
    int mutating = 0;
  };
  InFlightLimits limits_;
  std::shared_ptr<Counts> now_;
};

// 429 (API-140).
api::Status TooManyInFlight();

}  // namespace ksim::apiserver
