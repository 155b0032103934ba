// DeltaQueue: the queue between a reflector and a cache (client-go's Queue and ReflectorStore in
// one). The reflector puts changes in, the informer's loop pops them. Each change carries the
// Origin of the step that put it in.
//
// DeltaFIFO (1.25, 1.30) keeps a list of deltas per key, RealFIFO (1.36) one list of all. Both
// never merge states: no MODIFIED is lost in the queue.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ksim/api/variants.h"
#include "ksim/client/delta.h"

namespace ksim::client {

class Indexer;
struct Profile;

class DeltaQueue {
 public:
  virtual ~DeltaQueue() = default;
  // Called after each operation that may have made Pop possible.
  void OnQueued(std::function<void()> call) { on_queued_ = std::move(call); }

  virtual void Add(const api::Object& object, sim::Origin origin) = 0;
  virtual void Update(const api::Object& object, sim::Origin origin) = 0;
  virtual void Delete(const api::Object& object, sim::Origin origin) = 0;
  virtual void Bookmark(std::int64_t resource_version, sim::Origin origin) = 0;
  // `items` in list order, each key once.
  virtual void Replace(std::vector<api::Object> items, std::int64_t resource_version,
                       sim::Origin origin) = 0;
  virtual void Resync(sim::Origin origin) = 0;

  // The oldest entry; nullopt when empty. The caller applies it, then calls Processed.
  virtual std::optional<Popped> Pop() = 0;
  virtual void Processed() = 0;
  // True once the items of the first Replace were popped (and, RealFIFO, processed); true at once
  // if the first operation was another. CLIENT-46.
  virtual bool HasSynced() const = 0;
  virtual std::size_t size() const = 0;  // entries that Pop has still to hand out

 protected:
  void Queued() {
    if (on_queued_) on_queued_();
  }

 private:
  std::function<void()> on_queued_;
};

// The queue of a version, in front of `known` (not null; outlives the queue).
std::unique_ptr<DeltaQueue> MakeDeltaQueue(const Profile& profile, const api::Variants& variants,
                                           const Indexer* known);

}  // namespace ksim::client
