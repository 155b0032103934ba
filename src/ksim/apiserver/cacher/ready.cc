#include "ksim/apiserver/cacher/ready.h"

#include <algorithm>

namespace ksim::apiserver {
namespace {

// The first whole second of downtime at which e^(0.06 s) reaches 2, 3, ... 30: a table, because
// floating point decides nothing here. ceil(ln(n) / 0.06) in milliseconds.
constexpr int kReachedAtMs[] = {11553, 18311, 23105, 26824, 29863, 32432, 34658, 36621,
                                38377, 39965, 41416, 42750, 43985, 45135, 46210, 47221,
                                48173, 49074, 49929, 50743, 51518, 52259, 52968, 53648,
                                54302, 54931, 55537, 56122, 56687};

}  // namespace

int RetryAfterForUnreadyCache(Duration downtime) {
  const std::int64_t ms = downtime.ns() / 1'000'000;
  int seconds = 1;
  for (const int reached : kReachedAtMs) seconds += ms >= reached ? 1 : 0;
  return seconds;
}

api::Status Ready::NotReady() const {
  std::string message = "storage is (re)initializing";
  if (!error_.empty()) message += ": " + error_;
  return api::TooManyRequests(message, RetryAfterForUnreadyCache(process_.SteadyNow() - since_));
}

void Ready::Set() {
  if (ready_) return;
  ready_ = true;
  ++generation_;
  since_ = process_.SteadyNow();
  error_.clear();
  changed_.Notify();
}

void Ready::Unset(const api::Status& error) {
  error_ = error.message;
  if (!ready_) return;
  ready_ = false;
  since_ = process_.SteadyNow();
}

sim::Task<void> Ready::Wait() {
  while (!ready_) co_await changed_.Wait();
}

sim::Task<bool> Ready::WaitUntil(VirtualTime deadline) {
  while (!ready_ && process_.SteadyNow() < deadline)
    co_await changed_.WaitFor(deadline - process_.SteadyNow(), sim::TimerKind::kPeriodic);
  co_return ready_;
}

}  // namespace ksim::apiserver
