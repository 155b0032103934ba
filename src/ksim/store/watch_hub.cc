#include "ksim/store/watch_hub.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/sim/probe.h"
#include "ksim/store/watch_stream.h"

namespace ksim::store {

void WatchHub::Add(Watcher* watcher) {
  watcher->order = next_order_++;
  const Revision current = mvcc_.revision();
  const Revision start = watcher->start_revision;
  if (start == 0 || start > current) {
    watcher->next_revision = std::max(start, current + 1);
    watcher->state = Watcher::State::kSynced;
    synced_.Add(watcher);
  } else {
    watcher->next_revision = start;
    watcher->state = Watcher::State::kUnsynced;
    unsynced_.emplace(watcher->order, watcher);
  }
}

void WatchHub::Remove(Watcher* watcher) {
  switch (watcher->state) {
    case Watcher::State::kSynced:
      return synced_.Remove(watcher);
    case Watcher::State::kUnsynced:
      unsynced_.erase(watcher->order);
      return;
    case Watcher::State::kVictim:
      victims_.erase(watcher->order);
      return;
    case Watcher::State::kCompacted:
      return;
  }
}

void WatchHub::MoveTo(Watcher& w, Watcher::State state) {
  Remove(&w);
  w.state = state;
  if (state == Watcher::State::kSynced) synced_.Add(&w);
  if (state == Watcher::State::kUnsynced) unsynced_.emplace(w.order, &w);
  if (state == Watcher::State::kVictim) victims_.emplace(w.order, &w);
}

// False if the stream is full. What filters leave empty is not sent at all.
bool WatchHub::Offer(Watcher& w, Changes changes, Revision revision) {
  WatchResponse response;
  response.watch_id = w.id;
  response.revision = revision;
  for (const Change* change : changes) {
    const KeyValue& kv = change->kv;
    if (kv.is_tombstone() ? w.no_delete : w.no_put) continue;
    const bool with_prev = w.prev_kv && kv.mod_revision() - 1 >= mvcc_.compact_revision();
    response.events.emplace_back(kv, with_prev ? change->prev : KeyValue(), change->event);
  }
  if (response.events.empty()) return true;
  if (!w.stream->Offer(std::move(response))) return false;
  w.progress_due = false;
  return true;
}

void WatchHub::MakeVictim(Watcher& w, Changes changes) {
  KSIM_PROBE("store/watch-victim");
  for (const Change* change : changes) w.pending.push_back(*change);
  MoveTo(w, Watcher::State::kVictim);
}

void WatchHub::NotifyOne(Watcher& w, Changes changes, Revision revision) {
  w.next_revision = revision + 1;
  if (!Offer(w, changes, revision)) MakeVictim(w, changes);
}

void WatchHub::Notify(std::size_t first_change) {
  if (synced_.empty()) return;
  const Revision revision = mvcc_.revision();
  bool in_order = true;
  matches_.clear();
  for (std::size_t i = first_change; i < mvcc_.log().size(); ++i) {
    const Change* change = &mvcc_.log()[i];
    if (i > first_change) in_order = false;
    in_order &= synced_.VisitWatchersOf(change->kv.key(), [&](Watcher* w) {
      if (revision >= w->next_revision) matches_.push_back({w, change});
    });
  }
  if (!in_order) {
    std::stable_sort(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) {
      return a.watcher->order < b.watcher->order;
    });
  }
  NotifyMatches(revision);
}

void WatchHub::NotifyMatches(Revision revision) {
  std::vector<const Change*> changes;
  for (std::size_t i = 0; i < matches_.size();) {
    Watcher& w = *matches_[i].watcher;
    const Change* only = matches_[i].change;
    if (i + 1 == matches_.size() || matches_[i + 1].watcher != &w) {
      NotifyOne(w, Changes(&only, 1), revision);
      ++i;
      continue;
    }
    changes.clear();
    for (; i < matches_.size() && matches_[i].watcher == &w; ++i)
      changes.push_back(matches_[i].change);
    NotifyOne(w, changes, revision);
  }
}

// True if there is nothing more to do for it in this pass.
bool WatchHub::CancelCompacted(Watcher& w) {
  if (w.next_revision >= mvcc_.compact_revision()) return false;
  KSIM_PROBE("store/watch-compacted");
  WatchResponse response;
  response.watch_id = w.id;
  response.canceled = true;
  response.compact_revision = mvcc_.compact_revision();
  if (w.stream->Offer(std::move(response))) MoveTo(w, Watcher::State::kCompacted);
  return true;
}

void WatchHub::CatchUp(Watcher& w) {
  const RevisionLog& log = mvcc_.log();
  const KeyRange range = w.range();
  std::vector<const Change*> changes;
  int revisions = 0;
  Revision next = mvcc_.revision() + 1;
  for (std::size_t i = log.LowerBound(w.next_revision); i < log.size(); ++i) {
    const Change& change = log[i];
    if (!range.Contains(change.kv.key())) continue;
    const bool new_revision = changes.empty() || changes.back()->revision() != change.revision();
    if (new_revision && ++revisions > kWatchBatchMaxRevisions) {
      next = change.revision();
      break;
    }
    changes.push_back(&change);
  }
  w.next_revision = next;
  if (!Offer(w, changes, mvcc_.revision())) return MakeVictim(w, changes);
  if (next > mvcc_.revision()) MoveTo(w, Watcher::State::kSynced);
}

std::size_t WatchHub::SyncUnsynced() {
  std::vector<Watcher*> chosen;
  for (const auto& [order, watcher] : unsynced_) {
    if (chosen.size() == kMaxWatchersPerSync) break;
    chosen.push_back(watcher);
  }
  for (Watcher* w : chosen) {
    if (!CancelCompacted(*w)) CatchUp(*w);
  }
  return unsynced_.size();
}

void WatchHub::RetryVictims() {
  std::vector<Watcher*> retried;
  for (const auto& [order, watcher] : victims_) retried.push_back(watcher);
  for (Watcher* w : retried) {
    std::vector<const Change*> changes;
    for (const Change& change : w->pending) changes.push_back(&change);
    if (!Offer(*w, changes, w->next_revision - 1)) continue;
    w->pending.clear();
    const bool behind = w->next_revision <= mvcc_.revision();
    MoveTo(*w, behind ? Watcher::State::kUnsynced : Watcher::State::kSynced);
  }
}

}  // namespace ksim::store
