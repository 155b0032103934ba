// DeltaFIFO: a list of deltas per key, and a queue of keys. A key is queued when its first delta
// comes; popping it hands out all its deltas, so A1 B1 A2 is processed as A1 A2 B1.
//
// Source: client-go tools/cache/delta_fifo.go at v0.25.3 and v0.30. CLIENT-40..49.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/client/delta_queue.h"
#include "ksim/sim/fifo.h"

namespace ksim::client {

class DeltaFifo : public DeltaQueue {
 public:
  // `replace_sees_queued`: Replace also finds deletions among keys that wait (since 0.27); without
  // it only among those in `known` (CLIENT-44). The variant deltafifo.replace.
  DeltaFifo(const Indexer* known, bool replace_sees_queued)
      : known_(known), replace_sees_queued_(replace_sees_queued) {}

  bool Add(const api::Object& object, sim::Origin origin) override;
  bool Update(const api::Object& object, sim::Origin origin) override;
  bool Delete(const api::Object& object, sim::Origin origin) override;
  void Bookmark(std::int64_t, sim::Origin) override {}
  bool Replace(std::vector<api::Object> items, std::int64_t resource_version,
               sim::Origin origin) override;
  bool Resync(sim::Origin origin) override;
  std::optional<Popped> Pop() override;
  void Processed() override {}
  bool HasSynced() const override { return populated_ && initial_population_ == 0; }
  std::size_t size() const override { return queue_.size(); }

 private:
  struct Waiting {
    explicit Waiting(std::string k) : key(std::move(k)) {}
    std::string key;
    Deltas deltas;
  };
  bool Enqueue(std::string key, Delta delta);
  bool EnqueueList(const std::vector<api::Object>& items, sim::Origin origin);
  std::vector<std::string> QueuedKeysNotIn(
      const absl::flat_hash_map<std::string, bool>& listed) const;  // sorted
  // Tombstones for waiting keys, and for known ones that are not listed.
  bool DeleteQueued(const std::vector<std::string>& keys, sim::Origin origin);
  bool DeleteKnown(const absl::flat_hash_map<std::string, bool>& listed, sim::Origin origin,
                   std::size_t* deletions);

  const Indexer* known_;
  bool replace_sees_queued_;
  absl::flat_hash_map<std::string_view, std::unique_ptr<Waiting>> items_;  // looked up only
  sim::Fifo<Waiting*> queue_;                                              // all of items_
  bool populated_ = false;
  std::size_t initial_population_ = 0;
};

}  // namespace ksim::client
