#include "ksim/sim/clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace ksim::sim {
namespace {

VirtualTime At(Duration d) { return VirtualTime() + d; }

TEST(ClockRate, IsExact) {
  EXPECT_EQ(ClockRate().Passed(Hours(9)), Hours(9));
  EXPECT_EQ(ClockRate(102, 100).Passed(Seconds(50)), Seconds(51));
  EXPECT_EQ(ClockRate(98, 100).Passed(Seconds(50)), Seconds(49));
  EXPECT_EQ(ClockRate(1, 2).Passed(Seconds(7)), Milliseconds(3500));
  EXPECT_EQ(ClockRate(1001, 1000).Passed(Seconds(1)), Milliseconds(1001));
  EXPECT_EQ(ClockRate(10000, 9999).Passed(Hours(9999)), Hours(10000));
  EXPECT_EQ(ClockRate(1, 2).Until(Seconds(10)), Seconds(20));
  EXPECT_EQ(ClockRate(3, 1).Until(Seconds(1)), Nanoseconds(333'333'334));
  EXPECT_EQ(ClockRate(3, 1).Passed(Nanoseconds(333'333'333)), Nanoseconds(999'999'999));
  EXPECT_EQ(ClockRate(1, 2).Until(Seconds(-1)), Duration());
}

TEST(ClockRate, EndsAtTheEndOfTime) {
  EXPECT_EQ(ClockRate(10, 1).Passed(Duration::Max()), Duration::Max());
  EXPECT_EQ(ClockRate(1, 10000).Until(Duration::Max()), Duration::Max());
  EXPECT_EQ(ClockRate(1, 10000).Until(Hours(24 * 365)), Duration::Max());
  EXPECT_EQ(ClockRate(10000, 1000).Until(Duration::Max()), Duration(Duration::Max().ns() / 10 + 1));
  TurnedClock clock;
  clock.Begin({10, 1}, At(Seconds(1)));
  EXPECT_EQ(clock.Steady(VirtualTime::Max()), VirtualTime::Max());
  EXPECT_EQ(TurnedClock().WhenSteady(VirtualTime::Max()), VirtualTime::Max());
}

TEST(TurnedClock, TheWallClockIsSetRightAndTheSteadyOneGoesOn) {
  TurnedClock clock;
  const TurnedClock::RateId slow = clock.Begin({1, 2}, At(Seconds(10)));
  EXPECT_EQ(clock.Steady(At(Seconds(10))), At(Seconds(10)));
  EXPECT_EQ(clock.Steady(At(Seconds(30))), At(Seconds(20)));
  EXPECT_EQ(clock.Ahead(At(Seconds(30))), Seconds(-10));
  clock.End(slow, At(Seconds(30)));
  EXPECT_EQ(clock.Ahead(At(Seconds(30))), Duration());
  EXPECT_EQ(clock.Steady(At(Seconds(35))), At(Seconds(25)));
  const TurnedClock::RateId fast = clock.Begin({2, 1}, At(Seconds(40)));
  EXPECT_EQ(clock.Steady(At(Seconds(45))), At(Seconds(40)));
  EXPECT_EQ(clock.Ahead(At(Seconds(45))), Seconds(5));
  clock.End(fast, At(Seconds(45)));
  EXPECT_EQ(clock.Steady(At(Seconds(46))), At(Seconds(41)));
}

// The last that began holds; each takes with it what the clock gained while it held.
TEST(TurnedClock, OfSeveralRatesOneHolds) {
  TurnedClock clock;
  const TurnedClock::RateId slow = clock.Begin({1, 2}, At(Seconds(0)));
  const TurnedClock::RateId fast = clock.Begin({3, 1}, At(Seconds(10)));
  EXPECT_EQ(clock.Ahead(At(Seconds(20))), Seconds(-5 + 20));
  EXPECT_EQ(clock.Steady(At(Seconds(20))), At(Seconds(5 + 30)));
  TurnedClock other = clock;
  clock.End(fast, At(Seconds(20)));
  EXPECT_EQ(clock.Ahead(At(Seconds(30))), Seconds(-5 - 5));
  EXPECT_EQ(clock.Steady(At(Seconds(30))), At(Seconds(35 + 5)));
  other.End(slow, At(Seconds(20)));
  EXPECT_EQ(other.Ahead(At(Seconds(30))), Seconds(20 + 20));
  EXPECT_EQ(other.Steady(At(Seconds(30))), At(Seconds(35 + 30)));
}

// Against a clock that is looked at nanosecond by nanosecond.
TEST(TurnedClock, TellsTheFirstMomentAtWhichItShowsATime) {
  for (const ClockRate rate : {ClockRate(1, 1), ClockRate(1, 3), ClockRate(3, 1), ClockRate(7, 5),
                               ClockRate(5, 7), ClockRate(99, 100)}) {
    TurnedClock clock;
    clock.Begin({2, 3}, VirtualTime(5));
    clock.Begin(rate, VirtualTime(11));
    VirtualTime last;
    for (std::int64_t shows = 12; shows < 90; ++shows) {
      std::int64_t t = 11;
      while (clock.Steady(VirtualTime(t)) < VirtualTime(shows)) ++t;
      EXPECT_EQ(clock.WhenSteady(VirtualTime(shows)), VirtualTime(t))
          << rate.num << "/" << rate.den << " " << shows;
    }
    for (std::int64_t t = 5; t < 90; ++t) {
      EXPECT_GE(clock.Steady(VirtualTime(t)), last) << "it goes back";
      last = clock.Steady(VirtualTime(t));
      if (t == 10) last = VirtualTime();  // of before the second rate it says nothing
    }
  }
}

}  // namespace
}  // namespace ksim::sim
