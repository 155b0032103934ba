// TokenBucket: a rate limit with bursts, on a virtual clock. Starts full. Reservations may go
// negative: each caller is told how long to wait and is served in the order it asked.
//
// Kept as the instant at which the bucket would stand at zero tokens, in whole nanoseconds, so it
// never drifts and never becomes a floating-point number.
//
// Source: golang.org/x/time/rate (Limiter.reserveN, AllowN).
#pragma once
#include <algorithm>
#include <cstdint>

#include "ksim/base/time.h"

namespace ksim::client {

class TokenBucket {
 public:
  // One token each `interval`, at most `burst` at once. An interval of 0 never limits.
  TokenBucket(Duration interval, std::int64_t burst) : interval_(interval), burst_(burst) {}
  static TokenBucket PerSecond(std::int64_t qps, std::int64_t burst) {
    return TokenBucket(qps > 0 ? Duration(1'000'000'000 / qps) : Duration(), burst);
  }

  // Takes a token, perhaps one of the future; the answer is how long until it is there.
  Duration Reserve(VirtualTime now) {
    if (interval_ == Duration()) return {};
    Refill(now);
    empty_at_ = empty_at_ + interval_;
    return std::max(Duration(), empty_at_ - now);
  }
  // Takes a token only if one is there.
  bool TryAccept(VirtualTime now) {
    if (interval_ == Duration()) return true;
    Refill(now);
    if (empty_at_ + interval_ > now) return false;
    empty_at_ = empty_at_ + interval_;
    return true;
  }

 private:
  void Refill(VirtualTime now) {
    const VirtualTime full = now - interval_ * burst_;
    if (fresh_ || empty_at_ < full) empty_at_ = full;
    fresh_ = false;
  }

  Duration interval_;
  std::int64_t burst_;
  VirtualTime empty_at_;
  bool fresh_ = true;
};

}  // namespace ksim::client
