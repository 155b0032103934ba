// DeltaQueue: the queue between a reflector and a cache (client-go's Queue and ReflectorStore in
// one). The reflector puts changes in, the informer's loop pops them. Each change carries the
// Origin of the step that put it in.
//
// DeltaFIFO (1.25, 1.30) keeps a list of deltas per key, RealFIFO (1.36) one list of all. Both
// never merge states: no MODIFIED is lost in the queue.
//
// A transform changes objects on their way in; 1.25 has it behind the queue. An operation whose
// transform fails returns false: what failed is not queued, nor what a list has after it.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ksim/api/variants.h"
#include "ksim/client/cache/delta.h"
#include "ksim/client/informer.h"

namespace ksim::client {

class Indexer;
struct Profile;

class DeltaQueue {
 public:
  virtual ~DeltaQueue() = default;
  // Called after each operation that may have made Pop possible.
  void OnQueued(std::function<void()> call) { on_queued_ = std::move(call); }
  void set_transform(TransformFunc transform) { transform_ = std::move(transform); }
  const TransformFunc& transform() const { return transform_; }  // empty: none

  virtual bool Add(const api::Object& object, sim::Origin origin) = 0;
  virtual bool Update(const api::Object& object, sim::Origin origin) = 0;
  virtual bool Delete(const api::Object& object, sim::Origin origin) = 0;
  virtual void Bookmark(std::int64_t resource_version, sim::Origin origin) = 0;
  // `items` in list order, each key once.
  virtual bool Replace(std::vector<api::Object> items, std::int64_t resource_version,
                       sim::Origin origin) = 0;
  virtual bool Resync(sim::Origin origin) = 0;

  // The oldest entry; null when empty. The caller applies it, then calls Processed.
  virtual std::unique_ptr<Popped> Pop() = 0;
  virtual void Processed() = 0;
  // Gives the memory of an entry back, for one to come.
  void Reuse(std::unique_ptr<Popped> entry);
  // True once the items of the first Replace were popped (and, RealFIFO, processed); true at once
  // if the first operation was another. CLIENT-46.
  virtual bool HasSynced() const = 0;
  virtual std::size_t size() const = 0;  // entries that Pop has still to hand out

 protected:
  void Queued() {
    if (on_queued_) on_queued_();
  }
  std::unique_ptr<Popped> NewEntry(Delta&& first);
  static std::unique_ptr<Popped> NewEntry(Popped::Kind kind, sim::Origin origin);

 private:
  static constexpr std::size_t kSpare = 256;
  std::vector<std::unique_ptr<Popped>> spare_;  // entries without deltas
  std::function<void()> on_queued_;
  TransformFunc transform_;
};

// Puts the transform of *object in its place; false if it fails. An empty one changes nothing.
bool Transformed(const TransformFunc& transform, bool tombstone, api::Object* object);

// The queue of a version, in front of `known` (not null; outlives the queue).
std::unique_ptr<DeltaQueue> MakeDeltaQueue(const Profile& profile, const api::Variants& variants,
                                           const Indexer* known);

}  // namespace ksim::client
