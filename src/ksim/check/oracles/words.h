// Words that several oracles say.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/check/facts.h"
#include "ksim/check/observation.h"

namespace ksim::check {

// "pods/default/web-1", of the observation's object.
std::string ObjectOf(const Observation& o);
// "MODIFIED pods/default/web-1 at revision 12"; a bookmark: "BOOKMARK at revision 12".
std::string Event(const Observation& o);
// "pods/default/web-1's update at revision 12"
std::string Commit(const Change& change);
// " (" and what the beliefs say ")", or nothing.
std::string Believed(const Facts& facts, std::uint64_t object);

// Which oracle of a stream or informer has reported it: it says no more about it then.
enum class Bit : std::uint32_t {
  kOrdered = 1,
  kUnique = 2,
  kReliable = 4,
  kResumable = 8,
  kBookmarkable = 16,
  kAtomic = 32,
  kMonotone = 64,
};
inline bool Has(std::uint32_t bits, Bit bit) {
  return (bits & static_cast<std::uint32_t>(bit)) != 0;
}
inline void Set(std::uint32_t* bits, Bit bit) { *bits |= static_cast<std::uint32_t>(bit); }

}  // namespace ksim::check
