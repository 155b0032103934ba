#include "ksim/base/foreign_hashes.h"

#include <bit>
#include <string>

namespace ksim {
namespace {

constexpr int kMd5Shifts[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// floor(2^32 * |sin(i + 1)|), RFC 1321 3.4.
constexpr std::uint32_t kMd5Sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

std::uint32_t LittleEndian32(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = (word << 8) | static_cast<std::uint8_t>(bytes[i]);
  return word;
}

void Md5Block(const char* block, std::array<std::uint32_t, 4>* state) {
  auto [a, b, c, d] = *state;
  for (int i = 0; i < 64; ++i) {
    const int round = i / 16;
    std::uint32_t mixed = 0;
    int word = 0;
    if (round == 0) {
      mixed = (b & c) | (~b & d);
      word = i;
    } else if (round == 1) {
      mixed = (d & b) | (~d & c);
      word = (5 * i + 1) % 16;
    } else if (round == 2) {
      mixed = b ^ c ^ d;
      word = (3 * i + 5) % 16;
    } else {
      mixed = c ^ (b | ~d);
      word = (7 * i) % 16;
    }
    mixed += a + kMd5Sines[i] + LittleEndian32(block + 4 * word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(mixed, kMd5Shifts[round][i % 4]);
  }
  (*state)[0] += a;
  (*state)[1] += b;
  (*state)[2] += c;
  (*state)[3] += d;
}

}  // namespace

std::array<std::uint8_t, 16> Md5(std::string_view bytes) {
  std::string padded(bytes);
  padded.push_back('\x80');
  while (padded.size() % 64 != 56) padded.push_back('\0');
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(bytes.size());
  for (int i = 0; i < 8; ++i) padded.push_back(static_cast<char>(bits >> (8 * i)));
  std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t at = 0; at < padded.size(); at += 64) Md5Block(padded.data() + at, &state);
  std::array<std::uint8_t, 16> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (8 * (i % 4)));
  return digest;
}

std::uint32_t Fnv32(std::string_view bytes) {
  constexpr std::uint32_t kPrime = 0x01000193;
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash * kPrime) ^ static_cast<std::uint8_t>(c);
  return hash;
}

std::uint32_t Fnv32a(std::string_view bytes) {
  constexpr std::uint32_t kPrime = 0x01000193;
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * kPrime;
  return hash;
}

std::array<std::uint8_t, 16> Fnv128a(std::string_view bytes) {
  __extension__ using Word = unsigned __int128;
  constexpr Word kPrime = (Word{1} << 88) + 0x13b;
  Word hash = (Word{0x6c62272e07bb0142} << 64) | 0x62b821756295c58d;
  for (const char c : bytes) hash = (hash ^ static_cast<std::uint8_t>(c)) * kPrime;
  std::array<std::uint8_t, 16> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(hash >> (8 * (15 - i)));
  return digest;
}

}  // namespace ksim
