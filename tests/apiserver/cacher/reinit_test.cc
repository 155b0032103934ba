// A watch cache that loses its storage watch begins anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/apiserver/cacher/ready.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using Lines = std::vector<std::string>;

class Reinit : public ::testing::Test {
 protected:
  api::Object Make(std::string_view name) {
    return world.Create("configmaps", "default", ConfigMap("default", name)).object;
  }
  const api::ResourceInfo& maps() { return world.Kind("configmaps"); }
  World world;
};

// WATCH-30
TEST_F(Reinit, ItsWatchersEndWithoutAnError) {
  Make("a");
  auto watch = world.Watch("configmaps", "default", Options("0"));
  watch->TakeLines();
  const VirtualTime before = world.sim.now();
  world.server().faults().watch_cache(maps()).Reinit();
  EXPECT_EQ(world.List("configmaps", "default", Options("0")).code, 429) << "at once";
  world.Advance(Milliseconds(900));
  EXPECT_FALSE(watch->closed);
  world.Advance(Seconds(2));
  EXPECT_EQ(watch->Lines(), Lines{"EOF"});
  EXPECT_GE(watch->closed_at - before, Seconds(1));
}

// WATCH-31
// WATCH-33
TEST_F(Reinit, ANewGenerationKnowsNoEarlierHistory) {
  const api::Object a = Make("a");
  const api::Object b = Make("b");
  world.server().faults().watch_cache(maps()).Reinit();
  world.Advance(Seconds(3));
  const api::ListOptions old = Options(std::to_string(a.resource_version()));
  EXPECT_EQ(world.Watch("configmaps", "default", old)->Lines(),
            (Lines{"ERROR 410 Expired", "EOF"}));
  auto fresh = world.Watch("configmaps", "default", Options(std::to_string(world.revision())));
  const api::Object c = Make("c");
  world.Advance(Seconds(1));
  EXPECT_EQ(fresh->Lines(), Lines{fmt::format("ADDED c {}", c.resource_version())});
}

// WATCH-33
TEST_F(Reinit, NothingIsLostThatHappensMeanwhile) {
  Make("a");
  world.server().faults().watch_cache(maps()).Reinit();
  world.Advance(Milliseconds(500));
  Make("b");
  world.Delete("configmaps", "default", "a");
  world.Advance(Seconds(3));
  EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"))), Lines{"b"});
}

// WATCH-34
TEST_F(Reinit, AWatchThatWaitedAcrossItClosesAtOnce) {
  const api::Object a = Make("a");
  world.server().faults().watch_cache(maps()).Freeze();
  const api::Object b = Make("b");
  api::ListOptions options = Options(std::to_string(b.resource_version()), "NotOlderThan");
  options.send_initial_events = true;
  auto watch = world.StartWatch("configmaps", "default", options);
  world.Advance(Milliseconds(100));
  world.server().faults().watch_cache(maps()).Reinit();
  world.server().faults().watch_cache(maps()).ThawAll();
  world.Advance(Seconds(5));
  EXPECT_EQ(watch->response.code, 200);
  EXPECT_EQ(watch->Lines(), Lines{"EOF"});
}

// WATCH-30
TEST_F(Reinit, ACompactedStorageWatchIsOne) {
  Make("a");
  world.Advance(Seconds(1));
  // The cache sees nothing while etcd is down; the changes of that time are compacted before it is
  // back.
  auto watch = world.Watch("configmaps", "default", Options("0"));
  world.etcd.process().Kill();
  world.etcd.process().Start();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(world.store()
                    .Put(store::PutRequest(fmt::format("/registry/configmaps/default/x{}", i),
                                           ConfigMap("default", fmt::format("x{}", i))))
                    .ok());
  ASSERT_TRUE(world.store().Compact(store::CompactRequest(world.revision(), {})).ok());
  world.Advance(Seconds(10));
  EXPECT_TRUE(watch->closed);
  EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"))),
            (Lines{"a", "x0", "x1", "x2"}));
}

// WATCH-30
TEST_F(Reinit, AStreamThatLivedIsReopenedWithoutOne) {
  Make("a");
  world.Advance(Seconds(5));
  auto watch = world.Watch("configmaps", "default", Options("0"));
  watch->TakeLines();
  world.etcd.process().Kill();
  world.etcd.process().Start();
  world.Advance(Milliseconds(500));
  const api::Object b = Make("b");
  world.Advance(Seconds(2));
  EXPECT_EQ(watch->Lines(), Lines{fmt::format("ADDED b {}", b.resource_version())});
}

// WATCH-35
TEST_F(Reinit, AnEtcdOutOfReachIsDialledUntilItIsBack) {
  Make("a");
  world.Advance(Seconds(5));
  auto watch = world.Watch("configmaps", "default", Options("0"));
  watch->TakeLines();
  world.etcd.process().Kill();
  world.Advance(Seconds(20));
  EXPECT_FALSE(watch->closed);
  EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"))), Lines{"a"});
  world.etcd.process().Start();
  world.Advance(Milliseconds(500));
  const api::Object b = Make("b");
  world.Advance(Seconds(2));
  EXPECT_EQ(watch->Lines(), Lines{fmt::format("ADDED b {}", b.resource_version())});
}

// WATCH-30
// WATCH-35
// The previous value of a deletion is compacted before the cache hears of it: each new watch of the
// store begins with that event and fails.
TEST(ReinitInAllProfiles, AnInternalErrorIsRetriedFor30SecondsBeforeANewList) {
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    for (const char* name : {"a", "b"})
      world.Create("configmaps", "default", ConfigMap("default", name));
    world.Advance(Seconds(1));
    auto watch = world.Watch("configmaps", "default", Options("0"));
    watch->TakeLines();
    world.etcd.process().Kill();
    world.etcd.process().Start();
    const store::DeleteRangeRequest gone("/registry/configmaps/default/a");
    ASSERT_TRUE(world.store().DeleteRange(gone).ok());
    ASSERT_TRUE(world.store().Compact(store::CompactRequest(world.revision(), {})).ok());
    const VirtualTime before = world.sim.now();
    world.Advance(Seconds(29));
    EXPECT_EQ(watch->Lines(), Lines{}) << "its watchers stay open and see nothing";
    EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"))), (Lines{"a", "b"}));
    world.Advance(Seconds(6));
    EXPECT_EQ(watch->Lines(), Lines{"EOF"});
    EXPECT_GT(watch->closed_at - before, Seconds(31));
    EXPECT_LT(watch->closed_at - before, Seconds(33));
    EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"))), Lines{"b"});
  }
}

TEST_F(Reinit, WritesFailWhileEtcdIsAway) {
  world.etcd.process().Kill();
  const api::Response r = world.Create("configmaps", "default", ConfigMap("default", "m"));
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.reason, "");
  world.etcd.process().Start();
  world.Advance(Seconds(10));
  EXPECT_EQ(world.Create("configmaps", "default", ConfigMap("default", "m")).code, 201);
}

TEST_F(Reinit, ADownServerTakesNothingAndDropsItsStreams) {
  auto watch = world.Watch("configmaps", "default", Options("0"));
  const auto lost = world.Start(world.Request(api::Verb::kList, "configmaps", "default", ""));
  world.server().faults().SetDown(true);
  EXPECT_FALSE(world.server().accepting());
  EXPECT_EQ(watch->Lines(), Lines{"RESET"});
  world.Advance(Seconds(5));
  EXPECT_EQ(lost->code, 0);
  world.server().faults().SetDown(false);
  EXPECT_EQ(world.List("configmaps", "default").code, 200);
}

TEST_F(Reinit, ExpiredHistoryIsAnswered410) {
  const api::Object a = Make("a");
  Make("b");
  world.Advance(Seconds(1));
  world.server().faults().watch_cache(maps()).ExpireHistory();
  const api::ListOptions old = Options(std::to_string(a.resource_version()));
  EXPECT_EQ(world.Watch("configmaps", "default", old)->Lines(),
            (Lines{"ERROR 410 Expired", "EOF"}));
}

// API-45
TEST(Ready, RetryAfterGrowsWithTheDowntime) {
  EXPECT_EQ(RetryAfterForUnreadyCache(Duration()), 1);
  EXPECT_EQ(RetryAfterForUnreadyCache(Seconds(11)), 1);
  EXPECT_EQ(RetryAfterForUnreadyCache(Seconds(14)), 2);
  EXPECT_EQ(RetryAfterForUnreadyCache(Seconds(30)), 6);
  EXPECT_EQ(RetryAfterForUnreadyCache(Seconds(60)), 30);
  EXPECT_EQ(RetryAfterForUnreadyCache(Hours(1)), 30);
}

}  // namespace
}  // namespace ksim::apiserver
