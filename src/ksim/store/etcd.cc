#include "ksim/store/etcd.h"

#include <algorithm>
#include <utility>

#include "ksim/store/errors.h"
#include "ksim/store/events.h"
#include "ksim/store/process_scope.h"

namespace ksim::store {

using sim::TimerKind;

Etcd::Etcd(sim::Network& network, EtcdOptions options)
    : network_(network),
      sim_(network.simulation()),
      process_(sim_.AddProcess("etcd")),
      options_(options) {
  options_.progress_notify_interval =
      std::max(options_.progress_notify_interval, Milliseconds(100));
  store_.SetListener(this);
  store_.SetCompactionDropsDelete(options_.compaction_drops_delete);
  process_.OnStart([this] { OnStart(); });
  process_.OnStop([this] { OnStop(); });
}

Etcd::~Etcd() = default;

void Etcd::OnStart() {
  started_ = process_.SteadyNow();
  store_.RefreshLeases(started_);
  ScheduleExpiry();
}

void Etcd::OnStop() {
  const ProcessScope scope(sim_, process_);
  for (const auto& [id, stream] : streams_) {
    if (sim_.closed()) break;
    stream->CloseLater("stopped");
    stream->SendEnd();
  }
  streams_.clear();
  sync_scheduled_ = retry_scheduled_ = false;
  expiry_scheduled_ = VirtualTime::Max();
}

std::uint64_t Etcd::OnCommit(const LoggedChange& change, const WriteOrigin& origin) {
  WriteOrigin by = origin;
  if (by.by == sim::ActorId()) by.by = process_.actor();
  const sim::EventInfo info{sim::EventKind::kCommit, change.kv.shared_key().object_hash(),
                            change.revision()};
  return sim_.EmitAs(process_.actor(), sim_.context().cause, info,
                     sim::MakePayload<CommitPayload>(change.kv, change.prev, by));
}

void Etcd::OnCompact(Revision revision, const WriteOrigin& origin) {
  const sim::ActorId by = origin.by == sim::ActorId() ? process_.actor() : origin.by;
  const sim::EventInfo info{sim::EventKind::kCompact, 0, revision};
  sim_.EmitAs(process_.actor(), sim_.context().cause, info,
              sim::MakePayload<CompactPayload>(revision, by));
}

// --- requests -----------------------------------------------------------------------------------

absl::StatusOr<RangeResponse> Etcd::Serve(const RangeRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.Range(r);
}

absl::StatusOr<PutResponse> Etcd::Serve(const PutRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.Put(r);
}

absl::StatusOr<DeleteRangeResponse> Etcd::Serve(const DeleteRangeRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.DeleteRange(r);
}

absl::StatusOr<TxnResponse> Etcd::Serve(const TxnRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.Txn(r);
}

absl::StatusOr<CompactResponse> Etcd::Serve(const CompactRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.Compact(r);
}

absl::StatusOr<LeaseGrantResponse> Etcd::Serve(const LeaseGrantRequest& r) {
  if (!process_.alive()) return NotReachableError();
  absl::StatusOr<LeaseGrantResponse> response = store_.LeaseGrant(r, process_.SteadyNow());
  ScheduleExpiry();
  return response;
}

absl::StatusOr<LeaseRevokeResponse> Etcd::Serve(const LeaseRevokeRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.LeaseRevoke(r);
}

absl::StatusOr<LeaseKeepAliveResponse> Etcd::Serve(const LeaseKeepAliveRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.LeaseKeepAlive(r, process_.SteadyNow());
}

absl::StatusOr<LeaseTimeToLiveResponse> Etcd::Serve(const LeaseTimeToLiveRequest& r) {
  if (!process_.alive()) return NotReachableError();
  return store_.LeaseTimeToLive(r, process_.SteadyNow());
}

absl::StatusOr<LeaseLeasesResponse> Etcd::Serve(const LeaseLeasesRequest&) {
  if (!process_.alive()) return NotReachableError();
  return store_.LeaseLeases();
}

// --- watch streams ------------------------------------------------------------------------------

void Etcd::OpenStream(const std::shared_ptr<WatchInbox>& inbox, const SharedText& client,
                      const WatchRequest& request) {
  auto stream = std::make_unique<EtcdServerStream>(*this, network_, client, inbox, request);
  if (!process_.alive()) return stream->SendEnd();
  const std::uint64_t id = inbox->stream();
  EtcdServerStream& added = *streams_.emplace(id, std::move(stream)).first->second;
  added.Start();
  if (added.wants_ticks()) StartTicker(id, client, request.key);
  ScheduleSync();
}

void Etcd::CloseStream(std::uint64_t id) {
  const auto it = streams_.find(id);
  if (it == streams_.end()) return;
  it->second->Close("closed");
  streams_.erase(it);
}

EtcdServerStream* Etcd::FindStream(std::uint64_t id) {
  const auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : it->second.get();
}

// --- what etcd does by itself -------------------------------------------------------------------

void Etcd::AfterWhileAlive(Duration delay, TimerKind kind, const char* label,
                           void (Etcd::*call)()) {
  process_.After(delay, kind, label, [this, call, incarnation = process_.incarnation()] {
    if (!process_.alive() || process_.incarnation() != incarnation) return;
    const ProcessScope scope(sim_, process_);
    sim_.context().unawaited = false;
    (this->*call)();
  });
}

// The loop ticks from the start of the process on, whether anybody is behind or not.
void Etcd::ScheduleSync() {
  if (sync_scheduled_ || store_.unsynced_watchers() == 0) return;
  sync_scheduled_ = true;
  const std::int64_t period = kWatchResyncPeriod.ns();
  const std::int64_t into_period = (process_.SteadyNow() - started_).ns() % period;
  AfterWhileAlive(Duration(period - into_period), TimerKind::kWork, "etcd watch sync",
                  &Etcd::SyncPass);
}

void Etcd::SyncPass() {
  sync_scheduled_ = false;
  const std::size_t before = store_.unsynced_watchers();
  std::size_t left = 0;
  {
    const ProcessScope scope(sim_, process_);
    sim_.context().background = false;  // who is behind may be behind on somebody's work
    left = store_.SyncWatchers();
  }
  ScheduleVictimRetry();
  if (left == 0) return;
  if (left == before) return ScheduleSync();
  sync_scheduled_ = true;  // more to do, and it is moving: at once
  AfterWhileAlive(Duration(), TimerKind::kWork, "etcd watch sync", &Etcd::SyncPass);
}

void Etcd::ScheduleVictimRetry() {
  if (retry_scheduled_ || store_.victim_watchers() == 0) return;
  retry_scheduled_ = true;
  AfterWhileAlive(kVictimRetryPeriod, TimerKind::kWork, "etcd watch retry", &Etcd::RetryVictims);
}

void Etcd::RetryVictims() {
  retry_scheduled_ = false;
  {
    const ProcessScope scope(sim_, process_);
    sim_.context().background = false;
    store_.RetryVictims();
  }
  ScheduleVictimRetry();
  ScheduleSync();
}

// Periodic: Kubernetes hangs nothing on leases that a run should wait for, only Events.
void Etcd::ScheduleExpiry() {
  const std::optional<VirtualTime> next = store_.NextExpiry();
  if (!next || *next >= expiry_scheduled_) return;
  expiry_scheduled_ = *next;
  const Duration left = *next - process_.SteadyNow();
  AfterWhileAlive(left, TimerKind::kPeriodic, "etcd lease expiry", &Etcd::Expire);
}

void Etcd::Expire() {
  if (process_.SteadyNow() < expiry_scheduled_) return;
  sim_.context().background = true;
  sim_.context().cause = 0;
  expiry_scheduled_ = VirtualTime::Max();
  store_.ExpireLeases(process_.SteadyNow());
  ScheduleExpiry();
}

void Etcd::StartTicker(std::uint64_t stream, std::string_view client, std::string_view key) {
  std::string name("progress/etcd/");
  name.reserve(name.size() + client.size());
  const sim::SiteId site = sim_.decisions().Site(name.append(client));
  const Duration interval = options_.progress_notify_interval;
  const Duration jitter =
      sim_.decisions().DrawDuration(site, sim::KeyOf(key), Duration(), interval / 10);
  Tick(stream, interval + jitter);
}

void Etcd::Tick(std::uint64_t stream, Duration period) {
  process_.After(period, TimerKind::kPeriodic, "etcd progress notify", [this, stream, period] {
    EtcdServerStream* found = FindStream(stream);
    if (found == nullptr) return;
    const ProcessScope scope(sim_, process_);
    sim_.context().background = true;
    found->Tick();
    Tick(stream, period);
  });
}

}  // namespace ksim::store
