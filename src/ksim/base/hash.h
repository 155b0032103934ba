// Hashes that may reach a trace or a decision: XXH3, the same on every machine and stable since
// xxHash 0.8. Never hash pointers, table numbers, doubles or host-endian structs.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ksim {

std::uint64_t Hash64(std::string_view bytes);  // XXH3-64, seed 0

// The hash function of hash tables of texts. It takes a third of std::hash's time on a text as long
// as a key.
struct TextHash {
  std::size_t operator()(std::string_view text) const { return Hash64(text); }
};

struct Hash128Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128Value&, const Hash128Value&) = default;
};
Hash128Value Hash128(std::string_view bytes);  // XXH3-128, seed 0

// XXH3-64 of texts that differ in nothing but their first 16 bytes: what the rest contributes is
// summed up once.
class Hash64Rest {
 public:
  explicit Hash64Rest(std::string text);  // of which the first 16 bytes do not matter
  // Hash64 of the text with these two in place of its first 16 bytes, little-endian.
  std::uint64_t Digest(std::uint64_t first, std::uint64_t second) const;

 private:
  std::size_t size_;
  std::string text_;  // where there are no sums: it is very short, or long
  std::uint64_t sum_ = 0, end_ = 0;
};

std::string Hex(std::uint64_t hash);        // 16 digits
std::string Hex(const Hash128Value& hash);  // 32 digits, high half first

// Appends `value` at `out`, least significant byte first; returns the end.
inline char* PutLittleEndian(char* out, std::uint64_t value, std::size_t bytes = 8) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &value, bytes);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(value >> (8 * i));
  }
  return out + bytes;
}

// XXH3-64 over a sequence of fields: an integer as 8 bytes, little-endian; text as its length (8
// bytes) and its bytes. So no two sequences of the same field types give the same bytes. Fields are
// gathered in a small buffer and spill into a heap one only when they are long.
//
//   Hasher h;
//   h.Add(std::int64_t{7}).Add("pods").Digest()
class Hasher {
 public:
  Hasher() = default;
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& Add(std::uint64_t value) {
    if (used_ > kInline - 8) return AddSpilled(value);
    PutLittleEndian(buffer_ + used_, value);
    used_ += 8;
    return *this;
  }
  Hasher& Add(std::int64_t value) { return Add(static_cast<std::uint64_t>(value)); }
  Hasher& Add(std::int32_t value) { return Add(static_cast<std::int64_t>(value)); }
  Hasher& Add(std::uint32_t value) { return Add(static_cast<std::uint64_t>(value)); }
  Hasher& Add(std::uint16_t value) { return Add(static_cast<std::uint64_t>(value)); }
  Hasher& Add(bool value) { return Add(std::uint64_t{value}); }
  Hasher& Add(std::string_view text) {
    Add(static_cast<std::uint64_t>(text.size()));
    if (text.empty()) return *this;  // it may be a null pointer
    if (used_ >= kInline || text.size() > kInline - used_) return AddSpilled(text);
    Copy(buffer_ + used_, text.data(), text.size());
    used_ += text.size();
    return *this;
  }
  Hasher& Add(const std::string& text) { return Add(std::string_view(text)); }
  Hasher& Add(const char* text) { return Add(std::string_view(text)); }

  std::uint64_t Digest() const;  // of the fields so far; more may follow

 private:
  static constexpr std::size_t kInline = 504;
  // Most fields are so short that a call of memcpy costs more than they do.
  static void Copy(char* to, const char* from, std::size_t bytes) {
    if (bytes > 32) {
      std::memcpy(to, from, bytes);
    } else if (bytes >= 16) {
      std::memcpy(to, from, 16);
      std::memcpy(to + bytes - 16, from + bytes - 16, 16);
    } else if (bytes >= 8) {
      std::memcpy(to, from, 8);
      std::memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else if (bytes >= 4) {
      std::memcpy(to, from, 4);
      std::memcpy(to + bytes - 4, from + bytes - 4, 4);
    } else {
      for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
    }
  }
  Hasher& AddSpilled(std::uint64_t value);
  Hasher& AddSpilled(std::string_view text);
  std::string_view bytes() const;

  std::size_t used_ = 0;
  char buffer_[kInline];
  std::string spill_;  // everything, once it outgrew the buffer
};

}  // namespace ksim
