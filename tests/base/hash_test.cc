#include "ksim/base/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/base/hash_stream.h"

namespace ksim {
namespace {

// Values of the reference implementation (python-xxhash: xxh3_64, xxh3_128).
TEST(Hash, KnownAnswers) {
  const struct {
    std::string_view text;
    std::string_view hash64, hash128;
  } kCases[] = {
      {"", "2d06800538d394c2", "99aa06d3014798d86001c324468d497f"},
      {"a", "e6c632b61e964e1f", "a96faf705af16834e6c632b61e964e1f"},
      {"pods/default/my-pod", "671bccc875315108", "3d0768e373eb27b9d3499340fa8a81bd"},
      {"latency/kube-apiserver-0/kube-scheduler/pods", "c75da965f2690b2d",
       "7f15058516f87b122261d87b6c9e93cf"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Hex(Hash64(c.text)), c.hash64) << c.text;
    EXPECT_EQ(Hex(Hash128(c.text)), c.hash128) << c.text;
  }
}

TEST(Hash, PieceByPieceIsThatOfTheWholeText) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + i * i % 26);
  for (const std::size_t piece : {1u, 7u, 240u, 1024u, 3000u}) {
    Hash64Stream stream;
    EXPECT_EQ(stream.Digest(), Hash64(""));
    for (std::size_t at = 0; at < text.size(); at += piece) {
      stream.Add(std::string_view(text).substr(at, piece));
      EXPECT_EQ(stream.Digest(), Hash64(text.substr(0, at + piece))) << piece;
    }
  }
}

// The oracle hashes the whole text, for every length around those at which XXH3 changes its
// algorithm.
TEST(Hash, OfTheRestIsThatOfTheWholeText) {
  std::string text;
  while (text.size() < 16) text += '?';
  for (std::uint64_t i = 0; text.size() < 600; ++i) {
    const Hash64Rest rest(text);
    std::string whole = text;
    PutLittleEndian(PutLittleEndian(whole.data(), i), ~i * 3);
    ASSERT_EQ(rest.Digest(i, ~i * 3), Hash64(whole)) << text.size();
    text += static_cast<char>(i * 37 + 11);
  }
}

// Computed apart: XXH3-64 over struct.pack("<Q", integer), struct.pack("<Q", length) + text.
TEST(Hasher, KnownAnswers) {
  EXPECT_EQ(Hasher().Add(7).Add("pods").Digest(), 0x28ae2d0ecdc06fdau);
  EXPECT_EQ(Hasher().Add("").Add("").Digest(), 0xd0a66a65c7528968u);
  EXPECT_EQ(Hasher().Add(-1).Digest(), 0x5111c7e47d784413u);
  EXPECT_EQ(Hasher().Add(std::string(300, 'x')).Add(5).Add("tail").Digest(), 0x7a1c2544aca965a0u);
  EXPECT_EQ(Hasher().Add("ab").Add("c").Digest(), 0x642d4debfebf33aeu);
  EXPECT_EQ(Hasher().Add("a").Add("bc").Digest(), 0xf42ee0df2a023ef1u);
}

TEST(Hasher, IntegersOfAnyWidthAreOneField) {
  const std::uint64_t want = Hasher().Add(std::uint64_t{1}).Digest();
  EXPECT_EQ(Hasher().Add(std::int64_t{1}).Digest(), want);
  EXPECT_EQ(Hasher().Add(std::uint32_t{1}).Digest(), want);
  EXPECT_EQ(Hasher().Add(std::uint16_t{1}).Digest(), want);
  EXPECT_EQ(Hasher().Add(true).Digest(), want);
}

// Oracle: the same bytes gathered in one string, whatever the lengths and wherever the buffer ends.
TEST(Hasher, SpillsWithoutChangingTheHash) {
  for (std::size_t size = 0; size < 600; size += 7) {
    std::string bytes;
    Hasher h;
    for (std::uint64_t part = 0; part < 3; ++part) {
      const std::string text(size, static_cast<char>('a' + part));
      h.Add(text).Add(part);
      char word[8];
      bytes.append(word, PutLittleEndian(word, size) - word).append(text);
      bytes.append(word, PutLittleEndian(word, part) - word);
      ASSERT_EQ(h.Digest(), Hash64(bytes)) << size;
    }
  }
}

TEST(Hasher, TextOfAnyLengthIsItsLengthAndItsBytes) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t n = 0; n <= letters.size(); ++n) {
    char bytes[64];
    PutLittleEndian(bytes, n);
    const std::string expected = std::string(bytes, 8) + letters.substr(0, n);
    EXPECT_EQ(Hasher().Add(letters.substr(0, n)).Digest(), Hash64(expected)) << n;
  }
}

TEST(PutLittleEndian, WritesTheLowBytes) {
  char out[4] = {'x', 'x', 'x', 'x'};
  EXPECT_EQ(PutLittleEndian(out, 0x01020304, 2), out + 2);
  EXPECT_EQ(std::string(out, 4), std::string("\x04\x03xx"));
}

}  // namespace
}  // namespace ksim
