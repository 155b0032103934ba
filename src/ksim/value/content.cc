// Content of trees: hash, equality, and the memory they hold. Implements value.h and
// partial_hash.h. Every walk has its own stack, so that no depth overflows the thread's.
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ksim/base/hash.h"
#include "ksim/value/atom.h"
#include "ksim/value/node.h"
#include "ksim/value/partial_hash.h"

namespace ksim::value {
namespace {

// The first of the canonical bytes of a node. Fixed for good: traces hold these hashes.
enum class ContentKind : std::uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kInt = 3,
  kDouble = 4,
  kString = 5,
  kArray = 6,
  kObject = 7,
};

class Canonical {
 public:
  // `words`: at most so many will be added.
  Canonical(ContentKind kind, std::size_t words) {
    if (1 + 8 * words > sizeof(inline_)) {
      heap_.resize(1 + 8 * words);
      begin_ = heap_.data();
    }
    end_ = begin_;
    *end_++ = static_cast<char>(kind);
  }
  Canonical(const Canonical&) = delete;
  void Add(std::uint64_t word) { end_ = PutLittleEndian(end_, word); }
  std::uint64_t Hash() const {
    const auto size = static_cast<std::size_t>(end_ - begin_);
    return std::max<std::uint64_t>(XXH3_64bits(begin_, size), 1);
  }

 private:
  char inline_[512];
  std::vector<char> heap_;
  char* begin_ = inline_;
  char* end_;
};

std::uint64_t HashWord(ContentKind kind, std::uint64_t word) {
  Canonical c(kind, 1);
  c.Add(word);
  return c.Hash();
}

std::uint64_t HashScalar(const Value& v) {
  switch (v.type()) {
    case Value::Type::kNull:
      return Canonical(ContentKind::kNull, 0).Hash();
    case Value::Type::kBool:
      return Canonical(v.AsBool() ? ContentKind::kTrue : ContentKind::kFalse, 0).Hash();
    case Value::Type::kInt:
      return HashWord(ContentKind::kInt, static_cast<std::uint64_t>(v.AsInt()));
    case Value::Type::kDouble:
      return HashWord(ContentKind::kDouble, std::bit_cast<std::uint64_t>(v.AsDouble()));
    case Value::Type::kString:
      return HashText(v.AsString());
    case Value::Type::kArray:
      return HashWord(ContentKind::kArray, 0);
    case Value::Type::kObject:
      return HashWord(ContentKind::kObject, 0);
  }
  return 0;
}

bool IsContainer(const Value& v) { return TagOf(Bits(v)) <= kArrayTag; }

// The hash if it can be told without looking at children.
std::uint64_t KnownHash(const Value& v) {
  if (!IsNode(v)) return HashScalar(v);
  Node* node = NodeOf(Bits(v));
  if (node->hash == 0 && !IsContainer(v)) node->hash = HashScalar(v);
  return node->hash;
}

template <typename Visit>
void ForEachChild(const Value& container, Visit visit) {
  for (const Value::Member& m : MembersOf(container)) visit(m.value);
  for (const Value& item : ItemsOf(container)) visit(item);
}

// The number of levels below a tree's root that are hashed by recursion, which visits each node
// once.
constexpr int kShallow = 32;

std::uint64_t HashDeep(const Value& root);

// Gives a container that has no hash one, and all containers below it.
std::uint64_t HashContainer(const Value& v, int levels_left) {
  Node* const node = NodeOf(Bits(v));
  Canonical c(v.is_object() ? ContentKind::kObject : ContentKind::kArray, 1 + 2 * v.size());
  c.Add(v.size());
  const auto add = [&c, levels_left](const Value& child) {
    std::uint64_t hash = IsNode(child) ? NodeOf(Bits(child))->hash : 0;
    if (hash == 0) hash = KnownHash(child);
    if (hash == 0)
      hash = levels_left == 0 ? HashDeep(child) : HashContainer(child, levels_left - 1);
    c.Add(hash);
  };
  for (const Value::Member& m : MembersOf(v)) {
    c.Add(Entry(m.name).hash);
    add(m.value);
  }
  for (const Value& item : ItemsOf(v)) add(item);
  node->hash = c.Hash();
  return node->hash;
}

// The same with a stack of its own, for trees that nest deeper than the thread's stack may bear.
std::uint64_t HashDeep(const Value& root) {
  absl::InlinedVector<const Value*, 32> todo{&root};
  while (!todo.empty()) {
    const Value& v = *todo.back();
    const std::size_t before = todo.size();
    if (NodeOf(Bits(v))->hash == 0) {
      ForEachChild(v, [&todo](const Value& child) {
        if (IsContainer(child) && NodeOf(Bits(child))->hash == 0) todo.push_back(&child);
      });
    }
    if (todo.size() != before) continue;
    if (NodeOf(Bits(v))->hash == 0) HashContainer(v, 0);
    todo.pop_back();
  }
  return NodeOf(Bits(root))->hash;
}

using Pair = std::pair<const Value*, const Value*>;
using Pairs = absl::InlinedVector<Pair, 64>;

bool EqualHere(const Value& a, const Value& b, Pairs* todo);

// The same of two children: a pair of containers that are not one goes onto `todo`.
bool EqualOrLater(const Value& a, const Value& b, Pairs* todo) {
  if (Bits(a) == Bits(b)) return true;
  if (!IsContainer(a)) return EqualHere(a, b, nullptr);
  if (TagOf(Bits(a)) != TagOf(Bits(b))) return false;
  todo->emplace_back(&a, &b);
  return true;
}

// False if one look shows that two values differ; pairs of containers in them go onto `todo`.
bool EqualHere(const Value& a, const Value& b, Pairs* todo) {
  if (Bits(a) == Bits(b)) return true;
  if (!IsNode(a) || !IsNode(b) || TagOf(Bits(a)) != TagOf(Bits(b))) return false;
  Node* x = NodeOf(Bits(a));
  Node* y = NodeOf(Bits(b));
  if (x->size != y->size || (x->hash != 0 && y->hash != 0 && x->hash != y->hash)) return false;
  switch (TagOf(Bits(a))) {
    case kStringTag:
      return std::memcmp(x->chars(), y->chars(), x->size) == 0;
    case kBigIntTag:
    case kDoubleTag:
      return *x->int64() == *y->int64();
    case kArrayTag:
      for (std::uint32_t i = 0; i < x->size; ++i)
        if (!EqualOrLater(x->items()[i], y->items()[i], todo)) return false;
      return true;
    default:
      for (std::uint32_t i = 0; i < x->size; ++i) {
        const Value::Member &m = x->members()[i], &n = y->members()[i];
        if (m.name != n.name || !EqualOrLater(m.value, n.value, todo)) return false;
      }
      return true;
  }
}

inline bool IsOneOfNames(Atom name, std::span<const Atom> names) {
  for (const Atom one : names) {
    if (one == name) return true;
  }
  return false;
}

// True if a field in the tree has one of the names.
bool HoldsAny(const Value& v, std::span<const Atom> names) {
  for (const Value::Member& m : MembersOf(v)) {
    if (IsOneOfNames(m.name, names) || (IsContainer(m.value) && HoldsAny(m.value, names)))
      return true;
  }
  for (const Value& item : ItemsOf(v)) {
    if (IsContainer(item) && HoldsAny(item, names)) return true;
  }
  return false;
}

std::size_t NodeBytes(const Value& v) {
  const std::size_t n = NodeOf(Bits(v))->size;
  std::size_t payload = 8;
  if (v.is_object()) payload = n * sizeof(Value::Member);
  if (v.is_array()) payload = n * sizeof(Value);
  if (v.is_string()) payload = n;
  return (sizeof(Node) + payload + 8 + 15) / 16 * 16;  // as glibc's malloc rounds
}

}  // namespace

std::uint64_t HashText(std::string_view s) {
  const auto seed = static_cast<std::uint64_t>(ContentKind::kString);
  return std::max<std::uint64_t>(XXH3_64bits_withSeed(s.data(), s.size(), seed), 1);
}

std::uint64_t Value::Hash() const {
  if (const std::uint64_t known = KnownHash(*this); known != 0) return known;
  return HashContainer(*this, kShallow);
}

std::uint64_t HashIfKnown(const Value& v) { return IsNode(v) ? NodeOf(Bits(v))->hash : 0; }

std::uint64_t HashWithout(const Value& v, std::span<const Atom> names) {
  if (!IsContainer(v)) return KnownHash(v);
  // Most subtrees have none of the names: they keep the hash that is cached in them.
  if (!HoldsAny(v, names)) return v.Hash();
  const auto counts = [names](const Value::Member& m) { return !IsOneOfNames(m.name, names); };
  const auto members = MembersOf(v);
  const auto size = v.is_object() ? std::count_if(members.begin(), members.end(), counts)
                                  : static_cast<std::ptrdiff_t>(v.size());
  Canonical c(v.is_object() ? ContentKind::kObject : ContentKind::kArray, 1 + 2 * v.size());
  c.Add(static_cast<std::uint64_t>(size));
  for (const Value::Member& m : members) {
    if (!counts(m)) continue;
    c.Add(Entry(m.name).hash);
    c.Add(HashWithout(m.value, names));
  }
  for (const Value& item : ItemsOf(v)) c.Add(HashWithout(item, names));
  return c.Hash();
}

bool operator==(const Value& a, const Value& b) {
  if (!IsContainer(a)) return EqualHere(a, b, nullptr);
  Pairs todo;
  if (!EqualHere(a, b, &todo)) return false;
  while (!todo.empty()) {
    const auto [x, y] = todo.back();
    todo.pop_back();
    if (!EqualHere(*x, *y, &todo)) return false;
  }
  return true;
}

bool Value::SameTree(const Value& o) const {
  return bits_ == o.bits_ || (!IsContainer(*this) && *this == o);
}

std::size_t Value::OwnBytes() const {
  std::size_t bytes = 0;
  std::vector<const Value*> todo{this};
  while (!todo.empty()) {
    const Value& v = *todo.back();
    todo.pop_back();
    if (!IsUnique(v)) continue;
    bytes += NodeBytes(v);
    ForEachChild(v, [&todo](const Value& child) { todo.push_back(&child); });
  }
  return bytes;
}

}  // namespace ksim::value
