// The nodes behind a Value, and the access to them that the files of this layer have.
//
// Invariants:
// 1. An object's members are sorted bytewise by name, without duplicates.
// 2. Empty strings, arrays and objects are constants and have no node.
// 3. `hash` is 0 or the content hash; it is cleared whenever a node is changed in place, which
//    happens only while exactly one Value refers to it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

using internal::HeadOf;
using internal::NodeOf;
using internal::Tag;
using internal::TagOf;
using enum internal::Tag;
using internal::kEmptyArrayBits;
using internal::kEmptyObjectBits;
using internal::kEmptyStringBits;
using internal::kFalseBits;
using internal::kNullBits;
using internal::kTrueBits;

struct Node : internal::NodeHead {
  Value::Member* members() { return reinterpret_cast<Value::Member*>(this + 1); }
  Value* items() { return reinterpret_cast<Value*>(this + 1); }
  char* chars() { return reinterpret_cast<char*>(this + 1); }
  std::int64_t* int64() { return reinterpret_cast<std::int64_t*>(this + 1); }
  double* real() { return reinterpret_cast<double*>(this + 1); }
};
static_assert(sizeof(Node) == 16 && sizeof(Value) == 8 && sizeof(Value::Member) == 16);

struct ValueAccess {
  static std::uint64_t Bits(const Value& v) { return v.bits_; }
  static Value Adopt(std::uint64_t bits) {  // takes over one reference
    Value v;
    v.bits_ = bits;
    return v;
  }
  static std::uint64_t Release(Value& v) {
    const std::uint64_t bits = v.bits_;
    v.bits_ = internal::kNullBits;
    return bits;
  }
};

inline std::uint64_t Bits(const Value& v) { return ValueAccess::Bits(v); }
inline bool IsNode(const Value& v) { return internal::IsNode(Bits(v)); }
inline bool IsUnique(const Value& v) { return IsNode(v) && NodeOf(Bits(v))->refs == 1; }

// Empty for a value that is no object, or no array.
inline std::span<const Value::Member> MembersOf(const Value& v) {
  const Value::Members members = v.members();
  return {members.first, members.last};
}
inline std::span<const Value> ItemsOf(const Value& v) {
  const Value::Items items = v.items();
  return {items.first, items.last};
}

// A new node, its members or items still raw memory: the caller constructs them all (sorted).
Node* NewNode(Tag tag, std::uint32_t size);
inline Value Adopt(Node* node, Tag tag) {
  return ValueAccess::Adopt(reinterpret_cast<std::uint64_t>(node) | tag);
}

// Moves the items or members out of the span. Members are sorted here; the
// later of two with one name wins, and *duplicate, if given, gets that name.
Value MakeString(std::string_view s);
Value MakeArray(std::span<Value> items);
Value MakeObject(std::span<Value::Member> members, std::optional<Atom>* duplicate = nullptr);

// Position of a name among sorted members, or where it would go.
struct Slot {
  std::size_t index;
  bool found;
};
Slot FindSlot(std::span<const Value::Member> members, Atom name);
inline constexpr std::size_t kLinear = 16;  // up to here a scan is faster than a binary search
const Value::Member* FindAmongMany(std::span<const Value::Member> members, Atom name);
inline const Value::Member* FindMember(std::span<const Value::Member> members, Atom name) {
  if (members.size() > kLinear) return FindAmongMany(members, name);
  for (const Value::Member& m : members) {
    if (m.name == name) return &m;
  }
  return nullptr;
}
inline const Value::Member* FindMember(std::span<const Value::Member> members,
                                       std::string_view name) {
  return members.empty() ? nullptr : FindMember(members, Atom(name));
}

// True if the element fits the path step [field=equals]. Integers and booleans compare by text.
bool MatchesStep(const Value& element, const PathStep& step);
// The child a step leads to; a null pointer if none.
const Value* FindStep(const Value& v, const PathStep& step);

std::uint64_t HashText(std::string_view s);  // the content hash of a string

}  // namespace ksim::value
