#include "ksim/store/request_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"
#include "ksim/base/status.h"
#include "ksim/store/encoded_size.h"
#include "ksim/store/errors.h"
#include "ksim/store/key_range.h"

namespace ksim::store {
namespace {

absl::Status CheckFields(const RangeRequest& r) {
  if (r.key.empty()) return EmptyKeyError();
  if (r.sort_order > SortOrder::kDescend || r.sort_target > SortTarget::kValue)
    return InvalidSortOptionError();
  return absl::OkStatus();
}

absl::Status CheckFields(const PutRequest& r) {
  if (r.key.empty()) return EmptyKeyError();
  if (r.ignore_value && !IsEmptyBytes(r.value)) return ValueProvidedError();
  if (r.ignore_lease && r.lease != 0) return LeaseProvidedError();
  return absl::OkStatus();
}

absl::Status CheckFields(const DeleteRangeRequest& r) {
  return r.key.empty() ? EmptyKeyError() : absl::OkStatus();
}

absl::Status CheckFields(const TxnRequest& r, std::size_t max_ops);

absl::Status CheckOp(const RequestOp& op, std::size_t max_ops) {
  if (const auto* range = std::get_if<RangeRequest>(&op.request)) return CheckFields(*range);
  if (const auto* put = std::get_if<PutRequest>(&op.request)) return CheckFields(*put);
  if (const auto* del = std::get_if<DeleteRangeRequest>(&op.request)) return CheckFields(*del);
  if (const auto* txn = std::get_if<TxnRequest>(&op.request)) return CheckFields(*txn, max_ops);
  return KeyNotFoundError();
}

absl::Status CheckFields(const TxnRequest& r, std::size_t max_ops) {
  const std::size_t ops = std::max({r.compare.size(), r.success.size(), r.failure.size()});
  if (ops > max_ops) return TooManyOpsError();
  for (const Compare& c : r.compare) {
    if (c.key.empty()) return EmptyKeyError();
  }
  for (const std::vector<RequestOp>* list : {&r.success, &r.failure}) {
    for (const RequestOp& op : *list) RETURN_IF_ERROR(CheckOp(op, max_ops - ops));
  }
  return absl::OkStatus();
}

// The keys that a list of operations puts, and the intervals it deletes, nested ones included.
struct Written {
  absl::btree_set<std::string_view> puts;
  std::vector<KeyRange> deletes;

  // The interval arithmetic does not know ends that stand for "every key from here on": such a
  // delete covers nothing.
  bool Deletes(std::string_view key) const {
    return std::any_of(deletes.begin(), deletes.end(), [&](const KeyRange& range) {
      return !range.unbounded() && range.Contains(key);
    });
  }
  bool Collides(std::string_view key) const { return puts.contains(key) || Deletes(key); }
};

absl::Status CollectWrites(const std::vector<RequestOp>& ops, Written* written);

// A child's two lists exclude each other, so they may share keys.
absl::Status CollectChild(const TxnRequest& child, Written* written) {
  Written then, otherwise;
  RETURN_IF_ERROR(CollectWrites(child.success, &then));
  RETURN_IF_ERROR(CollectWrites(child.failure, &otherwise));
  for (std::string_view key : then.puts) {
    if (written->Collides(key)) return DuplicateKeyError();
  }
  for (std::string_view key : otherwise.puts) {
    if (written->Collides(key)) return DuplicateKeyError();
  }
  written->puts.insert(then.puts.begin(), then.puts.end());
  written->puts.insert(otherwise.puts.begin(), otherwise.puts.end());
  for (const Written* list : {&then, &otherwise}) {
    written->deletes.insert(written->deletes.end(), list->deletes.begin(), list->deletes.end());
  }
  return absl::OkStatus();
}

// This order is what makes a put after a sibling's delete an error and a delete after a sibling's
// put none (STORE-50): own deletes, then children one by one, then own puts.
absl::Status CollectWrites(const std::vector<RequestOp>& ops, Written* written) {
  for (const RequestOp& op : ops) {
    if (const auto* del = std::get_if<DeleteRangeRequest>(&op.request))
      written->deletes.emplace_back(del->key, del->range_end);
  }
  for (const RequestOp& op : ops) {
    if (const auto* child = std::get_if<TxnRequest>(&op.request))
      RETURN_IF_ERROR(CollectChild(*child, written));
  }
  for (const RequestOp& op : ops) {
    const auto* put = std::get_if<PutRequest>(&op.request);
    if (put == nullptr) continue;
    if (written->Collides(put->key)) return DuplicateKeyError();
    written->puts.insert(put->key);
  }
  return absl::OkStatus();
}

absl::Status CheckDuplicates(const std::vector<RequestOp>& ops) {
  const bool single = ops.size() == 1 && !std::holds_alternative<TxnRequest>(ops[0].request);
  if (ops.empty() || single) return absl::OkStatus();
  Written written;
  return CollectWrites(ops, &written);
}

absl::Status CheckMessageSize(std::size_t bytes) {
  if (bytes > kMaxMessageBytes) return MessageTooLargeError(bytes, kMaxMessageBytes);
  return absl::OkStatus();
}

absl::Status CheckRaftSize(std::size_t bytes) {
  return RaftSize(bytes) > kMaxRequestBytes ? RequestTooLargeError() : absl::OkStatus();
}

bool IsReadOnly(const TxnRequest& r) {
  for (const std::vector<RequestOp>* list : {&r.success, &r.failure}) {
    for (const RequestOp& op : *list) {
      const auto* txn = std::get_if<TxnRequest>(&op.request);
      const bool read_only =
          txn != nullptr ? IsReadOnly(*txn) : std::holds_alternative<RangeRequest>(op.request);
      if (!read_only) return false;
    }
  }
  return true;
}

}  // namespace

absl::Status CheckRequest(const RangeRequest& r) {
  RETURN_IF_ERROR(CheckMessageSize(EncodedSize(r)));
  return CheckFields(r);
}

absl::Status CheckRequest(const PutRequest& r) {
  const std::size_t bytes = EncodedSize(r);
  RETURN_IF_ERROR(CheckMessageSize(bytes));
  RETURN_IF_ERROR(CheckFields(r));
  return CheckRaftSize(bytes);
}

absl::Status CheckRequest(const DeleteRangeRequest& r) {
  const std::size_t bytes = EncodedSize(r);
  RETURN_IF_ERROR(CheckMessageSize(bytes));
  RETURN_IF_ERROR(CheckFields(r));
  return CheckRaftSize(bytes);
}

absl::Status CheckRequest(const TxnRequest& r) {
  const std::size_t bytes = EncodedSize(r);
  RETURN_IF_ERROR(CheckMessageSize(bytes));
  RETURN_IF_ERROR(CheckFields(r, kMaxTxnOps));
  RETURN_IF_ERROR(CheckDuplicates(r.success));
  RETURN_IF_ERROR(CheckDuplicates(r.failure));
  if (IsReadOnly(r)) return absl::OkStatus();
  return CheckRaftSize(bytes);
}

}  // namespace ksim::store
