// Implements Set, Erase and Append of value.h and edit.h: copies of the nodes along one path. A
// node that only the edited value holds is changed in place instead.
#include "ksim/value/edit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/value/node.h"

namespace ksim::value {
namespace {

using Steps = std::span<const PathStep>;

Value SetSteps(Value base, Steps steps, Value v);

// Returns a node with the old children; those from `at` on move up or down to make room for `added`
// new ones in place of `removed` old ones. The caller constructs the new ones.
template <Tag tag, class Child>
Node* CopyAround(std::span<const Child> children, std::size_t at, std::size_t removed,
                 std::size_t added) {
  Node* node = NewNode(tag, static_cast<std::uint32_t>(children.size() - removed + added));
  auto* to = reinterpret_cast<Child*>(node + 1);
  to = std::uninitialized_copy_n(children.begin(), at, to);
  std::uninitialized_copy(children.begin() + static_cast<std::ptrdiff_t>(at + removed),
                          children.end(), to + added);
  return node;
}

// A copy with the member at `at` replaced, or (`removed` 0) one put in there.
Value WithMember(std::span<const Value::Member> members, std::size_t at, std::size_t removed,
                 Atom name, Value v) {
  Node* node = CopyAround<kObjectTag>(members, at, removed, 1);
  std::construct_at(node->members() + at, name, std::move(v));
  return Adopt(node, kObjectTag);
}

// The same with an item.
Value WithItem(std::span<const Value> items, std::size_t at, std::size_t removed, Value v) {
  Node* node = CopyAround<kArrayTag>(items, at, removed, 1);
  std::construct_at(node->items() + at, std::move(v));
  return Adopt(node, kArrayTag);
}

Value SetField(Value base, Atom name, Steps rest, Value v) {
  const auto members = MembersOf(base);
  const Slot slot = FindSlot(members, name);
  if (!slot.found) {
    return WithMember(members, slot.index, 0, name, SetSteps(Value(), rest, std::move(v)));
  }
  if (IsUnique(base)) {
    Node* node = NodeOf(Bits(base));
    Value& place = node->members()[slot.index].value;
    place = SetSteps(std::move(place), rest, std::move(v));
    node->hash = 0;
    return base;
  }
  const Value& old = members[slot.index].value;
  Value changed = SetSteps(old, rest, std::move(v));
  if (changed.SameTree(old)) return base;
  return WithMember(members, slot.index, 1, name, std::move(changed));
}

Value SetItem(Value base, std::size_t index, Steps rest, Value v) {
  const auto items = ItemsOf(base);
  if (index > items.size()) return base;
  if (index == items.size()) {
    return WithItem(items, index, 0, SetSteps(Value(), rest, std::move(v)));
  }
  if (IsUnique(base)) {
    Node* node = NodeOf(Bits(base));
    Value& place = node->items()[index];
    place = SetSteps(std::move(place), rest, std::move(v));
    node->hash = 0;
    return base;
  }
  Value changed = SetSteps(items[index], rest, std::move(v));
  if (changed.SameTree(items[index])) return base;
  return WithItem(items, index, 1, std::move(changed));
}

std::size_t FindMatch(std::span<const Value> items, const PathStep& step) {
  const auto it = std::find_if(items.begin(), items.end(),
                               [&step](const Value& item) { return MatchesStep(item, step); });
  return static_cast<std::size_t>(it - items.begin());
}

Value SetMatch(Value base, const PathStep& step, Steps rest, Value v) {
  const std::size_t index = FindMatch(ItemsOf(base), step);
  if (index < base.size() || rest.empty()) {
    return SetItem(std::move(base), index, rest, std::move(v));
  }
  Value element = Obj({{step.name.text(), Value::String(step.equals)}});
  return SetItem(std::move(base), index, {}, SetSteps(std::move(element), rest, std::move(v)));
}

Value SetSteps(Value base, Steps steps, Value v) {
  if (steps.empty()) return v;
  const PathStep& step = steps.front();
  const Steps rest = steps.subspan(1);
  switch (step.kind) {
    case PathStep::Kind::kField:
      return SetField(base.is_object() ? std::move(base) : Value::EmptyObject(), step.name, rest,
                      std::move(v));
    case PathStep::Kind::kIndex:
      return SetItem(base.is_array() ? std::move(base) : Value::EmptyArray(), step.index, rest,
                     std::move(v));
    case PathStep::Kind::kMatch:
      return SetMatch(base.is_array() ? std::move(base) : Value::EmptyArray(), step, rest,
                      std::move(v));
  }
  return base;
}

Value WithSteps(const Value& base, Steps steps, Value v);

// SetField and SetSteps of a value that stays: they change nothing in place on their way, and so
// hold nothing.
Value WithField(const Value& base, Atom name, Steps rest, Value v) {
  const auto members = MembersOf(base);
  const Slot slot = FindSlot(members, name);
  if (!slot.found)
    return WithMember(members, slot.index, 0, name, WithSteps(Value(), rest, std::move(v)));
  const Value& old = members[slot.index].value;
  Value changed = WithSteps(old, rest, std::move(v));
  if (changed.SameTree(old)) return base;
  return WithMember(members, slot.index, 1, name, std::move(changed));
}

Value WithSteps(const Value& base, Steps steps, Value v) {
  if (steps.empty()) return v;
  const PathStep& step = steps.front();
  if (step.kind != PathStep::Kind::kField) return SetSteps(base, steps, std::move(v));
  return WithField(base, step.name, steps.subspan(1), std::move(v));
}

// A copy without the child at `index`.
Value Without(const Value& base, std::size_t index) {
  if (base.size() == 1) return base.is_object() ? Value::EmptyObject() : Value::EmptyArray();
  return base.is_object() ? Adopt(CopyAround<kObjectTag>(MembersOf(base), index, 1, 0), kObjectTag)
                          : Adopt(CopyAround<kArrayTag>(ItemsOf(base), index, 1, 0), kArrayTag);
}

// Position of the child a step leads to.
std::optional<std::size_t> ChildIndex(const Value& base, const PathStep& step) {
  if (step.kind == PathStep::Kind::kField) {
    const auto members = MembersOf(base);
    const Value::Member* m = FindMember(members, step.name);
    if (m == nullptr) return std::nullopt;
    return static_cast<std::size_t>(m - members.data());
  }
  const Value* child = FindStep(base, step);
  if (child == nullptr) return std::nullopt;
  return static_cast<std::size_t>(child - ItemsOf(base).data());
}

Value EraseSteps(const Value& base, Steps steps) {
  const auto index = ChildIndex(base, steps.front());
  if (!index) return base;
  if (steps.size() == 1) return Without(base, *index);
  const bool object = base.is_object();
  const Value& old = object ? MembersOf(base)[*index].value : ItemsOf(base)[*index];
  Value changed = EraseSteps(old, steps.subspan(1));
  if (changed.SameTree(old)) return base;
  return object ? WithMember(MembersOf(base), *index, 1, steps.front().name, std::move(changed))
                : WithItem(ItemsOf(base), *index, 1, std::move(changed));
}

}  // namespace

Value Value::Set(const Path& path, Value v) const& {
  return WithSteps(*this, path.steps(), std::move(v));
}
Value Value::Set(Atom name, Value v) const& { return WithField(*this, name, {}, std::move(v)); }
Value Value::Set(std::string_view name, Value v) const& { return Set(Atom(name), std::move(v)); }

Value Value::Set(const Path& path, Value v) && {
  return SetSteps(std::move(*this), path.steps(), std::move(v));
}
Value Value::Set(Atom name, Value v) && {
  return SetField(is_object() ? std::move(*this) : EmptyObject(), name, {}, std::move(v));
}
Value Value::Set(std::string_view name, Value v) && {
  return std::move(*this).Set(Atom(name), std::move(v));
}

Value Value::Erase(const Path& path) const {
  if (path.empty()) return Value();
  return EraseSteps(*this, path.steps());
}

Value SetAll(const Value& object, std::initializer_list<Value::Member> fields) {
  absl::InlinedVector<Value::Member, 24> members(MembersOf(object).begin(),
                                                 MembersOf(object).end());
  bool changed = !object.is_object();
  for (const Value::Member& field : fields) {
    const Value::Member* old = FindMember(members, field.name);
    if (old == nullptr) {
      members.push_back(field);
    } else if (!old->value.SameTree(field.value)) {
      members[static_cast<std::size_t>(old - members.data())].value = field.value;
    } else {
      continue;
    }
    changed = true;
  }
  return changed ? MakeObject(std::span(members)) : object;
}

Value EraseField(const Value& object, Atom name) {
  const auto members = MembersOf(object);
  const Value::Member* m = FindMember(members, name);
  return m == nullptr ? object : Without(object, static_cast<std::size_t>(m - members.data()));
}

Value Value::Erase(std::string_view name) const { return EraseField(*this, Atom(name)); }

Value Value::Append(Value item) const {
  return SetItem(is_array() ? *this : EmptyArray(), size(), {}, std::move(item));
}

}  // namespace ksim::value
