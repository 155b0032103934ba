// WatchHub: brings changes to watchers. A synced watcher gets each revision when it is written; one
// that starts in the past is unsynced and catches up from the log, at most 1000 revisions a pass;
// one whose stream was full is a victim and is retried. Watchers hear of a revision in the order of
// their creation (etcd's own order changes from run to run).
//
// Invariants
//  1. A synced watcher has been offered every change of its range below next_revision, and
//     next_revision > the store's revision.
//  2. No event is lost, repeated or out of order, whatever state a watcher goes through.
//  3. A stream with victims is full, or among those that RetryVictims looks at.
//
// Source: server/storage/mvcc/watchable_store.go, watcher_group.go.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ksim/store/mvcc.h"
#include "ksim/store/watcher_index.h"
#include "ksim/store/watcher_list.h"

namespace ksim::store {

inline constexpr std::size_t kMaxWatchersPerSync = 512;
inline constexpr int kWatchBatchMaxRevisions = 1000;

class WatchHub {
 public:
  explicit WatchHub(const Mvcc& mvcc) : mvcc_(mvcc) {}
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  const Mvcc& mvcc() const { return mvcc_; }
  void Add(Watcher* watcher);  // sets its order, state and next_revision
  void Remove(Watcher* watcher);

  // The changes of the newest revision, which begin at this position of the log.
  void Notify(std::size_t first_change);

  // One pass over at most 512 unsynced watchers: cancels those whose next revision is compacted,
  // offers the others a batch. Returns how many are still unsynced.
  std::size_t SyncUnsynced();
  // Offers the victims of streams that were read their pending events; a victim whose stream takes
  // them becomes synced or unsynced.
  void RetryVictims();
  std::size_t unsynced() const { return unsynced_.size(); }
  std::size_t victims() const { return victims_; }

  // A stream with victims calls these: when it is no longer full, and when it goes away.
  void HasRoom(WatchStream* stream) { with_room_.push_back(stream); }
  void Forget(const WatchStream* stream) { std::erase(with_room_, stream); }

 private:
  using Changes = absl::Span<const LoggedChange* const>;
  struct Match {
    Watcher* watcher;
    const LoggedChange* change;
  };

  static WatchEvents EventsFor(const Watcher& w, Changes changes);
  WatchEvents SharedEventFor(const Watcher& w, const LoggedChange* change);
  bool Offer(Watcher& w, WatchEvents&& events, Revision revision);
  void OfferOrKeep(Watcher& w, WatchEvents events, Revision revision);
  void NotifyMatches(Revision revision);
  bool CancelCompacted(Watcher& w);
  void CatchUp(Watcher& w);
  void MoveTo(Watcher& w, Watcher::State state);
  void Enter(Watcher* w, Watcher::State state);
  void RetryVictimsOf(WatchStream& stream);

  const Mvcc& mvcc_;
  std::uint64_t next_order_ = 0;
  WatcherIndex synced_;
  WatcherList unsynced_;
  std::size_t victims_ = 0;              // they are on the lists of their streams
  std::vector<WatchStream*> with_room_;  // in the order in which they were read
  // Scratch space of Notify: the events for each watcher; and for one change the event of the
  // watchers that ask for no previous version, and that of those that do.
  std::vector<Match> matches_;
  const LoggedChange* shared_change_ = nullptr;
  std::array<WatchEvents, 2> shared_events_;
};

}  // namespace ksim::store
