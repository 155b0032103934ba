// Value: an immutable document (null, bool, int64, double, string, array, object) as a persistent
// tree. Copying a Value shares it (a non-atomic reference count: one simulation, one thread);
// changing one copies only the nodes along the changed path. Objects keep their fields sorted by
// name (bytewise), which is also the order of every output. Int64 and strings are exact; a number
// written without fraction and exponent that fits is an int, else a double.
//
// Content hashes are over canonical bytes (sorted names, text, never atom numbers), cached in the
// nodes: equal content = equal hash in every process.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::value {

// An interned field name. The table is process-wide and never shrinks: intern names that programs
// and manifests use, never generated text. Atom numbers never reach an output or a hash.
class Atom {
 public:
  constexpr Atom() = default;            // the empty name
  explicit Atom(std::string_view text);  // interns
  std::string_view text() const;
  std::uint32_t number() const { return number_; }
  friend constexpr bool operator==(Atom, Atom) = default;

 private:
  std::uint32_t number_ = 0;
};

class Value;
struct Node;  // value/node.h

namespace internal {
// A Value is one word. Low three bits 0-4: a pointer to a refcounted node (object, array, string,
// int64 beyond 61 bits, double); 5: an int in the upper 61 bits; 6: a constant that needs no node.
inline constexpr std::uint64_t kTagMask = 7;
enum Tag : std::uint64_t {
  kObjectTag = 0,
  kArrayTag = 1,
  kStringTag = 2,
  kBigIntTag = 3,
  kDoubleTag = 4,
  kIntTag = 5,
  kConstantTag = 6,
};
inline constexpr std::uint64_t Constant(std::uint64_t k) { return (k << 3) | kConstantTag; }
inline constexpr std::uint64_t kNullBits = Constant(0);
inline constexpr std::uint64_t kFalseBits = Constant(1);
inline constexpr std::uint64_t kTrueBits = Constant(2);
inline constexpr std::uint64_t kEmptyStringBits = Constant(3);
inline constexpr std::uint64_t kEmptyArrayBits = Constant(4);
inline constexpr std::uint64_t kEmptyObjectBits = Constant(5);

inline Tag TagOf(std::uint64_t bits) { return static_cast<Tag>(bits & kTagMask); }
inline Node* NodeOf(std::uint64_t bits) { return reinterpret_cast<Node*>(bits & ~kTagMask); }
inline bool IsNode(std::uint64_t bits) { return (bits & kTagMask) <= kDoubleTag; }
// The head of a node; its members, items or bytes follow.
struct NodeHead {
  std::uint32_t refs;
  std::uint32_t size;  // members, items or bytes
  std::uint64_t hash;  // cached content hash; while being destroyed, the next node to destroy
};
inline NodeHead* HeadOf(std::uint64_t bits) {
  return reinterpret_cast<NodeHead*>(bits & ~kTagMask);
}
inline std::uint32_t& Refs(std::uint64_t bits) { return HeadOf(bits)->refs; }
void Destroy(std::uint64_t bits) noexcept;  // of a node nobody refers to any more
}  // namespace internal

// One step into a tree: a field, an array index, or the element whose field has a value
// (conditions[type=Ready]).
struct PathStep {
  enum class Kind : std::uint8_t { kField, kIndex, kMatch };
  PathStep(Atom field) : kind(Kind::kField), name(field) {}                    // NOLINT
  PathStep(std::string_view field) : kind(Kind::kField), name(Atom(field)) {}  // NOLINT
  PathStep(const char* field)
      : kind(Kind::kField), name(Atom(std::string_view(field))) {}  // NOLINT
  static PathStep Index(std::uint32_t i);
  static PathStep Match(std::string_view field, std::string_view equals);
  Kind kind;
  Atom name;
  std::uint32_t index = 0;
  std::string equals;
};

// A way to a place in a tree. Make the ones you use often once: static const Path kPhase{"status",
// "phase"}.
class Path {
 public:
  Path() = default;
  Path(std::initializer_list<PathStep> steps) : steps_(steps) {}
  explicit Path(std::vector<PathStep> steps) : steps_(std::move(steps)) {}
  // kubectl's jsonpath without braces: a.b, a[0], a[type=Ready].b, a['x.y/z'], a.b\.c
  static absl::StatusOr<Path> Parse(std::string_view text);
  std::string ToString() const;
  const std::vector<PathStep>& steps() const { return steps_; }
  Path Child(PathStep step) const;
  bool empty() const { return steps_.empty(); }

 private:
  std::vector<PathStep> steps_;
};

class Value {
 public:
  enum class Type : std::uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };
  struct Member;  // {Atom name; Value value}

  constexpr Value() noexcept : bits_(internal::kNullBits) {}  // null
  Value(const Value& o) noexcept : bits_(o.bits_) {
    if (internal::IsNode(bits_)) ++internal::Refs(bits_);
  }
  Value(Value&& o) noexcept : bits_(o.bits_) { o.bits_ = internal::kNullBits; }
  Value& operator=(const Value& o) noexcept {
    Value copy(o);
    std::swap(bits_, copy.bits_);
    return *this;
  }
  Value& operator=(Value&& o) noexcept {
    std::swap(bits_, o.bits_);
    return *this;
  }
  ~Value() {
    if (internal::IsNode(bits_) && --internal::Refs(bits_) == 0) internal::Destroy(bits_);
  }

  static Value Bool(bool b);
  static Value Int(std::int64_t i);
  static Value Double(double d);  // NaN and infinities have no JSON and print as null
  static Value String(std::string_view s);
  static Value Array(std::vector<Value> items);
  static Value Object(std::vector<Member> members);  // any order; a later duplicate name wins
  static Value EmptyArray();
  static Value EmptyObject();
  // Shorthands for literals: Value::Of("x"), Value::Of(3), Value::Of(true)
  static Value Of(const char* s) { return String(s); }
  static Value Of(std::string_view s) { return String(s); }
  static Value Of(const std::string& s) { return String(s); }
  static Value Of(bool b) { return Bool(b); }
  static Value Of(int i) { return Int(i); }
  static Value Of(std::int64_t i) { return Int(i); }
  static Value Of(Value v) { return v; }

  Type type() const;
  bool is_null() const { return bits_ == internal::kNullBits; }
  bool is_bool() const { return bits_ == internal::kTrueBits || bits_ == internal::kFalseBits; }
  bool is_int() const { return Is(internal::kIntTag) || Is(internal::kBigIntTag); }
  bool is_double() const { return Is(internal::kDoubleTag); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return Is(internal::kStringTag) || bits_ == internal::kEmptyStringBits; }
  bool is_array() const { return Is(internal::kArrayTag) || bits_ == internal::kEmptyArrayBits; }
  bool is_object() const { return Is(internal::kObjectTag) || bits_ == internal::kEmptyObjectBits; }
  std::string_view type_name() const;  // "null" "boolean" "integer" "number" "string" ...

  // Scalars; of another type: false, 0, 0.0, "". The string_view lives as long as the tree.
  bool AsBool() const;
  std::int64_t AsInt() const;
  double AsDouble() const;
  std::string_view AsString() const;

  // Number of items or members; 0 for scalars.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  // Array item; null Value past the end.
  const Value& at(std::size_t i) const;
  // Object member by position (sorted by name).
  const Member& member(std::size_t i) const;
  // Field of an object; a null Value if missing or not an object. Never copies.
  const Value& Get(Atom name) const;
  const Value& Get(std::string_view name) const;
  // The place a path leads to; a null Value if it leads nowhere.
  const Value& Get(const Path& path) const;
  bool Has(std::string_view name) const;  // present, even if null
  const Value* Find(Atom name) const;     // null pointer if missing
  const Value* Find(const Path& path) const;

  // Range-for over an array / an object's members.
  struct Items;
  Items items() const;
  struct Members;
  Members members() const;

  // A copy with the place at `path` replaced. Missing objects on the way are made; a kMatch step
  // that finds nothing appends {field: equals}; an index one past the end appends, a larger one
  // changes nothing. A scalar in the way is replaced by an object (an array if the step is an
  // index or a match). Setting what is already there gives the same tree. On an rvalue, nodes that
  // nobody else holds are changed in place: v = std::move(v).Set(...), or a chain of Sets.
  Value Set(const Path& path, Value v) const&;
  Value Set(Atom name, Value v) const&;
  Value Set(std::string_view name, Value v) const&;
  Value Set(const Path& path, Value v) &&;
  Value Set(Atom name, Value v) &&;
  Value Set(std::string_view name, Value v) &&;
  // A copy without that place; the same tree if there is none.
  Value Erase(const Path& path) const;
  Value Erase(std::string_view name) const;
  Value Append(Value item) const;  // arrays; null counts as an empty array

  // The same object or array node, or equal scalars: cheap, may be false for equal trees.
  bool SameTree(const Value& o) const;
  std::uint64_t Hash() const;  // content hash, cached
  friend bool operator==(const Value& a, const Value& b);

  // Approximate heap bytes that only this tree holds alive would free; for benches and tests.
  std::size_t OwnBytes() const;

 private:
  friend struct ValueAccess;
  bool Is(internal::Tag tag) const { return internal::TagOf(bits_) == tag; }
  // The payload of a node.
  template <class T>
  const T* Payload() const {
    return reinterpret_cast<const T*>(internal::HeadOf(bits_) + 1);
  }
  std::uint64_t bits_;  // tagged: scalar or Node*
};

struct Value::Member {
  Member() = default;
  Member(Atom n, Value v) : name(n), value(std::move(v)) {}
  Member(std::string_view n, Value v) : name(n), value(std::move(v)) {}
  Atom name;
  Value value;
};

struct Value::Items {
  const Value* first;
  const Value* last;
  const Value* begin() const { return first; }
  const Value* end() const { return last; }
};
struct Value::Members {
  const Member* first;
  const Member* last;
  const Member* begin() const { return first; }
  const Member* end() const { return last; }
};

inline std::size_t Value::size() const {
  return Is(internal::kObjectTag) || Is(internal::kArrayTag) ? internal::HeadOf(bits_)->size : 0;
}
inline std::string_view Value::AsString() const {
  if (!Is(internal::kStringTag)) return "";
  return {Payload<char>(), internal::HeadOf(bits_)->size};
}
inline Value::Items Value::items() const {
  if (!Is(internal::kArrayTag)) return {nullptr, nullptr};
  const Value* first = Payload<Value>();
  return {first, first + size()};
}
inline Value::Members Value::members() const {
  if (!Is(internal::kObjectTag)) return {nullptr, nullptr};
  const Member* first = Payload<Member>();
  return {first, first + size()};
}

// Value o = Obj({{"a", Value::Of(1)}, {"b", Value::Of("x")}});
Value Obj(std::initializer_list<std::pair<std::string_view, Value>> members);
Value Arr(std::initializer_list<Value> items);

// Collects members, then makes the object once: cheaper than repeated Set.
class ObjectBuilder {
 public:
  ObjectBuilder() = default;
  ObjectBuilder& Add(Atom name, Value v);
  ObjectBuilder& Add(std::string_view name, Value v) { return Add(Atom(name), std::move(v)); }
  ObjectBuilder& AddIf(bool condition, std::string_view name, Value v);
  Value Build();

 private:
  std::vector<Value::Member> members_;
};

}  // namespace ksim::value
