#include "ksim/api/kinds/apiextensions/schema_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/apiextensions/structural_rules.h"
#include "ksim/api/structural/embedded.h"
#include "ksim/api/structural/findings.h"
#include "ksim/api/structural/prune.h"
#include "ksim/api/structural/rules.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/api/structural/schema_validator.h"

namespace ksim::api {

using value::Value;

namespace {

bool IsMetaProperty(std::string_view name) {
  return name == "metadata" || name == "kind" || name == "apiVersion";
}

void AddInvalid(const FieldPath& at, const Value& bad, std::string_view why,
                FieldErrorList* errors) {
  errors->Add("FieldValueInvalid",
              fmt::format("Invalid value: {}: {}", ShownValue(bad, errors->compat()), why),
              at.ToString());
}

// defaulting/validation.go validate, but for defaults inside of metadata.
class DefaultRules {
 public:
  explicit DefaultRules(FieldErrorList* errors) : errors_(errors) {}
  bool spent() const { return budget_ < 0; }

  void Check(const SchemaNode& s, const FieldPath& at, bool inside_meta) {
    if (!s.any_default || spent()) return;
    if (s.embedded) inside_meta = false;
    if (!s.default_value.is_null() && !inside_meta) CheckDefault(s, at.Child("default"));
    if (s.items != nullptr) Check(*s.items, at.Child("items"), inside_meta);
    for (const SchemaNode::Property& p : s.properties) {
      const FieldPath properties = at.Child("properties");
      Check(*p.node, properties.Key(p.name.text()),
            inside_meta || (s.embedded && IsMetaProperty(p.name.text())));
    }
  }

 private:
  void CheckDefault(const SchemaNode& s, const FieldPath& at) {
    const Value& v = s.default_value;
    if (PrunedDefault(s, v) != v) AddInvalid(at, v, "must not have unknown fields", errors_);
    FieldErrorList embedded(errors_->compat());
    ValidateEmbeddedAt(s, v, at, &embedded);
    const bool good = embedded.empty();
    for (StatusCause& cause : embedded.Take())
      errors_->Add(std::move(cause.reason), std::move(cause.message), std::move(cause.field));
    // ToKubeOpenAPI leaves the type of an int-or-string open.
    const std::size_t before = errors_->size();
    if (good && !s.int_or_string) ValidateBySchema(s, v, nullptr, at.ToString(), errors_);
    if (good && errors_->size() == before && s.any_rule) CheckByRules(s, at);
  }

  // A default has to do as what is there already, and as what is new.
  void CheckByRules(const SchemaNode& s, const FieldPath& at) {
    const cel::RuleOptions options = RuleOptionsOf(errors_->compat());
    const cel::RuleSet rules(s.source, false, options);
    const auto judge = [&](const Value* old) {
      const cel::RuleResult result = rules.Validate(
          {.object = s.default_value, .old = old, .path = at.ToString(), .budget = budget_});
      for (const cel::RuleError& error : result.errors) TellRuleError(error, errors_);
      return result;
    };
    const cel::RuleResult kept = judge(&s.default_value);
    std::int64_t left = kept.remaining_budget;
    if (kept.errors.empty() && errors_->profile().ratchets_custom_resources)
      left = std::min(left, judge(nullptr).remaining_budget);
    budget_ = left;
  }

  // A default is no resource, unless its schema is that of an embedded one.
  static Value PrunedDefault(const SchemaNode& s, const Value& v) {
    static const value::Atom kWhole("whole");
    if (s.embedded) return PruneUnknown(&s, v, nullptr);
    const auto around = SchemaNode::Compile(value::Obj(
        {{"type", Value::Of("object")}, {"properties", value::Obj({{"whole", s.source}})}}));
    return PruneUnknown(around.get(), value::Obj({{"whole", v}}), nullptr).Get(kWhole);
  }

  FieldErrorList* errors_;
  std::int64_t budget_ = cel::kRuntimeCostBudget;
};

// ValidateCustomResourceDefinitionOpenAPISchema with specStandardValidatorV3.
class OpenApiRules {
 public:
  OpenApiRules(FieldErrorList* errors, ExpressionRules* expressions)
      : errors_(errors), expressions_(expressions) {}

  struct Where {
    std::string_view no_defaults;  // the reason why no default may be set; "": it may
    bool inside_meta = false;
    bool root = false;
    ExpressionPlace place;
  };

  void Check(const Value& s, const FieldPath& at, Where where) {
    if (!s.is_object()) return;
    const std::size_t before = errors_->size();
    CheckStandard(s, at, where);
    if (s.Get("uniqueItems").AsBool())
      errors_->Forbidden(at.Child("uniqueItems"),
                         "uniqueItems cannot be set to true since the runtime complexity becomes "
                         "quadratic");
    CheckBelow(s, at, where);
    const Value& keeps = s.Get("x-kubernetes-preserve-unknown-fields");
    if (keeps.is_bool() && !keeps.AsBool())
      AddInvalid(at.Child("x-kubernetes-preserve-unknown-fields"), keeps,
                 "must be true or undefined", errors_);
    CheckMapType(s, at);
    CheckListType(s, at);
    CheckListItems(s, at);
    CheckRules(s, at.Child("x-kubernetes-validations"));
    // Expressions are looked at where nothing here or below is wrong.
    if (errors_->size() == before) expressions_->Check(s, where.place, at);
  }

 private:
  void CheckStandard(const Value& s, const FieldPath& at, const Where& where) {
    const std::string_view type = s.Get("type").AsString();
    static constexpr std::array<std::string_view, 6> kTypes = {"array",  "boolean", "integer",
                                                               "number", "object",  "string"};
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
      errors_->NotSupported(at.Child("type"), type,
                            {"array", "boolean", "integer", "number", "object", "string"});
    if (!s.Get("default").is_null() && !where.no_defaults.empty())
      errors_->Forbidden(at.Child("default"), fmt::format("must not be set {}", where.no_defaults));
    for (const char* field :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      const Value& v = s.Get(field);
      const bool set = v.is_string() ? !v.AsString().empty() : v.is_bool() || !v.empty();
      if (set) errors_->Forbidden(at.Child(field), fmt::format("{} is not supported", field));
    }
    if (type == "null")
      errors_->Forbidden(at.Child("type"),
                         "type cannot be set to null, use nullable as an alternative");
    if (s.Get("items").is_array() && !s.Get("items").empty())
      errors_->Forbidden(at.Child("items"), "items must be a schema object and not an array");
    if (where.inside_meta && s.Get("x-kubernetes-embedded-resource").AsBool())
      errors_->Forbidden(at.Child("x-kubernetes-embedded-resource"),
                         "must not be used inside of resource meta");
  }

  void CheckBelow(const Value& s, const FieldPath& at, const Where& where) {
    const Value& more = s.Get("additionalProperties");
    const Value& properties = s.Get("properties");
    Where below = where;
    below.root = false;
    below.place = where.place.Field(s);
    if (!more.is_null()) {
      if (!properties.empty() && !(more.is_bool() && more.AsBool()))
        errors_->Forbidden(at.Child("additionalProperties"),
                           "additionalProperties and properties are mutual exclusive");
      Where inside = below;
      if (where.inside_meta)
        inside.no_defaults = "inside additionalProperties applying to object metadata";
      Check(more, at.Child("additionalProperties"), inside);
    }
    const bool resource = where.root || s.Get("x-kubernetes-embedded-resource").AsBool();
    for (const Value::Member& m : properties.members()) {
      Where inside = below;
      const std::string_view name = m.name.text();
      if (resource && IsMetaProperty(name)) inside.inside_meta = true;
      std::string top;
      if (where.root && IsMetaProperty(name)) {
        top = fmt::format("in top-level {}", name);
        inside.no_defaults = top;
      }
      const FieldPath list = at.Child("properties");
      Check(m.value, list.Key(name), inside);
    }
    Where junctor = below;
    junctor.place = where.place.Unjudged();
    Check(s.Get("not"), at.Child("not"), junctor);
    for (const char* field : {"allOf", "oneOf", "anyOf"}) {
      const FieldPath list = at.Child(field);
      for (std::size_t i = 0; i < s.Get(field).size(); ++i)
        Check(s.Get(field).at(i), list.Index(i), junctor);
    }
    below.place = where.place.Items(s, at);
    if (s.Get("items").is_object()) Check(s.Get("items"), at.Child("items"), below);
  }

  void CheckMapType(const Value& s, const FieldPath& at) {
    const Value& map = s.Get("x-kubernetes-map-type");
    if (map.is_null()) return;
    RequireType(s, at, "object", "must be object if x-kubernetes-map-type is specified");
    const std::string_view text = map.AsString();
    if (text != "atomic" && text != "granular")
      errors_->NotSupported(at.Child("x-kubernetes-map-type"), text, {"atomic", "granular"});
  }

  bool RequireType(const Value& s, const FieldPath& at, std::string_view wanted,
                   std::string_view why) {
    const std::string_view type = s.Get("type").AsString();
    if (type == wanted) return true;
    if (type.empty()) {
      errors_->Required(at.Child("type"), why);
    } else {
      errors_->Invalid(at.Child("type"), type, why);
    }
    return false;
  }

  void CheckListType(const Value& s, const FieldPath& at) {
    const Value& list = s.Get("x-kubernetes-list-type");
    if (list.is_null()) return;
    const std::string_view type = list.AsString();
    const Value& item = s.Get("items");
    if (RequireType(s, at, "array", "must be array if x-kubernetes-list-type is specified") &&
        type == "set" && item.is_object()) {
      const std::string_view item_type = item.Get("type").AsString();
      const std::string_view map = item.Get("x-kubernetes-map-type").AsString();
      const Value& inner = item.Get("x-kubernetes-list-type");
      constexpr std::string_view kWhy =
          "must be atomic as item of a list with x-kubernetes-list-type=set";
      const FieldPath items = at.Child("items");
      if (item_type == "array" && !inner.is_null() && inner.AsString() != "atomic")
        AddInvalid(items.Child("x-kubernetes-list-type"), inner, kWhy, errors_);
      // Upstream shows the list type here, too.
      if (item_type == "object" && map != "atomic")
        AddInvalid(items.Child("x-kubernetes-map-type"), inner, kWhy, errors_);
    }
    if (type != "atomic" && type != "set" && type != "map")
      errors_->NotSupported(at.Child("x-kubernetes-list-type"), type, {"atomic", "set", "map"});
  }

  void CheckListItems(const Value& s, const FieldPath& at) {
    const Value& type = s.Get("x-kubernetes-list-type");
    const Value& keys = s.Get("x-kubernetes-list-map-keys");
    const FieldPath at_type = at.Child("x-kubernetes-list-type");
    constexpr std::string_view kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!keys.empty() && type.is_null()) errors_->Required(at_type, kMap);
    if (!keys.empty() && !type.is_null() && type.AsString() != "map")
      errors_->Invalid(at_type, type.AsString(), kMap);
    if (type.AsString() == "map") CheckMapList(s, keys, at);
    CheckItemNulls(s, type.AsString(), keys, at);
  }

  void CheckMapList(const Value& s, const Value& keys, const FieldPath& at) {
    const Value& item = s.Get("items");
    const FieldPath at_keys = at.Child("x-kubernetes-list-map-keys");
    const FieldPath at_items = at.Child("items");
    if (keys.empty())
      errors_->Required(at_keys, "must not be empty if x-kubernetes-list-type is map");
    if (item.is_null())
      return errors_->Required(at_items, "must have a schema if x-kubernetes-list-type is map");
    const std::string_view type = item.Get("type").AsString();
    if (type != "object")
      return errors_->Invalid(at_items.Child("type"), type,
                              "must be object if parent array's x-kubernetes-list-type is map");
    std::set<std::string_view> seen;
    for (const Value& key : keys.items()) {
      const std::string_view name = key.AsString();
      const Value& property = item.Get("properties").Get(name);
      const std::string_view of = property.Get("type").AsString();
      const FieldPath properties = at_items.Child("properties");
      const FieldPath at_property = properties.Key(name);
      if (of == "array" || of == "object")
        errors_->Invalid(at_property.Child("type"), type,
                         "must be a scalar type if parent array's x-kubernetes-list-type is map");
      if (property.is_null())
        errors_->Invalid(at_keys, keys, GoShape::kStringSlice,
                         "entries must all be names of item properties");
      if (!seen.insert(name).second)
        errors_->Invalid(at_keys, keys, GoShape::kStringSlice,
                         "must not contain duplicate entries");
    }
  }

  // validateMapListKeysMapSet
  void CheckItemNulls(const Value& s, std::string_view type, const Value& keys,
                      const FieldPath& at) {
    const Value& item = s.Get("items");
    if (!item.is_object() || (type != "set" && type != "map")) return;
    const FieldPath items = at.Child("items");
    if (item.Get("nullable").AsBool())
      errors_->Forbidden(items.Child("nullable"),
                         fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
    if (type != "map") return;
    for (const Value& key : keys.items()) {
      const Value& property = item.Get("properties").Get(key.AsString());
      if (property.is_null()) continue;
      const auto required = item.Get("required").items();
      const bool there = std::find(required.begin(), required.end(), key) != required.end();
      const FieldPath properties = items.Child("properties");
      const FieldPath at_property = properties.Key(key.AsString());
      if (!there && property.Get("default").is_null())
        errors_->Required(at_property.Child("default"),
                          "this property is in x-kubernetes-list-map-keys, so it must have a "
                          "default or be a required property");
      if (property.Get("nullable").AsBool())
        errors_->Forbidden(at_property.Child("nullable"),
                           "this property is in x-kubernetes-list-map-keys, so it cannot be "
                           "nullable");
    }
  }

  // The texts of rules, but for the expressions.
  void CheckRules(const Value& s, const FieldPath& at) {
    const Value& rules = s.Get("x-kubernetes-validations");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      CheckRule(rules.at(i), at.Index(i));
      if (errors_->profile().rules_have_messages) CheckMessage(s, rules.at(i), at.Index(i));
    }
  }
  static bool IsBlank(std::string_view text) {
    return text.find_first_not_of(" \t\n\v\f\r") == text.npos;
  }
  std::string Worded(std::string_view field, std::string_view what) const {
    return errors_->profile().definitions_worded_anew ? std::string(what)
                                                      : fmt::format("{} {}", field, what);
  }

  void CheckRule(const Value& rule, const FieldPath& at) {
    const auto breaks = [](std::string_view text) {
      const std::size_t end = text.find_last_not_of(" \t\n\v\f\r");
      const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
      return end != text.npos &&
             text.substr(begin, end - begin + 1).find_first_of("\n\r") != text.npos;
    };
    const std::string_view text = rule.Get("rule").AsString();
    const std::string_view message = rule.Get("message").AsString();
    if (IsBlank(text)) {
      errors_->Required(at.Child("rule"), "rule is not specified");
    } else if (!message.empty() && IsBlank(message)) {
      errors_->Invalid(at.Child("message"), message,
                       Worded("message", "must be non-empty if specified"));
    } else if (breaks(message)) {
      errors_->Invalid(at.Child("message"), message,
                       Worded("message", "must not contain line breaks"));
    } else if (breaks(text) && IsBlank(message)) {
      errors_->Required(at.Child("message"),
                        "message must be specified if rule contains line breaks");
    }
  }

  void CheckMessage(const Value& s, const Value& rule, const FieldPath& at) {
    const std::string_view expression = rule.Get("messageExpression").AsString();
    if (!expression.empty() && IsBlank(expression))
      errors_->Required(at.Child("messageExpression"),
                        "messageExpression must be non-empty if specified");
    const Value& reason = rule.Get("reason");
    if (!reason.is_null())
      ValidateChoice(
          reason.AsString(), false, at.Child("reason"),
          {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"},
          errors_);
    const std::string_view path = rule.Get("fieldPath").AsString();
    if (!path.empty() && IsBlank(path))
      errors_->Invalid(at.Child("fieldPath"), path,
                       Worded("fieldPath", "must be non-empty if specified"));
    if (path.find_first_of("\n\r") != path.npos)
      errors_->Invalid(at.Child("fieldPath"), path,
                       Worded("fieldPath", "must not contain line breaks"));
    if (path.empty()) return;
    std::string problem;
    cel::FieldOfRule(path, cel::Schema::FromTree(s, false)->Own(), &problem);
    if (!problem.empty())
      errors_->Invalid(at.Child("fieldPath"), path, Worded("fieldPath", "must be a valid path"));
  }

  FieldErrorList* errors_;
  ExpressionRules* expressions_;
};

// With a status subresource the root may have only what is not lost when the status is judged
// alone.
void CheckRootFields(const Value& schema, const FieldPath& at, FieldErrorList* errors) {
  constexpr std::string_view kAllowed =
      "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
      "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties "
      "ExternalDocs Example XPreserveUnknownFields XValidations]";
  const std::string_view type = schema.Get("type").AsString();
  const FieldPath root = at.Child("openAPIV3Schema");
  if (!type.empty() && type != "object")
    return errors->Invalid(root.Child("type"), type,
                           "only \"object\" is allowed as the type at the root of the schema if "
                           "the status subresource is enabled");
  for (const char* field :
       {"nullable", "default", "enum", "maxProperties", "minProperties", "allOf", "oneOf", "anyOf",
        "not", "additionalProperties", "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
        "x-kubernetes-map-type"}) {
    const Value& v = schema.Get(field);
    const bool zero = v.is_null() || (v.is_bool() && !v.AsBool() &&
                                      std::string_view(field) != "additionalProperties");
    if (zero) continue;
    return errors->Invalid(root, schema, GoShape::kOther,
                           fmt::format("only {} fields are allowed at the root of the schema if "
                                       "the status subresource is enabled",
                                       kAllowed));
  }
}

}  // namespace

void ValidateDefinedSchema(const Value& schema, bool status_enabled, const OldExpressions& old,
                           const FieldPath& path, FieldErrorList* errors) {
  if (!schema.is_object()) return;
  const FieldPath at = path.Child("openAPIV3Schema");
  if (status_enabled) CheckRootFields(schema, path, errors);
  if (schema.Get("nullable").AsBool())
    errors->Forbidden(at.Child("nullable"), "nullable cannot be true at the root");
  const std::size_t before = errors->size();
  if (!ValidateStructural(schema, at, errors)) {
    const auto node = SchemaNode::Compile(schema);
    DefaultRules(errors).Check(*node, at, false);
  }
  OpenApiRules::Where where;
  where.root = where.place.root = true;
  where.place.judged = errors->size() == before;
  ExpressionRules expressions(errors->compat(), old);
  OpenApiRules(errors, &expressions).Check(schema, at, where);
  expressions.CheckTotal(at);
  expressions.AppendTo(errors);
}

}  // namespace ksim::api
