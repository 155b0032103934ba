#include <array>

#include "tests/store/store_fixture.h"

namespace ksim::store {
namespace {

class LeaseTest : public StoreTest {
 protected:
  std::string TryGrant(LeaseId id, std::int64_t ttl) {
    const absl::StatusOr<LeaseGrantResponse> r = store.LeaseGrant(LeaseGrantRequest(id, ttl), now);
    return r.ok() ? fmt::format("{} for {}", r->id, r->ttl) : Show(r.status());
  }
  std::string TryRevoke(LeaseId id) {
    return ErrorIn(store.LeaseRevoke(LeaseRevokeRequest(id, WriteOrigin())));
  }
  LeaseTimeToLiveResponse Ttl(LeaseId id) {
    return store.LeaseTimeToLive(LeaseTimeToLiveRequest(id, true), now);
  }
};

// STORE-86
TEST_F(LeaseTest, Granting) {
  const std::string exists = "9 etcdserver: lease already exists";
  const std::string too_large = "11 etcdserver: too large lease TTL";
  EXPECT_EQ(TryGrant(5, 60), "5 for 60");
  EXPECT_EQ(TryGrant(5, 60), exists);
  EXPECT_EQ(TryGrant(5, 9'000'000'001), too_large);
  EXPECT_EQ(TryGrant(6, 9'000'000'000), "6 for 9000000000");
  EXPECT_EQ(TryGrant(7, 0), "7 for 2");
  EXPECT_EQ(TryGrant(8, -3), "8 for 2");
  EXPECT_EQ(TryGrant(9, 2), "9 for 2");
  EXPECT_EQ(TryGrant(0, 3), "1 for 3");
  EXPECT_EQ(TryGrant(2, 3), "2 for 3");
  EXPECT_EQ(TryGrant(0, 3), "3 for 3");
}

// STORE-87
TEST_F(LeaseTest, RevokingDeletesItsKeysAtOnce) {
  Grant(7, 60);
  for (const char* key : {"c", "a", "b"}) Put(key, "v", 7);
  Put("d");
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest(kAll, kAll, 0));
  Drain(*stream);
  EXPECT_EQ(TryRevoke(7), "ok");
  EXPECT_EQ(Drain(*stream),
            std::vector<std::string>{"w0 @6: a deleted m6, b deleted m6, c deleted m6"});
  EXPECT_EQ(State(), "d=v c5 m5 v1");
  EXPECT_EQ(TryRevoke(7), "5 etcdserver: requested lease not found");
}

// STORE-89
TEST_F(LeaseTest, ExpiresAtItsTime) {
  Grant(7, 10);
  Put("a", "v", 7);
  EXPECT_EQ(store.NextExpiry(), VirtualTime() + Seconds(10));
  Advance(Seconds(10) - Duration(1));
  EXPECT_EQ(State(), "a=v c2 m2 v1 l7");
  Advance(Duration(1));
  EXPECT_EQ(State(), "");
  EXPECT_FALSE(store.NextExpiry());
}

// STORE-90
TEST_F(LeaseTest, KeepAlive) {
  Grant(7, 10);
  Advance(Seconds(9));
  EXPECT_EQ(store.LeaseKeepAlive(LeaseKeepAliveRequest(7), now).ttl, 10);
  Advance(Seconds(9));
  EXPECT_EQ(Ttl(7).ttl, 1);
  Advance(Seconds(1));
  EXPECT_EQ(store.LeaseKeepAlive(LeaseKeepAliveRequest(7), now).ttl, 0);
  EXPECT_EQ(store.LeaseKeepAlive(LeaseKeepAliveRequest(404), now).ttl, 0);
}

// STORE-91
TEST_F(LeaseTest, TimeToLive) {
  Grant(7, 10);
  Put("b", "v", 7);
  Put("a", "v", 7);
  Advance(Milliseconds(2500));
  const LeaseTimeToLiveResponse r = Ttl(7);
  EXPECT_EQ(r.ttl, 7);
  EXPECT_EQ(r.granted_ttl, 10);
  EXPECT_EQ(r.keys, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(store.LeaseTimeToLive(LeaseTimeToLiveRequest(7, false), now).keys.empty());
  EXPECT_EQ(Ttl(404).ttl, -1);
  Grant(3, 10);
  EXPECT_EQ(store.LeaseLeases().ids, (std::vector<LeaseId>{3, 7}));
}

// STORE-92
TEST_F(LeaseTest, ExpiryGoesByTimeThenId) {
  Grant(9, 5);
  Grant(2, 10);
  Grant(1, 10);
  for (LeaseId id : {2, 9, 1}) Put(fmt::format("k{}", id), "v", id);
  const auto stream = store.NewWatchStream();
  stream->Watch(WatchRequest(kAll, kAll, 0));
  Drain(*stream);
  Advance(Seconds(60));
  EXPECT_EQ(Drain(*stream),
            (std::vector<std::string>{"w0 @5: k9 deleted m5", "w0 @6: k1 deleted m6",
                                      "w0 @7: k2 deleted m7"}));
}

TEST_F(LeaseTest, RefreshGivesTheFullTimeAgain) {
  Grant(7, 10);
  Advance(Seconds(9));
  store.RefreshLeases(now);
  Advance(Seconds(9));
  EXPECT_EQ(Ttl(7).ttl, 1);
}

TEST_F(LeaseTest, ALeaseMayOutliveTheClock) {
  now = VirtualTime(INT64_MAX - 5);
  Grant(7, 9'000'000'000);
  EXPECT_EQ(store.NextExpiry(), VirtualTime::Max());
}

}  // namespace
}  // namespace ksim::store
