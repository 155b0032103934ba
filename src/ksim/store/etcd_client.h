// EtcdClient: a process's connection to etcd (clientv3). Every call travels to etcd, runs there
// when it arrives, and its answer travels back; the caller sleeps meanwhile. Two calls of one
// client may overtake each other. A caller that dies loses the answer, not the effect.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/sim/network.h"
#include "ksim/sim/task.h"
#include "ksim/store/etcd.h"
#include "ksim/store/etcd_stream.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/lease_request.h"

namespace ksim::store {

class EtcdClient {
 public:
  // `client` is the process' name. `etcd` and `network` must outlive the simulation's messages.
  EtcdClient(sim::Network& network, SharedText client, Etcd& etcd);

  // Errors are those of Store; Unavailable if etcd is down.
  sim::Task<absl::StatusOr<RangeResponse>> Range(RangeRequest request);
  sim::Task<absl::StatusOr<PutResponse>> Put(PutRequest request);
  sim::Task<absl::StatusOr<DeleteRangeResponse>> DeleteRange(DeleteRangeRequest request);
  sim::Task<absl::StatusOr<TxnResponse>> Txn(TxnRequest request);
  sim::Task<absl::StatusOr<CompactResponse>> Compact(CompactRequest request);
  sim::Task<absl::StatusOr<LeaseGrantResponse>> LeaseGrant(LeaseGrantRequest request);
  sim::Task<absl::StatusOr<LeaseRevokeResponse>> LeaseRevoke(LeaseRevokeRequest request);
  sim::Task<absl::StatusOr<LeaseKeepAliveResponse>> LeaseKeepAlive(LeaseKeepAliveRequest request);
  sim::Task<absl::StatusOr<LeaseTimeToLiveResponse>> LeaseTimeToLive(
      LeaseTimeToLiveRequest request);

  // Opens a stream with one watch; returns at once, the answer is the stream's first response.
  std::unique_ptr<EtcdWatch> Watch(WatchRequest request);

  struct Link;  // the two channels; shared with the calls under way

 private:
  sim::Network& network_;
  SharedText client_;
  Etcd& etcd_;
  std::shared_ptr<Link> link_;
};

}  // namespace ksim::store
