#include "tests/store/script_model.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/store/errors.h"
#include "ksim/store/key_range.h"
#include "ksim/store/op_script.h"
#include "ksim/store/request_check.h"

namespace ksim::store {

using value::Obj;
using value::Value;

namespace {

Value JustRevision(Revision revision) { return Obj({{"revision", Value::Int(revision)}}); }

std::int64_t StoredNumber(const KeyValue& kv, Compare::Target target) {
  if (!kv) return 0;
  if (target == Compare::Target::kVersion) return kv.version();
  if (target == Compare::Target::kCreate) return kv.create_revision();
  return target == Compare::Target::kMod ? kv.mod_revision() : kv.lease();
}

bool OneHolds(const Compare& c, const KeyValue& kv) {
  const bool by_value = c.target == Compare::Target::kValue;
  if (by_value && !kv) return false;
  const std::string stored = by_value ? std::string(kv.value().AsString()) : "";
  const std::string operand(c.value.AsString());
  const std::int64_t number = by_value ? 0 : StoredNumber(kv, c.target);
  const bool less = by_value ? stored < operand : number < c.number;
  const bool equal = by_value ? stored == operand : number == c.number;
  switch (c.result) {
    case Compare::Result::kEqual:
      return equal;
    case Compare::Result::kNotEqual:
      return !equal;
    case Compare::Result::kLess:
      return less;
    case Compare::Result::kGreater:
      return !less && !equal;
  }
  return false;
}

bool Filtered(const RangeRequest& r) {
  return r.min_mod_revision != 0 || r.max_mod_revision != 0 || r.min_create_revision != 0 ||
         r.max_create_revision != 0;
}

bool Outside(std::int64_t n, std::int64_t min, std::int64_t max) {
  return (min != 0 && n < min) || (max != 0 && n > max);
}

bool Before(const KeyValue& a, const KeyValue& b, SortTarget by) {
  switch (by) {
    case SortTarget::kKey:
      return a.key() < b.key();
    case SortTarget::kVersion:
      return a.version() < b.version();
    case SortTarget::kCreate:
      return a.create_revision() < b.create_revision();
    case SortTarget::kMod:
      return a.mod_revision() < b.mod_revision();
    case SortTarget::kValue:
      return a.value().AsString() < b.value().AsString();
  }
  return false;
}

}  // namespace

// --- state ---

KeyValue ScriptModel::Before(const std::string& key) const {
  const auto it = states_.back().find(key);
  return it == states_.back().end() ? KeyValue() : it->second;
}

void ScriptModel::Commit(Work work) {
  if (work.changes.empty()) return;
  for (const Change& change : work.changes)
    for (auto& [label, watch] : watches_) Owe(watch, change);
  states_.push_back(std::move(work.now));
  changes_.insert(changes_.end(), work.changes.begin(), work.changes.end());
}

void ScriptModel::Owe(Watch& watch, const Change& change) const {
  const WatchRequest& r = watch.request;
  const KeyRange range(r.key, r.range_end);
  if (watch.canceled || change.kv.mod_revision() < watch.next || !range.Contains(change.kv.key()))
    return;
  if (change.kv.is_tombstone() ? r.no_delete : r.no_put) return;
  const bool told = r.prev_kv && change.kv.mod_revision() - 1 >= compacted_;
  watch.events.push_back(ToScript(WatchEvent(change.kv, told ? change.before : KeyValue(), 0)));
}

// --- operations on keys ---

PutResponse ScriptModel::Put(Work* work, const PutRequest& r) const {
  const auto it = work->now.find(r.key.str());
  const KeyValue old = it == work->now.end() ? KeyValue() : it->second;
  KeyValue::Fields fields;
  fields.mod_revision = revision() + 1;
  fields.create_revision = old ? old.create_revision() : fields.mod_revision;
  fields.version = old ? old.version() + 1 : 1;
  fields.lease = r.ignore_lease && old ? old.lease() : r.lease;
  Value value = r.ignore_value && old ? old.value() : r.value;
  if (value.is_null()) value = Value::String("");
  const KeyValue kv(Key(r.key), std::move(value), fields);
  work->now[r.key.str()] = kv;
  work->changes.push_back(Change{kv, kv.is_create() ? KeyValue() : Before(r.key.str())});
  PutResponse response;
  response.header.revision = RevisionIn(*work);
  if (r.prev_kv) response.prev_kv = old;
  return response;
}

DeleteRangeResponse ScriptModel::Delete(Work* work, const DeleteRangeRequest& r) const {
  DeleteRangeResponse response;
  const KeyRange range(r.key, r.range_end);
  for (auto it = work->now.begin(); it != work->now.end();) {
    if (!range.Contains(it->first)) {
      ++it;
      continue;
    }
    ++response.deleted;
    if (r.prev_kv) response.prev_kvs.push_back(it->second);
    work->changes.push_back(
        Change{KeyValue::Tombstone(Key(it->first), revision() + 1, 0), Before(it->first)});
    it = work->now.erase(it);
  }
  response.header.revision = RevisionIn(*work);
  return response;
}

absl::StatusOr<RangeResponse> ScriptModel::Range(const Work& work, const RangeRequest& r) const {
  if (r.revision > RevisionIn(work)) return FutureRevisionError();
  if (r.revision > 0 && r.revision < compacted_) return CompactedError();
  const bool past = r.revision > 0 && r.revision <= revision();
  const State& state = past ? states_[static_cast<std::size_t>(r.revision)] : work.now;
  RangeResponse response;
  response.header.revision = RevisionIn(work);
  const KeyRange range(r.key, r.range_end);
  for (const auto& [key, kv] : state)
    if (range.Contains(key)) response.kvs.push_back(kv);
  std::vector<KeyValue>& kvs = response.kvs;
  response.count = static_cast<std::int64_t>(kvs.size());
  if (r.count_only) kvs.clear();
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(r.limit, 0));
  // Without a sort order etcd reads no more keys than the limit needs.
  if (limit > 0 && r.sort_order == SortOrder::kNone && !Filtered(r))
    kvs.resize(std::min(kvs.size(), limit + 1));
  std::erase_if(kvs, [&](const KeyValue& kv) {
    return Outside(kv.mod_revision(), r.min_mod_revision, r.max_mod_revision) ||
           Outside(kv.create_revision(), r.min_create_revision, r.max_create_revision);
  });
  std::stable_sort(kvs.begin(), kvs.end(), [&](const KeyValue& a, const KeyValue& b) {
    const bool down = r.sort_order == SortOrder::kDescend;
    return store::Before(down ? b : a, down ? a : b, r.sort_target);
  });
  response.more = limit > 0 && kvs.size() > limit;
  if (response.more) kvs.resize(limit);
  if (r.keys_only)
    for (KeyValue& kv : kvs) kv = kv.WithoutValue();
  return response;
}

// --- transactions ---

bool ScriptModel::Holds(const Compare& c) const {
  const KeyRange range(c.key, c.range_end);
  std::vector<KeyValue> found;
  for (const auto& [key, kv] : states_.back())
    if (range.Contains(key)) found.push_back(kv);
  if (found.empty()) return OneHolds(c, KeyValue());
  return std::all_of(found.begin(), found.end(),
                     [&](const KeyValue& kv) { return OneHolds(c, kv); });
}

bool ScriptModel::Succeeds(const TxnRequest& r) const {
  return std::all_of(r.compare.begin(), r.compare.end(),
                     [this](const Compare& c) { return Holds(c); });
}

absl::Status ScriptModel::CheckPut(const PutRequest& r) const {
  if (r.lease != 0 && !leases_.contains(r.lease)) return LeaseNotFoundError();
  if ((r.ignore_value || r.ignore_lease) && !Before(r.key.str())) return KeyNotFoundError();
  return absl::OkStatus();
}

absl::Status ScriptModel::CheckTxn(const TxnRequest& r) const {
  for (const RequestOp& op : Succeeds(r) ? r.success : r.failure) {
    if (const auto* put = std::get_if<PutRequest>(&op.request)) RETURN_IF_ERROR(CheckPut(*put));
    if (const auto* txn = std::get_if<TxnRequest>(&op.request)) RETURN_IF_ERROR(CheckTxn(*txn));
    const auto* range = std::get_if<RangeRequest>(&op.request);
    if (range == nullptr || range->revision == 0) continue;
    if (range->revision > revision()) return FutureRevisionError();
    if (range->revision < compacted_) return CompactedError();
  }
  return absl::OkStatus();
}

TxnResponse ScriptModel::Txn(Work* work, const TxnRequest& r) const {
  TxnResponse response;
  response.succeeded = Succeeds(r);
  for (const RequestOp& op : response.succeeded ? r.success : r.failure) {
    if (const auto* put = std::get_if<PutRequest>(&op.request)) {
      response.responses.emplace_back(Put(work, *put));
    } else if (const auto* del = std::get_if<DeleteRangeRequest>(&op.request)) {
      response.responses.emplace_back(Delete(work, *del));
    } else if (const auto* range = std::get_if<RangeRequest>(&op.request)) {
      response.responses.emplace_back(Range(*work, *range).value());
    } else {
      response.responses.emplace_back(Txn(work, std::get<TxnRequest>(op.request)));
    }
  }
  return response;
}

ScriptModel::Result ScriptModel::RunPut(const PutRequest& r) {
  RETURN_IF_ERROR(CheckRequest(r));
  RETURN_IF_ERROR(CheckPut(r));
  Work work = Begin();
  const PutResponse response = Put(&work, r);
  Commit(std::move(work));
  return ToScript(response);
}

ScriptModel::Result ScriptModel::RunTxn(const TxnRequest& r) {
  RETURN_IF_ERROR(CheckRequest(r));
  RETURN_IF_ERROR(CheckTxn(r));
  Work work = Begin();
  TxnResponse response = Txn(&work, r);
  response.header.revision = RevisionIn(work);
  Commit(std::move(work));
  return ToScript(response);
}

ScriptModel::Result ScriptModel::RunKv(std::string_view name, const Value& op) {
  if (name == "put") return RunPut(PutFromScript(op));
  if (name == "txn") {
    ASSIGN_OR_RETURN(const TxnRequest txn, TxnFromScript(op));
    return RunTxn(txn);
  }
  if (name == "range") {
    const RangeRequest r = RangeFromScript(op);
    RETURN_IF_ERROR(CheckRequest(r));
    ASSIGN_OR_RETURN(const RangeResponse response, Range(Begin(), r));
    return ToScript(response);
  }
  if (name == "delete_range") {
    const DeleteRangeRequest r = DeleteRangeFromScript(op);
    RETURN_IF_ERROR(CheckRequest(r));
    Work work = Begin();
    const DeleteRangeResponse response = Delete(&work, r);
    Commit(std::move(work));
    return ToScript(response);
  }
  const Revision to = op.Get("revision").AsInt();  // compact
  if (to <= compacted_) return CompactedError();
  if (to > revision()) return FutureRevisionError();
  compacted_ = to;
  ForgetSuperseded();
  return JustRevision(revision());
}

// A watch may start at the compacted revision and gets the changes that compaction left there: only
// the last change of each key, also where one transaction changed a key twice. etcd:
// server/storage/mvcc/ key_index.go, keyIndex.compact.
void ScriptModel::ForgetSuperseded() {
  std::set<std::string> later;
  std::vector<Change> kept;
  for (const Change& change : std::views::reverse(changes_))
    if (change.kv.mod_revision() > compacted_ || later.emplace(change.kv.key()).second)
      kept.push_back(change);
  changes_.assign(kept.rbegin(), kept.rend());
}

// --- leases and time ---

// The keys of a lease are the keys whose value names the lease.
void ScriptModel::Revoke(LeaseId id) {
  Work work = Begin();
  for (const auto& [key, kv] : states_.back())
    if (kv.lease() == id) Delete(&work, DeleteRangeRequest(key));
  leases_.erase(id);
  Commit(std::move(work));
}

ScriptModel::Result ScriptModel::RunLease(std::string_view name, const Value& op) {
  const LeaseId id = op.Get("id").AsInt();
  const auto it = leases_.find(id);
  const bool found = it != leases_.end();
  if (name == "lease_grant") {
    const std::int64_t ttl = std::max<std::int64_t>(op.Get("ttl").AsInt(), 2);
    if (ttl > 9'000'000'000) return LeaseTtlTooLargeError();
    if (found) return LeaseExistsError();
    leases_[id] = Lease{ttl, now_ms_ + ttl * 1000};
    return Obj(
        {{"revision", Value::Int(revision())}, {"id", Value::Int(id)}, {"ttl", Value::Int(ttl)}});
  }
  if (name == "lease_revoke") {
    if (!found) return LeaseNotFoundError();
    Revoke(id);
    return JustRevision(revision());
  }
  if (name == "lease_keepalive") {
    if (found) it->second.deadline_ms = now_ms_ + it->second.ttl * 1000;
    return Obj({{"id", Value::Int(id)}, {"ttl", Value::Int(found ? it->second.ttl : 0)}});
  }
  std::vector<Value> list;
  if (name == "lease_list") {
    for (const auto& [known, lease] : leases_) list.push_back(Value::Int(known));
    return Obj({{"revision", Value::Int(revision())}, {"ids", Value::Array(std::move(list))}});
  }
  for (const auto& [key, kv] : states_.back())
    if (found && kv.lease() == id) list.push_back(Value::Of(key));
  return Obj({{"revision", Value::Int(revision())},
              {"id", Value::Int(id)},
              {"granted_ttl", Value::Int(found ? it->second.ttl : 0)},
              {"expired", Value::Bool(!found)},
              {"keys", Value::Array(std::move(list))}});
}

Value ScriptModel::Sleep(std::int64_t ms) {
  now_ms_ += ms;
  while (!leases_.empty()) {
    const auto first = std::min_element(leases_.begin(), leases_.end(), [](auto& a, auto& b) {
      return a.second.deadline_ms < b.second.deadline_ms;  // of equal ones the smallest id
    });
    if (first->second.deadline_ms > now_ms_) break;
    Revoke(first->first);
  }
  return JustRevision(revision());
}

// --- watches ---

Value ScriptModel::OpenWatch(const Value& op) {
  Watch watch;
  watch.request = WatchFromScript(op);
  WatchRequest& r = watch.request;
  if (r.key.empty()) r.key = std::string(1, '\0');
  watch.next = r.start_revision == 0 ? revision() + 1 : r.start_revision;
  std::string reason;
  if (KeyRange(r.key, r.range_end).inverted()) {
    watch.canceled = true;
    reason = "mvcc: watcher range is empty";
  } else if (watch.next < compacted_) {
    watch.canceled = true;
    watch.compact_revision = compacted_;
  }
  for (const Change& change : changes_) Owe(watch, change);
  const Value result = Obj({{"created", Value::Bool(true)},
                            {"revision", Value::Int(revision())},
                            {"canceled", Value::Bool(watch.canceled)},
                            {"compact_revision", Value::Int(watch.compact_revision)},
                            {"cancel_reason", Value::Of(reason)}});
  watches_[std::string(op.Get("w").AsString())] = std::move(watch);
  return result;
}

Value ScriptModel::RunWatch(std::string_view name, const Value& op) {
  if (name == "watch_open") return OpenWatch(op);
  const auto it = watches_.find(std::string(op.Get("w").AsString()));
  Watch& watch = it->second;
  if (name == "watch_progress") {
    const bool answered = !watch.canceled && watch.request.start_revision <= revision();
    return Obj({{"progress_revision", Value::Int(answered ? revision() : 0)}});
  }
  Value events = Value::Array(std::exchange(watch.events, {}));
  const Value canceled = Value::Bool(watch.canceled);
  const Value compact_revision = Value::Int(watch.compact_revision);
  if (name == "watch_close") {
    watches_.erase(it);
    return Obj({{"canceled", canceled}, {"events", events}});
  }
  return Obj({{"events", events}, {"canceled", canceled}, {"compact_revision", compact_revision}});
}

Value ScriptModel::Run(const Value& op) {
  const std::string_view name = op.Get("op").AsString();
  Result result;
  if (name.starts_with("watch_")) {
    result = RunWatch(name, op);
  } else if (name.starts_with("lease_")) {
    result = RunLease(name, op);
  } else if (name == "sleep") {
    result = Sleep(op.Get("ms").AsInt());
  } else {
    result = RunKv(name, op);
  }
  if (!result.ok()) {
    const StoreError e = ErrorOf(result.status());
    result = Obj(
        {{"error", Obj({{"code", Value::Of(e.grpc_code)}, {"message", Value::Of(e.message)}})}});
  }
  return (*std::move(result)).Set("i", op.Get("i")).Set("op", op.Get("op"));
}

}  // namespace ksim::store
