// The Website controller under test: whatever the order of events, also when it is killed in the
// middle of its work, and under whatever faults a campaign draws.
#include <gtest/gtest.h>

#include "ksim/cluster.h"
#include "ksim/sim/process.h"
#include "ksim/testing.h"
#include "website_controller.h"
#include "website_registry.h"

namespace {

constexpr const char* kShop = R"(
apiVersion: example.dev/v1
kind: Website
metadata: {name: shop}
spec: {image: nginx, copies: 3}
)";

ksim::ClusterOptions Seeded(std::uint64_t seed) {
  ksim::ClusterOptions options;
  options.seed = seed;
  return options;
}

std::int64_t Ready(const ksim::Cluster& cluster) {
  return cluster.Get("websites", "default", "shop").status().Get("ready").AsInt();
}

// Another seed is another timing of every message.
TEST(Website, IsServedByAsManyPodsAsItSaysWhateverTheTiming) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ksim::Cluster cluster(Seeded(seed));
    cluster.AddController("website-controller", MakeWebsiteController);
    ASSERT_TRUE(cluster.Create(kShop).ok());
    ASSERT_TRUE(cluster.Run().ok());
    EXPECT_EQ(cluster.List("pods").size(), 3u) << "seed " << seed;
    EXPECT_EQ(Ready(cluster), 3) << "seed " << seed;
  }
}

// Killed `after` its start, and started again: what it had in memory is gone.
TEST(Website, SurvivesItsControllersDeathAtAnyMoment) {
  for (int after = 0; after < 60; after += 3) {
    ksim::Cluster cluster(Seeded(1));
    cluster.AddController("website-controller", MakeWebsiteController);
    ASSERT_TRUE(cluster.Create(kShop).ok());
    cluster.RunFor(ksim::Milliseconds(after));
    ksim::sim::Process* controller = cluster.simulation().FindProcess("website-controller");
    controller->Kill();
    controller->Start();
    ASSERT_TRUE(cluster.Run().ok());
    EXPECT_EQ(cluster.List("replicasets").size(), 1u) << after << " ms";
    EXPECT_EQ(cluster.List("pods").size(), 3u) << after << " ms";
    EXPECT_EQ(Ready(cluster), 3) << after << " ms";
  }
}

// A failure would come with the few faults that it takes, its scenario and its story.
TEST(Website, SurvivesDrawnFaults) {
  ksim::FuzzOptions options;
  options.last_seed = 40;
  EXPECT_TRUE(ksim::FindsNothing("shop", WebsiteRegistry(), options));
}

}  // namespace
