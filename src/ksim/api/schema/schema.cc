// NOLINTFILE(ksim-static): the trees that it remembers change no answer, only its cost.
#include "ksim/api/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/go_time_text.h"
#include "ksim/api/core/known_trees.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/schema/custom_body.h"
#include "ksim/api/schema/go_types.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/json.h"
#include "ksim/value/quantity.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

using Kind = GoType::Kind;

// The offset at which encoding/base64 reports an error, nullopt for a good text. It reports a
// quantum that is cut short at its start, and a wrong letter where it stands (decodeQuantum).
std::optional<std::size_t> BadBase64(std::string_view text) {
  std::size_t symbols = 0, padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') continue;
    if (padding > 0 && (symbols + padding) % 4 == 0) return i;
    if (c == '=') {
      if (symbols % 4 < 2) return i;
      ++padding;
      continue;
    }
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (padding > 0 || !(letter || (c >= '0' && c <= '9') || c == '+' || c == '/')) return i;
    ++symbols;
  }
  if ((symbols + padding) % 4 == 0) return std::nullopt;
  return text.size() - (padding > 0 ? 0 : symbols % 4);
}

// Whether the value is the zero value of its type, which omitempty leaves out. Structs and pointers
// never are.
bool IsEmpty(const GoType& type, const Value& v) {
  if (type.pointer || type.kind == Kind::kStruct || type.kind == Kind::kRaw) return false;
  switch (v.type()) {
    case Value::Type::kString:
      return v.AsString().empty();
    case Value::Type::kInt:
      return v.AsInt() == 0 && type.kind != Kind::kIntOrString;
    case Value::Type::kBool:
      return !v.AsBool();
    case Value::Type::kArray:
    case Value::Type::kObject:
      return v.empty();
    default:
      return false;
  }
}

// ObjectMeta.managedFields.
bool IsManagers(const GoField& field) {
  static const Atom name("managedFields");
  return field.name == name;
}

// The value that a null item of a list or a map decodes to.
Value Zero(const GoType& type) {
  if (type.pointer) return Value();
  switch (type.kind) {
    case Kind::kStruct:
      return Value::EmptyObject();
    case Kind::kString:
    case Kind::kBytes:
      return Value::String("");
    case Kind::kBool:
      return Value::Bool(false);
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kFloat64:
    case Kind::kIntOrString:
      return Value::Of(0);
    case Kind::kQuantity:
      return Value::String("0");
    default:
      return Value();
  }
}

// Trees that decoding leaves as they are.
thread_local KnownTrees t_well_typed;

// Walks a tree along its type: collects the report and gives the tree a typed server would have.
class Decoder {
 public:
  // `embedded`: type errors name the embedded structs on the way to the field. `root` is the type
  // of the whole object, if it is known.
  Decoder(SchemaReport* report, const GoType* root, bool embedded)
      : report_(*report), root_(root), embedded_(embedded) {}

  Value Walk(const GoType& type, const Value& v) {
    if (!WorthKnowing(type)) return WalkNew(type, v);
    const KnownTrees::Place known = t_well_typed.Of(v, type.number);
    if (known.found()) return v;
    const std::size_t unknown_before = report_.unknown_fields.size();
    Value walked = WalkNew(type, v);
    const bool good = report_.type_error.empty() &&
                      report_.unknown_fields.size() == unknown_before && walked.SameTree(v);
    if (good) known.Remember();
    return walked;
  }

  // Walks an object whose kind is not in the table: only its metadata have known types.
  Value WalkUntyped(const Value& v) {
    const Value* metadata = v.Find(Atom("metadata"));
    if (metadata == nullptr) return v;
    if (metadata->is_null()) return v.Erase("metadata");
    const GoType* type = FindGoStruct("ObjectMeta");
    steps_.emplace_back(Step::Kind::kField, Atom("metadata"));
    return v.Set("metadata", Walk(*type, *metadata));
  }

 private:
  // Whether a look into the table of known trees costs less than the walk: types with parts, and
  // those whose texts have to be parsed.
  static bool WorthKnowing(const GoType& type) {
    switch (type.kind) {
      case Kind::kString:
      case Kind::kBool:
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kFloat64:
      case Kind::kIntOrString:
      case Kind::kRaw:
        return false;
      default:
        return true;
    }
  }

  Value WalkNew(const GoType& type, const Value& v) {
    switch (type.kind) {
      case Kind::kStruct:
        return WalkStruct(type, v);
      case Kind::kSlice:
        return WalkSlice(type, v);
      case Kind::kMap:
        return WalkMap(type, v);
      case Kind::kRaw:
        return v;
      default:
        return WalkScalar(type, v);
    }
  }

  Value WalkStruct(const GoType& type, const Value& v) {
    if (!v.is_object()) return Mismatch(type, v, std::string(value::JsonWord(v)));
    const GoStruct& fields = type.fields();
    const GoStruct* const outer = struct_;
    std::vector<Value::Member> kept;
    bool changed = false;
    std::size_t next_field = 0;
    for (const Value::Member& m : v.members()) {
      const GoField* field = fields.Find(m.name, &next_field);
      if (field != nullptr && StaysAsItIs(*field, m.value)) {
        if (changed) kept.push_back(m);
        continue;
      }
      Value child;
      bool keep = false;
      if (field == nullptr) {
        Unknown(fields, m.name.text());
      } else if (!m.value.is_null()) {
        struct_ = &fields;
        steps_.emplace_back(Step::Kind::kField, m.name);
        const GoType& child_type = *field->type;
        child = Walk(child_type, m.value);
        steps_.pop_back();
        // An empty list of managers is not the same as none: it resets them.
        keep = field->always || !IsEmpty(child_type, child) || IsManagers(*field);
      }
      const bool same = keep && child.SameTree(m.value);
      if (!same && !changed) {
        changed = true;
        kept.assign(v.members().begin(), &m);
      }
      if (changed && keep) kept.emplace_back(m.name, std::move(child));
    }
    struct_ = outer;
    return changed ? Value::Object(std::move(kept)) : v;
  }

  // Whether decoding keeps the value without a further look: most fields are non-empty strings,
  // numbers and flags of the right type.
  bool StaysAsItIs(const GoField& field, const Value& v) const {
    const Kind kind = field.type->kind;
    if (v.is_string()) return kind == Kind::kString && !v.AsString().empty();
    if (v.is_bool()) return kind == Kind::kBool && v.AsBool();
    if (!v.is_int() || v.AsInt() == 0) return false;
    return kind == Kind::kInt64 || (kind == Kind::kInt32 && FitsInt32(v.AsInt()));
  }

  static bool FitsInt32(std::int64_t n) {
    return n >= std::numeric_limits<std::int32_t>::min() &&
           n <= std::numeric_limits<std::int32_t>::max();
  }

  Value WalkSlice(const GoType& type, const Value& v) {
    if (!v.is_array()) return Mismatch(type, v, std::string(value::JsonWord(v)));
    const GoType& element = *type.element;
    std::vector<Value> items;
    bool changed = false;
    for (std::size_t i = 0; i < v.size(); ++i) {
      steps_.emplace_back(i);
      Value item = v.at(i).is_null() ? Zero(element) : Walk(element, v.at(i));
      steps_.pop_back();
      if (!changed && !item.SameTree(v.at(i))) {
        changed = true;
        items.assign(v.items().begin(), v.items().begin() + i);
      }
      if (changed) items.push_back(std::move(item));
    }
    return changed ? Value::Array(std::move(items)) : v;
  }

  Value WalkMap(const GoType& type, const Value& v) {
    if (!v.is_object()) return Mismatch(type, v, std::string(value::JsonWord(v)));
    const GoType& element = *type.element;
    std::vector<Value::Member> members;
    bool changed = false;
    for (const Value::Member& m : v.members()) {
      steps_.emplace_back(Step::Kind::kKey, m.name);
      Value child = m.value.is_null() ? Zero(element) : Walk(element, m.value);
      steps_.pop_back();
      if (!changed && !child.SameTree(m.value)) {
        changed = true;
        members.assign(v.members().begin(), &m);
      }
      if (changed) members.emplace_back(m.name, std::move(child));
    }
    return changed ? Value::Object(std::move(members)) : v;
  }

  Value WalkScalar(const GoType& type, const Value& v) {
    switch (type.kind) {
      case Kind::kString:
        return v.is_string() ? v : Mismatch(type, v, std::string(value::JsonWord(v)));
      case Kind::kBool:
        return v.is_bool() ? v : Mismatch(type, v, std::string(value::JsonWord(v)));
      case Kind::kInt32:
      case Kind::kInt64:
        return WalkInt(type, v);
      case Kind::kFloat64:
        return v.is_number() ? v : Mismatch(type, v, std::string(value::JsonWord(v)));
      case Kind::kQuantity:
        return WalkQuantity(v);
      case Kind::kIntOrString:
        return v.is_string() ? v : WalkInt(kInt32, v);
      case Kind::kBytes:
        return WalkBytes(type, v);
      default:
        return WalkTime(type, v);
    }
  }

  // A whole number with a fraction (2.0) reaches a real server as 2: kubectl's YAML reader converts
  // it.
  Value WalkInt(const GoType& type, const Value& v) {
    Value number = v;
    if (v.is_double() && std::nearbyint(v.AsDouble()) == v.AsDouble() &&
        std::fabs(v.AsDouble()) < 9e15) {
      number = Value::Int(static_cast<std::int64_t>(v.AsDouble()));
    }
    const bool fits = number.is_int() && (type.kind == Kind::kInt64 || FitsInt32(number.AsInt()));
    if (fits) return number;
    std::string word(value::JsonWord(v));
    if (v.is_number()) word += " " + value::ToJson(v);
    return Mismatch(type, v, word);
  }

  Value WalkQuantity(const Value& v) {
    if (v.is_array() || v.is_object() || v.is_bool()) {
      const absl::StatusOr<value::Quantity> refused = value::Quantity::Parse("?");
      return Fail(v, std::string(Message(refused.status())));
    }
    const absl::StatusOr<value::Quantity> q = value::Quantity::FromTree(v);
    if (!q.ok()) return Fail(v, std::string(Message(q.status())));
    Value canonical = q->ToTree();
    return canonical == v ? v : canonical;
  }

  Value WalkBytes(const GoType& type, const Value& v) {
    if (!v.is_string()) return Mismatch(type, v, std::string(value::JsonWord(v)));
    const std::optional<std::size_t> bad = BadBase64(v.AsString());
    if (!bad) return v;
    return Fail(v, fmt::format("illegal base64 data at input byte {}", *bad));
  }

  Value WalkTime(const GoType& type, const Value& v) {
    static const GoType kString{Kind::kString, false, nullptr, nullptr, "string"};
    if (!v.is_string()) return Mismatch(kString, v, std::string(value::JsonWord(v)));
    if (type.kind == Kind::kDuration) {
      if (ParseDuration(v.AsString()).ok()) return v;
      return Fail(v, fmt::format("time: invalid duration {}", GoQuote(v.AsString())));
    }
    const bool micro = type.kind == Kind::kMicroTime;
    const absl::StatusOr<VirtualTime> t =
        micro ? value::ParseMicroTime(v.AsString()) : value::ParseTimestamp(v.AsString());
    if (t.ok()) return v;
    std::string problem = GoTimeProblem(v.AsString(), micro);
    return Fail(v, problem.empty() ? std::string(Message(t.status())) : std::move(problem));
  }

  // Reports an UnmarshalTypeError with its field, also for a type with an UnmarshalJSON of its own
  // (decode.go addErrorContext).
  Value Mismatch(const GoType& type, const Value& v, const std::string& word) {
    if (struct_ == nullptr)
      return Fail(
          v, fmt::format("json: cannot unmarshal {} into Go value of type {}", word, type.name));
    return Fail(v, fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                               word, struct_->name, JoinedFields(), type.name));
  }
  Value Fail(const Value& v, std::string message) {
    if (!report_.type_error.empty()) return v;
    report_.type_error = std::move(message);
    report_.type_error_path = CurrentPath();
    return v;
  }
  void Unknown(const GoStruct& fields, std::string_view name) {
    const std::string outer = CurrentPath();
    const std::string path = outer.empty() ? std::string(name) : fmt::format("{}.{}", outer, name);
    report_.unknown_fields.push_back(fmt::format("unknown field {}", GoQuote(path)));
    std::vector<std::string_view> known;
    for (const GoField& field : fields.fields) known.push_back(field.name.text());
    std::sort(known.begin(), known.end());
    report_.nearest_fields.push_back(Nearest(name, known));
  }

  // The fields on the way to the current value, joined as Go does.
  std::string JoinedFields() const {
    const GoType* type = embedded_ ? root_ : nullptr;
    std::string path;
    // The metadata of a custom resource are read by themselves.
    const bool alone = root_ == nullptr;
    for (std::size_t i = alone ? 1 : 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.kind != Step::Kind::kField) continue;
      if (!path.empty()) path += '.';
      if (type != nullptr) type = Enter(type, step.name, &path);
      path += step.name.text();
    }
    return path;
  }

  // The type of the field in `type`, or in the elements of `type`. Appends the name of an embedded
  // struct on the way to `path`.
  const GoType* Enter(const GoType* type, Atom field, std::string* path) const {
    while (type->kind == Kind::kSlice || type->kind == Kind::kMap) {
      type = type->element;
    }
    const GoStruct& fields = type->fields();
    const std::string_view embedded = EmbeddedStruct(fields.name, field.text());
    if (!embedded.empty()) *path += fmt::format("{}.", embedded);
    return fields.Find(field)->type;
  }

  std::string CurrentPath() const {
    std::string path;
    for (const Step& step : steps_) {
      if (step.kind == Step::Kind::kIndex) {
        path += fmt::format("[{}]", step.index);
      } else {
        if (!path.empty()) path += '.';
        path += step.name.text();
      }
    }
    return path;
  }

  // One step down: into a field of a struct, under a key of a map, to an item of a list.
  struct Step {
    enum class Kind : std::uint8_t { kField, kKey, kIndex };
    Step(Kind k, Atom n) : kind(k), name(n) {}
    explicit Step(std::size_t i) : kind(Kind::kIndex), index(i) {}
    Kind kind;
    Atom name;
    std::size_t index = 0;
  };

  inline static const GoType kInt32{Kind::kInt32, false, nullptr, nullptr, "int32"};
  SchemaReport& report_;
  const GoType* root_;
  bool embedded_;
  const GoStruct* struct_ = nullptr;     // the innermost struct being read
  absl::InlinedVector<Step, 16> steps_;  // from the whole object to the current value
};

Value WalkObject(const ResourceInfo& kind, const Value& tree, bool embedded, Compat compat,
                 SchemaReport* report) {
  const GoType* type = TypeOf(kind);
  Decoder decoder(report, type, embedded);
  if (type != nullptr) return decoder.Walk(*type, tree);
  Value out = decoder.WalkUntyped(tree);
  // Without a schema a server prunes unknown metadata silently.
  if (kind.definition == nullptr) {
    report->unknown_fields.clear();
    report->nearest_fields.clear();
  } else if (report->type_error.empty()) {
    out = ReadByDefinition(kind, out, compat, report);
  }
  return out;
}

}  // namespace

SchemaReport CheckSchema(const ResourceInfo& kind, const Value& tree) {
  SchemaReport report;
  WalkObject(kind, tree, /*embedded=*/false, kDefaultCompat, &report);
  return report;
}

std::string CheckStruct(std::string_view go_struct, const Value& tree) {
  SchemaReport report;
  const GoType* const type = FindGoStruct(go_struct);
  if (type != nullptr) Decoder(&report, type, /*embedded=*/false).Walk(*type, tree);
  return report.type_error;
}

Value ReadStruct(std::string_view go_struct, const Value& tree, SchemaReport* report) {
  const GoType* const type = FindGoStruct(go_struct);
  return Decoder(report, type, /*embedded=*/false).Walk(*type, tree);
}

Reading Read(const ResourceInfo& kind, const Value& body, std::string_view field_validation,
             std::vector<std::string>* warnings, Compat compat) {
  SchemaReport report;
  Reading reading;
  reading.tree =
      WalkObject(kind, body, ProfileOf(compat).type_errors_name_embedded, compat, &report);
  reading.problem = std::move(report.type_error);
  if (!reading.problem.empty() || report.unknown_fields.empty() || field_validation == "Ignore")
    return reading;
  if (field_validation == "Strict") {
    reading.problem =
        fmt::format("strict decoding error: {}", fmt::join(report.unknown_fields, ", "));
  } else if (warnings != nullptr) {
    warnings->insert(warnings->end(), report.unknown_fields.begin(), report.unknown_fields.end());
  }
  return reading;
}

Result<Value> Decode(const ResourceInfo& kind, const Value& body, std::string_view field_validation,
                     std::vector<std::string>* warnings, Compat compat) {
  Reading reading = Read(kind, body, field_validation, warnings, compat);
  if (reading.problem.empty()) return std::move(reading.tree);
  return BadRequest(fmt::format("{} in version {} cannot be handled as a {}: {}", kind.kind,
                                GoQuote(kind.version), kind.kind, reading.problem));
}

}  // namespace ksim::api
