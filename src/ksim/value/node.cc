#include "ksim/value/node.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "ksim/base/internal/small_pool.h"
#include "ksim/value/atom.h"
#include "ksim/value/text_ends.h"

namespace ksim::value {
namespace {

std::size_t PayloadBytes(Tag tag, std::uint32_t size) {
  switch (tag) {
    case kObjectTag:
      return sizeof(Value::Member) * size;
    case kArrayTag:
      return sizeof(Value) * size;
    case kStringTag:
      return size;
    default:
      return 8;
  }
}

// Drops one reference; a node that nobody holds any more goes onto the list of `pending`.
void Drop(Value& v, std::uint64_t* pending) {
  const std::uint64_t bits = ValueAccess::Release(v);
  if (!internal::IsNode(bits) || --internal::Refs(bits) != 0) return;
  NodeOf(bits)->hash = *pending;
  *pending = bits;
}

// True if the members are sorted without duplicates, as most lists of members are.
bool InOrder(std::span<const Value::Member> members) {
  if (members.empty()) return true;
  const AtomEntry* before = &Entry(members.front().name);
  for (const Value::Member& m : members.subspan(1)) {
    const AtomEntry* const entry = &Entry(m.name);
    if (CompareText(*before, *entry) >= 0) return false;
    before = entry;
  }
  return true;
}

void SortByName(std::span<Value::Member> members) {
  const auto before = [](const Value::Member& a, const Value::Member& b) {
    return CompareText(a.name, b.name) < 0;
  };
  if (members.size() > 24) {
    std::stable_sort(members.begin(), members.end(), before);
    return;
  }
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (!before(members[i], members[i - 1])) continue;
    Value::Member moving = std::move(members[i]);
    std::size_t j = i;
    for (; j > 0 && before(moving, members[j - 1]); --j) members[j] = std::move(members[j - 1]);
    members[j] = std::move(moving);
  }
}

auto LowerBound(std::span<const Value::Member> members, Atom name) {
  const auto before = [](const Value::Member& m, const AtomEntry& wanted) {
    return CompareText(Entry(m.name), wanted) < 0;
  };
  return std::lower_bound(members.begin(), members.end(), Entry(name), before);
}

// Keeps the last member of each name; returns the number of members that stay.
std::size_t DropDuplicates(std::span<Value::Member> members, std::optional<Atom>* duplicate) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (kept > 0 && members[kept - 1].name == members[i].name) {
      if (duplicate != nullptr) *duplicate = members[i].name;
      --kept;
    }
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  return kept;
}

// The short strings that this thread made lately. Documents repeat a few words ("True", "Running",
// image names, the timestamp of a second), so most of them share a node. Only memory depends on it:
// SameTree compares scalars by content.
class RecentStrings {
 public:
  static constexpr std::size_t kMaxBytes = 32;

  Value Make(std::string_view s) {
    const Ends ends = EndsOf(s);
    Value& slot = slots_[ends.Place(kBits)];
    const std::string_view here = slot.AsString();
    if (EndsOf(here) == ends && (s.size() <= kToldApart || here == s)) return slot;
    Node* node = NewNode(kStringTag, static_cast<std::uint32_t>(s.size()));
    std::memcpy(node->chars(), s.data(), s.size());
    node->hash = HashText(s);
    slot = Adopt(node, kStringTag);
    return slot;
  }

 private:
  static constexpr int kBits = 10;
  std::array<Value, 1 << kBits> slots_;
};

// NOLINT(ksim-static): a cache of equal strings; a hit and a miss give equal values.
thread_local RecentStrings t_recent_strings;

}  // namespace

Node* NewNode(Tag tag, std::uint32_t size) {
  return new (SmallPool::Allocate(sizeof(Node) + PayloadBytes(tag, size))) Node{{1, size, 0}};
}

void internal::Destroy(std::uint64_t bits) noexcept {
  std::uint64_t pending = bits;
  NodeOf(bits)->hash = kNullBits;
  while (pending != kNullBits) {
    const Tag tag = TagOf(pending);
    Node* node = NodeOf(pending);
    pending = node->hash;
    if (tag == kObjectTag) {
      for (std::uint32_t i = 0; i < node->size; ++i) Drop(node->members()[i].value, &pending);
    } else if (tag == kArrayTag) {
      for (std::uint32_t i = 0; i < node->size; ++i) Drop(node->items()[i], &pending);
    }
    SmallPool::Free(node, sizeof(Node) + PayloadBytes(tag, node->size));
  }
}

Value MakeString(std::string_view s) {
  if (s.empty()) return ValueAccess::Adopt(kEmptyStringBits);
  if (s.size() <= RecentStrings::kMaxBytes) return t_recent_strings.Make(s);
  Node* node = NewNode(kStringTag, static_cast<std::uint32_t>(s.size()));
  std::memcpy(node->chars(), s.data(), s.size());
  return Adopt(node, kStringTag);
}

Value MakeArray(std::span<Value> items) {
  if (items.empty()) return ValueAccess::Adopt(kEmptyArrayBits);
  Node* node = NewNode(kArrayTag, static_cast<std::uint32_t>(items.size()));
  std::uninitialized_move(items.begin(), items.end(), node->items());
  return Adopt(node, kArrayTag);
}

Value MakeObject(std::span<Value::Member> members, std::optional<Atom>* duplicate) {
  if (!InOrder(members)) {
    SortByName(members);
    members = members.first(DropDuplicates(members, duplicate));
  }
  if (members.empty()) return ValueAccess::Adopt(kEmptyObjectBits);
  Node* node = NewNode(kObjectTag, static_cast<std::uint32_t>(members.size()));
  std::uninitialized_move(members.begin(), members.end(), node->members());
  return Adopt(node, kObjectTag);
}

Slot FindSlot(std::span<const Value::Member> members, Atom name) {
  if (const Value::Member* m = FindMember(members, name)) {
    return {static_cast<std::size_t>(m - members.data()), true};
  }
  return {static_cast<std::size_t>(LowerBound(members, name) - members.begin()), false};
}

const Value::Member* FindAmongMany(std::span<const Value::Member> members, Atom name) {
  const auto it = LowerBound(members, name);
  return it != members.end() && it->name == name ? &*it : nullptr;
}

}  // namespace ksim::value
