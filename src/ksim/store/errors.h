// etcd's errors: an absl::Status whose code is the gRPC code of the same number and whose message
// is etcd's own text. Source: api/v3rpc/rpctypes/error.go.
#pragma once
#include <string>

#include "absl/status/status.h"

namespace ksim::store {

// As it goes over the wire.
struct StoreError {
  StoreError() = default;
  int grpc_code = 0;
  std::string message;
};
StoreError ErrorOf(const absl::Status& status);

absl::Status EmptyKeyError();
absl::Status KeyNotFoundError();
absl::Status ValueProvidedError();
absl::Status LeaseProvidedError();
absl::Status TooManyOpsError();
absl::Status DuplicateKeyError();
absl::Status InvalidSortOptionError();
absl::Status RequestTooLargeError();
absl::Status MessageTooLargeError(std::size_t bytes, std::size_t limit);  // gRPC's, not etcd's
absl::Status LeaseNotFoundError();
absl::Status LeaseExistsError();
absl::Status LeaseTtlTooLargeError();
absl::Status CompactedError();
absl::Status FutureRevisionError();
absl::Status NotReachableError();  // the process is down: what a client sees of the connection

bool IsCompacted(const absl::Status& status);
bool IsFutureRevision(const absl::Status& status);

// Reasons in a watch response that cancels.
inline constexpr char kCompactedReason[] = "etcdserver: mvcc: required revision has been compacted";
inline constexpr char kEmptyRangeReason[] = "mvcc: watcher range is empty";
inline constexpr char kDuplicateWatchIdReason[] =
    "mvcc: duplicate watch ID provided on the WatchStream";

}  // namespace ksim::store
