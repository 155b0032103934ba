// The reasons for which etcd refuses a request before it looks at the store: missing keys, options
// that contradict each other, too many operations, keys written twice, size.
//
// Source: server/etcdserver/api/v3rpc/key.go, etcdserver/v3_server.go
// processInternalRaftRequestOnce.
#pragma once
#include "absl/status/status.h"
#include "ksim/store/kv_request.h"

namespace ksim::store {

inline constexpr std::size_t kMaxTxnOps = 128;
inline constexpr std::size_t kMaxRequestBytes = 1'572'864;                      // 1.5 MiB
inline constexpr std::size_t kMaxMessageBytes = kMaxRequestBytes + 512 * 1024;  // gRPC's own

absl::Status CheckRequest(const RangeRequest& r);
absl::Status CheckRequest(const PutRequest& r);
absl::Status CheckRequest(const DeleteRangeRequest& r);
absl::Status CheckRequest(const TxnRequest& r);

}  // namespace ksim::store
