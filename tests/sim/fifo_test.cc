#include "ksim/sim/internal/fifo.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "ksim/sim/mix.h"

namespace ksim::sim {
namespace {

TEST(Fifo, GivesBackInOrderWhatNobodyElseHolds) {
  Fifo<std::unique_ptr<int>> fifo;
  EXPECT_TRUE(fifo.empty());
  fifo.Push(std::make_unique<int>(1));
  fifo.Push(std::make_unique<int>(2));
  EXPECT_EQ(fifo.size(), 2u);
  EXPECT_EQ(*fifo.Pop(), 1);
  fifo.Push(std::make_unique<int>(3));
  EXPECT_EQ(*fifo.Pop(), 2);
  EXPECT_EQ(*fifo.Pop(), 3);
  EXPECT_TRUE(fifo.empty());
}

TEST(Fifo, HoldsNothingThatItGaveAwayOrDropped) {
  const auto item = std::make_shared<int>(0);
  const auto others = [&] { return static_cast<std::size_t>(item.use_count()) - 1; };
  {
    Fifo<std::shared_ptr<int>> fifo;
    for (int i = 0; i < 100; ++i) {
      for (int k = 0; k < 5; ++k) fifo.Push(item);
      fifo.Pop();
      fifo.Pop();
      ASSERT_EQ(others(), fifo.size());
    }
    fifo.Keep(10);
    EXPECT_EQ(others(), 10u);
    fifo.clear();
    EXPECT_EQ(others(), 0u);
    fifo.Push(item);
  }
  EXPECT_EQ(others(), 0u);
}

// The oracle is a std::deque, under bursts of pushes and pops; now and then all or half of the
// entries are removed.
TEST(Fifo, IsADeque) {
  Fifo<std::uint64_t> fifo;
  std::deque<std::uint64_t> slow;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::uint64_t r = Mix(step);
    if (r % 97 == 0) {
      fifo.clear();
      slow.clear();
    } else if (r % 101 == 0) {
      fifo.Keep(slow.size() / 2);
      slow.resize(slow.size() / 2);
    }
    if (!slow.empty()) {
      ASSERT_EQ(fifo[r % slow.size()], slow[r % slow.size()]);
    }
    const bool growing = step % 2000 < 1100;
    if (growing ? r % 8 != 0 : r % 8 == 0) {
      fifo.Push(step);
      slow.push_back(step);
    } else if (!slow.empty()) {
      ASSERT_EQ(fifo.Pop(), slow.front());
      slow.pop_front();
    }
    ASSERT_EQ(fifo.size(), slow.size());
    ASSERT_EQ(fifo.empty(), slow.empty());
    if (step % 100 == 0) {
      ASSERT_EQ(std::vector<std::uint64_t>(fifo.begin(), fifo.end()),
                std::vector<std::uint64_t>(slow.begin(), slow.end()));
    }
  }
}

}  // namespace
}  // namespace ksim::sim
