// DeltaFIFO: a list of deltas per key, and a queue of keys. A key is queued when its first delta
// comes; popping it hands out all its deltas, so A1 B1 A2 is processed as A1 A2 B1.
//
// Source: client-go tools/cache/delta_fifo.go at v0.25.3 and v0.30. CLIENT-40..49.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ksim/client/cache/delta_queue.h"
#include "ksim/client/cache/indexer.h"
#include "ksim/client/cache/key_view.h"
#include "ksim/sim/internal/fifo.h"

namespace ksim::client {

class DeltaFifo : public DeltaQueue {
 public:
  // `replace_sees_queued`: Replace also finds deletions among keys that wait (since 0.27); without
  // it only among those in `known` (CLIENT-44). The variant deltafifo.replace.
  // `replaces_by_sync`: Replace queues what a resync does, which is left out behind a deletion. The
  // variant deltafifo.replaceDelta.
  DeltaFifo(const Indexer* known, bool replace_sees_queued, bool replaces_by_sync = false)
      : known_(known),
        replace_sees_queued_(replace_sees_queued),
        replaces_by_sync_(replaces_by_sync),
        items_(0, HashOfKey(known->resource())) {}

  bool Add(const api::Object& object, sim::Origin origin) override;
  bool Update(const api::Object& object, sim::Origin origin) override;
  bool Delete(const api::Object& object, sim::Origin origin) override;
  void Bookmark(std::int64_t, sim::Origin) override {}
  bool Replace(std::vector<api::Object> items, std::int64_t resource_version,
               sim::Origin origin) override;
  bool Resync(sim::Origin origin) override;
  std::unique_ptr<Popped> Pop() override;
  void Processed() override {}
  bool HasSynced() const override { return populated_ && initial_population_ == 0; }
  std::size_t size() const override { return queue_.size(); }

 private:
  using Listed = KeySet<const api::Object*>;
  bool Enqueue(Delta&& delta);
  // Whether an entry of the object's key is in the queue.
  bool Waits(const api::Object& object) const {
    return queue_.size() == 1 ? SameKey()(*queue_.begin(), object) : items_.contains(object);
  }
  // willObjectBeDeletedLocked: the last delta that is queued of the object is its deletion.
  bool WillBeDeleted(const api::Object& object) const;
  bool EnqueueList(const std::vector<api::Object>& items, sim::Origin origin);
  std::vector<api::Object> QueuedNotIn(const Listed& listed) const;  // the latest, by key
  // Tombstones for waiting keys, and for known ones that are not listed.
  bool DeleteQueued(const std::vector<api::Object>& last, sim::Origin origin);
  bool DeleteKnown(const Listed& listed, sim::Origin origin, std::size_t* deletions);

  const Indexer* known_;
  bool replace_sees_queued_, replaces_by_sync_;
  KeySet<Popped*> items_;                     // all of queue_, if they are two or more
  sim::Fifo<std::unique_ptr<Popped>> queue_;  // in the order of their first deltas
  bool populated_ = false;
  std::size_t initial_population_ = 0;
};

}  // namespace ksim::client
