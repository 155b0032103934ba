// Backlog: the events that a watch has yet to send while its client does not read. Upstream's
// watcher always has these stations; here only a watcher that has fallen behind does:
//
//   initial events, then input  ->  the one in hand  ->  result  ->  the wire
//
// Source: apiserver pkg/storage/cacher/cache_watcher.go processInterval, process,
// sendWatchCacheEvent.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "ksim/apiserver/cacher/watch_interval.h"
#include "ksim/apiserver/core/payloads.h"

namespace ksim::apiserver {

// One event for the wire.
struct Outgoing {
  Outgoing(std::shared_ptr<const EventBody> b, std::uint64_t hash, std::uint64_t c)
      : body(std::move(b)), object_hash(hash), cause(c) {}
  std::shared_ptr<const EventBody> body;
  std::uint64_t object_hash;
  std::uint64_t cause;
};

class Backlog {
 public:
  // Converts an event for the watch; nullopt if its predicate does not select it.
  using Convert = std::function<std::optional<Outgoing>(const CacheEvent&, bool initial)>;

  // Input and result hold `size` each. `initial`: the initial events that have not been sent.
  Backlog(std::size_t size, WatchInterval initial, Convert convert);

  // Queues a live event or bookmark; returns false if the input is full. A stopped backlog drops
  // it.
  bool Add(const CacheEvent& event);
  // Takes out the next event for the wire; nullopt if there is none.
  std::optional<Outgoing> Take();

  // Queues nothing more. Events in the result are still sent; those before it are dropped unless
  // `drain` is set. `why` is a literal.
  void Stop(std::string_view why, bool drain);
  bool stopped() const { return stopped_; }
  // The reason given to Stop; "overwritten" if the initial events ended early (WATCH-27).
  std::string_view stop_reason() const { return stop_reason_; }
  // True until the bookmark that ends the initial events has reached the result.
  bool before_initial_end() const { return !initial_sent_; }

 private:
  void Advance();
  std::optional<CacheEvent> NextIn(bool* initial);

  std::size_t size_;
  Convert convert_;
  WatchInterval initial_;
  std::deque<CacheEvent> input_;
  std::optional<Outgoing> in_hand_;  // waits for room in the result
  std::deque<Outgoing> result_;
  bool initial_sent_ = false;
  bool stopped_ = false;
  std::string_view stop_reason_;
};

}  // namespace ksim::apiserver
