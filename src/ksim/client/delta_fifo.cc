#include "ksim/client/delta_fifo.h"

#include <algorithm>
#include <utility>

#include "ksim/client/indexer.h"
#include "ksim/sim/probe.h"

namespace ksim::client {
namespace {

// Two deletions in a row are one; the one with a real object stays (isDeletionDup).
void DedupDeletions(Deltas& deltas) {
  if (deltas.size() < 2) return;
  Delta& last = deltas[deltas.size() - 1];
  Delta& before = deltas[deltas.size() - 2];
  if (last.type != DeltaType::kDeleted || before.type != DeltaType::kDeleted) return;
  if (before.tombstone) std::swap(last, before);
  deltas.pop_back();
}

}  // namespace

// queueActionLocked: the transform sees everything, tombstones and resyncs too.
bool DeltaFifo::Enqueue(std::string key, Delta delta) {
  if (!Transformed(transform(), delta.tombstone, &delta.object)) return false;
  const auto it = items_.lazy_emplace(key, [&](const auto& make) {
    auto fresh = std::make_unique<Waiting>(std::move(key));
    queue_.Push(fresh.get());
    make(std::string_view(fresh->key), std::move(fresh));
  });
  it->second->deltas.push_back(std::move(delta));
  DedupDeletions(it->second->deltas);
  return true;
}

bool DeltaFifo::Add(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  const bool queued = Enqueue(object.key(), Delta(DeltaType::kAdded, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Update(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  const bool queued = Enqueue(object.key(), Delta(DeltaType::kUpdated, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Delete(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  const std::string key = object.key();
  if (!items_.contains(key) && known_->GetByKey(key).empty()) return true;
  const bool queued = Enqueue(key, Delta(DeltaType::kDeleted, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Replace(std::vector<api::Object> items, std::int64_t, sim::Origin origin) {
  const bool queued = EnqueueList(items, origin);
  Queued();
  return queued;
}

bool DeltaFifo::EnqueueList(const std::vector<api::Object>& items, sim::Origin origin) {
  absl::flat_hash_map<std::string, bool> listed;
  listed.reserve(items.size());
  for (const api::Object& item : items) {
    const std::string key = item.key();
    listed.emplace(key, true);
    if (!Enqueue(key, Delta(DeltaType::kReplaced, item, origin))) return false;
  }
  const std::vector<std::string> waiting = QueuedKeysNotIn(listed);
  if (!waiting.empty()) KSIM_PROBE("variant/deltafifo.replace");
  if (replace_sees_queued_ && !DeleteQueued(waiting, origin)) return false;
  std::size_t deletions = replace_sees_queued_ ? waiting.size() : 0;
  if (!DeleteKnown(listed, origin, &deletions)) return false;
  if (!populated_) {
    populated_ = true;
    initial_population_ = listed.size() + deletions;
  }
  return true;
}

std::vector<std::string> DeltaFifo::QueuedKeysNotIn(
    const absl::flat_hash_map<std::string, bool>& listed) const {
  std::vector<std::string> missing;
  for (const Waiting* waiting : queue_)
    if (!listed.contains(waiting->key)) missing.push_back(waiting->key);
  std::sort(missing.begin(), missing.end());
  return missing;
}

bool DeltaFifo::DeleteQueued(const std::vector<std::string>& keys, sim::Origin origin) {
  for (const std::string& key : keys) {
    const api::Object last = items_.find(key)->second->deltas.back().object;
    if (!Enqueue(key, Delta(DeltaType::kDeleted, last, origin, true))) return false;
  }
  return true;
}

bool DeltaFifo::DeleteKnown(const absl::flat_hash_map<std::string, bool>& listed,
                            sim::Origin origin, std::size_t* deletions) {
  for (const std::string& key : known_->ListKeys()) {
    if (listed.contains(key)) continue;
    if (replace_sees_queued_ && items_.contains(key)) continue;
    if (!Enqueue(key, Delta(DeltaType::kDeleted, known_->GetByKey(key), origin, true)))
      return false;
    ++*deletions;
  }
  return true;
}

bool DeltaFifo::Resync(sim::Origin origin) {
  bool queued = true;
  for (const std::string& key : known_->ListKeys()) {
    if (items_.contains(key)) continue;
    queued = Enqueue(key, Delta(DeltaType::kSync, known_->GetByKey(key), origin));
    if (!queued) break;
  }
  Queued();
  return queued;
}

std::optional<Popped> DeltaFifo::Pop() {
  if (queue_.empty()) return std::nullopt;
  std::optional<Popped> out(std::in_place);
  Popped& popped = *out;
  popped.is_in_initial_list = !HasSynced();
  if (initial_population_ > 0) --initial_population_;
  const auto it = items_.find(queue_.Pop()->key);
  const std::unique_ptr<Waiting> oldest = std::move(it->second);
  items_.erase(it);
  popped.key = std::move(oldest->key);
  popped.deltas = std::move(oldest->deltas);
  return out;
}

}  // namespace ksim::client
