// The compactor and the lease manager against a real etcd.
#include <gtest/gtest.h>

#include "ksim/apiserver/etcd3/lease_manager.h"
#include "ksim/sim/process.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

WorldOptions Interval(Duration d) {
  WorldOptions options;
  options.server.compaction_interval = d;
  return options;
}

// API-18
TEST(Compaction, KeepsFiveToTenMinutes) {
  World world(Interval(Minutes(5)));
  EXPECT_EQ(world.store().compact_revision(), -1);
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  world.Advance(Minutes(5));
  const std::int64_t first_round = world.revision();
  EXPECT_EQ(world.store().compact_revision(), -1) << "the first round only notes where it stands";
  world.Create("configmaps", "default", ConfigMap("default", "n"));
  world.Advance(Minutes(5));
  EXPECT_EQ(world.store().compact_revision(), first_round);
  const std::int64_t before = world.revision();
  world.Advance(Minutes(5));
  EXPECT_EQ(world.revision(), before + 1) << "a round takes one revision";
  EXPECT_EQ(world.store().compact_revision(), before);
}

// API-19
TEST(Compaction, OneOfTwoServersCompacts) {
  World world(Interval(Minutes(5)).Servers(2));
  const std::int64_t before = world.revision();
  world.Advance(Minutes(30) + Seconds(30));
  EXPECT_EQ(world.revision(), before + 6) << "one write an interval, whoever wins";
  EXPECT_GT(world.store().compact_revision(), before);
}

// API-19
TEST(Compaction, ZeroIsOff) {
  World world(Interval(Duration()));
  const std::int64_t before = world.revision();
  world.Advance(Hours(1));
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.store().compact_revision(), -1);
}

// API-41
TEST(Compaction, SnapshotsBelowItGoWithinSeconds) {
  World world(Interval(Duration()));
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  const std::int64_t at = world.revision();
  world.Create("configmaps", "default", ConfigMap("default", "n"));
  world.Advance(Seconds(1));
  // Another API server's compactor would write this.
  ASSERT_TRUE(world.store().Compact(store::CompactRequest(world.revision(), {})).ok());
  ASSERT_TRUE(world.store()
                  .Put(store::PutRequest("compact_rev_key",
                                         value::Value::Of(std::to_string(world.revision()))))
                  .ok());
  EXPECT_EQ(world.List("configmaps", "default", Options(std::to_string(at), "Exact")).code, 200);
  world.Advance(Seconds(16));
  EXPECT_EQ(world.List("configmaps", "default", Options(std::to_string(at), "Exact")).code, 410);
}

class Leases : public ::testing::Test {
 protected:
  Leases()
      : process(world.sim.AddProcess("leaser")),
        client(world.network, "leaser", world.etcd),
        manager(world.sim, client) {
    process.Start();
  }
  static sim::Task<void> Ask(LeaseManager& m, std::int64_t ttl, store::LeaseId& out) {
    api::Result<store::LeaseId> lease = co_await m.Lease(ttl);
    out = lease.ok() ? *lease : -1;
  }
  store::LeaseId Lease(std::int64_t ttl) {
    store::LeaseId id = 0;
    process.Spawn(Ask(manager, ttl, id));
    world.RunUntil([&] { return id != 0; });
    return id;
  }
  World world;
  sim::Process& process;
  store::EtcdClient client;
  LeaseManager manager;
};

// API-17
TEST_F(Leases, AreSharedForAWhile) {
  const store::LeaseId first = Lease(3600);
  world.Advance(Seconds(59));
  EXPECT_EQ(Lease(3600), first);
  world.Advance(Seconds(2));
  const store::LeaseId second = Lease(3600);
  EXPECT_NE(second, first);
  EXPECT_NE(Lease(100), second) << "a shorter life is not served by a long lease";
}

// API-17
TEST_F(Leases, TakeAThousandObjects) {
  const store::LeaseId first = Lease(3600);
  for (int i = 1; i < 1000; ++i) ASSERT_EQ(Lease(3600), first);
  EXPECT_NE(Lease(3600), first);
}

}  // namespace
}  // namespace ksim::apiserver
