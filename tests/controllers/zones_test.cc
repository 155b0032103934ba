#include "ksim/controllers/nodelifecycle/zones.h"

#include <gtest/gtest.h>

namespace ksim::controllers {
namespace {

using Change = Zones::Change;

ZoneCount Count(std::int64_t ready, std::int64_t not_ready) {
  ZoneCount count;
  count.ready = ready;
  count.not_ready = not_ready;
  return count;
}

// CTRL-NL-12: more than two, and at least 55 of 100.
TEST(Zones, TheStateFollowsFromTheCounts) {
  EXPECT_EQ(ComputeZoneState(Count(0, 0)), ZoneState::kNormal);
  EXPECT_EQ(ComputeZoneState(Count(0, 1)), ZoneState::kFullDisruption);
  EXPECT_EQ(ComputeZoneState(Count(1, 2)), ZoneState::kNormal);
  EXPECT_EQ(ComputeZoneState(Count(1, 3)), ZoneState::kPartialDisruption);
  EXPECT_EQ(ComputeZoneState(Count(9, 11)), ZoneState::kPartialDisruption) << "55 of 100";
  EXPECT_EQ(ComputeZoneState(Count(46, 54)), ZoneState::kNormal);
}

// The 32-bit quotients that upstream compares, for every zone of up to 1500 nodes.
TEST(Zones, WholeNumbersDecideAsUpstreamsQuotients) {
  for (std::int64_t size = 1; size <= 1500; ++size) {
    for (std::int64_t bad = 3; bad < size; ++bad) {
      const bool partial = static_cast<float>(bad) / static_cast<float>(size) >= 0.55f;
      ASSERT_EQ(ComputeZoneState(Count(size - bad, bad)) == ZoneState::kPartialDisruption, partial)
          << bad << " of " << size;
    }
  }
}

TEST(Zones, ALargeZoneGoesOnSlowlyAndASmallOneStops) {
  EXPECT_EQ(RateOf(ZoneState::kPartialDisruption, 50), EvictionRate::kNone);
  EXPECT_EQ(RateOf(ZoneState::kPartialDisruption, 51), EvictionRate::kSecondary);
  EXPECT_EQ(RateOf(ZoneState::kFullDisruption, 3), EvictionRate::kNormal);
  EXPECT_EQ(RateOf(ZoneState::kNormal, 3), EvictionRate::kNormal);
}

// CTRL-NL-13
TEST(Zones, AllDownIsToldOnceAndSoIsTheWayBack) {
  const VirtualTime now = VirtualTime() + Hours(1);
  Zones zones;
  zones.AddIfNew("a", now);
  zones.AddIfNew("b", now);
  EXPECT_EQ(zones.TakeIn({{"a", Count(1, 0)}, {"b", Count(1, 0)}}, now), Change::kNone);
  EXPECT_EQ(zones.TakeIn({{"a", Count(0, 1)}, {"b", Count(1, 0)}}, now), Change::kNone);
  EXPECT_EQ(zones.QueueOf("a").rate(), EvictionRate::kNormal) << "only one zone is down";
  EXPECT_EQ(zones.TakeIn({{"a", Count(0, 1)}, {"b", Count(0, 1)}}, now), Change::kAllDown);
  zones.StopAll(now);
  EXPECT_EQ(zones.QueueOf("a").rate(), EvictionRate::kNone);
  EXPECT_EQ(zones.TakeIn({{"a", Count(0, 1)}, {"b", Count(0, 1)}}, now), Change::kNone);
  EXPECT_EQ(zones.TakeIn({{"a", Count(1, 0)}, {"b", Count(0, 1)}}, now), Change::kBackFromAllDown);
  EXPECT_EQ(zones.QueueOf("a").rate(), EvictionRate::kNormal);
  EXPECT_EQ(zones.QueueOf("b").rate(), EvictionRate::kNormal);
  EXPECT_EQ(zones.TakeIn({{"a", Count(1, 0)}, {"b", Count(0, 1)}}, now), Change::kNone);
}

TEST(Zones, PartOfAZoneDownChangesItsRate) {
  const VirtualTime now = VirtualTime() + Hours(1);
  Zones zones;
  zones.AddIfNew("a", now);
  zones.TakeIn({{"a", Count(4, 0)}}, now);
  zones.TakeIn({{"a", Count(1, 3)}}, now);
  EXPECT_EQ(zones.QueueOf("a").rate(), EvictionRate::kNone);
  zones.TakeIn({{"a", Count(3, 1)}}, now);
  EXPECT_EQ(zones.QueueOf("a").rate(), EvictionRate::kNormal);
}

TEST(Zones, AZoneWithoutNodesIsForgottenAndBeginsAnew) {
  const VirtualTime now = VirtualTime() + Hours(1);
  Zones zones;
  zones.AddIfNew("a", now);
  zones.AddIfNew("b", now);
  zones.QueueOf("a").Add("n", now);
  zones.TakeIn({{"b", Count(1, 0)}}, now);
  EXPECT_FALSE(zones.Knows("a"));
  EXPECT_FALSE(zones.QueueOf("a").empty()) << "its queue stays until the zone comes again";
  zones.AddIfNew("a", now);
  EXPECT_TRUE(zones.QueueOf("a").empty());
}

}  // namespace
}  // namespace ksim::controllers
