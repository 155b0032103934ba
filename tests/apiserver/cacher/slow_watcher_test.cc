// Watchers whose client does not read: the cacher queues a bounded number of events, ends them when
// it is full, and the other watchers lose nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/apiserver/cacher/time_budget.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using Lines = std::vector<std::string>;

// Config maps have no index: both queues hold 10.
constexpr int kQueue = 10;
// Beside them, one has left the input and waits for room in the result.
constexpr int kKept = 2 * kQueue + 1;

class SlowWatcher : public ::testing::Test {
 protected:
  SlowWatcher() { world.Advance(Seconds(10)); }  // the dispatcher's budget is full

  std::string Make(std::string_view name, std::string_view ns = "default",
                   std::string_view label = "") {
    value::Value body = ConfigMap(ns, name);
    if (!label.empty())
      body = body.Set(value::Path{"metadata", "labels", "l"}, value::Value::Of(label));
    const api::Response r = world.Create("configmaps", ns, body);
    EXPECT_EQ(r.code, 201) << r.status.message;
    return fmt::format("ADDED {} {}", name, r.object.resource_version());
  }
  // `count` config maps, and the lines of a watch that sees them all.
  Lines MakeMany(std::string_view prefix, int count, std::string_view ns = "default") {
    Lines lines;
    for (int i = 0; i < count; ++i) lines.push_back(Make(fmt::format("{}{:03}", prefix, i), ns));
    return lines;
  }
  // A watch from now on whose client takes in `room` events.
  std::shared_ptr<TestWatch> Stalling(std::int64_t room, std::string_view labels = "") {
    api::ListOptions options = Options(std::to_string(world.revision()));
    options.label_selector = labels;
    options.timeout_seconds = 100'000;
    auto watch = world.Watch("configmaps", "default", options);
    watch->room = room;
    return watch;
  }
  static Lines First(Lines lines, std::size_t n, std::string_view then = "") {
    lines.resize(n);
    if (!then.empty()) lines.emplace_back(then);
    return lines;
  }
  World world;
};

// WATCH-28
TEST_F(SlowWatcher, KeepsWhatBothQueuesHold) {
  auto watch = Stalling(1);
  const Lines made = MakeMany("m", 1 + kKept);
  world.Advance(Minutes(2));
  EXPECT_EQ(watch->Lines(), First(made, 1));
  EXPECT_EQ(world.server().open_watches(), 1u);
  world.Read(*watch, 5);
  EXPECT_EQ(watch->Lines(), First(made, 6)) << "no more than the client takes";
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), made);
  EXPECT_EQ(MakeMany("n", 50).size(), 50u);
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->seen.size(), made.size() + 50) << "it keeps up again";
}

// WATCH-28
TEST_F(SlowWatcher, IsEndedWhenBothAreFullAndMayStillReadTheResult) {
  auto watch = Stalling(1);
  auto other = Stalling(1000);
  const Lines made = MakeMany("m", 1 + kKept + 1);
  world.Advance(Seconds(1));
  EXPECT_FALSE(watch->closed) << "its client does not read the end either";
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), First(made, 1 + kQueue, "EOF")) << "and no ERROR";
  world.Advance(Seconds(1));
  EXPECT_EQ(other->Lines(), made);
  EXPECT_EQ(world.server().open_watches(), 1u);
}

// WATCH-28
TEST_F(SlowWatcher, HoldsUpTheOthersForTheBudgetAtMost) {
  auto watch = Stalling(1);
  auto other = Stalling(1000);
  MakeMany("m", 1 + kKept + 1);
  const VirtualTime full = other->seen.back().at;
  EXPECT_EQ(other->seen.size(), std::size_t{1 + kKept + 1}) << "they have it before the wait";
  MakeMany("n", 3);
  world.Advance(Seconds(1));
  ASSERT_EQ(other->seen.size(), std::size_t{1 + kKept + 1 + 3});
  for (std::size_t i = other->seen.size() - 3; i < other->seen.size(); ++i)
    EXPECT_EQ(other->seen[i].at - full, TimeBudget::kMost);
  MakeMany("o", 1);
  world.Advance(Milliseconds(50));
  EXPECT_EQ(other->seen.size(), std::size_t{1 + kKept + 1 + 4}) << "nobody is waited for any more";
}

// WATCH-28
TEST_F(SlowWatcher, IsNotEndedIfItReadsInTime) {
  auto watch = Stalling(1);
  Lines made = MakeMany("m", 1 + kKept + 1);
  world.Advance(Milliseconds(50));
  world.Read(*watch, 1);
  EXPECT_EQ(watch->Lines(), First(made, 2));
  world.Advance(Seconds(10));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), made);
  EXPECT_FALSE(watch->closed);
}

// A watch of l=yes whose client takes in one event; as many match as its result and its hand hold.
class PickySlowWatcher : public SlowWatcher {
 protected:
  PickySlowWatcher() : watch(Stalling(1, "l=yes")) {
    MakeMany("before", 100);
    for (int i = 0; i < 1 + kQueue + 1; ++i)
      made.push_back(Make(fmt::format("yes{}", i), "default", "yes"));
  }
  std::shared_ptr<TestWatch> watch;
  Lines made;
};

// WATCH-28
TEST_F(PickySlowWatcher, QueuesEventsOutsideItsSelectorOnceItIsStuck) {
  MakeMany("no", kQueue);
  world.Advance(Seconds(1));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), made);
}

// WATCH-28
TEST_F(PickySlowWatcher, IsEndedByEventsOutsideItsSelector) {
  MakeMany("no", kQueue + 1);
  world.Advance(Seconds(1));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), First(made, 1 + kQueue, "EOF"));
}

// WATCH-28
// WATCH-30
TEST_F(SlowWatcher, OfACacheThatBeginsAnewMayReadTheResult) {
  auto watch = Stalling(1);
  const Lines made = MakeMany("m", 1 + kKept);
  world.server().faults().watch_cache(world.Kind("configmaps")).Reinit();
  world.Advance(Seconds(5));
  EXPECT_EQ(watch->Lines(), First(made, 1));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), First(made, 1 + kQueue, "EOF"));
}

// WATCH-37: nobody waits for it any more.
TEST_F(SlowWatcher, IsForgottenWhenItsClientIsGone) {
  auto watch = Stalling(1);
  auto other = Stalling(1000);
  MakeMany("m", 1 + kKept);
  world.server().endpoint().CloseWatch(watch->response.stream);
  world.Advance(Seconds(10));
  const VirtualTime before = world.sim.now();
  MakeMany("n", 5);
  world.Advance(Seconds(1));
  ASSERT_EQ(other->seen.size(), 6u + kKept);
  EXPECT_LT(other->seen.back().at - before, Milliseconds(40));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->seen.size(), 1u);
  EXPECT_EQ(world.server().open_watches(), 1u) << "the other";
}

// WATCH-22
TEST_F(SlowWatcher, LosesPeriodicBookmarksAndNothingElse) {
  api::ListOptions options = Options(std::to_string(world.revision()));
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = 100'000;
  auto watch = world.Watch("configmaps", "default", options);
  watch->room = 1;
  const Lines made = MakeMany("m", 1 + kKept);
  world.Advance(Minutes(5));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->TakeLines(), made);
  world.Advance(Minutes(3));
  ASSERT_GE(watch->seen.size(), 2u);
  EXPECT_EQ(watch->last().type, api::WatchEventType::kBookmark);
}

// WATCH-27
TEST_F(SlowWatcher, ReadsHistoryInBatchesAndEndsWhereItWasOverwritten) {
  const std::string from = std::to_string(world.revision());
  const Lines made = MakeMany("m", 250);  // the history has grown to 400
  api::ListOptions options = Options(from);
  options.timeout_seconds = 100'000;
  auto watch = world.StartWatch("configmaps", "default", options);
  watch->room = 1;
  world.Advance(Seconds(80));
  EXPECT_EQ(watch->Lines(), First(made, 1));
  MakeMany("o", 150 + 100, "kube-system");
  world.Advance(Seconds(1));
  world.Read(*watch, 50);
  EXPECT_EQ(watch->Lines(), First(made, 51)) << "the first batch was read in time";
  MakeMany("p", 1, "kube-system");
  world.Advance(Seconds(1));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), First(made, 100, "EOF")) << "and no ERROR";
}

// WATCH-27
TEST_F(SlowWatcher, ReadsTheNextBatchWhileItIsThere) {
  const std::string from = std::to_string(world.revision());
  const Lines made = MakeMany("m", 250);
  auto watch = world.StartWatch("configmaps", "default", Options(from));
  watch->room = 1;
  world.Advance(Seconds(80));
  MakeMany("o", 150 + 100, "kube-system");  // 100 are gone, and these have been read
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), made);
}

// A watch-list of 30 config maps, whose client takes in one event; then `later` more are made.
class SlowWatchList : public SlowWatcher {
 protected:
  std::shared_ptr<TestWatch> Open() {
    made = MakeMany("m", 30);
    world.Advance(Seconds(1));
    api::ListOptions options = Options("", "NotOlderThan");
    options.send_initial_events = true;
    options.allow_watch_bookmarks = true;
    options.timeout_seconds = 100'000;
    auto watch = world.StartWatch("configmaps", "default", options);
    watch->room = 1;
    world.RunUntil([&] { return !watch->seen.empty(); });
    return watch;
  }
  Lines made;
};

// WATCH-29
TEST_F(SlowWatchList, IsDrainedIfItsBookmarkIsQueuedAlready) {
  auto watch = Open();
  world.Advance(Seconds(2));  // a tick offers the bookmark
  const Lines more = MakeMany("n", kQueue);
  world.Advance(Seconds(1));
  world.Read(*watch, 1000);
  Lines expected = made;
  expected.push_back(fmt::format("BOOKMARK {} end", made.back().substr(11)));
  expected.insert(expected.end(), more.begin(), more.end() - 1);  // the last found no room
  expected.emplace_back("EOF");
  EXPECT_EQ(watch->Lines(), expected);
}

// WATCH-29
TEST_F(SlowWatchList, IsCutOffOtherwise) {
  auto watch = Open();
  MakeMany("n", kQueue + 1);
  world.Advance(Milliseconds(200));
  world.Read(*watch, 1000);
  EXPECT_EQ(watch->Lines(), First(made, 1 + kQueue, "EOF"));
}

TEST(TimeBudgetTest, EarnsATwentiethOfTheTimeUpToItsMost) {
  VirtualTime now;
  TimeBudget budget(now);
  const auto later = [&](Duration d) { return budget.TakeAll(now = now + d); };
  EXPECT_EQ(later(Duration()), Duration());
  EXPECT_EQ(later(Seconds(1)), Milliseconds(50));
  EXPECT_EQ(later(Milliseconds(500)), Milliseconds(25));
  EXPECT_EQ(later(Minutes(1)), Milliseconds(100));
  budget.Return(Milliseconds(30));
  EXPECT_EQ(later(Seconds(1)), Milliseconds(80));
  budget.Return(Milliseconds(-5));
  EXPECT_EQ(later(Duration()), Duration()) << "who took longer owes nothing";
  budget.Return(Milliseconds(500));
  EXPECT_EQ(later(Duration()), Milliseconds(100));
}

}  // namespace
}  // namespace ksim::apiserver
