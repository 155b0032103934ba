// Etcd: the process `etcd`, a Store behind messages. Requests of clients run whole when they
// arrive, in the order of arrival. The store's data survive the process: a restart drops the
// watch streams, gives every lease its full time again, and does nothing else.
//
// Emits `commit` and `compact` (actor etcd, cause the running step's), and `watch` and `event` for
// the streams of its clients.
//
// Watchers that start in the past catch up in passes every 100 ms, as etcd's syncWatchersLoop does;
// with nobody behind there is no pass.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/store/etcd_stream.h"
#include "ksim/store/store.h"

namespace ksim::store {

struct EtcdOptions {
  EtcdOptions() = default;
  Duration progress_notify_interval = Minutes(10);  // at least 100 ms; up to 10 % jitter is added
  // The bug of etcd#18089 and #19179: compaction at the revision of a delete forgets that delete.
  bool compaction_drops_delete = false;
};

inline constexpr Duration kWatchResyncPeriod = Milliseconds(100);
inline constexpr Duration kVictimRetryPeriod = Milliseconds(10);

class Etcd : private CommitListener {
 public:
  // Adds the process; the caller starts it. Destroy it after sim.Shutdown().
  Etcd(sim::Network& network, EtcdOptions options);
  ~Etcd() override;

  sim::Process& process() { return process_; }
  sim::Network& network() { return network_; }
  // Direct access takes no time and needs no live process. The bus and the watchers hear of
  // writes all the same.
  Store& store() { return store_; }
  const Store& store() const { return store_; }

  // A request that has arrived. Unavailable if the process is down.
  absl::StatusOr<RangeResponse> Serve(const RangeRequest& r);
  absl::StatusOr<PutResponse> Serve(const PutRequest& r);
  absl::StatusOr<DeleteRangeResponse> Serve(const DeleteRangeRequest& r);
  absl::StatusOr<TxnResponse> Serve(const TxnRequest& r);
  absl::StatusOr<CompactResponse> Serve(const CompactRequest& r);
  absl::StatusOr<LeaseGrantResponse> Serve(const LeaseGrantRequest& r);
  absl::StatusOr<LeaseRevokeResponse> Serve(const LeaseRevokeRequest& r);
  absl::StatusOr<LeaseKeepAliveResponse> Serve(const LeaseKeepAliveRequest& r);
  absl::StatusOr<LeaseTimeToLiveResponse> Serve(const LeaseTimeToLiveRequest& r);
  absl::StatusOr<LeaseLeasesResponse> Serve(const LeaseLeasesRequest& r);

  // --- for EtcdWatch ---
  // The first message of a stream has arrived.
  void OpenStream(const std::shared_ptr<WatchInbox>& inbox, const SharedText& client,
                  const WatchRequest& request);
  void CloseStream(std::uint64_t id);
  EtcdServerStream* FindStream(std::uint64_t id);  // null: unknown

 private:
  std::uint64_t OnCommit(const LoggedChange& change, const WriteOrigin& origin) override;
  void OnCompact(Revision revision, const WriteOrigin& origin) override;
  void OnStart();
  void OnStop();
  // Runs `call` after `delay` as etcd, unless the process has died since.
  void AfterWhileAlive(Duration delay, sim::TimerKind kind, const char* label,
                       void (Etcd::*call)());
  void ScheduleSync();
  void SyncPass();
  void ScheduleVictimRetry();
  void RetryVictims();
  void ScheduleExpiry();
  void Expire();
  void StartTicker(std::uint64_t stream, std::string_view client, std::string_view key);
  void Tick(std::uint64_t stream, Duration period);

  sim::Network& network_;
  sim::Simulation& sim_;
  sim::Process& process_;
  EtcdOptions options_;
  Store store_;
  VirtualTime started_;  // by its monotonic clock, as the ends of leases
  absl::btree_map<std::uint64_t, std::unique_ptr<EtcdServerStream>> streams_;
  bool sync_scheduled_ = false, retry_scheduled_ = false;
  VirtualTime expiry_scheduled_ = VirtualTime::Max();
};

}  // namespace ksim::store
