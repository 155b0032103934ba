// SchemaNode: a schema of a CustomResourceDefinition (JSONSchemaProps), compiled once to a tree
// that pruning, defaulting, validation and server-side apply walk beside an object.
//
// Sources: apiextensions-apiserver pkg/apiserver/schema/{structural,convert}.go,
// pkg/apiserver/validation/validation.go ConvertJSONSchemaProps.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/value/value.h"

namespace ksim::cel {
class RuleSet;
}  // namespace ksim::cel

namespace ksim::api {

class GoRegexp;

struct SchemaNode {
  enum class ListType : std::uint8_t { kAtomic, kSet, kMap };
  enum class Additional : std::uint8_t { kUnset, kForbidden, kAllowed, kSchema };
  struct Property {
    value::Atom name;
    std::unique_ptr<const SchemaNode> node;
  };
  // Bounds of numbers, texts, lists and maps: few schemas have one.
  struct Bounds {
    std::optional<double> maximum, minimum, multiple_of;
    bool exclusive_maximum = false, exclusive_minimum = false;
    std::optional<std::int64_t> max_length, min_length, max_items, min_items;
    std::optional<std::int64_t> max_properties, min_properties;
    bool unique_items = false;
  };

  SchemaNode();
  ~SchemaNode();
  SchemaNode(const SchemaNode&) = delete;
  SchemaNode& operator=(const SchemaNode&) = delete;
  // Null for what is no object.
  static std::unique_ptr<const SchemaNode> Compile(const value::Value& schema);

  // The schema of a field by its property; null if there is none.
  const SchemaNode* Find(value::Atom name) const;
  // The same, or by additionalProperties.
  const SchemaNode* FieldNode(value::Atom name) const {
    const SchemaNode* const property = Find(name);
    return property != nullptr ? property : additional_node.get();
  }
  bool HasType(std::string_view name) const;
  // The regular expression of `pattern`, made at its first use; null if there is none.
  const GoRegexp* pattern() const;

  value::Value source;         // the schema itself
  std::string_view type;       // "": any
  std::string_view format;     // as it is written
  bool int_or_string = false;  // x-kubernetes-int-or-string
  bool preserve_unknown = false;
  bool embedded = false;  // x-kubernetes-embedded-resource
  bool nullable = false;
  bool atomic_map = false;  // x-kubernetes-map-type
  ListType list_type = ListType::kAtomic;
  std::vector<value::Atom> list_keys;
  value::Value default_value;  // null: none
  value::Value enumeration;    // enum
  value::Value required;
  std::unique_ptr<const Bounds> bounds;
  std::string_view pattern_text;

  std::vector<Property> properties;  // sorted by name
  std::unique_ptr<const SchemaNode> items;
  Additional additional = Additional::kUnset;
  std::unique_ptr<const SchemaNode> additional_node;  // of kSchema
  std::vector<std::unique_ptr<const SchemaNode>> all_of, any_of, one_of;
  std::unique_ptr<const SchemaNode> not_;

  // Whether this node or one below it, by properties, items and additionalProperties, has ...
  bool any_default = false, any_embedded = false, any_list_type = false;
  bool any_rule = false;  // x-kubernetes-validations
  // The rules of a whole schema, compiled by rules.cc. A cache: it changes no answer.
  mutable std::map<Compat, std::shared_ptr<const cel::RuleSet>> rules;

 private:
  void ReadExtensions(const value::Value& schema);
  void ReadChecks(const value::Value& schema);
  void ReadChildren(const value::Value& schema);
  void Summarize();
  mutable std::unique_ptr<const GoRegexp> pattern_;
  std::vector<std::uint32_t> by_atom_;  // places in `properties`, by the number of the name
};

}  // namespace ksim::api
