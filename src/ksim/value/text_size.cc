// NOLINTFILE(ksim-static): the remembered sizes change no answer, only its cost.
#include "ksim/value/text_size.h"

#include <array>
#include <cstdint>

#include "ksim/value/atom.h"
#include "ksim/value/node.h"
#include "ksim/value/partial_hash.h"

namespace ksim::value {
namespace {

constexpr std::size_t kLongestInteger = 20;

std::size_t Remembered(const Value& container);

inline std::size_t Bound(const Value& v) {
  if (v.is_string()) return v.AsString().size() + 2;
  if (!v.is_object() && !v.is_array()) return kLongestInteger;
  return v.empty() ? 2 : Remembered(v);
}

std::size_t Measure(const Value& container) {
  std::size_t bytes = 2;
  for (const Value& item : ItemsOf(container)) bytes += Bound(item) + 1;
  for (const Value::Member& m : MembersOf(container))
    bytes += Entry(m.name).size + 4 + Bound(m.value);  // "name":,
  return bytes;
}

// Most parts of a tree were measured in the version before. A part without a hash was made a moment
// ago: it is not worth one.
std::size_t Remembered(const Value& container) {
  struct Known {
    std::uint64_t hash = 0;  // 0: nothing yet; no tree has that hash
    std::size_t bytes = 0;
  };
  thread_local std::array<Known, 512> known{};
  const std::uint64_t hash = HashIfKnown(container);
  if (hash == 0) return Measure(container);
  Known& place = known[hash % known.size()];
  if (place.hash != hash) place = {hash, Measure(container)};
  return place.bytes;
}

}  // namespace

std::size_t TextSizeBound(const Value& v) { return Bound(v); }

}  // namespace ksim::value
