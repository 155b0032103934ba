#include "ksim/client/cache/delta_fifo.h"

#include <algorithm>
#include <utility>

#include "ksim/client/cache/indexer.h"
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
bool DeltaFifo::Enqueue(Delta&& delta) {
  if (!Transformed(transform(), delta.tombstone, &delta.object)) return false;
  if (queue_.empty()) {
    // The usual case: nothing is looked for, and nothing will be if it is popped before the next.
    queue_.Push(NewEntry(std::move(delta)));
    return true;
  }
  if (queue_.size() == 1) items_.insert(queue_[0].get());
  std::unique_ptr<Popped> fresh;
  const auto it = items_.lazy_emplace(delta.object, [&](const auto& make) {
    fresh = NewEntry(std::move(delta));
    make(fresh.get());
  });
  if (fresh != nullptr) {
    queue_.Push(std::move(fresh));
  } else {
    (*it)->deltas.push_back(std::move(delta));
    DedupDeletions((*it)->deltas);
  }
  return true;
}

bool DeltaFifo::Add(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  const bool queued = Enqueue(Delta(DeltaType::kAdded, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Update(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  const bool queued = Enqueue(Delta(DeltaType::kUpdated, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Delete(const api::Object& object, sim::Origin origin) {
  populated_ = true;
  if (!Waits(object) && known_->Find(object).empty()) return true;
  const bool queued = Enqueue(Delta(DeltaType::kDeleted, object, origin));
  Queued();
  return queued;
}

bool DeltaFifo::Replace(std::vector<api::Object> items, std::int64_t, sim::Origin origin) {
  const bool queued = EnqueueList(items, origin);
  Queued();
  return queued;
}

bool DeltaFifo::EnqueueList(const std::vector<api::Object>& items, sim::Origin origin) {
  Listed listed(items.size(), HashOfKey(known_->resource()));
  for (const api::Object& item : items) {
    listed.insert(&item);
    if (replaces_by_sync_ && WillBeDeleted(item)) {
      KSIM_PROBE("variant/deltafifo.replaceDelta");
      continue;
    }
    if (!Enqueue(Delta(DeltaType::kReplaced, item, origin))) return false;
  }
  const std::vector<api::Object> waiting = QueuedNotIn(listed);
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

bool DeltaFifo::WillBeDeleted(const api::Object& object) const {
  return std::any_of(queue_.begin(), queue_.end(), [&object](const auto& waiting) {
    return SameKey()(waiting, object) && waiting->deltas.back().type == DeltaType::kDeleted;
  });
}

std::vector<api::Object> DeltaFifo::QueuedNotIn(const Listed& listed) const {
  std::vector<api::Object> missing;
  for (const std::unique_ptr<Popped>& waiting : queue_)
    if (!listed.contains(waiting->object())) missing.push_back(waiting->deltas.back().object);
  std::sort(missing.begin(), missing.end(), LessKey());
  return missing;
}

bool DeltaFifo::DeleteQueued(const std::vector<api::Object>& last, sim::Origin origin) {
  return std::all_of(last.begin(), last.end(), [&](const api::Object& object) {
    return Enqueue(Delta(DeltaType::kDeleted, object, origin, true));
  });
}

bool DeltaFifo::DeleteKnown(const Listed& listed, sim::Origin origin, std::size_t* deletions) {
  for (const api::Object& object : known_->List("")) {
    if (listed.contains(object)) continue;
    if (replace_sees_queued_ && Waits(object)) continue;
    if (!Enqueue(Delta(DeltaType::kDeleted, object, origin, true))) return false;
    ++*deletions;
  }
  return true;
}

bool DeltaFifo::Resync(sim::Origin origin) {
  bool queued = true;
  for (const api::Object& object : known_->List("")) {
    if (Waits(object)) continue;
    queued = Enqueue(Delta(DeltaType::kSync, object, origin));
    if (!queued) break;
  }
  Queued();
  return queued;
}

std::unique_ptr<Popped> DeltaFifo::Pop() {
  if (queue_.empty()) return nullptr;
  std::unique_ptr<Popped> oldest = queue_.Pop();
  if (!queue_.empty()) {
    items_.erase(oldest.get());
  } else if (!items_.empty()) {
    items_.clear();  // a long list leaves a large table, which goes now
  }
  oldest->is_in_initial_list = !HasSynced();
  if (initial_population_ > 0) --initial_population_;
  return oldest;
}

}  // namespace ksim::client
