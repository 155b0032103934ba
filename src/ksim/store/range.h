// Range: reads one key or an interval, latest or at a past revision, with etcd's filters, orders
// and limit. Source: server/etcdserver/txn/range.go, mvcc/kvstore_txn.go rangeKeys.
#pragma once
#include "absl/status/statusor.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/mvcc.h"

namespace ksim::store {

// `current` is the revision the reader is at: the store's, or that of an open WriteTxn. OutOfRange
// for a future or a compacted revision, in this order (STORE-16).
absl::StatusOr<RangeResponse> ExecuteRange(const Mvcc& mvcc, const RangeRequest& request,
                                           Revision current);

}  // namespace ksim::store
