#include "ksim/serve/pace.h"

#include <gtest/gtest.h>

namespace ksim::serve {
namespace {

VirtualTime At(Duration d) { return VirtualTime() + d; }

TEST(Pace, TheClockFollowsTheRealOne) {
  Pace pace(ParseSpeed("real").value(), At(Seconds(5)), Seconds(100));
  EXPECT_EQ(pace.Allowed(Seconds(100)), At(Seconds(5)));
  EXPECT_EQ(pace.Allowed(Seconds(103)), At(Seconds(8)));
  Duration wait;
  EXPECT_TRUE(pace.MayReach(At(Seconds(9)), Seconds(103), &wait));
  EXPECT_EQ(wait, Seconds(1) + Nanoseconds(1));
  EXPECT_TRUE(pace.MayReach(At(Seconds(7)), Seconds(103), &wait));
  EXPECT_EQ(wait, Duration());
}

TEST(Pace, TheClockRunsManyTimesAsFast) {
  Pace pace(ParseSpeed("10").value(), VirtualTime(), Duration());
  EXPECT_EQ(pace.Allowed(Seconds(3)), At(Seconds(30)));
  Duration wait;
  EXPECT_TRUE(pace.MayReach(At(Seconds(40)), Seconds(3), &wait));
  EXPECT_EQ(wait, Seconds(1) + Nanoseconds(1));
}

TEST(Pace, TheClockStandsStillUntilItIsTold) {
  Pace pace(ParseSpeed("step").value(), At(Seconds(1)), Duration());
  EXPECT_EQ(pace.Allowed(Hours(1)), At(Seconds(1)));
  Duration wait;
  EXPECT_FALSE(pace.MayReach(At(Seconds(2)), Hours(1), &wait));
  pace.Step(Seconds(10));
  EXPECT_EQ(pace.Allowed(Hours(1)), At(Seconds(11)));
  EXPECT_TRUE(pace.MayReach(At(Seconds(2)), Hours(1), &wait));
}

TEST(Pace, AClockThatIsLetGoStartsWhereItStood) {
  Pace pace(ParseSpeed("step").value(), At(Seconds(1)), Duration());
  pace.Change(ParseSpeed("real").value(), Hours(1));
  EXPECT_EQ(pace.Allowed(Hours(1)), At(Seconds(1)));
  EXPECT_EQ(pace.Allowed(Hours(1) + Seconds(2)), At(Seconds(3)));
  pace.Change(ParseSpeed("max").value(), Hours(1) + Seconds(2));
  EXPECT_EQ(pace.Allowed(Hours(1) + Seconds(2)), VirtualTime::Max());
}

TEST(Pace, ASpeedIsAWordOrAWholeNumber) {
  for (const char* good : {"real", "max", "step", "2", "100000"})
    EXPECT_EQ(ToString(ParseSpeed(good).value()), good);
  EXPECT_EQ(ToString(ParseSpeed("1").value()), "real");
  for (const char* bad : {"", "0", "-1", "1.5", "100001", "fast", "2x", " 2"})
    EXPECT_FALSE(ParseSpeed(bad).ok()) << bad;
}

}  // namespace
}  // namespace ksim::serve
