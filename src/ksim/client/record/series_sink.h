// SeriesSink: writes events.k8s.io/v1 Events. The first of its kind is created, the second turns it
// into a series by a patch, later ones are only counted here; every 30 min all series are
// refreshed, and one that has been quiet for 6 min is written a last time and forgotten.
//
// Source: client-go tools/events/event_broadcaster.go. CLIENT-130.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/record/event_object.h"

namespace ksim::client {

class SeriesSink {
 public:
  // `part` is the part of the process that its tasks run as.
  SeriesSink(Client& client, std::string part, JitterSource& jitter);
  void Record(std::shared_ptr<const EventRecord> event);  // never blocks

 private:
  struct Entry {
    Entry() = default;
    std::shared_ptr<const EventRecord> event;
    std::optional<EventSeries> series;
  };
  sim::Task<void> Attempts(Entry entry);
  sim::Task<bool> Write(Entry entry);  // false: try again
  sim::Task<void> RefreshLoop();
  sim::Task<void> FinishLoop();
  void Spawn(sim::Task<void> task);

  Client& client_;
  sim::Process& process_;
  std::string part_;
  JitterSource& jitter_;
  const api::ResourceInfo* resource_;
  int first_series_count_;
  bool loops_ = false;
  absl::btree_map<std::string, Entry> cache_;
};

}  // namespace ksim::client
