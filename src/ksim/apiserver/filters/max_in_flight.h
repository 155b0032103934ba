// MaxInFlight: how many requests a server serves at a time.
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

  // False if the request has to be refused. Who is not counted gets an empty place.
  bool Enter(const User& user, const api::Request& request, InFlightPlace* place);

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
