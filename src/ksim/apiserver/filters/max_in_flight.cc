#include "ksim/apiserver/filters/max_in_flight.h"

#include <algorithm>

namespace ksim::apiserver {
namespace {

constexpr int kRetryAfter = 1;  // seconds

bool Reads(api::Verb verb) { return verb == api::Verb::kGet || verb == api::Verb::kList; }

bool IsMaster(const User& user) {
  return std::find(user.groups.begin(), user.groups.end(), "system:masters") != user.groups.end();
}

}  // namespace

bool MaxInFlight::TryEnter(const User& user, const api::Request& request, InFlightPlace* place) {
  const bool long_running = request.verb == api::Verb::kWatch;
  const int limit = Reads(request.verb) ? limits_.reading : limits_.mutating;
  if (long_running || limit == 0) return true;
  int& count = Reads(request.verb) ? now_->reading : now_->mutating;
  // A request of system:masters is always served, and counted only while there is room.
  if (count >= limit) return IsMaster(user);
  place->Take(now_, &count);
  return true;
}

api::Status TooManyInFlight() {
  return api::TooManyRequests("Too many requests, please try again later.", kRetryAfter);
}

}  // namespace ksim::apiserver
