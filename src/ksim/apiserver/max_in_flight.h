// MaxInFlight: how many requests a server serves at a time.
//
// Source: apiserver pkg/server/filters/maxinflight.go WithMaxInFlightLimit.
#pragma once
#include <memory>

#include "ksim/api/request.h"
#include "ksim/apiserver/authentication.h"
#include "ksim/apiserver/policy.h"

namespace ksim::apiserver {

class MaxInFlight {
 public:
  explicit MaxInFlight(InFlightLimits limits) : limits_(limits), now_(std::make_shared<Counts>()) {}

  // A place among those being served, for as long as it lives.
  class Place {
   public:
    Place() = default;  // takes none
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    friend class MaxInFlight;
    struct Leave {
      void operator()(int* count) const { --*count; }
    };
    std::shared_ptr<void> counts_;  // keeps the counter that `taken_` points into
    std::unique_ptr<int, Leave> taken_;
  };

  // False if the request has to be refused. Who is not counted gets an empty place.
  bool Enter(const User& user, const api::Request& request, Place* place);

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
