#include "ksim/client/real_fifo.h"

#include <utility>

#include "ksim/client/indexer.h"
#include "ksim/sim/probe.h"

namespace ksim::client {

void RealFifo::Push(std::string key, Delta delta) {
  Popped entry;
  entry.key = std::move(key);
  entry.deltas.push_back(std::move(delta));
  items_.Push(std::move(entry));
}

bool RealFifo::PushNew(DeltaType type, const api::Object& object, sim::Origin origin) {
  populated_ = true;
  Delta delta(type, object, origin);
  const bool transformed = Transformed(transform(), false, &delta.object);
  if (transformed) Push(object.key(), std::move(delta));
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
  Popped entry;
  entry.kind = Popped::Kind::kBookmark;
  entry.resource_version = resource_version;
  entry.origin = origin;
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
  Popped entry;
  entry.kind = Popped::Kind::kReplacedAll;
  entry.objects = std::move(items);
  entry.resource_version = resource_version;
  entry.origin = origin;
  items_.Push(std::move(entry));
  return true;
}

bool RealFifo::ReplaceOneByOne(std::vector<api::Object> items, sim::Origin origin) {
  KSIM_PROBE("variant/realfifo.replace");
  absl::flat_hash_set<std::string> listed;
  listed.reserve(items.size());
  for (const api::Object& item : items) listed.insert(item.key());
  DeleteMissing(listed, origin);
  for (api::Object& item : items) {
    std::string key = item.key();
    if (!Transformed(transform(), false, &item)) return false;
    Push(std::move(key), Delta(DeltaType::kReplaced, std::move(item), origin));
  }
  return true;
}

void RealFifo::DeleteMissing(const absl::flat_hash_set<std::string>& listed, sim::Origin origin) {
  std::vector<std::string> waiting;  // in order of their first entry
  absl::flat_hash_map<std::string, Delta> newest;
  for (const Popped& entry : items_) {
    if (!newest.contains(entry.key)) waiting.push_back(entry.key);
    newest[entry.key] = entry.deltas.front();
  }
  const auto bury = [&](const std::string& key, const api::Object& object) {
    Push(key, Delta(DeltaType::kDeleted, object, origin, true));
  };
  for (const std::string& key : waiting) {
    const Delta& last = newest.at(key);
    if (!listed.contains(key) && last.type != DeltaType::kDeleted) bury(key, last.object);
  }
  for (const std::string& key : known_->ListKeys())
    if (!listed.contains(key) && !newest.contains(key)) bury(key, known_->GetByKey(key));
}

bool RealFifo::Resync(sim::Origin origin) {
  if (atomic_) {
    Popped entry;
    entry.kind = Popped::Kind::kSyncAll;
    entry.origin = origin;
    items_.Push(std::move(entry));
  } else {
    absl::flat_hash_set<std::string> queued;
    for (const Popped& entry : items_) queued.insert(entry.key);
    for (const std::string& key : known_->ListKeys())
      if (!queued.contains(key)) Push(key, Delta(DeltaType::kSync, known_->GetByKey(key), origin));
  }
  Queued();
  return true;
}

std::optional<Popped> RealFifo::Pop() {
  if (items_.empty()) return std::nullopt;
  Popped popped = items_.Pop();
  popped.is_in_initial_list = !HasSynced();
  return popped;
}

void RealFifo::Processed() {
  if (initial_population_ > 0) --initial_population_;
}

}  // namespace ksim::client
