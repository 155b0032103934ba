// EventCorrelator: keeps a source from flooding the API with events. In this order:
//
//   aggregate   the 10th distinct message of one kind of event within 10 min of the one before is
//               replaced by "(combined from similar events): ..."
//   count       an event seen before becomes a patch of its count
//   filter      25 events per source and object, then 1 each 5 min; the rest is dropped, after it
//               has counted
//
// A full set of messages drops its first in order (upstream: an arbitrary one).
//
// Source: client-go tools/record/events_cache.go. CLIENT-125..128.
#pragma once
#include <string>

#include "absl/container/btree_set.h"
#include "ksim/client/core/token_bucket.h"
#include "ksim/client/record/event_object.h"
#include "ksim/client/record/lru_cache.h"

namespace ksim::client {

struct Correlation {
  Correlation() = default;
  bool patch = false;  // it is known to the server: patch its count
  bool skip = false;
};

class EventCorrelator {
 public:
  // `spam_key_has_type`: a spam bucket per event type as well (since 0.32).
  explicit EventCorrelator(bool spam_key_has_type);
  // Changes what is to be said.
  Correlation Correlate(EventRecord& event, VirtualTime now, VirtualTime steady);
  // The server has taken the event as it stands here.
  void UpdateState(const EventRecord& event);

 private:
  struct Aggregate {
    absl::btree_set<std::string> messages;
    VirtualTime last;
  };
  struct Seen {
    int count = 0;
    VirtualTime first;
    std::string name;
  };
  // `source`: what the keys of its source and object begin with. The key to count it by.
  std::string AggregateEvent(EventRecord& event, const std::string& source, VirtualTime now,
                             VirtualTime steady);
  bool Observe(EventRecord& event, const std::string& key);  // true: patch
  // True: drop.
  bool Filter(const EventRecord& event, const std::string& source, VirtualTime steady);

  bool spam_key_has_type_;
  LruCache<Aggregate> aggregates_;
  LruCache<Seen> seen_;
  LruCache<TokenBucket> buckets_;
};

}  // namespace ksim::client
