#include "ksim/controllers/common/expectations.h"

#include <gtest/gtest.h>

#include "ksim/sim/simulation.h"

namespace ksim::controllers {
namespace {

struct ExpectationsTest : testing::Test {
  ExpectationsTest() : sim(sim::SimulationOptions()), process(sim.AddProcess("manager")) {}
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  sim::Simulation sim;
  sim::Process& process;
  const std::string key = "default/web";
};

// CTRL-C-04
TEST_F(ExpectationsTest, AreSatisfiedWithoutARecordAndWhenBothCountersAreMet) {
  Expectations e(process);
  EXPECT_TRUE(e.Satisfied(key));
  e.Set(key, 2, 1);
  EXPECT_FALSE(e.Satisfied(key));
  e.CreationObserved(key);
  e.Lower(key, 0, 1);
  EXPECT_FALSE(e.Satisfied(key));
  e.CreationObserved(key);
  EXPECT_TRUE(e.Satisfied(key));
}

// CTRL-C-04: an expectation expires when it is strictly older than five minutes; Set restarts its
// time.
TEST_F(ExpectationsTest, ExpireAfterMoreThanFiveMinutes) {
  Expectations e(process);
  e.Set(key, 1, 0);
  Advance(Minutes(5));
  EXPECT_FALSE(e.Satisfied(key));
  Advance(Nanoseconds(1));
  EXPECT_TRUE(e.Satisfied(key));
  e.Set(key, 1, 0);
  EXPECT_FALSE(e.Satisfied(key));
}

// CTRL-C-04: expectations expire by the monotonic clock, which no skew moves.
TEST_F(ExpectationsTest, ExpireAsSoonWhenTheClockIsTurned) {
  for (const Duration skew : {Hours(1), Hours(-1)}) {
    Expectations e(process);
    process.set_skew(skew);
    e.Set(key, 1, 0);
    Advance(Minutes(4));
    process.set_skew(Duration());
    EXPECT_FALSE(e.Satisfied(key));
    Advance(Minutes(2));
    EXPECT_TRUE(e.Satisfied(key));
  }
}

// CLIENT-105
TEST_F(ExpectationsTest, EachSettingReplacesBothCountersAndRestartsTheClock) {
  TrackingExpectations e(process);
  e.ExpectDeletions(key, {"default/a", "default/b"});
  EXPECT_EQ(e.Get(key)->del, 2);
  e.ExpectCreations(key, 3);
  EXPECT_EQ(e.Get(key)->add, 3);
  EXPECT_EQ(e.Get(key)->del, 0);
  Advance(Minutes(4));
  e.ExpectDeletions(key, {"default/a"});
  EXPECT_EQ(e.Get(key)->add, 0);
  EXPECT_EQ(e.Get(key)->del, 1);
  Advance(Minutes(4));
  EXPECT_FALSE(e.Satisfied(key));
}

// Under the variant `rs.expectations: never` no expectation expires.
TEST_F(ExpectationsTest, MayBeToldNeverToExpire) {
  Expectations e(process, /*expire=*/false);
  e.Set(key, 1, 0);
  Advance(Hours(24));
  EXPECT_FALSE(e.Satisfied(key));
  e.CreationObserved(key);
  EXPECT_TRUE(e.Satisfied(key));
}

// CLIENT-107
TEST_F(ExpectationsTest, GoBelowZeroAndIgnoreWhatHasNoRecord) {
  Expectations e(process);
  e.CreationObserved(key);
  EXPECT_FALSE(e.Get(key).has_value());
  e.Set(key, 1, 0);
  e.CreationObserved(key);
  e.CreationObserved(key);
  EXPECT_EQ(e.Get(key)->add, -1);
  EXPECT_TRUE(e.Satisfied(key));
}

// CTRL-C-05, CLIENT-109: the update that marks a pod and the DELETE that follows count once.
TEST_F(ExpectationsTest, ADeletionCountsOnceForEachPod) {
  TrackingExpectations e(process);
  e.ExpectDeletions(key, {"default/a", "default/b"});
  e.DeletionObserved(key, "default/a");
  e.DeletionObserved(key, "default/a");
  e.DeletionObserved(key, "default/stranger");
  EXPECT_EQ(e.Get(key)->del, 1);
  EXPECT_FALSE(e.Satisfied(key));
  e.DeletionObserved(key, "default/b");
  EXPECT_TRUE(e.Satisfied(key));
}

// CTRL-C-05: a creation set leaves the older key set in place, so a late delete goes below zero.
TEST_F(ExpectationsTest, ExpectingCreationsKeepsTheDeletedKeys) {
  TrackingExpectations e(process);
  e.ExpectDeletions(key, {"default/a"});
  e.ExpectCreations(key, 1);
  e.DeletionObserved(key, "default/a");
  EXPECT_EQ(e.Get(key)->del, -1);
  EXPECT_EQ(e.Get(key)->add, 1);
}

// CTRL-C-06: keyed by name; a pod of the same name and another uid is the same key.
TEST_F(ExpectationsTest, DeleteForgetsCountersAndKeys) {
  TrackingExpectations e(process);
  e.ExpectDeletions(key, {"default/a"});
  e.Delete(key);
  EXPECT_TRUE(e.Satisfied(key));
  e.ExpectCreations(key, 1);
  e.DeletionObserved(key, "default/a");
  EXPECT_EQ(e.Get(key)->del, 0);
}

}  // namespace
}  // namespace ksim::controllers
