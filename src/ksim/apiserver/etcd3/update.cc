// GuaranteedUpdate and Delete: read, check, change, compare-and-swap.
#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/etcd3/state.h"
#include "ksim/apiserver/etcd3/storage.h"
#include "ksim/apiserver/registry/event_conversion.h"
#include "ksim/sim/probe.h"

namespace ksim::apiserver {

sim::Task<api::Result<Storage::State>> Storage::ReadState(SharedText key, SharedText name,
                                                          bool may_be_missing) {
  store::RangeRequest request(std::move(key));
  absl::StatusOr<store::RangeResponse> response = co_await client_.Range(std::move(request));
  if (!response.ok()) co_return StorageError(response.status());
  if (!response->kvs.empty()) co_return State(Decode(response->kvs.front()), true);
  if (!may_be_missing) co_return api::NotFound(group_resource(), name);
  co_return State(api::Object(), true);
}

sim::Task<api::Result<Storage::State>> Storage::FirstState(SharedText key, SharedText name,
                                                           bool may_be_missing,
                                                           api::Object suggestion) {
  if (!suggestion.empty()) co_return State(std::move(suggestion), false);
  co_return co_await ReadState(std::move(key), std::move(name), may_be_missing);
}

api::Result<Storage::State> Storage::StateAfterConflict(const store::TxnResponse& response,
                                                        std::string_view name,
                                                        bool may_be_missing) const {
  const store::RangeResponse& range = response.responses.front().range();
  if (!range.kvs.empty()) return State(Decode(range.kvs.front()), true);
  if (!may_be_missing) return api::NotFound(group_resource(), name);
  return State(api::Object(), true);
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

// Writes `updated` if the key is still at `expected`.
sim::Task<api::Result<store::TxnResponse>> Storage::PutIfUnchanged(SharedText key,
                                                                   value::Value updated,
                                                                   store::Revision expected,
                                                                   WriteContext context) {
  store::PutRequest put(std::move(key), ToStored(resource_, updated));
  if (context.ttl > 0) {
    api::Result<store::LeaseId> lease = co_await leases_.Lease(context.ttl);
    if (!lease.ok()) co_return lease.status();
    put.lease = *lease;
  }
  store::TxnRequest txn = store::OptimisticPut(std::move(put), expected, true);
  co_return co_await Commit(std::move(txn), std::move(context));
}

// A call of clientv3 whose context is done fails before it is sent.
sim::Task<api::Result<store::TxnResponse>> Storage::Commit(store::TxnRequest txn,
                                                           WriteContext context) {
  if (context.abandoned != nullptr && *context.abandoned) {
    KSIM_PROBE("apiserver/abandoned-before-writing");
    co_return StorageError(absl::CancelledError("context canceled"));
  }
  txn.origin = context.origin;
  absl::StatusOr<store::TxnResponse> response = co_await client_.Txn(std::move(txn));
  if (!response.ok()) co_return StorageError(response.status());
  co_return *std::move(response);
}

sim::Task<api::Result<api::Object>> Storage::GuaranteedUpdate(
    SharedText ns, SharedText name, Preconditions preconditions, bool may_be_missing,
    Transform& transform, api::Object suggestion, WriteContext context) {
  const SharedText key = Key(ns, name);
  // A dry run reads what is there and judges that (dryrun.go).
  if (context.dry_run) suggestion = api::Object();
  api::Result<State> state = co_await FirstState(key, name, may_be_missing, std::move(suggestion));
  while (true) {
    if (!state.ok()) co_return state.status();
    const api::Status refused = CheckPreconditions(preconditions, state->object, ns, name);
    api::Result<api::Object> updated = api::Object();
    if (!refused.ok()) updated = refused;
    if (refused.ok()) updated = co_await transform.Apply(state->object);
    if (!updated.ok()) {
      if (state->current) co_return updated.status();
      KSIM_PROBE("apiserver/update-judged-on-stale-cache");
      const std::int64_t judged = state->revision();
      state = co_await ReadState(key, name, may_be_missing);
      if (state.ok() && refused.ok() && state->revision() == judged) co_return updated.status();
      continue;
    }
    if (context.dry_run) co_return updated->WithResourceVersion(state->object.resource_version());
    if (!state->object.empty() && updated->tree() == state->object.tree()) {
      if (state->current) co_return state->object;
      state = co_await ReadState(key, name, may_be_missing);
      if (state.ok() && updated->tree() == state->object.tree()) co_return state->object;
      continue;
    }
    api::Result<store::TxnResponse> written =
        co_await PutIfUnchanged(key, updated->tree(), state->revision(), context);
    if (!written.ok()) co_return written.status();
    if (written->succeeded) co_return updated->WithResourceVersion(written->header.revision);
    KSIM_PROBE("apiserver/update-lost-race");
    state = StateAfterConflict(*written, name, may_be_missing);
  }
}

sim::Task<api::Result<api::Object>> Storage::Delete(SharedText ns, SharedText name,
                                                    Preconditions preconditions,
                                                    DeletionCheck* check, api::Object suggestion,
                                                    WriteContext context) {
  const SharedText key = Key(ns, name);
  if (context.dry_run) suggestion = api::Object();
  api::Result<State> state = co_await FirstState(key, name, false, std::move(suggestion));
  while (true) {
    if (!state.ok()) co_return state.status();
    api::Status refused = CheckPreconditions(preconditions, state->object, ns, name);
    const bool refused_early = !refused.ok();
    if (!refused_early && check != nullptr) refused = check->Check(state->object);
    if (!refused.ok()) {
      if (state->current) co_return refused;
      const std::int64_t judged = state->revision();
      state = co_await ReadState(key, name, false);
      if (state.ok() && !refused_early && state->revision() == judged) co_return refused;
      continue;
    }
    if (context.dry_run) co_return state->object;
    store::TxnRequest txn = store::OptimisticDelete(key, state->revision(), true);
    api::Result<store::TxnResponse> response = co_await Commit(std::move(txn), context);
    if (!response.ok()) co_return response.status();
    if (response->succeeded) co_return state->object.WithResourceVersion(response->header.revision);
    KSIM_PROBE("apiserver/delete-lost-race");
    state = StateAfterConflict(*response, name, false);
  }
}

}  // namespace ksim::apiserver
