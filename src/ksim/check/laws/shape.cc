#include "ksim/check/laws/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "ksim/base/hash.h"
#include "ksim/check/collection.h"
#include "ksim/trace/schema.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;
using Words = std::vector<std::string_view>;

// One field that is no text, or a text of few words.
struct FieldShape {
  Kind kind;
  std::string_view field;
  Value::Type type;
  Words words;  // none: any text
};

constexpr Value::Type kInt = Value::Type::kInt;
constexpr Value::Type kBool = Value::Type::kBool;
constexpr Value::Type kText = Value::Type::kString;
constexpr Value::Type kList = Value::Type::kArray;
constexpr Value::Type kTree = Value::Type::kObject;

// All fields that are not here are any text.
const std::vector<FieldShape>& Shapes() {
  static const Words types{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
  static const std::vector<FieldShape> shapes{
      {Kind::kRequest, "id", kInt, {}},
      {Kind::kRequest,
       "verb",
       kText,
       {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}},
      {Kind::kRequest, "preconditions", kTree, {}},
      {Kind::kRequest, "params", kTree, {}},
      {Kind::kResponse, "id", kInt, {}},
      {Kind::kResponse, "code", kInt, {}},
      {Kind::kResponse, "rv", kInt, {}},
      {Kind::kResponse, "from", kText, {"", "store", "cache"}},
      {Kind::kResponse, "items", kInt, {}},
      {Kind::kResponse, "lost", kBool, {}},
      {Kind::kResponse, "latency", kInt, {}},
      {Kind::kStage, "request", kInt, {}},
      {Kind::kStage,
       "stage",
       kText,
       {"authenticate", "authorize", "default", "admit", "validate", "store"}},
      {Kind::kCommit, "revision", kInt, {}},
      {Kind::kCommit, "sub", kInt, {}},
      {Kind::kCommit, "op", kText, {"create", "update", "delete"}},
      {Kind::kCommit, "rv", kInt, {}},
      {Kind::kCommit, "prevRv", kInt, {}},
      {Kind::kCommit, "request", kInt, {}},
      {Kind::kCommit, "changed", kList, {}},
      {Kind::kCompact, "revision", kInt, {}},
      {Kind::kWatch, "stream", kInt, {}},
      {Kind::kWatch, "request", kInt, {}},
      {Kind::kWatch, "state", kText, {"open", "close"}},
      {Kind::kWatch, "lastRv", kInt, {}},
      {Kind::kEvent, "stream", kInt, {}},
      {Kind::kEvent, "n", kInt, {}},
      {Kind::kEvent, "type", kText, types},
      {Kind::kEvent, "rv", kInt, {}},
      {Kind::kEvent, "initialEnd", kBool, {}},
      {Kind::kEvent, "response", kInt, {}},
      {Kind::kDeliver, "stream", kInt, {}},
      {Kind::kDeliver, "n", kInt, {}},
      {Kind::kDeliver, "type", kText, types},
      {Kind::kDeliver, "rv", kInt, {}},
      {Kind::kDeliver, "initialEnd", kBool, {}},
      {Kind::kDeliver, "response", kInt, {}},
      {Kind::kHandler, "type", kText, {"add", "update", "delete"}},
      {Kind::kHandler, "rv", kInt, {}},
      {Kind::kHandler, "oldRv", kInt, {}},
      {Kind::kHandler, "initial", kBool, {}},
      {Kind::kHandler, "tombstone", kBool, {}},
      {Kind::kRelist, "requests", kList, {}},
      {Kind::kRelist, "gotRv", kInt, {}},
      {Kind::kRelist, "items", kInt, {}},
      {Kind::kRelist, "reason", kText, {"start", "expired", "tooLarge", "error"}},
      {Kind::kCache, "rv", kInt, {}},
      {Kind::kCache, "items", kInt, {}},
      {Kind::kReconcile, "state", kText, {"begin", "end"}},
      {Kind::kFault, "args", kTree, {}},
      {Kind::kFault, "plan", kText, {"scripted", "drawn"}},
      {Kind::kFault, "state", kText, {"begin", "end", "skipped"}},
      {Kind::kPhase, "name", kText, {"workload", "faults", "heal", "settle", "end"}},
      {Kind::kActor, "state", kText, {"start", "stop", "kill", "lead", "lose"}},
      {Kind::kStep, "n", kInt, {}},
      {Kind::kStep, "args", kTree, {}},
      {Kind::kStep, "state", kText, {"begin", "end"}},
      {Kind::kWebhook, "request", kInt, {}},
      {Kind::kWebhook, "type", kText, {"mutating", "validating", "converting"}},
      {Kind::kWebhook, "round", kInt, {}},
      {Kind::kWebhook, "state", kText, {"call", "answer"}},
      {Kind::kWebhook,
       "result",
       kText,
       {"", "allowed", "patched", "denied", "failed", "ignored", "converted"}},
      {Kind::kWebhook, "latency", kInt, {}},
      {Kind::kInput, "connection", kInt, {}},
      {Kind::kInput, "stream", kInt, {}},
      {Kind::kInput, "headers", kTree, {}},
      {Kind::kLog, "stream", kText, {"stdout", "stderr", "host"}},
      {Kind::kViolation, "objects", kList, {}},
      {Kind::kViolation, "first", kInt, {}}};
  return shapes;
}

// The shapes of a kind's fields, in the order of trace::FieldsOf; null: any text.
const std::vector<const FieldShape*>& ShapesOf(Kind kind) {
  static const std::vector<std::vector<const FieldShape*>> all = [] {
    std::vector<std::vector<const FieldShape*>> out(1);  // kinds are numbered from 1
    for (std::string_view name : trace::KindNames()) {
      const Kind k = *trace::ParseKind(name);
      std::vector<const FieldShape*>& shapes = out.emplace_back();
      for (std::string_view field : trace::FieldsOf(k)) {
        const auto at = std::find_if(Shapes().begin(), Shapes().end(), [&](const FieldShape& s) {
          return s.kind == k && s.field == field;
        });
        shapes.push_back(at == Shapes().end() ? nullptr : &*at);
      }
    }
    return out;
  }();
  return all[static_cast<std::size_t>(kind)];
}

// Fields that only some records of a kind have: watches on etcd name a key instead of an object,
// the lines of containers name them, and --trace-objects adds whole objects.
bool MayLack(const Record& r, std::string_view field) {
  if (field == "object" || field == "body") return true;
  if (r.kind == Kind::kRequest) return field == "version";
  const bool of_container = field == "pod" || field == "uid" || field == "container";
  if (r.kind == Kind::kLog) return of_container && r.Get("container").is_null();
  const bool on_etcd = !r.Get("key").is_null();
  if (r.kind == Kind::kWatch) return field == "key" && r.Text("server") != "etcd";
  if (r.kind != Kind::kEvent && r.kind != Kind::kDeliver) return false;
  if (field == "knownAs") return true;
  if (field == "key" || field == "server" || field == "response") return !on_etcd;
  return on_etcd && (field == "resource" || field == "namespace" || field == "name");
}

std::string_view TypeName(Value::Type type) {
  switch (type) {
    case kInt:
      return "integer";
    case kBool:
      return "boolean";
    case kList:
      return "list";
    case kTree:
      return "object";
    default:
      return "text";
  }
}

// 16 hex digits; "" in an answer that is no list, of which another law knows.
bool FitsItems(const Record& r) {
  const std::string_view hash = r.Text("itemsHash");
  if (hash.empty() && r.kind == Kind::kResponse) return true;
  if (r.Int("items") == 0) return hash == Hex(HashOfContent({}));
  return hash != Hex(HashOfContent({})) && hash.size() == 16 &&
         hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string ShapeProblem(const Record& r) {
  const std::vector<std::string_view>& fields = trace::FieldsOf(r.kind);
  auto member = r.fields.begin();  // mostly in the same order
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = fields[i];
    const bool next = member != r.fields.end() && member->name.text() == field;
    const Value& v = next ? (member++)->value : r.Get(field);
    if (v.is_null()) {
      if (MayLack(r, field)) continue;
      return fmt::format("a {} has no \"{}\"", trace::KindName(r.kind), field);
    }
    if (field == "object" || field == "body") continue;
    const FieldShape* shape = ShapesOf(r.kind)[i];
    const Value::Type type = shape == nullptr ? kText : shape->type;
    if (v.type() != type) return fmt::format("\"{}\" is no {}", field, TypeName(type));
    if (type == kInt && v.AsInt() < 0) return fmt::format("\"{}\" is {}", field, v.AsInt());
    if (shape == nullptr || shape->words.empty()) continue;
    if (std::find(shape->words.begin(), shape->words.end(), v.AsString()) == shape->words.end())
      return fmt::format("\"{}\" cannot be \"{}\"", field, v.AsString());
  }
  const bool counts =
      r.kind == Kind::kResponse || r.kind == Kind::kRelist || r.kind == Kind::kCache;
  if (counts && !FitsItems(r))
    return fmt::format("itemsHash \"{}\" cannot be of {} items", r.Text("itemsHash"),
                       r.Int("items"));
  return "";
}

}  // namespace ksim::check
