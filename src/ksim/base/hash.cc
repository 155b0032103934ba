#include "ksim/base/hash.h"

#define XXH_INLINE_ALL  // no call through the library for a few dozen bytes
#include <fmt/format.h>
#include <xxhash.h>

#include <utility>

namespace ksim {

std::uint64_t Hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Hash128Value Hash128(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

namespace {

// Up to 240 bytes XXH3 is a sum of 16-byte pieces, each multiplied with a piece of the secret; the
// first 16 bytes are in one of them alone if the last 32 do not reach back to them.
constexpr std::size_t kShortest = 48, kOneSum = 128, kLongest = XXH3_MIDSIZE_MAX;

std::uint64_t Piece(const char* at, std::size_t secret) {
  return XXH3_mix16B(reinterpret_cast<const xxh_u8*>(at), XXH3_kSecret + secret, 0);
}

// As XXH3_len_17to128_64b: from both ends to the middle, without the first piece.
std::uint64_t SumFromBothEnds(const std::string& text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  std::uint64_t sum = Piece(end - 16, 16);
  for (std::size_t i = 1; i < 4 && text.size() > 32 * i; ++i)
    sum += Piece(begin + 16 * i, 32 * i) + Piece(end - 16 * (i + 1), 32 * i + 16);
  return sum;
}

}  // namespace

Hash64Rest::Hash64Rest(std::string text) : size_(text.size()) {
  if (size_ < kShortest || size_ > kLongest) {
    text_ = std::move(text);
    return;
  }
  sum_ = size_ * XXH_PRIME64_1;
  if (size_ <= kOneSum) {
    sum_ += SumFromBothEnds(text);
    return;
  }
  // As XXH3_len_129to240_64b: eight pieces, then the others and the last 16 bytes.
  for (std::size_t i = 1; i < 8; ++i) sum_ += Piece(text.data() + 16 * i, 16 * i);
  for (std::size_t i = 8; i < size_ / 16; ++i)
    end_ += Piece(text.data() + 16 * i, 16 * (i - 8) + XXH3_MIDSIZE_STARTOFFSET);
  end_ += Piece(text.data() + size_ - 16, XXH3_SECRET_SIZE_MIN - XXH3_MIDSIZE_LASTOFFSET);
}

std::uint64_t Hash64Rest::Digest(std::uint64_t first, std::uint64_t second) const {
  char bytes[16];
  PutLittleEndian(PutLittleEndian(bytes, first), second);
  if (!text_.empty()) {
    std::string text = text_;
    return Hash64(text.replace(0, sizeof(bytes), bytes, sizeof(bytes)));
  }
  const std::uint64_t hash = XXH3_avalanche(sum_ + Piece(bytes, 0));
  return size_ <= kOneSum ? hash : XXH3_avalanche(hash + end_);
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
