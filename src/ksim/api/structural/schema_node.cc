#include "ksim/api/structural/schema_node.h"

#include <algorithm>
#include <numeric>

#include "ksim/api/structural/go_regexp.h"

namespace ksim::api {

using value::Atom;
using value::Value;

SchemaNode::SchemaNode() = default;
SchemaNode::~SchemaNode() = default;

namespace {

std::optional<double> NumberOf(const Value& v) {
  return v.is_number() ? std::optional<double>(v.AsDouble()) : std::nullopt;
}

// A count is an int64 in Go, into which JSON decodes no fraction.
std::optional<std::int64_t> CountOf(const Value& v) {
  return v.is_int() ? std::optional<std::int64_t>(v.AsInt()) : std::nullopt;
}

std::vector<std::unique_ptr<const SchemaNode>> CompileEach(const Value& list) {
  std::vector<std::unique_ptr<const SchemaNode>> nodes;
  for (const Value& one : list.items())
    if (auto node = SchemaNode::Compile(one)) nodes.push_back(std::move(node));
  return nodes;
}

std::unique_ptr<const SchemaNode::Bounds> BoundsOf(const Value& schema) {
  auto bounds = std::make_unique<SchemaNode::Bounds>();
  bool any = false;
  for (const Value::Member& m : schema.members()) {
    const std::string_view name = m.name.text();
    any = any || name.starts_with("m") || name == "uniqueItems";
  }
  if (!any) return nullptr;
  bounds->maximum = NumberOf(schema.Get("maximum"));
  bounds->minimum = NumberOf(schema.Get("minimum"));
  bounds->multiple_of = NumberOf(schema.Get("multipleOf"));
  bounds->exclusive_maximum = schema.Get("exclusiveMaximum").AsBool();
  bounds->exclusive_minimum = schema.Get("exclusiveMinimum").AsBool();
  bounds->max_length = CountOf(schema.Get("maxLength"));
  bounds->min_length = CountOf(schema.Get("minLength"));
  bounds->max_items = CountOf(schema.Get("maxItems"));
  bounds->min_items = CountOf(schema.Get("minItems"));
  bounds->max_properties = CountOf(schema.Get("maxProperties"));
  bounds->min_properties = CountOf(schema.Get("minProperties"));
  bounds->unique_items = schema.Get("uniqueItems").AsBool();
  return bounds;
}

}  // namespace

std::unique_ptr<const SchemaNode> SchemaNode::Compile(const Value& schema) {
  if (!schema.is_object()) return nullptr;
  auto node = std::make_unique<SchemaNode>();
  node->source = schema;
  node->ReadExtensions(schema);
  node->ReadChecks(schema);
  node->ReadChildren(schema);
  node->Summarize();
  return node;
}

void SchemaNode::ReadExtensions(const Value& schema) {
  type = schema.Get("type").AsString();
  int_or_string = schema.Get("x-kubernetes-int-or-string").AsBool();
  preserve_unknown = schema.Get("x-kubernetes-preserve-unknown-fields").AsBool();
  embedded = schema.Get("x-kubernetes-embedded-resource").AsBool();
  nullable = schema.Get("nullable").AsBool();
  atomic_map = schema.Get("x-kubernetes-map-type").AsString() == "atomic";
  const std::string_view list = schema.Get("x-kubernetes-list-type").AsString();
  if (list == "set") list_type = ListType::kSet;
  if (list == "map") list_type = ListType::kMap;
  for (const Value& key : schema.Get("x-kubernetes-list-map-keys").items())
    list_keys.emplace_back(key.AsString());
}

void SchemaNode::ReadChecks(const Value& schema) {
  format = schema.Get("format").AsString();
  default_value = schema.Get("default");
  enumeration = schema.Get("enum");
  required = schema.Get("required");
  pattern_text = schema.Get("pattern").AsString();
  bounds = BoundsOf(schema);
}

void SchemaNode::ReadChildren(const Value& schema) {
  for (const Value::Member& m : schema.Get("properties").members()) {
    if (auto node = Compile(m.value)) properties.push_back(Property{m.name, std::move(node)});
  }
  by_atom_.resize(properties.size());
  std::iota(by_atom_.begin(), by_atom_.end(), 0);
  std::sort(by_atom_.begin(), by_atom_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return properties[a].name.number() < properties[b].name.number();
  });
  items = Compile(schema.Get("items"));
  const Value& more = schema.Get("additionalProperties");
  if (more.is_bool()) additional = more.AsBool() ? Additional::kAllowed : Additional::kForbidden;
  if (more.is_object()) {
    additional = Additional::kSchema;
    additional_node = Compile(more);
  }
  all_of = CompileEach(schema.Get("allOf"));
  any_of = CompileEach(schema.Get("anyOf"));
  one_of = CompileEach(schema.Get("oneOf"));
  not_ = Compile(schema.Get("not"));
}

void SchemaNode::Summarize() {
  any_default = !default_value.is_null();
  any_embedded = embedded;
  any_list_type = list_type != ListType::kAtomic;
  any_rule = !source.Get("x-kubernetes-validations").empty();
  const auto add = [this](const SchemaNode* below) {
    if (below == nullptr) return;
    any_default |= below->any_default;
    any_embedded |= below->any_embedded;
    any_list_type |= below->any_list_type;
    any_rule |= below->any_rule;
  };
  for (const Property& property : properties) add(property.node.get());
  add(items.get());
  add(additional_node.get());
}

const SchemaNode* SchemaNode::Find(Atom name) const {
  const auto at = std::lower_bound(by_atom_.begin(), by_atom_.end(), name.number(),
                                   [this](std::uint32_t place, std::uint32_t number) {
                                     return properties[place].name.number() < number;
                                   });
  if (at == by_atom_.end() || properties[*at].name != name) return nullptr;
  return properties[*at].node.get();
}

bool SchemaNode::HasType(std::string_view name) const {
  if (int_or_string) return name == "integer" || name == "string";
  return type == name;
}

const GoRegexp* SchemaNode::pattern() const {
  if (pattern_text.empty()) return nullptr;
  if (pattern_ == nullptr) pattern_ = std::make_unique<const GoRegexp>(pattern_text);
  return pattern_.get();
}

}  // namespace ksim::api
