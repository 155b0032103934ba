// Store: etcd's state machine in memory, synchronous: each call is one atomic request. Revisions,
// transactions, watch, compaction and leases behave as in etcd; error codes and texts are etcd's
// (errors.h). Knows neither processes nor messages: store/etcd.h serves it.
//
// Leases need the time, which the caller hands in and which never goes back. Nothing happens by
// itself: the owner calls ExpireLeases at NextExpiry, and SyncWatchers / RetryVictims as often as
// it lets watchers catch up.
//
// An error changes nothing. Requests are checked in etcd's order: size of the message, fields of
// the whole tree, duplicate keys, size of the raft entry, compares, state.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/lease_request.h"
#include "ksim/store/lessor.h"
#include "ksim/store/mvcc.h"
#include "ksim/store/watch_hub.h"
#include "ksim/store/watch_stream.h"

namespace ksim::store {

// CommitListener hears of every change before any watcher does.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  // One call a change, in order of (revision, sub). Returns the seq of the event it emitted; watch
  // events carry it as their cause.
  virtual std::uint64_t OnCommit(const LoggedChange& change, const WriteOrigin& origin) = 0;
  virtual void OnCompact(Revision revision, const WriteOrigin& origin) = 0;
};

class Store {
 public:
  Store() : mvcc_(lessor_), hub_(mvcc_) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void SetListener(CommitListener* listener) { listener_ = listener; }  // null: none

  void SetCompactionDropsDelete(bool drops) { mvcc_.SetCompactionDropsDelete(drops); }  // mvcc.h

  // Before the first key of the resources is written.
  void SetResourceNamer(ResourceNamer namer) { mvcc_.SetResourceNamer(std::move(namer)); }
  // The simulation's name of the resource of a key, where the key does not say it; else "".
  std::string KnownAs(std::string_view key) const {
    return store::KnownAs(key, mvcc_.index().resource_namer());
  }

  Revision revision() const { return mvcc_.revision(); }
  Revision compact_revision() const { return mvcc_.compact_revision(); }  // -1: never compacted
  const Mvcc& mvcc() const { return mvcc_; }

  absl::StatusOr<RangeResponse> Range(const RangeRequest& request) const;
  absl::StatusOr<PutResponse> Put(const PutRequest& request);
  absl::StatusOr<DeleteRangeResponse> DeleteRange(const DeleteRangeRequest& request);
  absl::StatusOr<TxnResponse> Txn(const TxnRequest& request);
  absl::StatusOr<CompactResponse> Compact(const CompactRequest& request);

  absl::StatusOr<LeaseGrantResponse> LeaseGrant(const LeaseGrantRequest& request, VirtualTime now);
  absl::StatusOr<LeaseRevokeResponse> LeaseRevoke(const LeaseRevokeRequest& request);
  LeaseKeepAliveResponse LeaseKeepAlive(const LeaseKeepAliveRequest& request, VirtualTime now);
  LeaseTimeToLiveResponse LeaseTimeToLive(const LeaseTimeToLiveRequest& request,
                                          VirtualTime now) const;
  LeaseLeasesResponse LeaseLeases() const;
  // Revokes every lease whose time is up, one by one, in the order of (expiry time, id).
  void ExpireLeases(VirtualTime now);
  // Gives every lease its full time again, as a new leader does (lessor.go Promote).
  void RefreshLeases(VirtualTime now);
  std::optional<VirtualTime> NextExpiry() const;  // nullopt: there is no lease

  // A stream of watches; `on_ready` as in WatchStream. The store must outlive it.
  std::unique_ptr<WatchStream> NewWatchStream(std::function<void()> on_ready = nullptr);
  // See WatchHub.
  std::size_t SyncWatchers() { return hub_.SyncUnsynced(); }
  void RetryVictims() { hub_.RetryVictims(); }
  std::size_t unsynced_watchers() const { return hub_.unsynced(); }
  std::size_t victim_watchers() const { return hub_.victims(); }

 private:
  std::uint64_t Commit(WriteTxn& txn, const WriteOrigin& origin);
  ResponseHeader Header() const;

  Lessor lessor_;
  Mvcc mvcc_;
  WatchHub hub_;
  CommitListener* listener_ = nullptr;
};

}  // namespace ksim::store
