// NOLINTFILE(ksim-threads): simulations on several threads share the table of names.
// The table behind Atom: one per process, append-only. Interning takes a lock (after a per-thread
// front cache); reading an entry takes none, because entries never move and never change.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

struct AtomEntry {
  const char* data;
  std::uint32_t size;
  std::uint64_t prefix;  // the first eight bytes, big-endian, zero-padded: orders most names
  std::uint64_t hash;    // XXH3-64 of the text
  std::string_view text() const { return {data, size}; }
};

inline constexpr std::uint32_t kFirstAtomChunk = 1024;  // chunk k holds 1024 << k entries
extern std::array<std::atomic<AtomEntry*>, 22> g_atom_chunks;

inline const AtomEntry& Entry(Atom atom) {
  const std::uint32_t shifted = atom.number() + kFirstAtomChunk;
  const int chunk = std::bit_width(shifted) - std::bit_width(kFirstAtomChunk);
  return g_atom_chunks[static_cast<std::size_t>(chunk)].load(
      std::memory_order_acquire)[shifted - (kFirstAtomChunk << chunk)];
}

std::uint64_t TextPrefix(std::string_view text);

// Bytewise order of two texts of which the first eight bytes agree.
int CompareRest(const AtomEntry& a, const AtomEntry& b);

// Bytewise order of the texts: negative, 0, positive.
inline int CompareText(const AtomEntry& a, const AtomEntry& b) {
  if (a.prefix != b.prefix) return a.prefix < b.prefix ? -1 : 1;
  return CompareRest(a, b);
}
inline int CompareText(Atom a, Atom b) { return a == b ? 0 : CompareText(Entry(a), Entry(b)); }

}  // namespace ksim::value
