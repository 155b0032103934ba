#include "ksim/cel/rules/schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr std::int64_t kMaxRequest = 3 * 1024 * 1024;

std::optional<std::int64_t> Limit(const value::Value& v) {
  if (!v.is_number()) return std::nullopt;
  return v.is_int() ? v.AsInt() : static_cast<std::int64_t>(v.AsDouble());
}

std::vector<std::string> Texts(const value::Value& v) {
  std::vector<std::string> texts;
  for (const value::Value& item : v.items()) texts.emplace_back(item.AsString());
  return texts;
}

Rule RuleOf(const value::Value& v) {
  Rule rule;
  rule.tree = v;
  rule.rule = v.Get("rule").AsString();
  rule.message = v.Get("message").AsString();
  rule.message_expression = v.Get("messageExpression").AsString();
  rule.reason = v.Get("reason").AsString();
  rule.field_path = v.Get("fieldPath").AsString();
  if (v.Get("optionalOldSelf").is_bool())
    rule.optional_old_self = v.Get("optionalOldSelf").AsBool();
  return rule;
}

SchemaPtr StringSchema() {
  auto s = std::make_shared<Schema>();
  s->type = "string";
  return s;
}

// WithTypeAndObjectMeta.
void AddResourceFields(Schema* schema) {
  const SchemaPtr text = StringSchema();
  schema->has_properties = true;
  schema->properties["kind"] = text;
  schema->properties["apiVersion"] = text;
  auto metadata = std::make_shared<Schema>();
  metadata->type = "object";
  metadata->has_properties = true;
  metadata->properties["name"] = text;
  metadata->properties["generateName"] = text;
  schema->properties["metadata"] = std::move(metadata);
}

bool HasTyped(const Schema& schema, std::string_view name, std::string_view type) {
  const auto found = schema.properties.find(name);
  return found != schema.properties.end() && found->second->type == type;
}

bool HasResourceFields(const Schema& schema) {
  if (!HasTyped(schema, "kind", "string") || !HasTyped(schema, "apiVersion", "string") ||
      !HasTyped(schema, "metadata", "object"))
    return false;
  const Schema& metadata = *schema.properties.find("metadata")->second;
  return HasTyped(metadata, "name", "string") && HasTyped(metadata, "generateName", "string");
}

std::int64_t NotNegative(std::int64_t n) { return std::max<std::int64_t>(n, 0); }

std::shared_ptr<Declared> Simple(TypePtr type, std::int64_t min_size) {
  auto d = std::make_shared<Declared>();
  d->type = std::move(type);
  d->min_size = min_size;
  return d;
}

DeclaredPtr DeclareString(const Schema& s) {
  std::shared_ptr<Declared> d;
  if (s.format == "byte") {
    d = Simple(BytesType(), 2);
    d->max_elements = s.max_length ? NotNegative(*s.max_length) : kMaxRequest - 2;
  } else if (s.format == "duration") {
    d = Simple(DurationType(), 3);
    d->max_elements = 32;
  } else if (s.format == "date") {
    d = Simple(TimestampType(), 12);
    d->max_elements = 12;
  } else if (s.format == "date-time") {
    d = Simple(TimestampType(), 21);
    d->max_elements = 32;
  } else {
    d = Simple(StringType(), 2);
    d->max_elements = s.max_length     ? NotNegative(*s.max_length) * 4
                      : s.longest_enum ? *s.longest_enum
                                       : kMaxRequest - 2;
  }
  return d;
}

DeclaredPtr DeclareObject(const Schema& s, const std::string& name) {
  if (s.additional != nullptr) {
    const DeclaredPtr element = Declared::Of(*s.additional, name + ".@elem");
    if (element == nullptr) return nullptr;
    auto d = Simple(MapOf(StringType(), element->type), 2);
    d->key = Simple(StringType(), 2);
    d->element = element;
    d->max_elements = s.max_properties ? NotNegative(*s.max_properties)
                                       : (kMaxRequest - 2) / (element->min_size + 6);
    return d;
  }
  auto d = Simple(StructType(name), 2);
  d->is_object = true;
  for (const auto& [property, schema] : s.properties) {
    const std::optional<std::string> escaped = EscapeName(property);
    DeclaredPtr field = Declared::Of(*schema, name + "." + escaped.value_or(property));
    if (field == nullptr) continue;
    const bool required =
        std::find(s.required.begin(), s.required.end(), property) != s.required.end();
    if (required && !schema->has_default) {
      d->min_size += static_cast<std::int64_t>(property.size()) + field->min_size + 4;
    }
    if (escaped.has_value()) d->fields[*escaped] = std::move(field);
  }
  return d;
}

bool IsReservedName(std::string_view name) {
  constexpr std::array<std::string_view, 21> kReserved = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

}  // namespace

SchemaPtr Schema::FromTree(const value::Value& tree, bool root) {
  auto s = std::make_shared<Schema>();
  s->type = tree.Get("type").AsString();
  s->format = tree.Get("format").AsString();
  s->nullable = tree.Get("nullable").AsBool();
  s->int_or_string = tree.Get("x-kubernetes-int-or-string").AsBool();
  s->embedded = tree.Get("x-kubernetes-embedded-resource").AsBool();
  s->preserve_unknown = tree.Get("x-kubernetes-preserve-unknown-fields").AsBool();
  s->has_default = tree.Has("default") && !tree.Get("default").is_null();
  s->has_properties = tree.Get("properties").size() > 0;
  for (const value::Value::Member& m : tree.Get("properties").members()) {
    s->properties[std::string(m.name.text())] = FromTree(m.value, false);
  }
  s->required = Texts(tree.Get("required"));
  if (tree.Get("items").is_object()) s->items = FromTree(tree.Get("items"), false);
  if (tree.Get("additionalProperties").is_object()) {
    s->additional = FromTree(tree.Get("additionalProperties"), false);
  }
  s->list_type = tree.Get("x-kubernetes-list-type").AsString();
  s->list_keys = Texts(tree.Get("x-kubernetes-list-map-keys"));
  s->max_length = Limit(tree.Get("maxLength"));
  s->max_items = Limit(tree.Get("maxItems"));
  s->max_properties = Limit(tree.Get("maxProperties"));
  if (!tree.Get("enum").empty()) {
    s->longest_enum = 0;
    for (const value::Value& item : tree.Get("enum").items()) {
      const auto length = static_cast<std::int64_t>(item.AsString().size());
      s->longest_enum = std::max(*s->longest_enum, length);
    }
  }
  for (const value::Value& rule : tree.Get("x-kubernetes-validations").items()) {
    s->rules.push_back(RuleOf(rule));
  }
  if ((root || s->embedded) && !HasResourceFields(*s)) {
    s->own = std::make_shared<const Schema>(*s);
    AddResourceFields(s.get());
  }
  return s;
}

bool Schema::HasRules() const {
  if (!rules.empty()) return true;
  if (items != nullptr && items->HasRules()) return true;
  if (additional != nullptr && additional->HasRules()) return true;
  return std::any_of(properties.begin(), properties.end(),
                     [](const auto& property) { return property.second->HasRules(); });
}

DeclaredPtr Declared::Of(const Schema& s, const std::string& name) {
  if (s.int_or_string) {
    auto d = Simple(DynType(), 1);
    d->max_elements = s.max_length ? NotNegative(*s.max_length) * 4 : kMaxRequest - 2;
    return d;
  }
  if (s.type == "array") {
    if (s.items == nullptr) return nullptr;
    const DeclaredPtr element = Of(*s.items, name + ".@idx");
    if (element == nullptr) return nullptr;
    auto d = Simple(ListOf(element->type), 2);
    d->element = element;
    d->max_elements =
        s.max_items ? NotNegative(*s.max_items) : (kMaxRequest - 2) / (element->min_size + 1);
    return d;
  }
  if (s.type == "object") return DeclareObject(s, name);
  if (s.type == "string") return DeclareString(s);
  if (s.type == "boolean") return Simple(BoolType(), 4);
  if (s.type == "number") return Simple(DoubleType(), 1);
  if (s.type == "integer") return Simple(IntType(), 1);
  return nullptr;
}

TypePtr Declared::FieldType(std::string_view type_name, std::string_view field) const {
  if (is_object) {
    if (type->name == type_name) {
      const auto found = fields.find(field);
      return found == fields.end() ? nullptr : found->second->type;
    }
    for (const auto& [name, declared] : fields) {
      if (TypePtr t = declared->FieldType(type_name, field)) return t;
    }
  }
  return element == nullptr ? nullptr : element->FieldType(type_name, field);
}

std::optional<std::string> EscapeName(std::string_view name) {
  if (name.empty() || value::IsDigit(name[0])) return std::nullopt;
  if (IsReservedName(name)) return "__" + std::string(name) + "__";
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' && i + 1 < name.size() && name[i + 1] == '_') {
      out += "__underscores__";
      ++i;
    } else if (c == '.') {
      out += "__dot__";
    } else if (c == '-') {
      out += "__dash__";
    } else if (c == '/') {
      out += "__slash__";
    } else if (c == '_' || value::IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out += c;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> UnescapeName(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    if (name.substr(i, 2) != "__") {
      out += name[i++];
      continue;
    }
    std::size_t end = i + 2;
    while (end < name.size() && name[end] != '_') ++end;
    if (end == i + 2 || name.substr(end, 2) != "__") {
      out += name[i++];
      continue;
    }
    const std::string_view word = name.substr(i + 2, end - i - 2);
    const bool whole = i == 0 && end + 2 == name.size();
    i = end + 2;
    if (word == "underscores") {
      out += "__";
    } else if (word == "dot") {
      out += ".";
    } else if (word == "dash") {
      out += "-";
    } else if (word == "slash") {
      out += "/";
    } else if (IsReservedName(word) && whole) {
      out += word;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace ksim::cel
