// CacheLog: hears what client-go's reflectors and informers tell in their own logs: the moments,
// not the words, which differ by version. They are no events of the run: nobody hears of them
// unless somebody asks, and then the run goes the same way.
//
// Source: client-go tools/cache/reflector.go, shared_informer.go; apimachinery
// pkg/watch/streamwatcher.go.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/base/time.h"

namespace ksim::client {

struct CacheMoment {
  enum class Kind : std::uint8_t {
    kReflectorStarts,   // `period`
    kListsAndWatches,   // a pass begins
    kListFails,         // and the pass is over; `status`
    kWatchListRefused,  // it backs off and asks again; `status`
    kWatchListFails,    // a LIST follows; `status`, or `very_short`
    kInitialEventsEnd,  // `items`, `duration`
    kPopulated,
    kResync,
    kWatchRefused,    // it backs off and asks again; `status`
    kWatchFails,      // it could not be opened, and the pass is over; `status`
    kStreamBreaks,    // in the middle; what becomes of the watch follows
    kWatchCloses,     // cleanly, or with its stream; `items`
    kWatchExpires,    // by an ERROR event; `status`
    kWatchThrottled,  // 429
    kWatchRetried,    // after an internal error; `status`
    kWatchEnds,       // by another error; `status`, or `very_short`
    kPeriodTooSmall,  // of a handler that is added: `period`
    kPeriodRaised,    // a running informer looks every `least` only
    kWaits,           // `part` begins when its caches have synced; no resource
    kSynced           // they have
  };

  CacheMoment(Kind k, const api::ResourceInfo* r) : kind(k), resource(r) {}
  Kind kind;
  const api::ResourceInfo* resource;  // null: no informer's
  api::Status status;
  bool very_short = false;  // less than a second, and nothing came
  std::uint64_t items = 0;
  Duration duration, period, least;
  std::string_view part;  // of the process
};

class CacheLog {
 public:
  virtual ~CacheLog() = default;
  virtual void Hear(const CacheMoment& moment) = 0;
};

}  // namespace ksim::client
