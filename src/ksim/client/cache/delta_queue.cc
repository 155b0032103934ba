#include "ksim/client/cache/delta_queue.h"

#include "ksim/base/check.h"
#include "ksim/client/cache/delta_fifo.h"
#include "ksim/client/cache/key_view.h"
#include "ksim/client/cache/real_fifo.h"
#include "ksim/client/core/profile.h"

namespace ksim::client {

bool Transformed(const TransformFunc& transform, bool tombstone, api::Object* object) {
  if (!transform) return true;
  absl::StatusOr<api::Object> changed = transform(*object, tombstone);
  if (!changed.ok()) return false;
  KSIM_CHECK(SameKey()(*changed, *object)) << object->key() << " is transformed to another object";
  *object = *std::move(changed);
  return true;
}

void DeltaQueue::Reuse(std::unique_ptr<Popped> entry) {
  if (entry->kind != Popped::Kind::kDeltas || spare_.size() >= kSpare) return;
  entry->deltas.clear();
  spare_.push_back(std::move(entry));
}

std::unique_ptr<Popped> DeltaQueue::NewEntry(Delta&& first) {
  std::unique_ptr<Popped> entry;
  if (spare_.empty()) {
    entry = std::make_unique<Popped>();
  } else {
    entry = std::move(spare_.back());
    spare_.pop_back();
  }
  entry->deltas.push_back(std::move(first));
  return entry;
}

std::unique_ptr<Popped> DeltaQueue::NewEntry(Popped::Kind kind, sim::Origin origin) {
  auto entry = std::make_unique<Popped>();
  entry->kind = kind;
  entry->origin = origin;
  return entry;
}

std::unique_ptr<DeltaQueue> MakeDeltaQueue(const Profile& profile, const api::Variants& variants,
                                           const Indexer* known) {
  if (profile.real_fifo) {
    return std::make_unique<RealFifo>(
        known, variants.realfifo_replace == api::Variants::FifoEntries::kAtomic);
  }
  return std::make_unique<DeltaFifo>(
      known, variants.deltafifo_replace == api::Variants::FifoReplace::kQueueToo,
      variants.deltafifo_replace_delta == api::Variants::ReplaceDelta::kSync);
}

}  // namespace ksim::client
