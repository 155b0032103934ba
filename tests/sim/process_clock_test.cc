// The clocks of a process: what it reads, and how long its timers take. G-CK1.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/sim/clock.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

class ProcessClockTest : public testing::Test {
 protected:
  ProcessClockTest() {
    a_.Start();
    b_.Start();
  }
  void RunFor(Duration d) { sim_.RunUntil(sim_.now() + d); }
  Duration now() const { return sim_.now() - VirtualTime(); }
  static Duration Of(VirtualTime t) { return t - VirtualTime(); }
  // Notes when the process wakes, in virtual time.
  Task<void> SleepOnce(std::string name, Duration d) {
    co_await sim_.Sleep(d, TimerKind::kWork, "sleep");
    Note(name);
  }
  Task<void> SpendOnce(std::string name, Duration d) {
    co_await sim_.Spend(d, TimerKind::kWork, "spend");
    Note(name);
  }
  Task<void> Tick(std::string name, Duration period) {
    for (;;) {
      co_await sim_.Sleep(period, TimerKind::kPeriodic, "tick");
      Note(name);
    }
  }
  void Note(const std::string& name) { log_ += name + "@" + FormatTime(sim_.now()) + " "; }

  std::string log_;
  Simulation sim_{SimulationOptions()};
  Process& a_{sim_.AddProcess("a")};
  Process& b_{sim_.AddProcess("b")};
};

TEST_F(ProcessClockTest, ARateMovesBothClocksAndAStepOnlyTheWallClock) {
  RunFor(Seconds(10));
  a_.set_skew(Seconds(7));
  EXPECT_EQ(Of(a_.Now()), Seconds(17));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(10));
  const TurnedClock::RateId id = a_.BeginRate({1, 2});
  RunFor(Seconds(10));
  EXPECT_EQ(Of(a_.Now()), Seconds(17 + 5));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(15));
  EXPECT_EQ(Of(b_.Now()), Seconds(20));
  EXPECT_EQ(Of(b_.SteadyNow()), Seconds(20));
  a_.EndRate(id);
  EXPECT_EQ(Of(a_.Now()), Seconds(27));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(15));
  RunFor(Seconds(1));
  EXPECT_EQ(Of(a_.Now()), Seconds(28));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(16));
}

TEST_F(ProcessClockTest, TimersGoByTheClockOfTheirProcess) {
  a_.BeginRate({1, 2});
  a_.Spawn(SleepOnce("slow", Seconds(10)));
  b_.BeginRate({2, 1});
  b_.Spawn(SleepOnce("fast", Seconds(10)));
  RunFor(Minutes(1));
  EXPECT_EQ(log_, "fast@+5.000s slow@+20.000s ");
}

TEST_F(ProcessClockTest, TimersThatRunMoveWithTheRate) {
  a_.Spawn(SleepOnce("a", Seconds(10)));
  b_.Spawn(SleepOnce("b", Seconds(10)));
  RunFor(Seconds(4));
  const TurnedClock::RateId id = a_.BeginRate({1, 2});
  RunFor(Seconds(4));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(6));
  a_.EndRate(id);
  RunFor(Minutes(1));
  EXPECT_EQ(log_, "b@+10.000s a@+12.000s ");
}

TEST_F(ProcessClockTest, CallsByItsClockMoveToo) {
  a_.After(Seconds(10), TimerKind::kWork, "call", [this] { Note("call"); });
  const Simulation::SlotRef other =
      a_.After(Seconds(20), TimerKind::kWork, "call", [this] { Note("canceled"); });
  RunFor(Seconds(4));
  a_.BeginRate({1, 2});
  a_.After(Seconds(1), TimerKind::kWork, "call", [this] { Note("later"); });
  sim_.CancelCall(other);
  sim_.After(Seconds(1), TimerKind::kWork, "call", [this] { Note("true"); });
  b_.After(Seconds(2), TimerKind::kWork, "call", [this] { Note("b"); });
  RunFor(Seconds(1));
  a_.BeginRate({1, 1});
  RunFor(Minutes(1));
  // At 5 s the clock shows 4.5 s.
  EXPECT_EQ(log_, "true@+5.000s later@+5.500s b@+6.000s call@+10.500s ");
}

// With a fast clock they come earlier, the order of equal ones stays, and one that is due is due.
TEST_F(ProcessClockTest, SeveralTimersMoveTogether) {
  for (const char* name : {"x", "y", "z"}) a_.Spawn(SleepOnce(name, Seconds(10)));
  a_.Spawn(SleepOnce("now", Seconds(2)));
  RunFor(Milliseconds(1999));
  sim_.After(Milliseconds(1), TimerKind::kWork, "turn", [this] { a_.BeginRate({4, 1}); });
  RunFor(Minutes(1));
  EXPECT_EQ(log_, "now@+2.000s x@+4.000s y@+4.000s z@+4.000s ");
  EXPECT_EQ(sim_.pending_work(), 0u);
}

TEST_F(ProcessClockTest, ATickerCountsByIt) {
  a_.BeginRate({1, 3});
  a_.Spawn(Tick("tick", Seconds(2)));
  RunFor(Seconds(20));
  EXPECT_EQ(log_, "tick@+6.000s tick@+12.000s tick@+18.000s ");
}

TEST_F(ProcessClockTest, WhatAMachineNeedsIsTrueTime) {
  a_.Spawn(SpendOnce("before", Seconds(10)));
  RunFor(Seconds(1));
  a_.BeginRate({1, 5});
  a_.Spawn(SpendOnce("in", Seconds(10)));
  sim_.After(Seconds(10), TimerKind::kWork, "message", [this] { Note("message"); });
  RunFor(Minutes(2));
  EXPECT_EQ(log_, "before@+10.000s message@+11.000s in@+11.000s ");
}

TEST_F(ProcessClockTest, WaitsWithATimeoutCountByIt) {
  Mailbox<int> box(sim_);
  Signal signal(sim_);
  Promise<int> promise(sim_);
  const auto receive = [this, &box]() -> Task<void> {
    const std::optional<int> item = co_await box.ReceiveFor(Seconds(3), TimerKind::kWork);
    Note(item ? "item" : "mailbox");
  };
  const auto wait = [this, &signal]() -> Task<void> {
    const bool notified = co_await signal.WaitFor(Seconds(4), TimerKind::kWork);
    Note(notified ? "notified" : "signal");
  };
  auto look = [this, future = promise.future()]() mutable -> Task<void> {
    const std::optional<int> value = co_await future.WaitFor(Seconds(5), TimerKind::kWork);
    Note(value ? "value" : "future");
  };
  a_.BeginRate({1, 2});
  a_.Spawn(receive());
  a_.Spawn(wait());
  a_.Spawn(look());
  RunFor(Minutes(1));
  EXPECT_EQ(log_, "mailbox@+6.000s signal@+8.000s future@+10.000s ");
}

// A task that another process wakes runs at once, whatever its clock.
TEST_F(ProcessClockTest, AWakeUpIsNoTimer) {
  Signal signal(sim_);
  const auto wait = [this, &signal]() -> Task<void> {
    const bool notified = co_await signal.WaitFor(Seconds(60), TimerKind::kWork);
    Note(notified ? "notified" : "timeout");
  };
  a_.BeginRate({1, 10});
  a_.Spawn(wait());
  sim_.After(Seconds(3), TimerKind::kWork, "notify", [&signal] { signal.Notify(); });
  RunFor(Minutes(20));
  EXPECT_EQ(log_, "notified@+3.000s ");
}

TEST_F(ProcessClockTest, AnUntilEndsAtItsMoment) {
  a_.BeginRate({7, 3});
  RunFor(Nanoseconds(1'234'567));
  int woken = 0;
  const auto until = [this, &woken]() -> Task<void> {
    const VirtualTime deadline = sim_.SteadyNow() + Nanoseconds(98'765'431);
    while (sim_.SteadyNow() < deadline) {
      co_await sim_.Sleep(deadline - sim_.SteadyNow());
      ++woken;
    }
  };
  a_.Spawn(until());
  RunFor(Minutes(1));
  EXPECT_EQ(woken, 1) << "the timer is not early";
}

TEST_F(ProcessClockTest, TimesAreConvertedBothWays) {
  EXPECT_EQ(a_.TimeOf(Seconds(3)), Seconds(3));
  EXPECT_EQ(a_.TimerOf(Seconds(3)), Seconds(3));
  a_.BeginRate({1, 3});
  RunFor(Seconds(1));
  EXPECT_EQ(a_.TimeOf(Seconds(3)), Nanoseconds(8'999'999'999));  // a third of a second had passed
  for (const std::int64_t ns : {1, 2, 3, 1000, 1'000'000'007})
    EXPECT_GE(a_.TimeOf(a_.TimerOf(Nanoseconds(ns))), Nanoseconds(ns));
  EXPECT_EQ(a_.TimeOf(Duration::Max()), Duration::Max());
  EXPECT_EQ(a_.TimerOf(Duration::Max()), Duration::Max());
  EXPECT_EQ(a_.TimeOf(Seconds(-1)), Seconds(-1));
}

TEST_F(ProcessClockTest, ATimerForEverNeverEnds) {
  a_.Spawn(SleepOnce("before", Duration::Max()));
  RunFor(Seconds(1));
  const TurnedClock::RateId id = a_.BeginRate({10, 1});
  a_.Spawn(SleepOnce("in", Duration::Max()));
  RunFor(Hours(1));
  a_.EndRate(id);
  RunFor(Hours(1));
  EXPECT_EQ(log_, "");
}

TEST_F(ProcessClockTest, TheClockOutlivesAKill) {
  a_.BeginRate({1, 2});
  RunFor(Seconds(10));
  a_.Kill();
  a_.Start();
  RunFor(Seconds(10));
  EXPECT_EQ(Of(a_.SteadyNow()), Seconds(10));
}

// Events are ordered, in the order in which they are due.
class InOrder : public Strategy {
 public:
  std::string_view name() const override { return "in order"; }
  std::uint32_t Answer(std::string_view, std::uint64_t, std::uint32_t) override { return 0; }
  bool orders() const override { return true; }
};

// The first timer lies in the Ordering already when the rate changes.
TEST(ProcessClockOrdered, TimersMoveWhereEventsAreOrdered) {
  SimulationOptions options;
  options.strategy = std::make_shared<InOrder>();
  options.order_window = Milliseconds(5);
  Simulation sim(options);
  Process& a = sim.AddProcess("a");
  a.Start();
  std::vector<VirtualTime> woken;
  const auto sleep = [&](Duration d) -> Task<void> {
    co_await sim.Sleep(d);
    woken.push_back(sim.now());
  };
  for (const int s : {1, 2, 10}) a.Spawn(sleep(Seconds(s)));
  sim.After(Milliseconds(999), TimerKind::kWork, "turn", [&a] { a.BeginRate({1, 2}); });
  sim.RunUntil(VirtualTime() + Minutes(1));
  ASSERT_EQ(woken.size(), 3u);
  EXPECT_EQ(woken[0], VirtualTime() + Milliseconds(1000));
  EXPECT_EQ(woken[1], VirtualTime() + Milliseconds(3001));
  EXPECT_EQ(woken[2], VirtualTime() + Milliseconds(19001));
}

}  // namespace
}  // namespace ksim::sim
