#include "ksim/store/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/store/errors.h"
#include "ksim/store/op_script.h"

namespace ksim::store {

using value::ObjectBuilder;
using value::Value;

// One label: a watch on a stream of its own.
struct OpReplay::Watch {
  std::unique_ptr<WatchStream> stream;
  bool created = false, canceled = false;
  Revision created_revision = 0, compact_revision = 0, progress_revision = 0;
  std::string cancel_reason;
  std::vector<Value> events;

  void Take() {
    while (std::optional<WatchResponse> r = stream->Next()) {
      if (r->is_progress()) progress_revision = r->revision;
      if (r->created) created_revision = r->revision;
      created |= r->created;
      if (r->canceled) {
        canceled = true;
        compact_revision = r->compact_revision;
        cancel_reason = r->cancel_reason;
      }
      for (const WatchEvent& e : r->events) events.push_back(ToScript(e));
    }
  }
};

OpReplay::OpReplay() = default;
OpReplay::~OpReplay() = default;

namespace {

absl::Status NoSuch(std::string_view what, std::string_view name) {
  return absl::InvalidArgumentError(fmt::format("no {} \"{}\"", what, name));
}

template <class Response>
absl::StatusOr<Value> ScriptOf(const absl::StatusOr<Response>& response) {
  if (!response.ok()) return response.status();
  return ToScript(*response);
}

Value RevisionOnly(Revision revision) {
  return ObjectBuilder().Add("revision", Value::Int(revision)).Build();
}

template <class T>
Value Numbers(const std::vector<T>& numbers) {
  std::vector<Value> items;
  for (const T& n : numbers) items.push_back(Value::Of(n));
  return Value::Array(std::move(items));
}

Value ToScript(const LeaseTimeToLiveResponse& r) {
  return ObjectBuilder()
      .Add("revision", Value::Int(r.header.revision))
      .Add("id", Value::Int(r.id))
      .Add("granted_ttl", Value::Int(r.granted_ttl))
      .Add("expired", Value::Bool(r.ttl == -1))
      .Add("keys", Numbers(r.keys))
      .Build();
}

Value ErrorResult(const absl::Status& status) {
  const StoreError error = ErrorOf(status);
  return value::Obj({{"error", value::Obj({{"code", Value::Of(error.grpc_code)},
                                           {"message", Value::Of(error.message)}})}});
}

// Marks what is wrong with the script itself, as against what the store refuses.
constexpr char kScriptError[] = "script: ";
absl::Status ScriptError(const absl::Status& status) {
  return absl::InvalidArgumentError(kScriptError + std::string(Message(status)));
}
bool IsScriptError(const absl::Status& status) { return Message(status).starts_with(kScriptError); }

}  // namespace

OpReplay::Result OpReplay::RunKv(std::string_view name, const Value& op) {
  if (name == "put") return ScriptOf(store_.Put(PutFromScript(op)));
  if (name == "range") return ScriptOf(store_.Range(RangeFromScript(op)));
  if (name == "delete_range") return ScriptOf(store_.DeleteRange(DeleteRangeFromScript(op)));
  if (name == "txn") {
    const absl::StatusOr<TxnRequest> txn = TxnFromScript(op);
    if (!txn.ok()) return ScriptError(txn.status());
    return ScriptOf(store_.Txn(*txn));
  }
  if (name != "compact") return ScriptError(NoSuch("operation", name));
  const CompactRequest compact(op.Get("revision").AsInt(), WriteOrigin());
  ASSIGN_OR_RETURN(const CompactResponse response, store_.Compact(compact));
  return RevisionOnly(response.header.revision);
}

OpReplay::Result OpReplay::RunLease(std::string_view name, const Value& op) {
  const LeaseId id = op.Get("id").AsInt();
  if (name == "lease_grant") {
    const LeaseGrantRequest grant(id, op.Get("ttl").AsInt());
    ASSIGN_OR_RETURN(const LeaseGrantResponse r, store_.LeaseGrant(grant, now_));
    return value::Obj({{"revision", Value::Int(r.header.revision)},
                       {"id", Value::Int(r.id)},
                       {"ttl", Value::Int(r.ttl)}});
  }
  if (name == "lease_revoke") {
    const LeaseRevokeRequest revoke(id, WriteOrigin());
    ASSIGN_OR_RETURN(const LeaseRevokeResponse r, store_.LeaseRevoke(revoke));
    return RevisionOnly(r.header.revision);
  }
  if (name == "lease_ttl")
    return ToScript(store_.LeaseTimeToLive(LeaseTimeToLiveRequest(id, true), now_));
  if (name == "lease_keepalive") {
    const LeaseKeepAliveResponse r = store_.LeaseKeepAlive(LeaseKeepAliveRequest(id), now_);
    return value::Obj({{"id", Value::Int(r.id)}, {"ttl", Value::Int(r.ttl)}});
  }
  if (name != "lease_list") return ScriptError(NoSuch("operation", name));
  const LeaseLeasesResponse r = store_.LeaseLeases();
  return value::Obj({{"revision", Value::Int(r.header.revision)}, {"ids", Numbers(r.ids)}});
}

OpReplay::Result OpReplay::OpenWatch(const Value& op) {
  const std::string label(op.Get("w").AsString());
  if (watches_.contains(label))
    return ScriptError(absl::InvalidArgumentError("watch label in use: " + label));
  Watch& watch = *watches_.emplace(label, std::make_unique<Watch>()).first->second;
  watch.stream = store_.NewWatchStream([&watch] { watch.Take(); });
  watch.stream->Watch(WatchFromScript(op));
  while (store_.SyncWatchers() > 0) {
  }
  return value::Obj({{"created", Value::Bool(watch.created)},
                     {"revision", Value::Int(watch.created_revision)},
                     {"canceled", Value::Bool(watch.canceled)},
                     {"compact_revision", Value::Int(watch.compact_revision)},
                     {"cancel_reason", Value::Of(watch.cancel_reason)}});
}

Value OpReplay::TakeEvents(Watch& watch) { return Value::Array(std::exchange(watch.events, {})); }

OpReplay::Result OpReplay::RunWatch(std::string_view name, const Value& op) {
  if (name == "watch_open") return OpenWatch(op);
  const auto it = watches_.find(std::string(op.Get("w").AsString()));
  if (it == watches_.end()) return ScriptError(NoSuch("watch label", op.Get("w").AsString()));
  Watch& watch = *it->second;
  if (name == "watch_progress") {
    watch.progress_revision = 0;
    watch.stream->RequestProgress();
    return value::Obj({{"progress_revision", Value::Int(watch.progress_revision)}});
  }
  const Value canceled = Value::Bool(watch.canceled);
  if (name == "watch_collect") {
    return value::Obj({{"events", TakeEvents(watch)},
                       {"canceled", canceled},
                       {"compact_revision", Value::Int(watch.compact_revision)}});
  }
  if (name != "watch_close") return ScriptError(NoSuch("operation", name));
  const Value events = TakeEvents(watch);
  watches_.erase(it);
  return value::Obj({{"canceled", canceled}, {"events", events}});
}

OpReplay::Result OpReplay::Sleep(const Value& op) {
  now_ = now_ + std::min(Milliseconds(op.Get("ms").AsInt()), VirtualTime::Max() - now_);
  store_.ExpireLeases(now_);
  return RevisionOnly(store_.revision());
}

absl::StatusOr<Value> OpReplay::Run(const Value& op) {
  const std::string_view name = op.Get("op").AsString();
  Result result;
  if (name.starts_with("watch_")) {
    result = RunWatch(name, op);
  } else if (name.starts_with("lease_")) {
    result = RunLease(name, op);
  } else if (name == "sleep") {
    result = Sleep(op);
  } else {
    result = RunKv(name, op);
  }
  if (!result.ok()) {
    if (IsScriptError(result.status())) return result.status();
    result = ErrorResult(result.status());
  }
  return (*std::move(result)).Set("i", op.Get("i")).Set("op", op.Get("op"));
}

}  // namespace ksim::store
