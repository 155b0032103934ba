#include "ksim/controllers/common/consistency_store.h"

#include <gtest/gtest.h>

#include <map>

namespace ksim::controllers {
namespace {

struct ConsistencyStoreTest : testing::Test {
  ConsistencyStore Make(bool enabled = true) {
    return ConsistencyStore(
        enabled, [this](std::string_view r) { return seen.find(std::string(r))->second; });
  }
  std::map<std::string, std::int64_t> seen{{"pods", 10}, {"replicasets", 10}};
};

// CTRL-C-08
TEST_F(ConsistencyStoreTest, WaitsForTheNewestWriteOfEachResource) {
  ConsistencyStore store = Make();
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
  store.WroteAt("default/web", "u1", "pods", 12);
  store.WroteAt("default/web", "u1", "pods", 11);
  store.WroteAt("default/web", "u1", "replicasets", 10);
  EXPECT_EQ(store.NotReady("default/web"),
            "read version: 10 is not as new as written version: 12 for group resource pods");
  seen["pods"] = 11;
  EXPECT_EQ(store.NotReady("default/web"),
            "read version: 11 is not as new as written version: 12 for group resource pods");
  seen["pods"] = 12;
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
}

TEST_F(ConsistencyStoreTest, DropsTheRecordOnceCaughtUp) {
  ConsistencyStore store = Make();
  store.WroteAt("default/web", "u1", "pods", 10);
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
  seen["pods"] = 5;  // a cache that went back is no longer this record's affair
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
}

TEST_F(ConsistencyStoreTest, AnUnknownStoreVersionCountsAsReady) {
  seen["pods"] = 0;
  ConsistencyStore store = Make();
  store.WroteAt("default/web", "u1", "pods", 12);
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
}

TEST_F(ConsistencyStoreTest, IsClearedForItsOwnerOnly) {
  ConsistencyStore store = Make();
  store.WroteAt("default/web", "u1", "pods", 12);
  store.Clear("default/web", "u2");
  EXPECT_NE(store.NotReady("default/web"), std::nullopt);
  store.Clear("default/web", "u1");
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
  store.WroteAt("default/web", "u1", "pods", 12);
  store.Clear("default/web", "");
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
}

TEST_F(ConsistencyStoreTest, NeverHoldsBackWhenOff) {
  ConsistencyStore store = Make(/*enabled=*/false);
  store.WroteAt("default/web", "u1", "pods", 12);
  EXPECT_EQ(store.NotReady("default/web"), std::nullopt);
}

}  // namespace
}  // namespace ksim::controllers
