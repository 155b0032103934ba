// TaintQueue: the nodes of a zone that wait for their NoExecute taint, at a limited rate: one node
// each 10 s (rate 0.1), each 100 s in a large zone of which most is down (0.01), or none at all.
//
// A name is in the queue at most once, and one that was taken out by its taint counts as there
// until Remove. The loop that empties the queue looks every 100 ms; each look at a queue with a
// head takes a token, also if the head's time has not come.
//
// Source: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go RateLimitedTimedQueue.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "ksim/base/time.h"

namespace ksim::controllers {

// Rates in nodes a second. Upstream's are 32-bit floating-point numbers, 13421773/2^27 and
// 10737418/2^30; golang.org/x/time/rate has a token once all but less than a nanosecond of its time
// has passed. So the intervals are these, in whole nanoseconds.
enum class EvictionRate : std::uint8_t { kNone, kSecondary, kNormal };
Duration IntervalOf(EvictionRate rate);  // 0 of kNone

class TaintQueue {
 public:
  bool Add(const std::string& name, VirtualTime now);  // false: it counts as there
  bool Remove(const std::string& name);                // false: it did not
  // The first name whose time has come, if there is a token for it. Without a head no token is
  // asked for.
  std::optional<std::string> Take(VirtualTime now);
  // The name that was taken got its taint, or needs none: it goes, and still counts as there.
  void Finish(const std::string& name);
  // It is tried again a nanosecond after `wait` from when it was taken.
  void Retry(const std::string& name, VirtualTime taken, Duration wait);
  // A new limiter begins with a token, unless the old one has none.
  void SwapLimiter(EvictionRate rate, VirtualTime now);
  EvictionRate rate() const { return rate_; }
  // When a look may bring something: the next token's time. nullopt: the queue is empty, or the
  // rate is none.
  std::optional<VirtualTime> NextLook(VirtualTime now) const;
  bool empty() const { return waiting_.empty(); }

 private:
  struct Item {
    VirtualTime process_at;
    std::uint64_t number = 0;  // order of adding: of two names added in one instant the first goes
    std::string name;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  bool TryAccept(VirtualTime now);
  void TakeOut(const std::string& name);

  EvictionRate rate_ = EvictionRate::kNormal;
  VirtualTime token_at_;  // when there is a token
  std::set<Item> waiting_;
  std::set<std::string> known_;
  std::uint64_t next_number_ = 0;
};

}  // namespace ksim::controllers
