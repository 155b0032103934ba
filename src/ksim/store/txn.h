// Txn: compares choose one of two lists of operations, nested ones too; the chosen path is checked
// against the state before the transaction and then applied without fail.
//
// Source: server/etcdserver/txn/txn.go.
#pragma once
#include "absl/status/statusor.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/mvcc.h"

namespace ksim::store {

// A put may fail for its lease, or for ignore_value / ignore_lease of a key that is not there.
absl::Status CheckPut(const Mvcc& mvcc, const PutRequest& request);
PutResponse ExecutePut(WriteTxn& txn, const PutRequest& request);
DeleteRangeResponse ExecuteDeleteRange(WriteTxn& txn, const DeleteRangeRequest& request);

// An error leaves everything as it was. The caller ends `txn`.
absl::StatusOr<TxnResponse> ExecuteTxn(WriteTxn& txn, const TxnRequest& request);

}  // namespace ksim::store
