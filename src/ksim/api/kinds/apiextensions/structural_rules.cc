#include "ksim/api/kinds/apiextensions/structural_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/api/structural/go_regexp.h"

namespace ksim::api {

using value::Value;

namespace {

enum class Level : std::uint8_t { kRoot, kItem, kField };

const Value& IntOrStringTypes() {
  static const Value types = value::Arr(
      {value::Obj({{"type", Value::Of("integer")}}), value::Obj({{"type", Value::Of("string")}})});
  return types;
}

class StructuralRules {
 public:
  explicit StructuralRules(FieldErrorList* errors) : errors_(errors) {}

  // validateStructuralInvariants
  void CheckNode(const Value& s, Level level, const FieldPath& at) {
    if (!s.is_object()) return;
    const std::string_view type = s.Get("type").AsString();
    const Value& items = s.Get("items");
    if (type == "array" && items.is_null())
      errors_->Required(at.Child("items"), "must be specified");
    CheckNode(items, Level::kItem, at.Child("items"));
    const FieldPath properties = at.Child("properties");
    for (const Value::Member& m : s.Get("properties").members())
      CheckNode(m.value, Level::kField, properties.Key(m.name.text()));
    const Value& more = s.Get("additionalProperties");
    if (!more.is_null() && level == Level::kRoot)
      errors_->Forbidden(at.Child("additionalProperties"), "must not be used at the root");
    CheckNode(more, Level::kField, at.Child("additionalProperties"));
    CheckExtensions(s, at);
    const bool skip_any = s.Get("anyOf") == IntOrStringTypes();
    const bool skip_first = s.Get("allOf").at(0).Get("anyOf") == IntOrStringTypes();
    CheckValueValidation(s, skip_any, skip_first, at);
    CheckType(s, level, at);
    CheckMeta(s, level, at);
  }

  // validateValueValidationCompleteness: `v` is a part of the schema's logic, `s` its structure.
  void CheckComplete(const Value& v, const Value* s, const FieldPath& s_at, const FieldPath& v_at) {
    CheckNestedComplete(v.Get("not"), s, s_at, v_at.Child("not"));
    for (const char* field : {"allOf", "anyOf", "oneOf"}) {
      const FieldPath list = v_at.Child(field);
      for (std::size_t i = 0; i < v.Get(field).size(); ++i)
        CheckNestedComplete(v.Get(field).at(i), s, s_at, list.Index(i));
    }
  }

 private:
  void CheckNestedComplete(const Value& v, const Value* s, const FieldPath& s_at,
                           const FieldPath& v_at) {
    if (!v.is_object()) return;
    if (s == nullptr)
      return errors_->Required(s_at, fmt::format("because it is defined in {}", v_at.ToString()));
    CheckComplete(v, s, s_at, v_at);
    const Value& items = s->Get("items");
    CheckNestedComplete(v.Get("items"), items.is_object() ? &items : nullptr, s_at.Child("items"),
                        v_at.Child("items"));
    const FieldPath s_list = s_at.Child("properties"), v_list = v_at.Child("properties");
    for (const Value::Member& m : v.Get("properties").members()) {
      const Value* const there = s->Get("properties").Find(m.name);
      CheckNestedComplete(m.value, there, s_list.Key(m.name.text()), v_list.Key(m.name.text()));
    }
  }

  void CheckExtensions(const Value& s, const FieldPath& at) {
    if (!s.Get("x-kubernetes-int-or-string").AsBool()) return;
    for (const char* field :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (s.Get(field).AsBool())
        errors_->Invalid(at.Child(field), s.Get(field), GoShape::kOther,
                         "must be false if x-kubernetes-int-or-string is true");
    }
  }

  void CheckType(const Value& s, Level level, const FieldPath& at) {
    const std::string_view type = s.Get("type").AsString();
    const bool embedded = s.Get("x-kubernetes-embedded-resource").AsBool();
    const bool open = s.Get("x-kubernetes-int-or-string").AsBool() ||
                      s.Get("x-kubernetes-preserve-unknown-fields").AsBool();
    constexpr std::string_view kEmbedded =
        "must be object if x-kubernetes-embedded-resource is true";
    if (embedded && type != "object") {
      if (type.empty()) {
        errors_->Required(at.Child("type"), kEmbedded);
      } else {
        errors_->Invalid(at.Child("type"), type, kEmbedded);
      }
    } else if (type.empty() && !open) {
      errors_->Required(at.Child("type"), level == Level::kRoot ? "must not be empty at the root"
                                          : level == Level::kItem
                                              ? "must not be empty for specified array items"
                                              : "must not be empty for specified object fields");
    }
    if (embedded && !s.Get("additionalProperties").is_null())
      errors_->Forbidden(at.Child("additionalProperties"),
                         "must not be used if x-kubernetes-embedded-resource is set");
    if (level == Level::kRoot && !type.empty() && type != "object")
      errors_->Invalid(at.Child("type"), type, "must be object at the root");
    if (embedded && !s.Get("x-kubernetes-preserve-unknown-fields").AsBool() &&
        s.Get("properties").empty())
      errors_->Required(at.Child("properties"),
                        "must not be empty if x-kubernetes-embedded-resource is true without "
                        "x-kubernetes-preserve-unknown-fields");
  }

  // The fields of a resource: at the root, and of an embedded one.
  void CheckMeta(const Value& s, Level level, const FieldPath& at) {
    const bool resource = level == Level::kRoot || s.Get("x-kubernetes-embedded-resource").AsBool();
    const FieldPath properties = at.Child("properties");
    for (const char* field : {"kind", "apiVersion"}) {
      const Value& property = s.Get("properties").Get(field);
      if (!resource || property.is_null()) continue;
      const std::string_view type = property.Get("type").AsString();
      const FieldPath key = properties.Key(field);
      if (type != "string") errors_->Invalid(key.Child("type"), type, "must be string");
    }
    const Value& metadata = s.Get("properties").Get("metadata");
    if (metadata.is_null()) return;
    const FieldPath key = properties.Key("metadata");
    const std::string_view type = metadata.Get("type").AsString();
    if (resource && type != "object") errors_->Invalid(key.Child("type"), type, "must be object");
    if (level == Level::kRoot && SaysMore(metadata))
      errors_->Forbidden(key,
                         "must not specify anything other than name and generateName, but metadata "
                         "is implicitly specified");
  }

  // Whether a schema of metadata says more than its type, a name and a generateName.
  static bool SaysMore(const Value& metadata) {
    for (const Value::Member& m : metadata.members()) {
      const std::string_view name = m.name.text();
      if (name == "type" || name == "default") continue;
      if (name != "properties") return true;
      for (const Value::Member& p : m.value.members())
        if (p.name.text() != "name" && p.name.text() != "generateName") return true;
    }
    return false;
  }

  void CheckValueValidation(const Value& v, bool skip_any, bool skip_first_any,
                            const FieldPath& at) {
    for (const char* field : {"anyOf", "allOf", "oneOf"}) {
      const std::string_view name = field;
      if (name == "anyOf" && skip_any) continue;
      const FieldPath list = at.Child(field);
      for (std::size_t i = 0; i < v.Get(field).size(); ++i)
        CheckNested(v.Get(field).at(i), name == "allOf" && skip_first_any && i == 0, list.Index(i));
    }
    CheckNested(v.Get("not"), false, at.Child("not"));
    const std::string_view pattern = v.Get("pattern").AsString();
    if (pattern.empty()) return;
    const GoRegexp regexp(pattern);
    if (!regexp.problem().empty())
      errors_->Invalid(
          at.Child("pattern"), pattern,
          fmt::format("must be a valid regular expression, but isn't: {}", regexp.problem()));
  }

  // validateNestedValueValidation
  void CheckNested(const Value& v, bool skip_any, const FieldPath& at) {
    if (!v.is_object()) return;
    CheckValueValidation(v, skip_any, false, at);
    CheckNested(v.Get("items"), false, at.Child("items"));
    const FieldPath properties = at.Child("properties");
    for (const Value::Member& m : v.Get("properties").members())
      CheckNested(m.value, false, properties.Key(m.name.text()));
    struct Forbidden {
      const char *field, *why;
    };
    static constexpr Forbidden kForbidden[] = {
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
        {"x-kubernetes-embedded-resource", "must be false to be structural"},
        {"x-kubernetes-int-or-string", "must be false to be structural"},
        {"x-kubernetes-list-map-keys", "must be empty to be structural"},
        {"x-kubernetes-list-type", "must be undefined to be structural"},
        {"x-kubernetes-map-type", "must be undefined to be structural"},
        {"x-kubernetes-validations", "must be empty to be structural"}};
    for (const Forbidden& f : kForbidden) {
      const Value& field = v.Get(f.field);
      const bool unset = field.is_null() || (field.is_string() && field.AsString().empty()) ||
                         (field.is_bool() && !field.AsBool() &&
                          std::string_view(f.field) != "additionalProperties");
      if (!unset) errors_->Forbidden(at.Child(f.field), f.why);
    }
    if (v.Get("properties").Has("metadata"))
      errors_->Forbidden(properties.Key("metadata"), "must not be specified in a nested context");
  }

  FieldErrorList* errors_;
};

// validateUnsupportedFields, of the schema and all that is below it.
bool HasUnsupported(const Value& s) {
  if (!s.is_object()) return false;
  for (const char* field :
       {"id", "$schema", "$ref", "patternProperties", "dependencies", "definitions"}) {
    const Value& v = s.Get(field);
    if (v.is_string() ? !v.AsString().empty() : !v.empty()) return true;
  }
  if (!s.Get("additionalItems").is_null()) return true;
  for (const char* field : {"items", "additionalProperties", "not"})
    if (HasUnsupported(s.Get(field))) return true;
  for (const Value::Member& m : s.Get("properties").members())
    if (HasUnsupported(m.value)) return true;
  for (const char* field : {"allOf", "anyOf", "oneOf"})
    for (const Value& one : s.Get(field).items())
      if (HasUnsupported(one)) return true;
  return false;
}

}  // namespace

bool ValidateStructural(const Value& schema, const FieldPath& at, FieldErrorList* errors) {
  // NewStructural fails: what is wrong is said of the fields themselves (OpenApiRules).
  if (HasUnsupported(schema)) return true;
  FieldErrorList own(errors->compat());
  StructuralRules rules(&own);
  rules.CheckNode(schema, Level::kRoot, at);
  rules.CheckComplete(schema, &schema, at, at);
  std::vector<StatusCause> causes = own.Take();
  std::stable_sort(causes.begin(), causes.end(), [](const StatusCause& a, const StatusCause& b) {
    return a.field + ": " + a.message < b.field + ": " + b.message;
  });
  for (StatusCause& cause : causes)
    errors->Add(std::move(cause.reason), std::move(cause.message), std::move(cause.field));
  return !causes.empty();
}

}  // namespace ksim::api
