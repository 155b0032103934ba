// Bookmarks: when they come, and with which revision.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/apiserver/cacher/bookmark_schedule.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;

api::ListOptions Bookmarks(std::string_view rv, std::optional<std::int64_t> timeout) {
  api::ListOptions options = Options(rv);
  options.allow_watch_bookmarks = true;
  options.timeout_seconds = timeout;
  return options;
}

struct Marks {
  std::vector<double> at;  // seconds since the watch began
  std::vector<std::int64_t> revisions;
};
Marks MarksOf(const TestWatch& watch, VirtualTime since) {
  Marks marks;
  for (const auto& s : watch.seen) {
    if (s.event.type != api::WatchEventType::kBookmark || s.event.initial_end) continue;
    marks.at.push_back(static_cast<double>((s.at - since).ns()) / 1e9);
    marks.revisions.push_back(s.event.object.resource_version());
  }
  return marks;
}

class Schedule : public ::testing::Test {
 protected:
  explicit Schedule(Compat compat = Compat::k1_36) : world(WorldOptions(compat)) {}
  // A watch of config maps from now on, with a change right after it.
  Marks Run(std::optional<std::int64_t> timeout, Duration time) {
    const VirtualTime since = world.sim.now();
    auto watch =
        world.Watch("configmaps", "default", Bookmarks(std::to_string(world.revision()), timeout));
    world.Create("configmaps", "default", ConfigMap("default", fmt::format("m{}", ++made_)));
    world.Advance(time);
    return MarksOf(*watch, since);
  }
  World world;
  int made_ = 0;
};

// WATCH-19
TEST_F(Schedule, ComesBeforeAShortDeadline) {
  const Marks marks = Run(30, Seconds(40));
  ASSERT_EQ(marks.at.size(), 1u);
  EXPECT_GE(marks.at[0], 27.0);
  EXPECT_LT(marks.at[0], 30.0);
}

// WATCH-19
TEST_F(Schedule, ComesEveryMinuteAndBeforeTheDeadline) {
  const Marks marks = Run(65, Seconds(80));
  ASSERT_EQ(marks.at.size(), 2u);
  EXPECT_GE(marks.at[0], 59.0);
  EXPECT_LT(marks.at[0], 62.5);
  EXPECT_GE(marks.at[1], 62.0);
  EXPECT_LT(marks.at[1], 65.0);
}

// WATCH-19
TEST_F(Schedule, ComesEveryMinuteOfALongWatch) {
  const Marks marks = Run(1200, Minutes(5));
  ASSERT_GE(marks.at.size(), 4u);
  EXPECT_LE(marks.at.size(), 5u);
  for (std::size_t i = 1; i < marks.at.size(); ++i) {
    EXPECT_GE(marks.at[i] - marks.at[i - 1], 58.0);
    EXPECT_LT(marks.at[i] - marks.at[i - 1], 62.5);
  }
}

// WATCH-20
TEST_F(Schedule, RepeatsARevisionButTellsNothingOld) {
  const Marks marks = Run(1200, Minutes(4));
  EXPECT_GE(marks.revisions.size(), 3u);
  for (const std::int64_t rv : marks.revisions) EXPECT_EQ(rv, world.revision());
  auto quiet =
      world.Watch("configmaps", "default", Bookmarks(std::to_string(world.revision()), 1200));
  world.Advance(Minutes(5));
  EXPECT_TRUE(quiet->seen.empty());
}

// WATCH-21
// WATCH-43
TEST_F(Schedule, MovesWithProgressOfAQuietKind) {
  auto watch =
      world.Watch("configmaps", "default", Bookmarks(std::to_string(world.revision()), 1200));
  world.Create("secrets", "default",
               Json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})"));
  world.Advance(Minutes(2));
  EXPECT_TRUE(watch->seen.empty()) << "nothing has told the cache of the other kind's write";
  world.List("configmaps", "default");  // consistent: asks for progress
  const std::int64_t reached = world.server().cache_revision(world.Kind("configmaps"));
  world.Advance(Minutes(2));
  ASSERT_FALSE(watch->seen.empty());
  EXPECT_EQ(watch->seen[0].event.object.resource_version(), reached);
}

// WATCH-23
TEST_F(Schedule, NeverComesUnlessAllowed) {
  auto watch = world.Watch("configmaps", "default", Options("0"));
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  world.Advance(Minutes(10));
  ASSERT_EQ(watch->seen.size(), 1u);
  EXPECT_EQ(watch->last().type, api::WatchEventType::kAdded);
}

// WATCH-18
TEST_F(Schedule, CarriesKindAndRevisionOnly) {
  auto watch =
      world.Watch("configmaps", "default", Bookmarks(std::to_string(world.revision()), 30));
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  world.Advance(Seconds(40));
  ASSERT_EQ(watch->seen.size(), 2u);
  EXPECT_EQ(watch->last().object.ToTree(),
            Json(fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap",
                                  "metadata":{{"resourceVersion":"{}"}}}})",
                             world.revision())));
}

// WATCH-22
TEST_F(Schedule, AWatchListIsOfferedOneAtTheFirstTick) {
  api::ListOptions options = Bookmarks("", 1200);
  auto watch = world.Watch("configmaps", "default", options);
  const VirtualTime since = world.sim.now();
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  world.Advance(Seconds(10));
  const Marks marks = MarksOf(*watch, since);
  ASSERT_EQ(marks.at.size(), 1u);
  EXPECT_LT(marks.at[0], 1.5);
}

class OldSchedule : public ::testing::TestWithParam<Compat> {};
INSTANTIATE_TEST_SUITE_P(Profiles, OldSchedule, ::testing::Values(Compat::k1_25, Compat::k1_30),
                         [](const auto& info) {
                           return std::string(info.param == Compat::k1_25 ? "1_25" : "1_30");
                         });

// WATCH-19
TEST_P(OldSchedule, NoneBeforeTheFirstChange) {
  World world{WorldOptions(GetParam())};
  // The cache has processed nothing since it began; the watch starts below its revision.
  auto watch = world.Watch("secrets", "default", Bookmarks("0", 1200));
  world.Advance(Seconds(90));
  EXPECT_TRUE(watch->seen.empty());
  world.Create("secrets", "default",
               Json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})"));
  world.Advance(Minutes(3));
  const std::size_t marks = MarksOf(*watch, VirtualTime()).at.size();
  // 1.25 has lost the watcher that was due in vain; 1.30 has put it back.
  EXPECT_EQ(marks >= 2, GetParam() == Compat::k1_30) << marks;
  EXPECT_EQ(marks == 0, GetParam() == Compat::k1_25) << marks;
}

// WATCH-19
TEST(BookmarkSchedule, TakesWholeBucketsInOrder) {
  const VirtualTime start = VirtualTime() + Milliseconds(300);
  BookmarkSchedule schedule(start);
  EXPECT_FALSE(schedule.NextDue().has_value());
  schedule.Add(1, start + Milliseconds(5900));
  schedule.Add(2, start + Milliseconds(5100));
  schedule.Add(3, start + Milliseconds(900));
  EXPECT_EQ(*schedule.NextDue(), start);
  EXPECT_EQ(schedule.TakeDue(start + Milliseconds(500)), std::vector<std::uint64_t>{3});
  EXPECT_EQ(*schedule.NextDue(), start + Seconds(5));
  EXPECT_EQ(schedule.TakeDue(start + Seconds(5)), (std::vector<std::uint64_t>{1, 2}));
  schedule.Add(4, VirtualTime());  // long ago: with the next ones
  EXPECT_EQ(*schedule.NextDue(), start + Seconds(6));
}

}  // namespace
}  // namespace ksim::apiserver
