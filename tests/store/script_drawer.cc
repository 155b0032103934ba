#include "tests/store/script_drawer.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/store/replay.h"
#include "ksim/store/script_check.h"
#include "ksim/value/json.h"

namespace ksim::store {

using value::ObjectBuilder;
using value::Value;

namespace {

constexpr const char* kKeys[] = {"a", "a1", "b", "p/a", "p/b", "p/c", "p/d", "\u00e9"};
constexpr const char* kEnds[] = {"b", "p/", "p0", "p/c", "zz", "a"};
constexpr const char* kOrders[] = {"none", "ascend", "descend"};
constexpr const char* kTargets[] = {"key", "version", "create", "mod", "value", "lease"};
constexpr const char* kResults[] = {"equal", "not_equal", "greater", "less"};

}  // namespace

std::string ScriptDrawer::Key() { return kKeys[draw_(std::size(kKeys))]; }

// A revision that can mostly be read; sometimes a compacted or a future one.
std::int64_t ScriptDrawer::AnyRevision() {
  const auto span = static_cast<std::uint32_t>(model_.revision()) + 3;
  return static_cast<std::int64_t>(draw_(span));
}

std::int64_t ScriptDrawer::AnyLease() { return 1 + static_cast<std::int64_t>(draw_(5)); }

void ScriptDrawer::AddSpan(ObjectBuilder* op, std::uint32_t singles) {
  op->Add("key", Value::Of(OneIn(60) ? "" : Key()));
  const std::uint32_t kind = draw_(singles + 4);
  if (kind == 0) op->Add("range_end", Value::String(kFromKey));
  if (kind > 0 && kind < 4) op->Add("range_end", Value::Of(kEnds[draw_(std::size(kEnds))]));
}

Value ScriptDrawer::PutOp() {
  ObjectBuilder op;
  op.Add("op", Value::Of("put")).Add("key", Value::Of(Key()));
  const bool ignore_value = OneIn(8);
  if (!ignore_value || OneIn(10)) op.Add("value", Value::Of(fmt::format("v{}", draw_(4))));
  op.AddIf(ignore_value, "ignore_value", Value::Bool(true));
  const bool lease = OneIn(3), ignore_lease = OneIn(8);
  if (lease) op.Add("lease", Value::Int(AnyLease()));
  op.AddIf(ignore_lease, "ignore_lease", Value::Bool(true));
  op.AddIf(OneIn(3), "prev_kv", Value::Bool(true));
  return op.Build();
}

Value ScriptDrawer::RangeOp() {
  ObjectBuilder op;
  op.Add("op", Value::Of("range"));
  AddSpan(&op, 1);
  if (OneIn(2)) op.Add("revision", Value::Int(AnyRevision()));
  if (OneIn(3)) op.Add("limit", Value::Int(draw_(5)));
  if (OneIn(2)) op.Add("sort_order", Value::Of(kOrders[draw_(3)]));
  if (OneIn(2)) op.Add("sort_target", Value::Of(kTargets[draw_(5)]));
  op.AddIf(OneIn(6), "keys_only", Value::Bool(true));
  op.AddIf(OneIn(8), "count_only", Value::Bool(true));
  for (const char* field :
       {"min_mod_revision", "max_mod_revision", "min_create_revision", "max_create_revision"})
    if (OneIn(8)) op.Add(field, Value::Int(AnyRevision()));
  return op.Build();
}

Value ScriptDrawer::DeleteOp() {
  ObjectBuilder op;
  op.Add("op", Value::Of("delete_range"));
  AddSpan(&op, 6);
  op.AddIf(OneIn(2), "prev_kv", Value::Bool(true));
  return op.Build();
}

Value ScriptDrawer::CompareOp() {
  ObjectBuilder c;
  AddSpan(&c, 6);
  const std::string target = kTargets[1 + draw_(5)];
  c.Add("target", Value::Of(target)).Add("result", Value::Of(kResults[draw_(4)]));
  if (target == "value") {
    c.Add("operand", Value::Of(fmt::format("v{}", draw_(4))));
  } else {
    const bool small = target == "version" || target == "lease";
    c.Add("operand", Value::Int(small ? static_cast<std::int64_t>(draw_(4)) : AnyRevision()));
  }
  return c.Build();
}

Value ScriptDrawer::OpsOf(int depth) {
  std::vector<Value> ops;
  for (std::uint32_t n = draw_(4); n > 0; --n) {
    const std::uint32_t kind = draw_(depth < 3 ? 8 : 7);
    ops.push_back(kind < 4   ? PutOp()
                  : kind < 6 ? RangeOp()
                  : kind < 7 ? DeleteOp()
                             : TxnOp(depth + 1));
  }
  return Value::Array(std::move(ops));
}

Value ScriptDrawer::TxnOp(int depth) {
  std::vector<Value> compare;
  for (std::uint32_t n = draw_(3); n > 0; --n) compare.push_back(CompareOp());
  ObjectBuilder op;
  op.Add("op", Value::Of("txn")).Add("compare", Value::Array(std::move(compare)));
  op.Add("success", OpsOf(depth)).Add("failure", OpsOf(depth));
  return op.Build();
}

Value ScriptDrawer::LeaseOp() {
  static constexpr const char* kNames[] = {"lease_grant", "lease_grant",     "lease_revoke",
                                           "lease_ttl",   "lease_keepalive", "lease_list"};
  const std::string name = kNames[draw_(std::size(kNames))];
  ObjectBuilder op;
  op.Add("op", Value::Of(name));
  if (name != "lease_list") op.Add("id", Value::Int(AnyLease()));
  if (name == "lease_grant")
    op.Add("ttl", Value::Int(OneIn(20) ? 9'000'000'001 : static_cast<std::int64_t>(draw_(8))));
  return op.Build();
}

Value ScriptDrawer::OpenOp() {
  ObjectBuilder op;
  op.Add("op", Value::Of("watch_open")).Add("w", Value::Of(fmt::format("w{}", labels_++)));
  AddSpan(&op, 2);
  if (OneIn(2)) op.Add("start_revision", Value::Int(AnyRevision()));
  op.AddIf(OneIn(2), "prev_kv", Value::Bool(true));
  if (OneIn(5)) op.Add("filters", value::Arr({Value::Of(OneIn(2) ? "noput" : "nodelete")}));
  return op.Build();
}

std::optional<Value> ScriptDrawer::WatchOp() {
  const auto& watches = model_.watches();
  if (watches.empty() || (watches.size() < 6 && OneIn(4))) return OpenOp();
  static constexpr const char* kNames[] = {"watch_collect", "watch_collect", "watch_progress",
                                           "watch_close"};
  const char* name = kNames[draw_(std::size(kNames))];
  const auto it = std::next(watches.begin(), draw_(static_cast<std::uint32_t>(watches.size())));
  return value::Obj({{"op", Value::Of(name)}, {"w", Value::Of(it->first)}});
}

Value ScriptDrawer::Next() {
  const std::uint32_t kind = draw_(20);
  Value op;
  if (kind < 6) {
    op = PutOp();
  } else if (kind < 9) {
    op = RangeOp();
  } else if (kind < 11) {
    op = DeleteOp();
  } else if (kind < 14) {
    op = TxnOp(0);
  } else if (kind < 15) {
    op = value::Obj({{"op", Value::Of("compact")}, {"revision", Value::Int(AnyRevision())}});
  } else if (kind < 17) {
    op = LeaseOp();
  } else if (kind < 18 && OneIn(4)) {
    op = value::Obj({{"op", Value::Of("sleep")}, {"ms", Value::Int(draw_(5000))}});
  } else {
    op = *WatchOp();
  }
  return std::move(op).Set("i", Value::Int(number_++));
}

std::string CompareDrawnScript(ScriptDrawer::Draw draw, const std::function<bool()>& more) {
  ScriptModel model;
  OpReplay replay;
  ScriptDrawer drawer(std::move(draw), model);
  std::string script;
  while (more()) {
    const Value op = drawer.Next();
    script += value::ToJson(op) + "\n";
    if (const auto problem = CheckScriptOp(op)) return script + problem->message;
    const absl::StatusOr<Value> found = replay.Run(op);
    if (!found.ok()) return script + std::string(Message(found.status()));
    const Value expected = model.Run(op);
    if (*found != expected)
      return fmt::format("{}model: {}\nstore: {}\n", script, value::ToJson(expected),
                         value::ToJson(*found));
  }
  return "";
}

}  // namespace ksim::store
