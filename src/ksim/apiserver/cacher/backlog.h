// Backlog: what a watch has yet to send while its client does not read. Upstream's watcher always
// has these stations; here only one that has fallen behind does:
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
#include "ksim/apiserver/core/bus_payloads.h"

namespace ksim::apiserver {

// What goes on the wire as one event.
struct Outgoing {
  Outgoing(std::shared_ptr<const EventBody> b, std::uint64_t hash, std::uint64_t c)
      : body(std::move(b)), object_hash(hash), cause(c) {}
  std::shared_ptr<const EventBody> body;
  std::uint64_t object_hash;
  std::uint64_t cause;
};

class Backlog {
 public:
  // What the watch makes of an event; nullopt: it is not for it.
  using Convert = std::function<std::optional<Outgoing>(const CacheEvent&, bool initial)>;

  // Input and result hold `size` each. `initial` is what is left of the initial events.
  Backlog(std::size_t size, WatchInterval initial, Convert convert);

  // A live event or bookmark. False: there is no room for it. A stopped one wants nothing.
  bool Add(const CacheEvent& event);
  // The next one for the wire; nullopt if there is none now.
  std::optional<Outgoing> Take();

  // Nothing more is taken in. What is in the result is still sent; what stands before it is dropped
  // unless `drain`. `why` is a literal.
  void Stop(std::string_view why, bool drain);
  bool stopped() const { return stopped_; }
  // What it was stopped for; "overwritten" if the initial events ended early (WATCH-27).
  std::string_view stopped_for() const { return stopped_for_; }
  // The bookmark that ends the initial events has not got into the result.
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
  std::string_view stopped_for_;
};

}  // namespace ksim::apiserver
