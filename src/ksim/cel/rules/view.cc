#include "ksim/cel/rules/view.h"

#include <utility>

#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/base64.h"
#include "ksim/value/go_format.h"

namespace ksim::cel {
namespace {

class SchemaList : public ListNode {
 public:
  SchemaList(value::Value tree, SchemaPtr schema)
      : tree_(std::move(tree)), schema_(std::move(schema)) {}
  std::size_t size() const override { return tree_.size(); }
  Val at(std::size_t i) const override { return ViewOf(tree_.at(i), schema_->items); }

  Val EqualTo(const Val& other) const override {
    if (!other.is_list()) return Val::NoSuchOverload();
    if (other.list().size() != size()) return Val::Bool(false);
    if (schema_->list_type == "set" || schema_->list_type == "map") return EqualAsSet(other);
    for (std::size_t i = 0; i < size(); ++i) {
      const Val same = Equal(at(i), other.list().at(i));
      if (!same.is_true()) return same;
    }
    return Val::Bool(true);
  }

  Val Concatenate(const Val& other) const override {
    if (!other.is_list()) return Val::NoSuchOverload();
    const bool merges = schema_->list_type == "set" || schema_->list_type == "map";
    if (!merges) return ListNode::Concatenate(other);
    std::vector<Val> items;
    for (std::size_t i = 0; i < size(); ++i) items.push_back(at(i));
    for (std::size_t i = 0; i < other.list().size(); ++i) {
      Val item = other.list().at(i);
      const std::size_t place = Place(items, item);
      if (place == items.size()) {
        items.push_back(std::move(item));
      } else if (schema_->list_type == "map") {
        items[place] = std::move(item);
      }
    }
    return Val::List(std::move(items));
  }

  Val Contains(const Val& item) const override {
    std::optional<Val> error;
    for (std::size_t i = 0; i < size(); ++i) {
      Val same = Equal(at(i), item);
      if (same.is_true()) return same;
      if (same.is_error() && !error.has_value()) error = std::move(same);
    }
    return error.value_or(Val::Bool(false));
  }

 private:
  // The item itself of a set, its keys of a map.
  bool SameKey(const Val& a, const Val& b) const {
    if (schema_->list_type == "set") return IsEqual(a, b);
    for (const std::string& key : schema_->list_keys) {
      const Val name = Val::String(EscapeName(key).value_or(key));
      const std::optional<Val> mine = FindIn(a, name);
      const std::optional<Val> theirs = FindIn(b, name);
      if (mine.has_value() != theirs.has_value()) return false;
      if (mine.has_value() && !IsEqual(*mine, *theirs)) return false;
    }
    return true;
  }
  std::size_t Place(const std::vector<Val>& items, const Val& item) const {
    std::size_t i = 0;
    while (i < items.size() && !SameKey(items[i], item)) ++i;
    return i;
  }

  Val EqualAsSet(const Val& other) const {
    std::vector<Val> items;
    for (std::size_t i = 0; i < size(); ++i) items.push_back(at(i));
    for (std::size_t i = 0; i < other.list().size(); ++i) {
      const Val item = other.list().at(i);
      const std::size_t place = Place(items, item);
      if (place == items.size()) return Val::Bool(false);
      const Val same = Equal(items[place], item);
      if (!same.is_true()) return same;
    }
    return Val::Bool(true);
  }

  value::Value tree_;
  SchemaPtr schema_;
};

class SchemaMap : public MapNode {
 public:
  SchemaMap(value::Value tree, SchemaPtr schema)
      : tree_(std::move(tree)), schema_(std::move(schema)) {
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      if (SchemaOf(tree_.member(i).name.text()) != nullptr) shown_.push_back(i);
    }
  }
  std::size_t size() const override { return tree_.size(); }
  std::size_t visible() const override { return shown_.size(); }
  Val key(std::size_t i) const override {
    const std::string_view name = tree_.member(shown_[i]).name.text();
    if (!IsObject()) return Val::String(name);
    return Val::String(EscapeName(name).value_or(std::string(name)));
  }
  Val value(std::size_t i) const override {
    const value::Value::Member& m = tree_.member(shown_[i]);
    return ViewOf(m.value, *SchemaOf(m.name.text()));
  }
  std::optional<Val> Find(const Val& key) const override {
    if (!key.is_string()) return Val::NoSuchOverload();
    std::string name(key.AsText());
    if (IsObject()) {
      const std::optional<std::string> unescaped = UnescapeName(name);
      if (!unescaped.has_value()) return std::nullopt;
      name = *unescaped;
    }
    if (!tree_.Has(name)) return std::nullopt;
    const value::Value& v = tree_.Get(name);
    if (IsObject() && v.is_null()) return std::nullopt;
    const SchemaPtr* schema = SchemaOf(name);
    if (schema == nullptr) return std::nullopt;
    return ViewOf(v, *schema);
  }
  Val EqualTo(const Val& other) const override {
    if (!other.is_map()) return Val::NoSuchOverload();
    if (other.map().size() != size()) return Val::Bool(false);
    for (std::size_t i = 0; i < visible(); ++i) {
      const std::optional<Val> mine = Find(key(i));
      const std::optional<Val> theirs = other.map().Find(key(i));
      if (mine.has_value() != theirs.has_value()) return Val::Bool(false);
      if (!mine.has_value()) continue;
      const Val same = Equal(*mine, *theirs);
      if (!same.is_true()) return same;
    }
    const auto* twin = dynamic_cast<const SchemaMap*>(&other.map());
    for (const value::Value::Member& m : tree_.members()) {
      if (SchemaOf(m.name.text()) != nullptr) continue;
      if (twin == nullptr) return Val::NoSuchOverload();
      const value::Value* theirs = twin->tree_.Find(m.name);
      if (theirs != nullptr && *theirs != m.value) return Val::Bool(false);
    }
    return Val::Bool(true);
  }

 private:
  bool IsObject() const { return schema_->has_properties; }
  const SchemaPtr* SchemaOf(std::string_view name) const {
    if (IsObject() || schema_->embedded) {
      const auto found = schema_->properties.find(name);
      return found == schema_->properties.end() ? nullptr : &found->second;
    }
    return schema_->additional == nullptr ? nullptr : &schema_->additional;
  }

  value::Value tree_;
  SchemaPtr schema_;
  std::vector<std::size_t> shown_;  // members with a schema
};

// A value that x-kubernetes-preserve-unknown-fields keeps: it can only be compared.
class PreservedValue : public OpaqueNode {
 public:
  explicit PreservedValue(value::Value tree) : tree_(std::move(tree)) {}
  TypePtr type() const override { return OpaqueType("unknown"); }
  Val EqualTo(const Val& other) const override {
    if (other.kind() == ValKind::kOpaque) {
      const auto* twin = dynamic_cast<const PreservedValue*>(&other.opaque());
      return Val::Bool(twin != nullptr && twin->tree_ == tree_);
    }
    const std::optional<value::Value> theirs = ToTree(other);
    return Val::Bool(theirs.has_value() && *theirs == tree_);
  }

 private:
  value::Value tree_;
};

Val ViewText(const value::Value& tree, const Schema& schema) {
  if (!tree.is_string()) {
    return Val::Error("invalid data, expected string, got " + std::string(value::GoTypeName(tree)));
  }
  const std::string text(tree.AsString());
  if (schema.format == "duration") {
    const std::optional<std::int64_t> nanos = ParseDuration(text);
    if (nanos.has_value()) return Val::Duration(*nanos);
    return Val::Error("Invalid duration " + text + ": unable to parse " + text + " as duration");
  }
  if (schema.format == "date") {
    std::optional<Val> time = ParseTimestamp(text + "T00:00:00Z");
    if (time.has_value()) return *time;
    return Val::Error("Invalid date formatted string " + text);
  }
  if (schema.format == "date-time") {
    std::optional<Val> time = ParseTimestamp(text);
    if (time.has_value()) return *time;
    return Val::Error("Invalid date-time formatted string " + text);
  }
  if (schema.format == "byte") {
    const std::optional<std::string> bytes = value::Unbase64(text);
    if (bytes.has_value()) return Val::Bytes(*bytes);
    return Val::Error("Invalid byte formatted string " + text);
  }
  return Val::String(tree);
}

Val WrongType(const char* wanted, const value::Value& tree) {
  return Val::Error(std::string("invalid data, expected ") + wanted + ", got " +
                    std::string(value::GoTypeName(tree)));
}

}  // namespace

Val ViewOf(const value::Value& tree, const SchemaPtr& schema) {
  if (tree.is_null()) {
    if (schema->nullable) return Val::Null();
    return Val::Error("invalid data, got null for schema with nullable=false");
  }
  if (schema->int_or_string) {
    if (tree.is_string()) return Val::String(tree);
    if (tree.is_int()) return Val::Int(tree.AsInt());
    return Val::Error("invalid data, expected XIntOrString value to be either a string or integer");
  }
  if (schema->type == "object") {
    if (!tree.is_object()) {
      return Val::Error("invalid data, expected a map for the provided schema with type=object");
    }
    return Val::Map(std::make_shared<const SchemaMap>(tree, schema));
  }
  if (schema->type == "array") {
    if (!tree.is_array()) {
      return Val::Error("invalid data, expected an array for the provided schema with type=array");
    }
    if (schema->items == nullptr) {
      return Val::Error("invalid array type, expected Items with a non-empty Schema");
    }
    return Val::List(std::make_shared<const SchemaList>(tree, schema));
  }
  if (schema->type == "string") return ViewText(tree, *schema);
  if (schema->type == "number") {
    if (tree.is_double()) return Val::Double(tree.AsDouble());
    if (tree.is_int()) return Val::Double(static_cast<double>(tree.AsInt()));
    return WrongType("float", tree);
  }
  if (schema->type == "integer") {
    return tree.is_int() ? Val::Int(tree.AsInt()) : WrongType("int", tree);
  }
  if (schema->type == "boolean") {
    return tree.is_bool() ? Val::Bool(tree.AsBool()) : WrongType("bool", tree);
  }
  if (schema->preserve_unknown) {
    return Val::Opaque(std::make_shared<const PreservedValue>(tree));
  }
  return Val::Error(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got " +
      schema->type);
}

}  // namespace ksim::cel
