#include "ksim/cli/etcd/etcd_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/trace/changes.h"
#include "ksim/value/diff.h"

namespace ksim::cli {
namespace {

using store::RequestOp;
using store::TxnRequest;
using trace::Moment;
using trace::Record;
using value::Value;

bool IsAfter(const Record& r, const Moment& moment) {
  switch (moment.kind) {
    case Moment::Kind::kTime:
      return r.t > moment.value;
    case Moment::Kind::kSeq:
      return static_cast<std::int64_t>(r.seq) > moment.value;
    case Moment::Kind::kRevision:
      return r.kind == sim::EventKind::kCommit && r.Int("revision") > moment.value;
    case Moment::Kind::kEnd:
      return false;
  }
  return false;
}

// The transaction of one revision. etcd takes at most 128 operations in one list, but a lease that
// runs out may delete more keys: a list of lists has room for all.
TxnRequest Transaction(std::vector<RequestOp> ops) {
  constexpr std::size_t kMaxOps = 128;
  TxnRequest txn;
  if (ops.size() <= kMaxOps) {
    txn.success = std::move(ops);
    return txn;
  }
  for (std::size_t i = 0; i < ops.size(); i += kMaxOps) {
    TxnRequest part;
    const std::size_t end = std::min(i + kMaxOps, ops.size());
    part.success.assign(std::make_move_iterator(ops.begin() + static_cast<std::ptrdiff_t>(i)),
                        std::make_move_iterator(ops.begin() + static_cast<std::ptrdiff_t>(end)));
    txn.success.emplace_back(std::move(part));
  }
  return txn;
}

}  // namespace

absl::Status EtcdHistory::AddToPending(const Record& commit) {
  const std::string key(commit.Text("key"));
  if (commit.Text("op") == "delete") {
    values_.erase(key);
    pending_.emplace_back(store::DeleteRangeRequest(key));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<value::Change> changes,
                   trace::ChangesFromTree(commit.Get("changed")));
  const bool create = commit.Text("op") == "create";
  Value& value = values_[key];
  value = value::Apply(create ? Value() : value, changes);
  pending_.emplace_back(store::PutRequest(key, value));
  return absl::OkStatus();
}

absl::Status EtcdHistory::WritePending() {
  if (pending_.empty()) return absl::OkStatus();
  const store::Revision before = store_.revision();
  RETURN_IF_ERROR(store_.Txn(Transaction(std::exchange(pending_, {}))).status());
  if (store_.revision() == pending_revision_) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "the commits of revision {} do not follow revision {}", pending_revision_, before));
}

absl::Status EtcdHistory::ApplyEvent(const Record& r) {
  if (r.kind == sim::EventKind::kCompact) {
    RETURN_IF_ERROR(WritePending());
    const store::CompactRequest compact(r.Int("revision"), store::WriteOrigin());
    return store_.Compact(compact).status();
  }
  if (r.kind != sim::EventKind::kCommit) return absl::OkStatus();
  if (r.Int("revision") != pending_revision_) RETURN_IF_ERROR(WritePending());
  pending_revision_ = r.Int("revision");
  return AddToPending(r);
}

absl::Status EtcdHistory::AdvanceTo(const Moment& moment) {
  for (; next_ < trace_.events.size() && !IsAfter(trace_.events[next_], moment); ++next_)
    RETURN_IF_ERROR(ApplyEvent(trace_.events[next_]));
  RETURN_IF_ERROR(WritePending());
  return trace::StateAt(trace_, moment).status();
}

absl::StatusOr<bool> EtcdHistory::AdvanceOne() {
  const store::Revision before = store_.revision();
  for (; next_ < trace_.events.size() && store_.revision() == before; ++next_) {
    // A watcher reads a revision before it is compacted.
    if (trace_.events[next_].kind == sim::EventKind::kCompact && !pending_.empty()) break;
    RETURN_IF_ERROR(ApplyEvent(trace_.events[next_]));
  }
  if (store_.revision() == before) RETURN_IF_ERROR(WritePending());
  return store_.revision() > before;
}

}  // namespace ksim::cli
