// Schema: a structural schema of a custom resource as CEL sees it: the types and fields that its
// rules may use, and how large its values can get.
//
// Upstream: k8s.io/apiserver pkg/cel/{types,escaping}.go, pkg/cel/common/schemas.go.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/types/type.h"
#include "ksim/value/value.h"

namespace ksim::cel {

struct Rule {
  std::string rule, message, message_expression, reason, field_path;
  std::optional<bool> optional_old_self;
  value::Value tree;  // as written
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Schema {
  std::string type, format;
  bool nullable = false;
  bool int_or_string = false;
  bool embedded = false;
  bool preserve_unknown = false;
  bool has_default = false;
  bool has_properties = false;
  std::map<std::string, SchemaPtr, std::less<>> properties;
  std::vector<std::string> required;
  SchemaPtr items, additional;
  std::string list_type;
  std::vector<std::string> list_keys;
  std::optional<std::int64_t> max_length, max_items, max_properties;
  std::optional<std::int64_t> longest_enum;  // bytes of the longest string of an enum
  std::vector<Rule> rules;
  SchemaPtr own;  // of a resource: the schema without what every resource has

  // `root`: of a resource: apiVersion, kind, metadata.name and generateName are always there.
  static SchemaPtr FromTree(const value::Value& tree, bool root);
  const Schema& Own() const { return own == nullptr ? *this : *own; }
  bool HasRules() const;
};

// The declaration that CEL gets of a schema (DeclType); null: the schema is not shown.
struct Declared;
using DeclaredPtr = std::shared_ptr<const Declared>;

struct Declared {
  TypePtr type;
  std::map<std::string, DeclaredPtr, std::less<>> fields;  // by escaped name, of an object
  DeclaredPtr key, element;
  bool is_object = false;
  std::int64_t max_elements = 0;
  std::int64_t min_size = 0;  // bytes of JSON at least

  // `name` is that of the object's type; those within are NAME.FIELD, NAME.@idx and NAME.@elem.
  static DeclaredPtr Of(const Schema& schema, const std::string& name);
  // The field's type of an object's type of this name anywhere within; null: none such.
  TypePtr FieldType(std::string_view type_name, std::string_view field) const;
};

// A property's name as CEL writes it: a.b-c is a__dot__b__dash__c; nullopt: it cannot be written.
std::optional<std::string> EscapeName(std::string_view name);
std::optional<std::string> UnescapeName(std::string_view name);

}  // namespace ksim::cel
