#include "ksim/store/txn.h"

#include <compare>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/store/errors.h"
#include "ksim/store/range.h"

namespace ksim::store {
namespace {

// For each transaction that is reached, in the order of reaching: did its compares hold?
using BranchPath = absl::InlinedVector<bool, 8>;

// Walks a path again.
class PathReader {
 public:
  explicit PathReader(const BranchPath& path) : path_(path) {}
  bool Next() { return path_[at_++]; }

 private:
  const BranchPath& path_;
  std::size_t at_ = 0;
};

const std::vector<RequestOp>& Chosen(const TxnRequest& txn, bool succeeded) {
  return succeeded ? txn.success : txn.failure;
}

std::int64_t StoredNumber(const KeyValue* kv, Compare::Target target) {
  if (kv == nullptr) return 0;
  switch (target) {
    case Compare::Target::kVersion:
      return kv->version();
    case Compare::Target::kCreate:
      return kv->create_revision();
    case Compare::Target::kMod:
      return kv->mod_revision();
    case Compare::Target::kLease:
      return kv->lease();
    case Compare::Target::kValue:
      break;
  }
  return 0;
}

bool ResultHolds(std::strong_ordering stored_to_operand, Compare::Result result) {
  switch (result) {
    case Compare::Result::kEqual:
      return stored_to_operand == 0;
    case Compare::Result::kNotEqual:
      return stored_to_operand != 0;
    case Compare::Result::kGreater:
      return stored_to_operand > 0;
    case Compare::Result::kLess:
      return stored_to_operand < 0;
  }
  return false;
}

// `kv` null: the key is missing. Then numbers are 0, and a value compares with nothing.
bool CompareHolds(const Compare& c, const KeyValue* kv) {
  if (c.target != Compare::Target::kValue)
    return ResultHolds(StoredNumber(kv, c.target) <=> c.number, c.result);
  return kv != nullptr && ResultHolds(CompareBytes(kv->value(), c.value) <=> 0, c.result);
}

bool CompareHolds(const Mvcc& mvcc, const Compare& c) {
  const KeyRange range(c.key, c.range_end);
  if (range.single()) return CompareHolds(c, mvcc.Get(c.key));
  bool any = false, holds = true;
  mvcc.index().VisitRange(range, [&](const KeyHistory& history) {
    const KeyValue* kv = history.Live();
    if (kv == nullptr) return true;
    any = true;
    holds = CompareHolds(c, kv);
    return holds;
  });
  return any ? holds : CompareHolds(c, nullptr);
}

void ChoosePath(const Mvcc& mvcc, const TxnRequest& txn, BranchPath* path) {
  bool succeeded = true;
  for (const Compare& c : txn.compare) succeeded = succeeded && CompareHolds(mvcc, c);
  path->push_back(succeeded);
  for (const RequestOp& op : Chosen(txn, succeeded)) {
    if (const auto* child = std::get_if<TxnRequest>(&op.request)) ChoosePath(mvcc, *child, path);
  }
}

// A negative revision means "latest" in a plain range but not here (STORE-45).
absl::Status CheckRangeInTxn(const Mvcc& mvcc, const RangeRequest& r) {
  if (r.revision == 0) return absl::OkStatus();
  if (r.revision > mvcc.revision()) return FutureRevisionError();
  return r.revision < mvcc.compact_revision() ? CompactedError() : absl::OkStatus();
}

absl::Status CheckPath(const Mvcc& mvcc, const TxnRequest& txn, PathReader* path) {
  for (const RequestOp& op : Chosen(txn, path->Next())) {
    if (const auto* range = std::get_if<RangeRequest>(&op.request)) {
      RETURN_IF_ERROR(CheckRangeInTxn(mvcc, *range));
    } else if (const auto* put = std::get_if<PutRequest>(&op.request)) {
      RETURN_IF_ERROR(CheckPut(mvcc, *put));
    } else if (const auto* child = std::get_if<TxnRequest>(&op.request)) {
      RETURN_IF_ERROR(CheckPath(mvcc, *child, path));
    }
  }
  return absl::OkStatus();
}

TxnResponse ApplyPath(WriteTxn& txn, const TxnRequest& request, PathReader* path);

ResponseOp ApplyOp(WriteTxn& txn, const RequestOp& op, PathReader* path) {
  if (const auto* range = std::get_if<RangeRequest>(&op.request)) {
    absl::StatusOr<RangeResponse> response = ExecuteRange(txn.mvcc(), *range, txn.revision());
    KSIM_CHECK(response.ok()) << Message(response.status());
    return ResponseOp(*std::move(response));
  }
  if (const auto* put = std::get_if<PutRequest>(&op.request)) return ExecutePut(txn, *put);
  if (const auto* del = std::get_if<DeleteRangeRequest>(&op.request))
    return ExecuteDeleteRange(txn, *del);
  return ApplyPath(txn, std::get<TxnRequest>(op.request), path);
}

TxnResponse ApplyPath(WriteTxn& txn, const TxnRequest& request, PathReader* path) {
  TxnResponse response;
  response.succeeded = path->Next();
  const std::vector<RequestOp>& ops = Chosen(request, response.succeeded);
  response.responses.reserve(ops.size());
  for (const RequestOp& op : ops) response.responses.push_back(ApplyOp(txn, op, path));
  return response;
}

}  // namespace

absl::Status CheckPut(const Mvcc& mvcc, const PutRequest& request) {
  if (request.lease != 0 && mvcc.lessor().Find(request.lease) == nullptr)
    return LeaseNotFoundError();
  const bool needs_key = request.ignore_value || request.ignore_lease;
  return needs_key && mvcc.Get(request.key) == nullptr ? KeyNotFoundError() : absl::OkStatus();
}

PutResponse ExecutePut(WriteTxn& txn, const PutRequest& request) {
  value::Value value = IsEmptyBytes(request.value) ? value::Value::String("") : request.value;
  LeaseId lease = request.lease;
  if (request.ignore_value || request.ignore_lease) {
    const KeyValue* live = txn.mvcc().Get(request.key);
    if (live != nullptr && request.ignore_value) value = live->value();
    if (live != nullptr && request.ignore_lease) lease = live->lease();
  }
  PutResponse response;
  KeyValue before = txn.Put(request.key, std::move(value), lease);
  if (request.prev_kv) response.prev_kv = std::move(before);
  response.header.revision = txn.revision();
  return response;
}

DeleteRangeResponse ExecuteDeleteRange(WriteTxn& txn, const DeleteRangeRequest& request) {
  DeleteRangeResponse response;
  std::vector<KeyValue> removed = txn.DeleteRange(KeyRange(request.key, request.range_end));
  response.deleted = static_cast<std::int64_t>(removed.size());
  if (request.prev_kv) response.prev_kvs = std::move(removed);
  response.header.revision = txn.revision();
  return response;
}

absl::StatusOr<TxnResponse> ExecuteTxn(WriteTxn& txn, const TxnRequest& request) {
  BranchPath path;
  ChoosePath(txn.mvcc(), request, &path);
  PathReader check(path);
  RETURN_IF_ERROR(CheckPath(txn.mvcc(), request, &check));
  PathReader apply(path);
  TxnResponse response = ApplyPath(txn, request, &apply);
  response.header.revision = txn.revision();
  return response;
}

}  // namespace ksim::store
