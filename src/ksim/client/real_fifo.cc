#include "ksim/client/real_fifo.h"

#include <utility>

#include "ksim/client/delta_fifo.h"
#include "ksim/client/profile.h"

namespace ksim::client {

std::unique_ptr<DeltaQueue> MakeDeltaQueue(const Profile& profile, const api::Variants& variants,
                                           const Indexer* known) {
  if (profile.real_fifo) return std::make_unique<RealFifo>();
  return std::make_unique<DeltaFifo>(
      known, variants.deltafifo_replace == api::Variants::FifoReplace::kQueueToo);
}

void RealFifo::Push(DeltaType type, const api::Object& object, sim::Origin origin) {
  populated_ = true;
  Popped entry;
  entry.key = object.key();
  entry.deltas.emplace_back(type, object, origin);
  items_.push_back(std::move(entry));
  Queued();
}

void RealFifo::Add(const api::Object& object, sim::Origin origin) {
  Push(DeltaType::kAdded, object, origin);
}

void RealFifo::Update(const api::Object& object, sim::Origin origin) {
  Push(DeltaType::kUpdated, object, origin);
}

void RealFifo::Delete(const api::Object& object, sim::Origin origin) {
  Push(DeltaType::kDeleted, object, origin);
}

void RealFifo::Bookmark(std::int64_t resource_version, sim::Origin origin) {
  Popped entry;
  entry.kind = Popped::Kind::kBookmark;
  entry.resource_version = resource_version;
  entry.origin = origin;
  items_.push_back(std::move(entry));
  Queued();
}

void RealFifo::Replace(std::vector<api::Object> items, std::int64_t resource_version,
                       sim::Origin origin) {
  Popped entry;
  entry.kind = Popped::Kind::kReplacedAll;
  entry.objects = std::move(items);
  entry.resource_version = resource_version;
  entry.origin = origin;
  items_.push_back(std::move(entry));
  if (!populated_) {
    populated_ = true;
    initial_population_ = items_.size();
  }
  Queued();
}

void RealFifo::Resync(sim::Origin origin) {
  Popped entry;
  entry.kind = Popped::Kind::kSyncAll;
  entry.origin = origin;
  items_.push_back(std::move(entry));
  Queued();
}

std::optional<Popped> RealFifo::Pop() {
  if (items_.empty()) return std::nullopt;
  Popped popped = std::move(items_.front());
  items_.pop_front();
  popped.is_in_initial_list = !HasSynced();
  return popped;
}

void RealFifo::Processed() {
  if (initial_population_ > 0) --initial_population_;
}

}  // namespace ksim::client
