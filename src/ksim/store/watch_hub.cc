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
  const bool synced = start == 0 || start > current;
  watcher->next_revision = synced ? std::max(start, current + 1) : start;
  Enter(watcher, synced ? Watcher::State::kSynced : Watcher::State::kUnsynced);
}

void WatchHub::Enter(Watcher* w, Watcher::State state) {
  w->state = state;
  switch (state) {
    case Watcher::State::kSynced:
      return synced_.Add(w);
    case Watcher::State::kUnsynced:
      return unsynced_.Append(w);
    case Watcher::State::kVictim:
      ++victims_;
      return w->stream->victims().Append(w);
    case Watcher::State::kCompacted:
      return;
  }
}

void WatchHub::Remove(Watcher* w) {
  switch (w->state) {
    case Watcher::State::kSynced:
      return synced_.Remove(w);
    case Watcher::State::kUnsynced:
      return unsynced_.Remove(w);
    case Watcher::State::kVictim:
      --victims_;
      return w->stream->victims().Remove(w);
    case Watcher::State::kCompacted:
      return;
  }
}

void WatchHub::MoveTo(Watcher& w, Watcher::State state) {
  Remove(&w);
  Enter(&w, state);
}

WatchEvents WatchHub::EventsFor(const Watcher& w, Changes changes) {
  WatchEvents::List events;
  for (const LoggedChange* change : changes) {
    const KeyValue& kv = change->kv;
    if (w.Filters(kv)) continue;
    events.emplace_back(kv, w.prev_kv ? change->prev : KeyValue(), change->event);
  }
  return WatchEvents(std::move(events));
}

WatchEvents WatchHub::SharedEventFor(const Watcher& w, const LoggedChange* change) {
  if (w.Filters(change->kv)) return WatchEvents();
  if (change != shared_change_) shared_events_ = {};
  shared_change_ = change;
  WatchEvents& shared = shared_events_[w.prev_kv ? 1 : 0];
  if (shared.empty()) shared = EventsFor(w, Changes(&change, 1));
  return shared;
}

// False if the stream is full; the events are taken only if it is not. What filters leave empty is
// not sent at all.
bool WatchHub::Offer(Watcher& w, WatchEvents&& events, Revision revision) {
  if (events.empty()) return true;
  WatchResponse response;
  response.watch_id = w.id;
  response.revision = revision;
  response.events = std::move(events);
  if (!w.stream->Offer(std::move(response))) {
    // A full stream has not taken the response.
    events = std::move(response.events);  // NOLINT(bugprone-use-after-move)
    return false;
  }
  w.progress_due = false;
  return true;
}

void WatchHub::OfferOrKeep(Watcher& w, WatchEvents events, Revision revision) {
  if (Offer(w, std::move(events), revision)) return;
  KSIM_PROBE("store/watch-victim");
  w.pending = std::move(events);  // NOLINT(bugprone-use-after-move): not taken
  MoveTo(w, Watcher::State::kVictim);
}

void WatchHub::Notify(std::size_t first_change) {
  if (synced_.empty()) return;
  const Revision revision = mvcc_.revision();
  matches_.clear();
  for (std::size_t i = first_change; i < mvcc_.log().size(); ++i) {
    const LoggedChange* change = &mvcc_.log()[i];
    synced_.VisitWatchersOf(change->kv.key(), [&](Watcher* w) {
      if (revision >= w->next_revision) matches_.push_back({w, change});
    });
  }
  // Mostly it is one change and one list of watchers that never fell behind.
  const auto earlier = [](const Match& a, const Match& b) {
    return a.watcher->order < b.watcher->order;
  };
  if (!std::is_sorted(matches_.begin(), matches_.end(), earlier))
    std::stable_sort(matches_.begin(), matches_.end(), earlier);
  NotifyMatches(revision);
}

void WatchHub::NotifyMatches(Revision revision) {
  std::vector<const LoggedChange*> changes;
  for (std::size_t i = 0; i < matches_.size();) {
    Watcher& w = *matches_[i].watcher;
    w.next_revision = revision + 1;
    if (i + 1 == matches_.size() || matches_[i + 1].watcher != &w) {
      OfferOrKeep(w, SharedEventFor(w, matches_[i++].change), revision);
      continue;
    }
    changes.clear();
    for (; i < matches_.size() && matches_[i].watcher == &w; ++i)
      changes.push_back(matches_[i].change);
    OfferOrKeep(w, EventsFor(w, changes), revision);
  }
  shared_change_ = nullptr;
  shared_events_ = {};
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

namespace {

// Whether the log may have a change of the range: all its keys are in the index.
bool MayHaveChanged(const KeyIndex& index, const KeyRange& range) {
  bool any = false;
  index.VisitRange(range, [&any](const KeyHistory&) {
    any = true;
    return false;
  });
  return any;
}

}  // namespace

void WatchHub::CatchUp(Watcher& w) {
  const RevisionLog& log = mvcc_.log();
  const KeyRange range = w.range();
  std::vector<const LoggedChange*> changes;
  int revisions = 0;
  Revision next = mvcc_.revision() + 1;
  // A server watches some 40 resources, most of them empty: the log is not searched for these.
  const bool search = MayHaveChanged(mvcc_.index(), range);
  for (std::size_t i = search ? log.LowerBound(w.next_revision) : log.size(); i < log.size(); ++i) {
    const LoggedChange& change = log[i];
    if (!range.Contains(change.kv.key())) continue;
    const bool new_revision = changes.empty() || changes.back()->revision() != change.revision();
    if (new_revision && ++revisions > kWatchBatchMaxRevisions) {
      next = change.revision();
      break;
    }
    changes.push_back(&change);
  }
  w.next_revision = next;
  OfferOrKeep(w, EventsFor(w, changes), mvcc_.revision());
  if (w.state == Watcher::State::kUnsynced && next > mvcc_.revision())
    MoveTo(w, Watcher::State::kSynced);
}

std::size_t WatchHub::SyncUnsynced() {
  Watcher* w = unsynced_.first();
  for (std::size_t i = 0; i < kMaxWatchersPerSync && w != nullptr; ++i) {
    Watcher* const next = w->next;
    if (!CancelCompacted(*w)) CatchUp(*w);
    w = next;
  }
  return unsynced_.size();
}

// Source: watchable_store.go moveVictims, which tries every victim; here a stream says when it has
// room.
void WatchHub::RetryVictims() {
  for (WatchStream* stream : std::exchange(with_room_, {})) RetryVictimsOf(*stream);
}

void WatchHub::RetryVictimsOf(WatchStream& stream) {
  while (Watcher* w = stream.victims().first()) {
    if (!Offer(*w, std::move(w->pending), w->next_revision - 1)) return;
    const bool behind = w->next_revision <= mvcc_.revision();
    MoveTo(*w, behind ? Watcher::State::kUnsynced : Watcher::State::kSynced);
  }
}

}  // namespace ksim::store
