#include "ksim/client/delta_queue.h"

#include "ksim/client/delta_fifo.h"
#include "ksim/client/profile.h"
#include "ksim/client/real_fifo.h"

namespace ksim::client {

bool Transformed(const TransformFunc& transform, bool tombstone, api::Object* object) {
  if (!transform) return true;
  absl::StatusOr<api::Object> changed = transform(*object, tombstone);
  if (!changed.ok()) return false;
  *object = *std::move(changed);
  return true;
}

std::unique_ptr<DeltaQueue> MakeDeltaQueue(const Profile& profile, const api::Variants& variants,
                                           const Indexer* known) {
  if (profile.real_fifo) {
    return std::make_unique<RealFifo>(
        known, variants.realfifo_replace == api::Variants::FifoEntries::kAtomic);
  }
  return std::make_unique<DeltaFifo>(
      known, variants.deltafifo_replace == api::Variants::FifoReplace::kQueueToo);
}

}  // namespace ksim::client
