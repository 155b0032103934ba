#include "ksim/store/errors.h"

#include <fmt/format.h>

#include "ksim/base/status.h"

namespace ksim::store {
namespace {

constexpr char kFutureRevision[] = "etcdserver: mvcc: required revision is a future revision";

absl::Status Invalid(const char* message) { return absl::InvalidArgumentError(message); }

}  // namespace

StoreError ErrorOf(const absl::Status& status) {
  StoreError e;
  e.grpc_code = static_cast<int>(status.code());
  e.message = std::string(Message(status));
  return e;
}

absl::Status EmptyKeyError() { return Invalid("etcdserver: key is not provided"); }
absl::Status KeyNotFoundError() { return Invalid("etcdserver: key not found"); }
absl::Status ValueProvidedError() { return Invalid("etcdserver: value is provided"); }
absl::Status LeaseProvidedError() { return Invalid("etcdserver: lease is provided"); }
absl::Status TooManyOpsError() { return Invalid("etcdserver: too many operations in txn request"); }
absl::Status DuplicateKeyError() {
  return Invalid("etcdserver: duplicate key given in txn request");
}
absl::Status InvalidSortOptionError() { return Invalid("etcdserver: invalid sort option"); }
absl::Status RequestTooLargeError() { return Invalid("etcdserver: request is too large"); }

absl::Status MessageTooLargeError(std::size_t bytes, std::size_t limit) {
  return absl::ResourceExhaustedError(
      fmt::format("grpc: received message larger than max ({} vs. {})", bytes, limit));
}

absl::Status LeaseNotFoundError() {
  return absl::NotFoundError("etcdserver: requested lease not found");
}
absl::Status LeaseExistsError() {
  return absl::FailedPreconditionError("etcdserver: lease already exists");
}
absl::Status LeaseTtlTooLargeError() {
  return absl::OutOfRangeError("etcdserver: too large lease TTL");
}
absl::Status CompactedError() { return absl::OutOfRangeError(kCompactedReason); }
absl::Status FutureRevisionError() { return absl::OutOfRangeError(kFutureRevision); }
absl::Status NotReachableError() {
  return absl::UnavailableError("connection error: desc = \"transport: error while dialing\"");
}

bool IsCompacted(const absl::Status& status) {
  return status.code() == absl::StatusCode::kOutOfRange && Message(status) == kCompactedReason;
}

bool IsFutureRevision(const absl::Status& status) {
  return status.code() == absl::StatusCode::kOutOfRange && Message(status) == kFutureRevision;
}

}  // namespace ksim::store
