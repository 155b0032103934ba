#include "ksim/value/value.h"

#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/value/node.h"

namespace ksim::value {
namespace {

constinit const Value kNullValue;
constinit const Value::Member kNullMember;

constexpr std::int64_t kMaxInlineInt = (std::int64_t{1} << 60) - 1;
constexpr std::int64_t kMinInlineInt = -(std::int64_t{1} << 60);

}  // namespace

Value Value::Bool(bool b) { return ValueAccess::Adopt(b ? kTrueBits : kFalseBits); }

Value Value::Int(std::int64_t i) {
  if (i >= kMinInlineInt && i <= kMaxInlineInt) {
    return ValueAccess::Adopt((static_cast<std::uint64_t>(i) << 3) | kIntTag);
  }
  Node* node = NewNode(kBigIntTag, 0);
  *node->int64() = i;
  return Adopt(node, kBigIntTag);
}

Value Value::Double(double d) {
  Node* node = NewNode(kDoubleTag, 0);
  *node->real() = d;
  return Adopt(node, kDoubleTag);
}

Value Value::String(std::string_view s) { return MakeString(s); }
Value Value::Array(std::vector<Value> items) { return MakeArray(items); }
Value Value::Object(std::vector<Member> members) { return MakeObject(members); }
Value Value::EmptyArray() { return ValueAccess::Adopt(kEmptyArrayBits); }
Value Value::EmptyObject() { return ValueAccess::Adopt(kEmptyObjectBits); }

Value::Type Value::type() const {
  static constexpr Type kByTag[] = {Type::kObject, Type::kArray,  Type::kString,
                                    Type::kInt,    Type::kDouble, Type::kInt};
  static constexpr Type kByConstant[] = {Type::kNull,   Type::kBool,  Type::kBool,
                                         Type::kString, Type::kArray, Type::kObject};
  const Tag tag = TagOf(bits_);
  return tag == kConstantTag ? kByConstant[bits_ >> 3] : kByTag[tag];
}

std::string_view Value::type_name() const {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "integer", "number",
                                                "string", "array",   "object"};
  return kNames[static_cast<std::size_t>(type())];
}

bool Value::AsBool() const { return bits_ == kTrueBits; }

std::int64_t Value::AsInt() const {
  if (TagOf(bits_) == kIntTag) return static_cast<std::int64_t>(bits_) >> 3;
  return TagOf(bits_) == kBigIntTag ? *NodeOf(bits_)->int64() : 0;
}

double Value::AsDouble() const {
  if (TagOf(bits_) == kDoubleTag) return *NodeOf(bits_)->real();
  return static_cast<double>(AsInt());
}

const Value& Value::at(std::size_t i) const {
  const auto items = ItemsOf(*this);
  return i < items.size() ? items[i] : kNullValue;
}

const Value::Member& Value::member(std::size_t i) const {
  const auto members = MembersOf(*this);
  return i < members.size() ? members[i] : kNullMember;
}

const Value* Value::Find(Atom name) const {
  const Member* m = FindMember(MembersOf(*this), name);
  return m == nullptr ? nullptr : &m->value;
}

const Value* Value::Find(const Path& path) const {
  const Value* at = this;
  for (const PathStep& step : path.steps()) {
    at = step.kind == PathStep::Kind::kField ? at->Find(step.name) : FindStep(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

const Value& Value::Get(Atom name) const {
  const Member* m = FindMember(MembersOf(*this), name);
  return m == nullptr ? kNullValue : m->value;
}

const Value& Value::Get(std::string_view name) const {
  const Member* m = FindMember(MembersOf(*this), name);
  return m == nullptr ? kNullValue : m->value;
}

const Value& Value::Get(const Path& path) const {
  const Value* found = Find(path);
  return found == nullptr ? kNullValue : *found;
}

bool Value::Has(std::string_view name) const {
  return FindMember(MembersOf(*this), name) != nullptr;
}

Value Obj(std::initializer_list<std::pair<std::string_view, Value>> members) {
  absl::InlinedVector<Value::Member, 16> list;
  for (const auto& [name, v] : members) list.emplace_back(name, v);
  return MakeObject(std::span(list));
}

Value Arr(std::initializer_list<Value> items) {
  absl::InlinedVector<Value, 8> list(items);
  return MakeArray(std::span(list));
}

ObjectBuilder& ObjectBuilder::Add(Atom name, Value v) {
  // Most objects that are built have some ten members.
  if (members_.empty()) members_.reserve(12);
  members_.emplace_back(name, std::move(v));
  return *this;
}

ObjectBuilder& ObjectBuilder::AddIf(bool condition, std::string_view name, Value v) {
  if (condition) Add(name, std::move(v));
  return *this;
}

Value ObjectBuilder::Build() {
  Value built = MakeObject(members_);
  members_.clear();
  return built;
}

}  // namespace ksim::value
