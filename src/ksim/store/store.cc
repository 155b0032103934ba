#include "ksim/store/store.h"

#include <string>
#include <utility>
#include <vector>

#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/store/errors.h"
#include "ksim/store/range.h"
#include "ksim/store/request_check.h"
#include "ksim/store/txn.h"

namespace ksim::store {

ResponseHeader Store::Header() const {
  ResponseHeader header;
  header.revision = mvcc_.revision();
  return header;
}

// Completes the revision: the listener hears of it, then the watchers, before anybody can read it.
// Returns the seq of the last commit event.
std::uint64_t Store::Commit(WriteTxn& txn, const WriteOrigin& origin) {
  const bool changed = txn.changed();
  const std::size_t first = txn.first_change();
  txn.End();
  if (!changed) return 0;
  std::uint64_t event = 0;
  if (listener_ != nullptr) {
    for (std::size_t i = first; i < mvcc_.log().size(); ++i) {
      event = listener_->OnCommit(mvcc_.log()[i], origin);
      mvcc_.SetEvent(i, event);
    }
  }
  hub_.Notify(first);
  return event;
}

absl::StatusOr<RangeResponse> Store::Range(const RangeRequest& request) const {
  RETURN_IF_ERROR(CheckRequest(request));
  return ExecuteRange(mvcc_, request, mvcc_.revision());
}

absl::StatusOr<PutResponse> Store::Put(const PutRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  RETURN_IF_ERROR(CheckPut(mvcc_, request));
  WriteTxn txn(mvcc_);
  PutResponse response = ExecutePut(txn, request);
  response.header.commit = Commit(txn, request.origin);
  return response;
}

absl::StatusOr<DeleteRangeResponse> Store::DeleteRange(const DeleteRangeRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  WriteTxn txn(mvcc_);
  DeleteRangeResponse response = ExecuteDeleteRange(txn, request);
  response.header.commit = Commit(txn, request.origin);
  return response;
}

absl::StatusOr<TxnResponse> Store::Txn(const TxnRequest& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  WriteTxn txn(mvcc_);
  absl::StatusOr<TxnResponse> response = ExecuteTxn(txn, request);
  const std::uint64_t event = Commit(txn, request.origin);
  if (response.ok()) response->header.commit = event;
  return response;
}

absl::StatusOr<CompactResponse> Store::Compact(const CompactRequest& request) {
  RETURN_IF_ERROR(mvcc_.Compact(request.revision));
  if (listener_ != nullptr) listener_->OnCompact(request.revision, request.origin);
  CompactResponse response;
  response.header = Header();
  return response;
}

absl::StatusOr<LeaseGrantResponse> Store::LeaseGrant(const LeaseGrantRequest& request,
                                                     VirtualTime now) {
  ASSIGN_OR_RETURN(const Lessor::Lease* lease, lessor_.Grant(request.id, request.ttl, now));
  LeaseGrantResponse response;
  response.header = Header();
  response.id = lease->id;
  response.ttl = lease->ttl;
  return response;
}

absl::StatusOr<LeaseRevokeResponse> Store::LeaseRevoke(const LeaseRevokeRequest& request) {
  const Lessor::Lease* lease = lessor_.Find(request.id);
  if (lease == nullptr) return LeaseNotFoundError();
  const std::vector<std::string> keys(lease->keys.begin(), lease->keys.end());
  WriteTxn txn(mvcc_);
  for (const std::string& key : keys) txn.DeleteRange(KeyRange(key, {}));
  lessor_.Erase(request.id);
  LeaseRevokeResponse response;
  response.header.commit = Commit(txn, request.origin);
  response.header.revision = mvcc_.revision();
  return response;
}

LeaseKeepAliveResponse Store::LeaseKeepAlive(const LeaseKeepAliveRequest& request,
                                             VirtualTime now) {
  LeaseKeepAliveResponse response;
  response.header = Header();
  response.id = request.id;
  if (const Lessor::Lease* lease = lessor_.Find(request.id)) {
    response.ttl = lease->ttl;
    lessor_.Renew(request.id, now);
  }
  return response;
}

LeaseTimeToLiveResponse Store::LeaseTimeToLive(const LeaseTimeToLiveRequest& request,
                                               VirtualTime now) const {
  LeaseTimeToLiveResponse response;
  response.header = Header();
  response.id = request.id;
  const Lessor::Lease* lease = lessor_.Find(request.id);
  if (lease == nullptr) return response;
  response.ttl = (lease->deadline - now).whole_seconds();
  response.granted_ttl = lease->ttl;
  if (request.keys) response.keys.assign(lease->keys.begin(), lease->keys.end());
  return response;
}

LeaseLeasesResponse Store::LeaseLeases() const {
  LeaseLeasesResponse response;
  response.header = Header();
  response.ids = lessor_.ids();
  return response;
}

void Store::ExpireLeases(VirtualTime now) {
  for (const Lessor::Lease* lease = lessor_.Next(); lease != nullptr && lease->deadline <= now;
       lease = lessor_.Next()) {
    const absl::Status revoked = LeaseRevoke(LeaseRevokeRequest(lease->id, WriteOrigin())).status();
    KSIM_CHECK(revoked.ok()) << Message(revoked);
  }
}

void Store::RefreshLeases(VirtualTime now) {
  for (const LeaseId id : lessor_.ids()) lessor_.Renew(id, now);
}

std::optional<VirtualTime> Store::NextExpiry() const {
  const Lessor::Lease* lease = lessor_.Next();
  if (lease == nullptr) return std::nullopt;
  return lease->deadline;
}

std::unique_ptr<WatchStream> Store::NewWatchStream(std::function<void()> on_ready) {
  return std::make_unique<WatchStream>(hub_, std::move(on_ready));
}

}  // namespace ksim::store
