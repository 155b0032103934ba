// Set, Erase and Append: copies of the nodes along one path. A node that only the edited value
// holds is changed in place instead.
#include "ksim/value/edit.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/value/node.h"

namespace ksim::value {
namespace {

using Steps = std::span<const PathStep>;

Value SetSteps(Value base, Steps steps, Value v);

Value CopyObject(std::span<const Value::Member> members, std::size_t insert_at, bool insert) {
  Node* node = NewNode(kObjectTag, static_cast<std::uint32_t>(members.size() + (insert ? 1 : 0)));
  const auto split = members.begin() + static_cast<std::ptrdiff_t>(insert_at);
  Value::Member* rest = std::copy(members.begin(), split, node->members());
  std::copy(split, members.end(), rest + (insert ? 1 : 0));
  return Adopt(node, kObjectTag);
}

Value CopyArray(std::span<const Value> items, std::size_t extra) {
  Node* node = NewNode(kArrayTag, static_cast<std::uint32_t>(items.size() + extra));
  std::copy(items.begin(), items.end(), node->items());
  return Adopt(node, kArrayTag);
}

Value SetField(Value base, Atom name, Steps rest, Value v) {
  const auto members = MembersOf(base);
  const Slot slot = FindSlot(members, name);
  if (!slot.found) {
    Value made = CopyObject(members, slot.index, /*insert=*/true);
    Value::Member& m = NodeOf(Bits(made))->members()[slot.index];
    m.name = name;
    m.value = SetSteps(Value(), rest, std::move(v));
    return made;
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
  Value made = CopyObject(members, slot.index, /*insert=*/false);
  NodeOf(Bits(made))->members()[slot.index].value = std::move(changed);
  return made;
}

Value SetItem(Value base, std::size_t index, Steps rest, Value v) {
  const auto items = ItemsOf(base);
  if (index > items.size()) return base;
  if (index == items.size()) {
    Value made = CopyArray(items, 1);
    NodeOf(Bits(made))->items()[index] = SetSteps(Value(), rest, std::move(v));
    return made;
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
  Value made = CopyArray(items, 0);
  NodeOf(Bits(made))->items()[index] = std::move(changed);
  return made;
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

// A copy without the child at `index`.
Value Without(const Value& base, std::size_t index) {
  if (base.size() == 1) return base.is_object() ? Value::EmptyObject() : Value::EmptyArray();
  const auto n = static_cast<std::uint32_t>(base.size() - 1);
  const auto at = static_cast<std::ptrdiff_t>(index);
  if (base.is_object()) {
    const auto from = MembersOf(base);
    Node* node = NewNode(kObjectTag, n);
    Value::Member* rest = std::copy(from.begin(), from.begin() + at, node->members());
    std::copy(from.begin() + at + 1, from.end(), rest);
    return Adopt(node, kObjectTag);
  }
  const auto from = ItemsOf(base);
  Node* node = NewNode(kArrayTag, n);
  Value* rest = std::copy(from.begin(), from.begin() + at, node->items());
  std::copy(from.begin() + at + 1, from.end(), rest);
  return Adopt(node, kArrayTag);
}

// Position of the child a step leads to.
std::optional<std::size_t> ChildIndex(const Value& base, const PathStep& step) {
  const Value* child = FindStep(base, step);
  if (child == nullptr) return std::nullopt;
  if (step.kind == PathStep::Kind::kField) return FindSlot(MembersOf(base), step.name).index;
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
  Value made = object ? CopyObject(MembersOf(base), 0, false) : CopyArray(ItemsOf(base), 0);
  Node* node = NodeOf(Bits(made));
  (object ? node->members()[*index].value : node->items()[*index]) = std::move(changed);
  return made;
}

}  // namespace

Value Value::Set(const Path& path, Value v) const& {
  return SetSteps(*this, path.steps(), std::move(v));
}
Value Value::Set(Atom name, Value v) const& {
  return SetField(is_object() ? *this : EmptyObject(), name, {}, std::move(v));
}
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
