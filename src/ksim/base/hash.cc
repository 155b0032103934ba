#include "ksim/base/hash.h"

#define XXH_INLINE_ALL  // no call through the library for a few dozen bytes
#include <fmt/format.h>
#include <xxhash.h>

namespace ksim {

std::uint64_t Hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Hash128Value Hash128(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

std::string Hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string Hex(const Hash128Value& hash) {
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

Hasher& Hasher::AddSpilled(std::uint64_t value) {
  char bytes[8];
  PutLittleEndian(bytes, value);
  return AddSpilled({bytes, sizeof(bytes)});
}

Hasher& Hasher::AddSpilled(std::string_view text) {
  if (spill_.empty()) {
    spill_.reserve(2 * kInline + text.size());
    spill_.assign(buffer_, used_);
    used_ = kInline;  // from here on every field takes this path
  }
  spill_.append(text);
  return *this;
}

std::string_view Hasher::bytes() const {
  return spill_.empty() ? std::string_view(buffer_, used_) : std::string_view(spill_);
}

std::uint64_t Hasher::Digest() const { return Hash64(bytes()); }

}  // namespace ksim
