#include "ksim/store/op_script.h"

#include <string>
#include <utility>
#include <vector>

#include "ksim/base/status.h"

namespace ksim::store {
namespace {

using value::ObjectBuilder;
using value::Value;

std::string Text(const Value& op, std::string_view field) {
  return std::string(op.Get(field).AsString());
}
std::int64_t Number(const Value& op, std::string_view field) { return op.Get(field).AsInt(); }
bool Flag(const Value& op, std::string_view field) { return op.Get(field).AsBool(); }

SortOrder SortOrderOf(std::string_view name) {
  if (name == "ascend") return SortOrder::kAscend;
  return name == "descend" ? SortOrder::kDescend : SortOrder::kNone;
}

SortTarget SortTargetOf(std::string_view name) {
  if (name == "version") return SortTarget::kVersion;
  if (name == "create") return SortTarget::kCreate;
  if (name == "mod") return SortTarget::kMod;
  return name == "value" ? SortTarget::kValue : SortTarget::kKey;
}

absl::StatusOr<Compare::Target> TargetOf(std::string_view name) {
  if (name == "version") return Compare::Target::kVersion;
  if (name == "create") return Compare::Target::kCreate;
  if (name == "mod") return Compare::Target::kMod;
  if (name == "lease") return Compare::Target::kLease;
  if (name == "value") return Compare::Target::kValue;
  return absl::InvalidArgumentError("compare: no target " + std::string(name));
}

absl::StatusOr<Compare::Result> ResultOf(std::string_view name) {
  if (name == "equal") return Compare::Result::kEqual;
  if (name == "not_equal") return Compare::Result::kNotEqual;
  if (name == "greater") return Compare::Result::kGreater;
  if (name == "less") return Compare::Result::kLess;
  return absl::InvalidArgumentError("compare: no result " + std::string(name));
}

absl::StatusOr<Compare> CompareFromScript(const Value& v) {
  ASSIGN_OR_RETURN(const Compare::Target target, TargetOf(v.Get("target").AsString()));
  ASSIGN_OR_RETURN(const Compare::Result result, ResultOf(v.Get("result").AsString()));
  Compare c(Text(v, "key"), target, result, Number(v, "operand"));
  c.range_end = Text(v, "range_end");
  if (target == Compare::Target::kValue) c.value = v.Get("operand");
  return c;
}

absl::StatusOr<RequestOp> OpFromScript(const Value& v) {
  const std::string_view name = v.Get("op").AsString();
  if (name == "put") return RequestOp(PutFromScript(v));
  if (name == "range") return RequestOp(RangeFromScript(v));
  if (name == "delete_range") return RequestOp(DeleteRangeFromScript(v));
  if (name != "txn") return absl::InvalidArgumentError("txn: no operation " + std::string(name));
  ASSIGN_OR_RETURN(TxnRequest txn, TxnFromScript(v));
  return RequestOp(std::move(txn));
}

Value ListOf(const std::vector<KeyValue>& kvs) {
  std::vector<Value> items;
  items.reserve(kvs.size());
  for (const KeyValue& kv : kvs) items.push_back(ToScript(kv));
  return Value::Array(std::move(items));
}

}  // namespace

RangeRequest RangeFromScript(const Value& op) {
  RangeRequest r(Text(op, "key"), Text(op, "range_end"));
  r.limit = Number(op, "limit");
  r.revision = Number(op, "revision");
  r.sort_order = SortOrderOf(op.Get("sort_order").AsString());
  r.sort_target = SortTargetOf(op.Get("sort_target").AsString());
  r.keys_only = Flag(op, "keys_only");
  r.count_only = Flag(op, "count_only");
  r.min_mod_revision = Number(op, "min_mod_revision");
  r.max_mod_revision = Number(op, "max_mod_revision");
  r.min_create_revision = Number(op, "min_create_revision");
  r.max_create_revision = Number(op, "max_create_revision");
  return r;
}

PutRequest PutFromScript(const Value& op) {
  PutRequest r(Text(op, "key"), op.Get("value"));
  if (op.Has("value_len"))
    r.value = Value::String(std::string(static_cast<std::size_t>(Number(op, "value_len")), 'x'));
  r.lease = Number(op, "lease");
  r.prev_kv = Flag(op, "prev_kv");
  r.ignore_value = Flag(op, "ignore_value");
  r.ignore_lease = Flag(op, "ignore_lease");
  return r;
}

DeleteRangeRequest DeleteRangeFromScript(const Value& op) {
  DeleteRangeRequest r(Text(op, "key"), Text(op, "range_end"));
  r.prev_kv = Flag(op, "prev_kv");
  return r;
}

absl::StatusOr<TxnRequest> TxnFromScript(const Value& op) {
  TxnRequest txn;
  for (const Value& item : op.Get("compare").items()) {
    ASSIGN_OR_RETURN(Compare c, CompareFromScript(item));
    txn.compare.push_back(std::move(c));
  }
  for (const Value& item : op.Get("success").items()) {
    ASSIGN_OR_RETURN(RequestOp child, OpFromScript(item));
    txn.success.push_back(std::move(child));
  }
  for (const Value& item : op.Get("failure").items()) {
    ASSIGN_OR_RETURN(RequestOp child, OpFromScript(item));
    txn.failure.push_back(std::move(child));
  }
  return txn;
}

WatchRequest WatchFromScript(const Value& op) {
  WatchRequest r(Text(op, "key"), Text(op, "range_end"), Number(op, "start_revision"));
  r.prev_kv = Flag(op, "prev_kv");
  for (const Value& filter : op.Get("filters").items()) {
    r.no_put |= filter.AsString() == "noput";
    r.no_delete |= filter.AsString() == "nodelete";
  }
  return r;
}

Value ToScript(const KeyValue& kv) {
  if (!kv) return Value();
  return ObjectBuilder()
      .Add("create", Value::Int(kv.create_revision()))
      .Add("key", Value::String(kv.key()))
      .Add("lease", Value::Int(kv.lease()))
      .Add("mod", Value::Int(kv.mod_revision()))
      .Add("value", kv.value())
      .Add("version", Value::Int(kv.version()))
      .Build();
}

Value ToScript(const RangeResponse& r) {
  return ObjectBuilder()
      .Add("op", Value::Of("range"))
      .Add("revision", Value::Int(r.header.revision))
      .Add("count", Value::Int(r.count))
      .Add("more", Value::Bool(r.more))
      .Add("kvs", ListOf(r.kvs))
      .Build();
}

Value ToScript(const PutResponse& r) {
  return ObjectBuilder()
      .Add("op", Value::Of("put"))
      .Add("revision", Value::Int(r.header.revision))
      .Add("prev_kv", ToScript(r.prev_kv))
      .Build();
}

Value ToScript(const DeleteRangeResponse& r) {
  return ObjectBuilder()
      .Add("op", Value::Of("delete_range"))
      .Add("revision", Value::Int(r.header.revision))
      .Add("deleted", Value::Int(r.deleted))
      .Add("prev_kvs", ListOf(r.prev_kvs))
      .Build();
}

Value ToScript(const TxnResponse& r) {
  std::vector<Value> responses;
  for (const ResponseOp& op : r.responses) {
    std::visit(
        [&responses](const auto& response) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(response)>, std::monostate>)
            responses.push_back(ToScript(response));
        },
        op.response);
  }
  return ObjectBuilder()
      .Add("op", Value::Of("txn"))
      .Add("revision", Value::Int(r.header.revision))
      .Add("succeeded", Value::Bool(r.succeeded))
      .Add("responses", Value::Array(std::move(responses)))
      .Build();
}

Value ToScript(const WatchEvent& e) {
  return ObjectBuilder()
      .Add("type", Value::Of(e.is_delete() ? "delete" : "put"))
      .Add("kv", ToScript(e.kv))
      .Add("prev_kv", ToScript(e.prev_kv))
      .Build();
}

}  // namespace ksim::store
