#include "ksim/apiserver/cacher/watch_cache_history.h"

#include <gtest/gtest.h>

namespace ksim::apiserver {
namespace {

CacheEvent At(std::int64_t revision, Duration when) {
  CacheEvent event;
  event.revision = revision;
  event.recorded = VirtualTime() + when;
  return event;
}

// Adds `count` events, `apart` from one another, revisions from 11 on after a list at 10.
WatchCacheHistory Filled(int count, Duration apart) {
  WatchCacheHistory history;
  for (int i = 0; i < count; ++i) history.Add(At(11 + i, apart * i));
  return history;
}

// WATCH-24
TEST(WatchCacheHistory, ServesFromTheListOnUntilSomethingIsEvicted) {
  const WatchCacheHistory history = Filled(3, Seconds(1));
  EXPECT_EQ(*history.After(10, 10), 0u);
  EXPECT_EQ(*history.After(11, 10), 1u);
  EXPECT_EQ(*history.After(13, 10), 3u);
  EXPECT_EQ(*history.After(999, 10), 3u);
  const auto old = history.After(9, 10);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.status().code, 410);
  EXPECT_EQ(old.status().reason, "Expired");
  EXPECT_EQ(old.status().message, "too old resource version: 9 (10)");
}

// WATCH-24
TEST(WatchCacheHistory, ServesAnEmptyHistoryFromTheListOn) {
  const WatchCacheHistory history;
  EXPECT_EQ(*history.After(10, 10), 0u);
  EXPECT_EQ(*history.After(11, 10), 0u);
  EXPECT_FALSE(history.After(9, 10).ok());
}

// Its memory grows from where the changes before a relist left off.
TEST(WatchCacheHistory, HoldsEveryChangeWhileItsMemoryGrows) {
  WatchCacheHistory history;
  std::int64_t revision = 10;
  for (int count = 0; count < 120; ++count) {
    history.Reset();
    const std::int64_t first = revision;
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(history.Add(At(revision, Milliseconds(revision))).revision, revision);
      ++revision;
    }
    ASSERT_EQ(history.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(history.at(static_cast<std::size_t>(i)).revision, first + i);
  }
}

// WATCH-25
// WATCH-26
TEST(WatchCacheHistory, GrowsWhileChangesComeFast) {
  const WatchCacheHistory history = Filled(150, Milliseconds(5));
  EXPECT_EQ(history.capacity(), 200u);
  EXPECT_FALSE(history.evicted());
  EXPECT_EQ(*history.After(10, 10), 0u);
}

// WATCH-25
// WATCH-26
TEST(WatchCacheHistory, EvictsWhereChangesComeSlowly) {
  const WatchCacheHistory history = Filled(101, Seconds(6));
  EXPECT_EQ(history.capacity(), 100u);
  EXPECT_TRUE(history.evicted());
  const auto old = history.After(10, 10);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.status().message, "too old resource version: 10 (11)");
  EXPECT_EQ(*history.After(11, 10), 0u);
}

// WATCH-25
TEST(WatchCacheHistory, ShrinksWhenItsNewestQuarterGrowsOld) {
  WatchCacheHistory history = Filled(400, Milliseconds(1));
  ASSERT_EQ(history.capacity(), 400u);
  history.Add(At(500, Seconds(200)));
  EXPECT_EQ(history.capacity(), 200u);
  EXPECT_TRUE(history.full());
  // The newest stay: 11 ... 410 went in, the last 199 of them and 500 are left.
  EXPECT_EQ(history.at(0).revision, 212);
  EXPECT_EQ(history.at(199).revision, 500);
}

// WATCH-25: the oldest is older than the window, and so is the older half, but the newest quarter
// is not.
TEST(WatchCacheHistory, KeepsTheCapacityOfABusyQuarter) {
  WatchCacheHistory history = Filled(401, Milliseconds(1));
  ASSERT_EQ(history.capacity(), 800u);
  for (int i = 0; i < 399; ++i) history.Add(At(500 + i, Seconds(60)));
  ASSERT_TRUE(history.full());
  history.Add(At(1000, Seconds(100)));
  EXPECT_EQ(history.capacity(), 800u);
  EXPECT_EQ(history.at(0).revision, 12);
}

TEST(WatchCacheHistory, NeverShrinksBelowTheLowerBound) {
  WatchCacheHistory history = Filled(100, Milliseconds(1));
  history.Add(At(500, Seconds(1000)));
  EXPECT_EQ(history.capacity(), WatchCacheHistory::kLowerBound);
}

// WATCH-31
TEST(WatchCacheHistory, IsEmptyAfterARelist) {
  WatchCacheHistory history = Filled(150, Seconds(6));
  history.Reset();
  EXPECT_EQ(history.size(), 0u);
  EXPECT_FALSE(history.evicted());
  EXPECT_EQ(*history.After(700, 700), 0u);
  EXPECT_FALSE(history.After(699, 700).ok());
}

TEST(WatchCacheHistory, ForgetsOnDemand) {
  WatchCacheHistory history = Filled(5, Seconds(1));
  history.Forget();
  EXPECT_FALSE(history.After(14, 10).ok());
  EXPECT_EQ(*history.After(15, 10), 0u);
  history.Add(At(20, Seconds(9)));
  EXPECT_EQ(*history.After(19, 10), 0u);
  EXPECT_FALSE(history.After(14, 10).ok());
}

// WATCH-28
TEST(WatchCacheHistory, SizesTheQueuesOfAWatcherForASecondOfChanges) {
  struct Case {
    int events;
    std::size_t capacity, plain, indexed, by_index;
  };
  for (const Case& c : std::vector<Case>{{1, 100, 10, 10, 10},
                                         {1601, 3200, 43, 43, 10},
                                         {6401, 12'800, 100, 171, 10},
                                         {51'201, 102'400, 100, 1000, 10}}) {
    const WatchCacheHistory history = Filled(c.events, Duration());
    EXPECT_EQ(history.capacity(), c.capacity);
    EXPECT_EQ(history.ChannelSize(false, false), c.plain) << c.capacity;
    EXPECT_EQ(history.ChannelSize(true, false), c.indexed) << c.capacity;
    EXPECT_EQ(history.ChannelSize(true, true), c.by_index) << c.capacity;
  }
}

}  // namespace
}  // namespace ksim::apiserver
