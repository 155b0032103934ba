// Val: a value while an expression runs. Strings, lists and maps of documents are views on their
// value::Value trees; nothing is copied. An error is a value too, since && and || take it back.
//
// Upstream: cel-go common/types; k8s.io/apiserver pkg/cel/common/valuesunstructured.go.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/cel/types/type.h"
#include "ksim/value/value.h"

namespace ksim::cel {

enum class ValKind : std::uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kType,
  kOptional,
  kOpaque,  // of a library: a URL, a quantity, an address
};

class Val;
class ListNode;
class MapNode;
class OpaqueNode;
class EntryMap;  // values/containers.h

// Base of what a Val shares.
struct ValNode {
  virtual ~ValNode() = default;
};

class Val {
 public:
  Val() = default;  // null
  static Val Null() { return {}; }
  static Val Bool(bool b) { return Scalar(ValKind::kBool, b ? 1 : 0); }
  static Val Int(std::int64_t i) { return Scalar(ValKind::kInt, static_cast<std::uint64_t>(i)); }
  static Val Uint(std::uint64_t u) { return Scalar(ValKind::kUint, u); }
  static Val Double(double d);
  static Val String(std::string_view s) { return String(value::Value::String(s)); }
  static Val String(value::Value s) { return Text(ValKind::kString, std::move(s)); }
  static Val Bytes(std::string_view s) { return Text(ValKind::kBytes, value::Value::String(s)); }
  // Seconds since 1970, and the offset east of UTC in which the text of the time is shown.
  static Val Timestamp(std::int64_t seconds, std::int32_t nanos, std::int32_t offset = 0);
  static Val Duration(std::int64_t nanos) {
    return Scalar(ValKind::kDuration, static_cast<std::uint64_t>(nanos));
  }
  static Val List(std::vector<Val> items);
  static Val List(std::shared_ptr<const ListNode> list);
  // In this order; of equal keys the last entry wins at the place of the first.
  static Val Map(std::vector<std::pair<Val, Val>> entries);
  static Val Map(std::shared_ptr<const MapNode> map);
  static Val OfType(TypePtr type);
  static Val Optional(Val value);
  static Val None();
  static Val Opaque(std::shared_ptr<const OpaqueNode> opaque);
  static Val Error(std::string_view message);
  static Val NoSuchOverload() { return Error("no such overload"); }

  ValKind kind() const { return kind_; }
  bool is_error() const { return kind_ == ValKind::kError; }
  bool is_null() const { return kind_ == ValKind::kNull; }
  bool is_bool() const { return kind_ == ValKind::kBool; }
  bool is_true() const { return kind_ == ValKind::kBool && bits_ != 0; }
  bool is_false() const { return kind_ == ValKind::kBool && bits_ == 0; }
  bool is_int() const { return kind_ == ValKind::kInt; }
  bool is_uint() const { return kind_ == ValKind::kUint; }
  bool is_double() const { return kind_ == ValKind::kDouble; }
  bool is_string() const { return kind_ == ValKind::kString; }
  bool is_list() const { return kind_ == ValKind::kList; }
  bool is_map() const { return kind_ == ValKind::kMap; }
  bool is_optional() const { return kind_ == ValKind::kOptional; }

  std::int64_t AsInt() const { return static_cast<std::int64_t>(bits_); }
  std::uint64_t AsUint() const { return bits_; }
  double AsDouble() const;
  std::string_view AsText() const { return tree_.AsString(); }  // strings and bytes
  std::string_view message() const { return tree_.AsString(); }
  const value::Value& text_tree() const { return tree_; }
  std::int64_t seconds() const { return static_cast<std::int64_t>(bits_); }
  std::int32_t nanos() const { return nanos_; }
  std::int32_t offset() const { return offset_; }
  const ListNode& list() const;
  const MapNode& map() const;
  const OpaqueNode& opaque() const;
  const TypePtr& type_value() const { return type_; }
  // The value in an optional; null if it has none.
  const Val* optional_value() const;

  // The runtime type: list and map without parameters.
  TypePtr type() const;
  std::string_view type_name() const { return type()->name; }
  // size(): code points, bytes, items or entries. For values without a size: 1, as costs count
  // them.
  std::uint64_t Size() const;
  bool HasSize() const;
  // The list's own elements if nobody else refers to it, to append in place; else null.
  std::vector<Val>* UniqueItems();
  EntryMap* UniqueEntries();  // the same of a map
  bool IsZeroValue() const;
  // The text of an error about this value, as Go's %v prints it.
  std::string ToText() const;

 private:
  static Val Scalar(ValKind kind, std::uint64_t bits);
  static Val Text(ValKind kind, value::Value text);

  ValKind kind_ = ValKind::kNull;
  std::int32_t nanos_ = 0;
  std::int32_t offset_ = 0;
  std::uint64_t bits_ = 0;
  value::Value tree_;
  TypePtr type_;
  std::shared_ptr<const ValNode> node_;
};

class ListNode : public ValNode {
 public:
  virtual std::size_t size() const = 0;
  virtual Val at(std::size_t i) const = 0;
  // Adds the items of another list: a list of a schema with keys replaces those of equal keys.
  virtual Val Concatenate(const Val& other) const;
  virtual Val EqualTo(const Val& other) const;  // true, false or an error
  virtual Val Contains(const Val& item) const;
};

class MapNode : public ValNode {
 public:
  virtual std::size_t size() const = 0;
  virtual Val key(std::size_t i) const = 0;
  virtual Val value(std::size_t i) const = 0;
  // nullopt: no such key. An error if keys of that type cannot be looked up.
  virtual std::optional<Val> Find(const Val& key) const = 0;
  virtual std::size_t visible() const { return size(); }  // entries that iteration shows
  virtual Val EqualTo(const Val& other) const;
};

class OpaqueNode : public ValNode {
 public:
  virtual TypePtr type() const = 0;
  virtual Val EqualTo(const Val& other) const = 0;
};

// A value of a document without a schema: numbers are int or double, objects are maps.
Val FromTree(const value::Value& tree);
// The document of a value, as JSON has it: bytes in base64, times and durations as texts. An error
// of the argument's kind for what JSON cannot say.
std::optional<value::Value> ToTree(const Val& v);

}  // namespace ksim::cel
