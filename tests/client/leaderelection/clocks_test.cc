// Leader election where the clocks of the candidates differ.
#include <gtest/gtest.h>

#include "ksim/sim/clock.h"
#include "ksim/sim/process.h"
#include "tests/client/leaderelection/election_fixture.h"

namespace ksim::client {
namespace {

// CLIENT-121: skewed clocks make no second leader, since no process reads another's times.
TEST(LeaderElectionClocks, ClocksThatDisagreeDoNotMakeTwoLeaders) {
  for (const Duration skew : {Hours(-1), Minutes(-1), Minutes(1), Hours(24)}) {
    LeaderElectionFixture f;
    Candidate& a = f.Start("a");
    f.Advance(Seconds(1));
    Candidate& b = f.Add("b");
    b.process.set_skew(skew);
    b.elector->Start();
    f.Advance(Minutes(2));
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
  }
}

// CLIENT-121: a clock that jumps while its process leads or waits makes no second leader either.
TEST(LeaderElectionClocks, AClockThatIsTurnedMakesNoOtherLeader) {
  for (const char* turned : {"a", "b"})
    for (const Duration skew : {Hours(-1), Hours(1)}) {
      LeaderElectionFixture f;
      Candidate& a = f.Start("a");
      f.Advance(Seconds(1));
      Candidate& b = f.Start("b");
      f.Advance(Seconds(20));
      Candidate& c = *turned == 'a' ? a : b;
      for (const Duration by : {skew, Duration()}) {
        c.process.set_skew(by);
        f.Advance(Minutes(1));
        EXPECT_TRUE(a.leads()) << turned << " " << FormatDuration(by);
        EXPECT_FALSE(b.leads()) << turned << " " << FormatDuration(by);
      }
    }
}

// CLIENT-121: neither can renew. The old leader gives up 12 s after its last renewal by its clock,
// the candidate waits for 15 s by its own: up to 5/4 of a rate they never lead together.
TEST(LeaderElectionClocks, ClocksThatRunApartMakeTwoLeadersBeyondFiveQuarters) {
  struct Row {
    sim::ClockRate a, b;
    bool two;
  };
  for (const Row& row :
       {Row{{1, 1}, {1, 1}, false}, Row{{9, 10}, {11, 10}, false}, Row{{1, 2}, {1, 2}, false},
        Row{{2, 1}, {1, 1}, false}, Row{{1, 2}, {1, 1}, true}, Row{{1, 1}, {3, 1}, true}})
    for (const api::Compat compat : kAll) {
      LeaderElectionFixture f(compat);
      Candidate& a = f.Start("a");
      f.Advance(Seconds(1));
      Candidate& b = f.Start("b");
      a.process.BeginRate(row.a);
      b.process.BeginRate(row.b);
      f.Advance(Seconds(20));
      EXPECT_TRUE(a.leads());
      f.server.silent["a"] = true;
      f.Advance(Minutes(2));
      ASSERT_TRUE(a.stopped && b.started);
      EXPECT_EQ(*b.started < *a.stopped, row.two) << row.a.num << "/" << row.a.den;
    }
}

// CLIENT-121: a leader whose clock is slow enough renews too late, and needs no other fault: it
// leads on, beside the one that took its lease, until the deadline has passed by its clock.
TEST(LeaderElectionClocks, ALeaderWithASlowClockLeadsBesideTheNext) {
  for (const api::Compat compat : kAll) {
    LeaderElectionFixture f(compat);
    Candidate& a = f.Start("a");
    f.Advance(Seconds(1));
    Candidate& b = f.Start("b");
    a.process.BeginRate({1, 10});
    f.Advance(Seconds(60));
    ASSERT_TRUE(b.leads());
    EXPECT_TRUE(a.leads()) << "two at once";
    EXPECT_EQ(f.server.holder(), "b");
    f.Advance(Minutes(2));
    ASSERT_TRUE(a.stopped.has_value());
    EXPECT_GE(*a.stopped - *b.started, Seconds(80));
    EXPECT_TRUE(b.leads());
  }
}

}  // namespace
}  // namespace ksim::client
