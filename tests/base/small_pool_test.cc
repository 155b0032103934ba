// SmallPool: places of the right size, distinct while they are held, used again when they are not.
#include "ksim/base/internal/small_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "ksim/base/internal/sanitizer.h"

namespace ksim {
namespace {

struct Held {
  unsigned char* place;
  std::size_t bytes;
  unsigned char fill;
};

bool Intact(const Held& h) {
  for (std::size_t i = 0; i < h.bytes; ++i)
    if (h.place[i] != h.fill) return false;
  return true;
}

// Places that are held at the same time do not overlap, whatever their sizes and order.
TEST(SmallPool, PlacesDoNotOverlap) {
  std::mt19937 dice(7);  // NOLINT(ksim-random): of the test alone
  std::vector<Held> held;
  for (int i = 0; i < 20'000; ++i) {
    if (held.size() > 200 || (!held.empty() && dice() % 2 == 0)) {
      const std::size_t at = dice() % held.size();
      ASSERT_TRUE(Intact(held[at]));
      SmallPool::Free(held[at].place, held[at].bytes);
      held[at] = held.back();
      held.pop_back();
      continue;
    }
    const std::size_t bytes = 1 + dice() % (dice() % 4 == 0 ? 5000 : 200);
    auto* place = static_cast<unsigned char*>(SmallPool::Allocate(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 16, 0u);
    const auto fill = static_cast<unsigned char>(i);
    std::memset(place, fill, bytes);
    held.push_back({place, bytes, fill});
  }
  for (const Held& h : held) {
    EXPECT_TRUE(Intact(h));
    SmallPool::Free(h.place, h.bytes);
  }
}

TEST(SmallPool, GivesAPlaceAgain) {
  if (kAddressSanitizer) GTEST_SKIP() << "plain new and delete";
  void* first = SmallPool::Allocate(40);
  SmallPool::Free(first, 40);
  void* second = SmallPool::Allocate(48);  // of the same sixteen
  EXPECT_EQ(second, first);
  SmallPool::Free(second, 48);
}

// A thread may free places of another thread, and a new thread reuses the places of an ended one.
TEST(SmallPool, ThreadsMayEnd) {
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> places(100);
    std::thread([&] {
      for (void*& place : places) place = SmallPool::Allocate(64);
    }).join();
    for (void* place : places) {
      std::memset(place, round, 64);
      SmallPool::Free(place, 64);
    }
  }
}

struct Base : Pooled {
  virtual ~Base() = default;
};
struct Derived : Base {
  char more[100] = {};
};

TEST(SmallPool, APooledThingIsDeletedByItsOwnSize) {
  void* derived = nullptr;
  {
    const std::unique_ptr<Base> made = std::make_unique<Derived>();
    derived = made.get();
  }
  const std::unique_ptr<Base> base = std::make_unique<Base>();
  const std::unique_ptr<Base> again = std::make_unique<Derived>();
  if (!kAddressSanitizer) {
    EXPECT_EQ(again.get(), derived);
  }
}

}  // namespace
}  // namespace ksim
