#include "ksim/store/script_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/diagnostic.h"

namespace ksim::store {
namespace {

using value::Path;
using value::PathStep;
using value::Value;

enum class Type : std::uint8_t {
  kText,
  kNumber,
  kLength,  // of a value that is made up: 0 .. kMaxMadeUpBytes
  kPause,   // milliseconds: 0 .. kMaxPauseMs
  kFlag,
  kOrder,
  kTarget,
  kCompareTarget,
  kCompareResult,
  kFilters,
  kCompares,
  kOps,
  kAny,
};

constexpr std::int64_t kMaxMadeUpBytes = std::int64_t{64} << 20;
constexpr std::int64_t kMaxPauseMs = std::int64_t{365} * 24 * 3'600 * 1'000;  // a year

struct Field {
  std::string_view name;
  Type type = Type::kAny;
  bool required = false;
};

struct Shape {
  std::string_view op;
  bool in_txn = false;
  std::span<const Field> fields;
};

constexpr Field kPut[] = {
    {"key", Type::kText},          {"value", Type::kText},   {"value_len", Type::kLength},
    {"lease", Type::kNumber},      {"prev_kv", Type::kFlag}, {"ignore_value", Type::kFlag},
    {"ignore_lease", Type::kFlag},
};
constexpr Field kRange[] = {
    {"key", Type::kText},
    {"range_end", Type::kText},
    {"limit", Type::kNumber},
    {"revision", Type::kNumber},
    {"sort_order", Type::kOrder},
    {"sort_target", Type::kTarget},
    {"keys_only", Type::kFlag},
    {"count_only", Type::kFlag},
    {"min_mod_revision", Type::kNumber},
    {"max_mod_revision", Type::kNumber},
    {"min_create_revision", Type::kNumber},
    {"max_create_revision", Type::kNumber},
};
constexpr Field kDeleteRange[] = {
    {"key", Type::kText}, {"range_end", Type::kText}, {"prev_kv", Type::kFlag}};
constexpr Field kTxn[] = {
    {"compare", Type::kCompares}, {"success", Type::kOps}, {"failure", Type::kOps}};
constexpr Field kCompact[] = {{"revision", Type::kNumber}};
constexpr Field kWatchOpen[] = {
    {"w", Type::kText, true},          {"key", Type::kText},     {"range_end", Type::kText},
    {"start_revision", Type::kNumber}, {"prev_kv", Type::kFlag}, {"filters", Type::kFilters},
};
constexpr Field kWatchLabel[] = {{"w", Type::kText, true}};
constexpr Field kLeaseGrant[] = {{"id", Type::kNumber, true}, {"ttl", Type::kNumber}};
constexpr Field kLeaseId[] = {{"id", Type::kNumber}};
constexpr Field kSleep[] = {{"ms", Type::kPause}};

constexpr Shape kShapes[] = {
    {"put", true, kPut},
    {"range", true, kRange},
    {"delete_range", true, kDeleteRange},
    {"txn", true, kTxn},
    {"compact", false, kCompact},
    {"watch_open", false, kWatchOpen},
    {"watch_collect", false, kWatchLabel},
    {"watch_progress", false, kWatchLabel},
    {"watch_close", false, kWatchLabel},
    {"lease_grant", false, kLeaseGrant},
    {"lease_revoke", false, kLeaseId},
    {"lease_ttl", false, kLeaseId},
    {"lease_keepalive", false, kLeaseId},
    {"lease_list", false, {}},
    {"sleep", false, kSleep},
};

constexpr Field kCompare[] = {
    {"key", Type::kText},
    {"range_end", Type::kText},
    {"target", Type::kCompareTarget, true},
    {"result", Type::kCompareResult, true},
    {"operand", Type::kAny},
};

constexpr std::string_view kOrders[] = {"none", "ascend", "descend"};
constexpr std::string_view kTargets[] = {"key", "version", "create", "mod", "value"};
constexpr std::string_view kCompareTargets[] = {"version", "create", "mod", "value", "lease"};
constexpr std::string_view kCompareResults[] = {"equal", "not_equal", "greater", "less"};
constexpr std::string_view kFilterWords[] = {"noput", "nodelete"};

std::string Named(const Value& v) {
  if (v.is_null()) return "null";
  if (v.is_string()) return fmt::format("the string \"{}\"", v.AsString());
  if (v.is_int()) return fmt::format("the integer {}", v.AsInt());
  if (v.is_bool()) return v.AsBool() ? "true" : "false";
  return fmt::format("{} {}", v.is_array() || v.is_object() ? "an" : "a", v.type_name());
}

class Checker {
 public:
  std::optional<ScriptProblem> Op(const Value& op, bool in_txn) {
    if (!op.is_object())
      return Wrong(fmt::format("an operation must be an object, got {}", Named(op)));
    if (!op.Has("op")) return Wrong("an operation has a field \"op\"");
    if (!in_txn && !op.Has("i"))
      return Wrong("an operation has a field \"i\"", "its number in the script, from 0");
    const Shape* shape = ShapeOf(op.Get("op"), in_txn);
    if (shape == nullptr) return UnknownOp(op.Get("op"), in_txn);
    if (auto p = Fields(op, shape->fields, true)) return p;
    if (op.Has("value") && op.Has("value_len"))
      return At("value_len", "\"value\" and \"value_len\" exclude each other");
    if (shape->op == "lease_grant" && op.Get("id").AsInt() == 0)
      return At("id", "\"id\" must not be 0", "with 0 etcd would draw one");
    return std::nullopt;
  }

 private:
  using Problem = std::optional<ScriptProblem>;

  Problem Wrong(std::string message, std::string hint = {}) const {
    ScriptProblem p;
    p.path = path_;
    p.message = std::move(message);
    p.hint = std::move(hint);
    return p;
  }
  Problem At(std::string_view field, std::string message, std::string hint = {}) const {
    Problem p = Wrong(std::move(message), std::move(hint));
    p->path = path_.Child(PathStep(field));
    return p;
  }

  static const Shape* ShapeOf(const Value& name, bool in_txn) {
    for (const Shape& shape : kShapes)
      if (name.is_string() && shape.op == name.AsString() && (shape.in_txn || !in_txn))
        return &shape;
    return nullptr;
  }

  Problem UnknownOp(const Value& name, bool in_txn) const {
    if (!name.is_string())
      return At("op", fmt::format("\"op\" must be a string, got {}", Named(name)));
    std::vector<std::string_view> known;
    for (const Shape& shape : kShapes)
      if (shape.in_txn || !in_txn) known.push_back(shape.op);
    return At(
        "op",
        fmt::format("no operation \"{}\"{}", name.AsString(), in_txn ? " in a transaction" : ""),
        NearHint(name.AsString(), known));
  }

  static std::string NearHint(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string near = Nearest(word, known);
    if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
    return fmt::format("there are {}", fmt::join(known, ", "));
  }

  Problem Fields(const Value& object, std::span<const Field> fields, bool is_op) {
    for (const Field& field : fields)
      if (field.required && !object.Has(field.name))
        return Wrong(fmt::format("\"{}\" is missing", field.name));
    for (const Value::Member& m : object.members()) {
      const std::string_view name = m.name.text();
      if (is_op && name == "op") continue;
      if (is_op && name == "i") {
        if (!m.value.is_int()) return NotA(name, "an integer", m.value);
        continue;
      }
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [name](const Field& f) { return f.name == name; });
      if (field == fields.end()) return UnknownField(name, fields);
      if (auto p = Content(object, *field, m.value)) return p;
    }
    return std::nullopt;
  }

  Problem UnknownField(std::string_view name, std::span<const Field> fields) const {
    std::vector<std::string_view> known;
    for (const Field& f : fields) known.push_back(f.name);
    const std::string near = Nearest(name, known);
    Problem p = At(name, fmt::format("unknown field \"{}\"", name),
                   near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
    p->at_name = true;
    return p;
  }

  Problem NotA(std::string_view field, std::string_view wanted, const Value& got) const {
    return At(field, fmt::format("\"{}\" must be {}, got {}", field, wanted, Named(got)));
  }

  Problem Number(std::string_view field, const Value& v, std::int64_t min, std::int64_t max) const {
    if (!v.is_int()) return NotA(field, "an integer of at most 64 bits", v);
    if (v.AsInt() < min || v.AsInt() > max)
      return At(field,
                fmt::format("\"{}\" must be from {} to {}, got {}", field, min, max, v.AsInt()));
    return std::nullopt;
  }

  Problem Word(std::string_view field, const Value& v,
               std::span<const std::string_view> words) const {
    if (!v.is_string()) return NotA(field, "a string", v);
    if (std::find(words.begin(), words.end(), v.AsString()) != words.end()) return std::nullopt;
    return At(field, fmt::format("no {} \"{}\"", field, v.AsString()),
              NearHint(v.AsString(), {words.begin(), words.end()}));
  }

  Problem Content(const Value& object, const Field& field, const Value& v) {
    constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    switch (field.type) {
      case Type::kText:
        return v.is_string() ? std::nullopt : NotA(field.name, "a string", v);
      case Type::kNumber:
        return Number(field.name, v, kMin, kMax);
      case Type::kLength:
        return Number(field.name, v, 0, kMaxMadeUpBytes);
      case Type::kPause:
        return Number(field.name, v, 0, kMaxPauseMs);
      case Type::kFlag:
        return v.is_bool() ? std::nullopt : NotA(field.name, "true or false", v);
      case Type::kOrder:
        return Word(field.name, v, kOrders);
      case Type::kTarget:
        return Word(field.name, v, kTargets);
      case Type::kCompareTarget:
        return Word(field.name, v, kCompareTargets);
      case Type::kCompareResult:
        return Word(field.name, v, kCompareResults);
      case Type::kAny:
        return Operand(object, v);
      default:
        return Items(field, v);
    }
  }

  Problem Operand(const Value& compare, const Value& v) const {
    if (compare.Get("target").AsString() == "value")
      return v.is_string() ? std::nullopt : NotA("operand", "a string", v);
    if (v.is_int()) return std::nullopt;
    return NotA("operand", "an integer of at most 64 bits", v);
  }

  Problem Items(const Field& field, const Value& v) {
    if (!v.is_array()) return NotA(field.name, "a list", v);
    const Path here = path_;
    for (std::size_t i = 0; i < v.size(); ++i) {
      path_ =
          here.Child(PathStep(field.name)).Child(PathStep::Index(static_cast<std::uint32_t>(i)));
      if (auto p = Item(field.type, v.at(i))) return p;
    }
    path_ = here;
    return std::nullopt;
  }

  Problem Item(Type list, const Value& item) {
    if (list == Type::kOps) return Op(item, true);
    if (list == Type::kFilters) {
      const std::span<const std::string_view> words = kFilterWords;
      if (item.is_string() && std::find(words.begin(), words.end(), item.AsString()) != words.end())
        return std::nullopt;
      return Wrong(fmt::format("a filter is \"noput\" or \"nodelete\", got {}", Named(item)));
    }
    if (!item.is_object())
      return Wrong(fmt::format("a compare must be an object, got {}", Named(item)));
    return Fields(item, kCompare, false);
  }

  Path path_;
};

}  // namespace

std::optional<ScriptProblem> CheckScriptOp(const Value& op) { return Checker().Op(op, false); }

}  // namespace ksim::store
