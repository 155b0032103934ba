// GoSort against what Go 1.26's sort.Sort did with the same elements.
#include "ksim/value/go_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ksim::value {
namespace {

using ::testing::ElementsAre;

struct Element {
  int key;
  int number;  // its place before the sort
};

int KeyOf(std::string_view shape, int i, int n) {
  if (shape == "up") return i / 3;
  if (shape == "down") return (n - i) / 3;
  if (shape == "mixed") return (i * i * 7 + i * 3) % 5;
  if (shape == "wild") return (i * 7919 + i * i * 31) % 1009;
  if (shape == "organ") return i < n / 2 ? i : n - i;
  return 0;
}

// The numbers of the elements after the sort. `less` is true of equals as well, or of none.
std::vector<int> Sorted(std::string_view shape, int n, bool equals_are_less) {
  std::vector<Element> list;
  for (int i = 0; i < n; ++i) list.push_back({KeyOf(shape, i, n), i});
  GoSort(std::span(list), [&](const Element& a, const Element& b) {
    return equals_are_less ? a.key <= b.key : a.key < b.key;
  });
  std::vector<int> numbers;
  for (const Element& e : list) numbers.push_back(e.number);
  return numbers;
}

// FNV-1a over whole numbers.
std::uint64_t Digest(const std::vector<int>& numbers) {
  std::uint64_t h = 1469598103934665603u;
  for (const int n : numbers) h = (h ^ static_cast<std::uint64_t>(n)) * 1099511628211u;
  return h;
}

TEST(GoSort, TurnsUpTo12EqualsRoundWhenLessIsTrueOfThem) {
  EXPECT_THAT(Sorted("same", 4, true), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(Sorted("same", 4, false), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Sorted("up", 7, true), ElementsAre(2, 1, 0, 5, 4, 3, 6));
}

TEST(GoSort, LeavesElementsWhereGoDoes) {
  struct Row {
    std::string_view shape;
    int size;
    bool equals_are_less;
    std::uint64_t digest;
  };
  const Row rows[] = {
      {"same", 2, true, 0x9a65ad00c545d5d2u},    {"same", 2, false, 0x9a691200c548b748u},
      {"same", 12, true, 0xc04ae17d77d9f357u},   {"same", 12, false, 0x4826f1f3c9db65d7u},
      {"same", 13, true, 0x91f7ef850200db9du},   {"same", 13, false, 0x7592fc3fffce1321u},
      {"same", 20, true, 0x3efd58bfca174bf7u},   {"same", 20, false, 0x4139cfc87e128467u},
      {"same", 50, true, 0x5b77506e05865c92u},   {"same", 50, false, 0x839031b2950923c8u},
      {"same", 400, true, 0xc87026e681de307fu},  {"same", 400, false, 0x2b0c9c82c3116743u},
      {"up", 2, true, 0x9a65ad00c545d5d2u},      {"up", 2, false, 0x9a691200c548b748u},
      {"up", 12, true, 0x871eb47751f394fu},      {"up", 12, false, 0x4826f1f3c9db65d7u},
      {"up", 13, true, 0xbea6ee68ba2b45u},       {"up", 13, false, 0x7592fc3fffce1321u},
      {"up", 20, true, 0x4c35e3c0ca0a188du},     {"up", 20, false, 0x4139cfc87e128467u},
      {"up", 50, true, 0x63253ab6866a70b6u},     {"up", 50, false, 0x839031b2950923c8u},
      {"up", 400, true, 0xaeb96676184e7bf5u},    {"up", 400, false, 0x2b0c9c82c3116743u},
      {"down", 2, true, 0x9a65ad00c545d5d2u},    {"down", 2, false, 0x9a691200c548b748u},
      {"down", 12, true, 0xc04ae17d77d9f357u},   {"down", 12, false, 0x47a8cce70c56ee1du},
      {"down", 13, true, 0x88d2a44b8d7faa49u},   {"down", 13, false, 0x23df0ca9675141f3u},
      {"down", 20, true, 0x150820ad816d7239u},   {"down", 20, false, 0x26eb68fcff8728f9u},
      {"down", 50, true, 0x9cfa23522bb1d784u},   {"down", 50, false, 0x6559bf6cf1b8c8fau},
      {"down", 400, true, 0xcc256d7819ae4f45u},  {"down", 400, false, 0x845441ecebf8acf5u},
      {"mixed", 2, true, 0x9a65ad00c545d5d2u},   {"mixed", 2, false, 0x9a691200c548b748u},
      {"mixed", 12, true, 0xda922f3e471c7dcdu},  {"mixed", 12, false, 0xeb720520218a4ecdu},
      {"mixed", 13, true, 0xd574d57681ab0191u},  {"mixed", 13, false, 0x55d23ab0ba1bf083u},
      {"mixed", 20, true, 0xac56022381dd158bu},  {"mixed", 20, false, 0x282122ce70c96903u},
      {"mixed", 50, true, 0xb13f8ccd74b7fc10u},  {"mixed", 50, false, 0x255c033de50abfb4u},
      {"mixed", 400, true, 0xb270d008f55ab91du}, {"mixed", 400, false, 0x1a9a601dcdcec7c1u},
      {"wild", 2, true, 0x9a691200c548b748u},    {"wild", 2, false, 0x9a691200c548b748u},
      {"wild", 12, true, 0x2d56e6259999e4abu},   {"wild", 12, false, 0x2d56e6259999e4abu},
      {"wild", 13, true, 0x958d77edbcf9b839u},   {"wild", 13, false, 0x958d77edbcf9b839u},
      {"wild", 20, true, 0x717af3741d3910f5u},   {"wild", 20, false, 0x717af3741d3910f5u},
      {"wild", 50, true, 0xa25669e5fcf118a2u},   {"wild", 50, false, 0xa25669e5fcf118a2u},
      {"wild", 400, true, 0xb5d0f252c66fadbbu},  {"wild", 400, false, 0x59f6c9a3b7a3859fu},
      {"organ", 2, true, 0x9a691200c548b748u},   {"organ", 2, false, 0x9a691200c548b748u},
      {"organ", 12, true, 0x72b3adfa6779a3e9u},  {"organ", 12, false, 0xe1d9783325af595du},
      {"organ", 13, true, 0xc45538377e8263a3u},  {"organ", 13, false, 0xdc88eb9036b65675u},
      {"organ", 20, true, 0x930ffbd7c8305bdu},   {"organ", 20, false, 0x7fc3d88c7f91c5fdu},
      {"organ", 50, true, 0x8aa4e01a0d5ae290u},  {"organ", 50, false, 0xc522fc77d178fad0u},
      {"organ", 400, true, 0x50a81f16386aaa3u},  {"organ", 400, false, 0x40efcf55c6c5829bu},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Digest(Sorted(row.shape, row.size, row.equals_are_less)), row.digest)
        << row.shape << " " << row.size << " " << row.equals_are_less;
  }
}

}  // namespace
}  // namespace ksim::value
