#include "ksim/client/cache/real_fifo.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/client/cache/indexer.h"
#include "ksim/sim/probe.h"

namespace ksim::client {

bool RealFifo::PushNew(DeltaType type, const api::Object& object, sim::Origin origin) {
  populated_ = true;
  Delta delta(type, object, origin);
  const bool transformed = Transformed(transform(), false, &delta.object);
  if (transformed) Push(std::move(delta));
  Queued();
  return transformed;
}

bool RealFifo::Add(const api::Object& object, sim::Origin origin) {
  return PushNew(DeltaType::kAdded, object, origin);
}

bool RealFifo::Update(const api::Object& object, sim::Origin origin) {
  return PushNew(DeltaType::kUpdated, object, origin);
}

bool RealFifo::Delete(const api::Object& object, sim::Origin origin) {
  return PushNew(DeltaType::kDeleted, object, origin);
}

void RealFifo::Bookmark(std::int64_t resource_version, sim::Origin origin) {
  if (!atomic_) return;
  std::unique_ptr<Popped> entry = NewEntry(Popped::Kind::kBookmark, origin);
  entry->resource_version = resource_version;
  items_.Push(std::move(entry));
  Queued();
}

bool RealFifo::Replace(std::vector<api::Object> items, std::int64_t resource_version,
                       sim::Origin origin) {
  const bool queued = atomic_ ? ReplaceAll(std::move(items), resource_version, origin)
                              : ReplaceOneByOne(std::move(items), origin);
  if (queued && !populated_) {
    populated_ = true;
    initial_population_ = items_.size();
  }
  Queued();
  return queued;
}

bool RealFifo::ReplaceAll(std::vector<api::Object> items, std::int64_t resource_version,
                          sim::Origin origin) {
  for (api::Object& item : items)
    if (!Transformed(transform(), false, &item)) return false;
  std::unique_ptr<Popped> entry = NewEntry(Popped::Kind::kReplacedAll, origin);
  entry->objects = std::move(items);
  entry->resource_version = resource_version;
  items_.Push(std::move(entry));
  return true;
}

bool RealFifo::ReplaceOneByOne(std::vector<api::Object> items, sim::Origin origin) {
  KSIM_PROBE("variant/realfifo.replace");
  KeySet<const api::Object*> listed(items.size(), HashOfKey(known_->resource()));
  for (const api::Object& item : items) listed.insert(&item);
  DeleteMissing(listed, origin);
  for (const api::Object& item : items) {
    Delta delta(DeltaType::kReplaced, item, origin);
    if (!Transformed(transform(), false, &delta.object)) return false;
    Push(std::move(delta));
  }
  return true;
}

void RealFifo::DeleteMissing(const KeySet<const api::Object*>& listed, sim::Origin origin) {
  std::vector<const Delta*> first;  // of each waiting key
  absl::flat_hash_map<const api::Object*, const Delta*, HashOfKey, SameKey> newest(
      items_.size(), HashOfKey(known_->resource()));
  for (const std::unique_ptr<Popped>& entry : items_) {
    const Delta& delta = entry->deltas.front();
    const auto [it, is_first] = newest.insert_or_assign(&delta.object, &delta);
    if (is_first) first.push_back(&delta);
  }
  std::vector<api::Object> missing;
  for (const Delta* waiting : first) {
    const Delta& last = *newest.at(&waiting->object);
    if (!listed.contains(last.object) && last.type != DeltaType::kDeleted)
      missing.push_back(last.object);
  }
  for (const api::Object& object : known_->List(""))
    if (!listed.contains(object) && !newest.contains(&object)) missing.push_back(object);
  for (api::Object& object : missing)
    Push(Delta(DeltaType::kDeleted, std::move(object), origin, true));
}

bool RealFifo::Resync(sim::Origin origin) {
  if (atomic_) {
    items_.Push(NewEntry(Popped::Kind::kSyncAll, origin));
  } else {
    KeySet<const api::Object*> queued(items_.size(), HashOfKey(known_->resource()));
    for (const std::unique_ptr<Popped>& entry : items_) queued.insert(&entry->object());
    std::vector<api::Object> due;
    for (const api::Object& object : known_->List(""))
      if (!queued.contains(object)) due.push_back(object);
    for (api::Object& object : due) Push(Delta(DeltaType::kSync, std::move(object), origin));
  }
  Queued();
  return true;
}

std::unique_ptr<Popped> RealFifo::Pop() {
  if (items_.empty()) return nullptr;
  std::unique_ptr<Popped> popped = items_.Pop();
  popped->is_in_initial_list = !HasSynced();
  return popped;
}

void RealFifo::Processed() {
  if (initial_population_ > 0) --initial_population_;
}

}  // namespace ksim::client
