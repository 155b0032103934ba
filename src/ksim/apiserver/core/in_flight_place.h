// InFlightPlace: the place that one request takes among those that a server serves at a time. The
// request's context owns it; MaxInFlight (filters/max_in_flight.h) gives it out.
#pragma once
#include <memory>
#include <utility>

namespace ksim::apiserver {

class InFlightPlace {
 public:
  InFlightPlace() = default;  // counts nothing
  InFlightPlace(const InFlightPlace&) = delete;
  InFlightPlace& operator=(const InFlightPlace&) = delete;

  // Counts one more in `*count` until the place dies. `owner` keeps the counter alive.
  void Take(std::shared_ptr<void> owner, int* count) {
    ++*count;
    owner_ = std::move(owner);
    taken_.reset(count);
  }

 private:
  struct Leave {
    void operator()(int* count) const { --*count; }
  };
  std::shared_ptr<void> owner_;  // dies after `taken_`
  std::unique_ptr<int, Leave> taken_;
};

}  // namespace ksim::apiserver
