// Part of storage.h: GuaranteedUpdate and Delete: read, check, change, compare-and-swap.
#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/etcd3/state.h"
#include "ksim/apiserver/etcd3/storage.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {

using value::Value;

sim::Task<api::Result<Storage::State>> Storage::ReadState(SharedText key, SharedText name,
                                                          bool may_be_missing) {
  store::RangeRequest request(std::move(key));
  absl::StatusOr<store::RangeResponse> response = co_await client_.Range(std::move(request));
  if (!response.ok()) co_return StorageError(response.status());
  if (!response->kvs.empty() && AsksWebhook(response->kvs.front()))
    co_return co_await StateByWebhook(response->kvs.front());
  if (!response->kvs.empty()) co_return State(Decode(response->kvs.front()), true);
  if (!may_be_missing) co_return api::NotFound(group_resource(), name);
  co_return State(api::Object(), true);
}

sim::Task<api::Result<Storage::State>> Storage::StateByWebhook(store::KeyValue kv) {
  api::Result<api::Object> object = co_await DecodeByWebhook(kv);
  if (!object.ok()) co_return object.status();
  co_return State(*std::move(object), true);
}

sim::Task<api::Result<Storage::State>> Storage::StateAfterConflict(
    const store::TxnResponse& response, SharedText name, bool may_be_missing) {
  const store::RangeResponse& range = response.responses.front().range();
  if (!range.kvs.empty() && AsksWebhook(range.kvs.front()))
    co_return co_await StateByWebhook(range.kvs.front());
  if (!range.kvs.empty()) co_return State(Decode(range.kvs.front()), true);
  if (!may_be_missing) co_return api::NotFound(group_resource(), name);
  co_return State(api::Object(), true);
}

// storage/interfaces.go Preconditions.Check, answered as storage/errors InterpretUpdateError does.
api::Status Storage::CheckPreconditions(const Preconditions& p, const api::Object& object,
                                        std::string_view ns, std::string_view name) const {
  const auto failed = [&](std::string_view field, std::string_view wanted, std::string_view found) {
    return api::Conflict(
        group_resource(), name,
        fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, "
                    "AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object "
                    "meta: {}",
                    Key(ns, name), field, wanted, field, found));
  };
  if (p.uid && *p.uid != object.uid()) return failed("UID", *p.uid, object.uid());
  if (!p.resource_version) return api::Status();
  const std::string found =
      object.empty() ? std::string() : std::to_string(object.resource_version());
  if (*p.resource_version != found) return failed("ResourceVersion", *p.resource_version, found);
  return api::Status();
}

sim::Task<api::Status> Storage::AttachLease(std::int64_t ttl_seconds, store::PutRequest& put) {
  api::Result<store::LeaseId> lease = co_await leases_.Lease(ttl_seconds);
  if (!lease.ok()) co_return lease.status();
  put.lease = *lease;
  co_return api::Status();
}

namespace {

sim::Task<absl::StatusOr<store::TxnResponse>> ContextCanceled() {
  co_return absl::CancelledError("context canceled");
}

// etcd's own patience with a request: 5 s and two elections (server/config/config.go ReqTimeout).
constexpr Duration kEtcdTimeout = Seconds(7);
// Longer than any request that waits.
constexpr Duration kNoAnswer = Minutes(2);

// A write that a fault befalls on its way to etcd (API-157).
sim::Task<absl::StatusOr<store::TxnResponse>> CommitInTrouble(store::EtcdClient* client,
                                                              sim::Simulation* sim,
                                                              store::TxnRequest txn,
                                                              CommitFault fault) {
  if (fault.kind == CommitFault::Kind::kRefused)
    co_return absl::ResourceExhaustedError("etcdserver: too many requests");
  const bool stuck = fault.kind == CommitFault::Kind::kStuck;
  // A write that etcd has given up may still be done, after it has said so: a moment before the
  // client hears of it.
  if (!stuck) co_await sim->Sleep(kEtcdTimeout, sim::TimerKind::kWork, "etcd request timeout");
  if (fault.applied) {
    absl::StatusOr<store::TxnResponse> unheard = co_await client->Txn(std::move(txn));
    static_cast<void>(unheard);
  }
  if (stuck) co_await sim->Sleep(kNoAnswer, sim::TimerKind::kPeriodic, "etcd does not answer");
  co_return absl::DeadlineExceededError(stuck ? "context deadline exceeded"
                                              : "etcdserver: request timed out");
}

}  // namespace

// clientv3 fails a call whose context is done before sending it.
sim::Task<absl::StatusOr<store::TxnResponse>> Storage::Commit(store::TxnRequest&& txn,
                                                              const WriteContext& context) {
  if (context.abandoned != nullptr && *context.abandoned) {
    KSIM_PROBE("apiserver/abandoned-before-writing");
    return ContextCanceled();
  }
  txn.origin = context.origin;
  if (context.hook.ask != nullptr && *context.hook.ask) {
    const CommitFault fault = (*context.hook.ask)(*context.hook.request);
    if (fault.kind != CommitFault::Kind::kNone)
      return CommitInTrouble(&client_, context.hook.sim, std::move(txn), fault);
  }
  return client_.Txn(std::move(txn));
}

sim::Task<api::Result<api::Object>> Storage::GuaranteedUpdate(
    SharedText ns, SharedText name, const Preconditions& preconditions, bool may_be_missing,
    Transform& transform, api::Object suggestion, WriteContext context) {
  const SharedText key = Key(ns, name);
  // A dry run reads the newest state and checks that (dryrun.go).
  if (context.dry_run) suggestion = api::Object();
  api::Result<State> state = State(std::move(suggestion), false);
  if (state->object.empty()) state = co_await ReadState(key, name, may_be_missing);
  while (true) {
    if (!state.ok()) co_return state.status();
    // Checks and transforms the state; a refusal of a stale state is checked against the newest.
    const api::Status refused = CheckPreconditions(preconditions, state->object, ns, name);
    api::Result<Value> updated = Value();
    if (refused.ok()) {
      sim::Task<void> preparing = transform.Prepare(state->object);
      if (!preparing.done()) co_await std::move(preparing);
      updated = transform.Apply(state->object);
    } else {
      updated = refused;
    }
    if (!updated.ok()) {
      if (state->current) co_return updated.status();
      KSIM_PROBE("apiserver/update-judged-on-stale-cache");
      const std::int64_t judged = state->revision();
      state = co_await ReadState(key, name, may_be_missing);
      if (state.ok() && refused.ok() && state->revision() == judged) co_return updated.status();
      continue;
    }
    // Writes nothing for a dry run, or if nothing has changed.
    if (context.dry_run)
      co_return api::Object::FromTree(*updated, state->object.resource_version());
    if (!state->object.empty() && *updated == state->object.tree()) {
      if (state->current) co_return state->object;
      state = co_await ReadState(key, name, may_be_missing);
      if (state.ok() && *updated == state->object.tree()) co_return state->object;
      continue;
    }
    // Compares and swaps; goes on with the newer state after a conflict.
    const bool asks = AsksWebhookToStore(*updated);
    api::Result<Value> stored = Value();
    if (asks) stored = co_await StoredByWebhook(*converter_, resource_, *updated);
    if (!stored.ok()) co_return stored.status();
    store::PutRequest put(key, asks ? *stored : ToStored(resource_, *updated));
    api::Status leased;
    if (context.ttl > 0) leased = co_await AttachLease(context.ttl, put);
    if (!leased.ok()) co_return leased;
    store::TxnRequest txn = store::OptimisticPut(std::move(put), state->revision(), true);
    absl::StatusOr<store::TxnResponse> written = co_await Commit(std::move(txn), context);
    if (!written.ok()) co_return StorageError(written.status());
    if (written->succeeded && asks)
      co_return co_await ReadBackByWebhook(*stored, written->header.revision);
    if (written->succeeded)
      co_return ReadBack(resource_, api::Object::FromTree(*std::move(updated)),
                         written->header.revision);
    KSIM_PROBE("apiserver/update-lost-race");
    state = co_await StateAfterConflict(*written, name, may_be_missing);
  }
}

sim::Task<api::Result<api::Object>> Storage::Delete(SharedText ns, SharedText name,
                                                    const Preconditions& preconditions,
                                                    DeletionCheck* check, api::Object suggestion,
                                                    WriteContext context) {
  const SharedText key = Key(ns, name);
  if (context.dry_run) suggestion = api::Object();
  api::Result<State> state = State(std::move(suggestion), false);
  if (state->object.empty()) state = co_await ReadState(key, name, false);
  while (true) {
    if (!state.ok()) co_return state.status();
    // Checks the state; a refusal of a stale state is checked against the newest.
    api::Status refused = CheckPreconditions(preconditions, state->object, ns, name);
    const bool refused_early = !refused.ok();
    if (!refused_early && check != nullptr) {
      sim::Task<void> preparing = check->Prepare(state->object);
      if (!preparing.done()) co_await std::move(preparing);
      refused = check->Check(state->object);
    }
    if (!refused.ok()) {
      if (state->current) co_return refused;
      const std::int64_t judged = state->revision();
      state = co_await ReadState(key, name, false);
      if (state.ok() && !refused_early && state->revision() == judged) co_return refused;
      continue;
    }
    if (context.dry_run) co_return state->object;
    // Compares and deletes; goes on with the newer state after a conflict.
    store::TxnRequest txn = store::OptimisticDelete(key, state->revision(), true);
    absl::StatusOr<store::TxnResponse> response = co_await Commit(std::move(txn), context);
    if (!response.ok()) co_return StorageError(response.status());
    if (response->succeeded) co_return state->object.WithResourceVersion(response->header.revision);
    KSIM_PROBE("apiserver/delete-lost-race");
    state = co_await StateAfterConflict(*response, name, false);
  }
}

}  // namespace ksim::apiserver
