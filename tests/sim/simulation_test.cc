#include "ksim/sim/simulation.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::sim {
namespace {

using Stop = Simulation::Stop;
using Limits = Simulation::Limits;

class SimulationTest : public testing::Test {
 protected:
  SimulationTest() { process_.Start(); }
  // Writes `name` and the time when it runs.
  void Log(const std::string& name) { log_ += name + "@" + FormatTime(sim_.now()) + " "; }
  void At(Duration delay, const std::string& name, TimerKind kind = TimerKind::kWork) {
    sim_.After(delay, kind, "logged", [this, name] { Log(name); });
  }
  void Every(Duration period) {
    sim_.After(period, TimerKind::kPeriodic, "tick", [this, period] {
      ++ticks_;
      Every(period);
    });
  }
  static Limits TimeLimit(Duration d) {
    Limits limits;
    limits.time = VirtualTime() + d;
    return limits;
  }

  std::string log_;
  int ticks_ = 0;
  Simulation sim_{SimulationOptions()};
  Process& process_{sim_.AddProcess("actor")};
};

TEST_F(SimulationTest, RunsByTimeAndThenByOrderOfAsking) {
  At(Seconds(2), "d");
  At(Seconds(1), "a");
  At(Seconds(1), "b");
  At(Seconds(1), "c");
  At(Seconds(-5), "now");
  EXPECT_EQ(log_, "");  // never inline
  sim_.RunUntil(VirtualTime() + Seconds(9));
  EXPECT_EQ(log_, "now@+0.000s a@+1.000s b@+1.000s c@+1.000s d@+2.000s ");
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(9));
  EXPECT_EQ(sim_.steps(), 5u);
}

TEST_F(SimulationTest, RunUntilTakesTheEndInAndStopsTheClockThere) {
  At(Seconds(1), "a");
  At(Seconds(2), "b");
  At(Nanoseconds(2'000'000'001), "c");
  sim_.RunUntil(VirtualTime() + Seconds(2));
  EXPECT_EQ(log_, "a@+1.000s b@+2.000s ");
  At(Duration(), "d");
  sim_.RunUntil(VirtualTime() + Seconds(3));
  EXPECT_EQ(log_, "a@+1.000s b@+2.000s d@+2.000s c@+2.000000001s ");
  sim_.RunUntil(VirtualTime() + Seconds(1));  // in the past: nothing happens
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(3));
}

TEST_F(SimulationTest, ForEverIsTheEndOfTime) {
  sim_.RunUntil(VirtualTime() + Seconds(1));
  At(Duration::Max(), "end");
  At(Seconds(1), "a");
  sim_.RunUntil(VirtualTime() + Hours(1'000'000));
  EXPECT_EQ(log_, "a@+2.000s ");
  EXPECT_EQ(sim_.pending_work(), 1u);
}

TEST_F(SimulationTest, StepRunsOneEvent) {
  At(Seconds(1), "a");
  At(Seconds(3), "b");
  EXPECT_TRUE(sim_.Step());
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(1));
  EXPECT_TRUE(sim_.Step());
  EXPECT_FALSE(sim_.Step());
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(3));
}

TEST_F(SimulationTest, DeferredCallsRunBeforeAnyOtherEvent) {
  sim_.After({}, TimerKind::kWork, "test", [this] {
    At({}, "later");
    sim_.Defer([this] {
      Log("first");
      sim_.Defer([this] { Log("third"); });
    });
    sim_.Defer([this] { Log("second"); });
    Log("step");
  });
  At({}, "other");
  EXPECT_TRUE(sim_.Step());
  EXPECT_EQ(log_, "step@+0.000s first@+0.000s second@+0.000s third@+0.000s ");
  EXPECT_EQ(sim_.steps(), 1u);
  sim_.Defer([this] { Log("outside"); });
  EXPECT_TRUE(sim_.Step());
  EXPECT_TRUE(log_.ends_with("third@+0.000s outside@+0.000s other@+0.000s "));
}

TEST_F(SimulationTest, ACallThatIsTakenBackNeverRunsNorKeepsTheRunBusy) {
  const auto held = std::make_shared<int>(1);
  std::vector<Simulation::SlotRef> calls;
  for (const TimerKind kind : {TimerKind::kWork, TimerKind::kPeriodic, TimerKind::kWork})
    calls.push_back(sim_.After(Seconds(1), kind, "test", [this, held] { Log("ran"); }));
  EXPECT_EQ(sim_.pending_work(), 2u);
  sim_.CancelCall(calls[0]);
  sim_.CancelCall(calls[1]);
  EXPECT_EQ(sim_.pending_work(), 1u);
  EXPECT_EQ(held.use_count(), 2) << "what it held is given up";
  At(Seconds(1), "another in its place");
  for (const Simulation::SlotRef& gone : {calls[0], calls[1], Simulation::SlotRef()})
    sim_.CancelCall(gone);
  sim_.RunUntil(VirtualTime() + Seconds(2));
  EXPECT_EQ(log_, "ran@+1.000s another in its place@+1.000s ");
  EXPECT_EQ(sim_.steps(), 2u);
  sim_.CancelCall(calls[2]);
  EXPECT_EQ(sim_.pending_work(), 0u);
}

TEST_F(SimulationTest, CallsKeepTheContextOfTheCaller) {
  std::vector<Context> seen;
  const auto note = [this, &seen] { seen.push_back(sim_.context()); };
  sim_.context().cause = 5;
  sim_.After(Seconds(1), TimerKind::kWork, "test", [&] {
    note();
    sim_.context().cause = 6;
    sim_.context().background = true;
    sim_.Defer(note);
    sim_.After(Seconds(1), TimerKind::kWork, "test", note);
  });
  sim_.After(Seconds(1), TimerKind::kWork, "test", note);  // not touched by the step before
  sim_.context().cause = 99;
  sim_.RunUntil(VirtualTime() + Seconds(5));
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].cause, 5u);
  EXPECT_EQ(seen[1].cause, 6u);
  EXPECT_TRUE(seen[1].background);
  EXPECT_EQ(seen[2].cause, 5u);
  EXPECT_FALSE(seen[2].background);
  EXPECT_EQ(seen[3].cause, 6u);
  EXPECT_EQ(sim_.context().cause, 99u);  // the scenario's own
}

Task<void> KeepsContext(Simulation& sim, std::vector<std::uint64_t>* causes) {
  causes->push_back(sim.context().cause);
  const Origin nobody;
  sim.context().cause = 20;
  co_await sim.Sleep(Seconds(1));
  causes->push_back(sim.context().cause);
  sim.AdoptOrigin(nobody);
  co_await sim.Sleep(Seconds(1));
  causes->push_back(sim.context().cause);
}

TEST_F(SimulationTest, TasksKeepTheirContextAcrossAwaits) {
  std::vector<std::uint64_t> causes;
  sim_.context().cause = 10;
  process_.Spawn(KeepsContext(sim_, &causes));
  sim_.context().cause = 30;
  process_.Spawn(KeepsContext(sim_, &causes));
  sim_.RunUntil(VirtualTime() + Seconds(5));
  EXPECT_EQ(causes, (std::vector<std::uint64_t>{10, 30, 20, 20, 0, 0}));
}

// --- quiescence ------------------------------------------------------------------------------

TEST_F(SimulationTest, EmptyRunIsQuietAtOnce) {
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(2));
}

TEST_F(SimulationTest, PeriodicTimersDoNotKeepItBusy) {
  Every(Milliseconds(300));
  At(Seconds(3), "work");
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(5));
  EXPECT_EQ(ticks_, 16);  // up to 4.8 s
}

TEST_F(SimulationTest, PeriodicTimerMayMakeWorkWithinTheQuietTime) {
  sim_.After(Seconds(1), TimerKind::kPeriodic, "monitor", [this] { At(Seconds(10), "work"); });
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(log_, "work@+11.000s ");
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(13));
}

TEST_F(SimulationTest, BackgroundStepsMakeNoWork) {
  sim_.context().background = true;
  At(Seconds(100), "heartbeat");
  std::vector<std::uint64_t> causes;
  process_.Spawn(KeepsContext(sim_, &causes));
  EXPECT_EQ(sim_.pending_work(), 0u);
  sim_.context().background = false;
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(log_, "");
}

TEST_F(SimulationTest, HeldWorkKeepsItBusy) {
  sim_.HoldWork();
  Every(Seconds(1));
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), TimeLimit(Seconds(10))), Stop::kTimeLimit);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(10));
  EXPECT_EQ(sim_.DescribePendingWork(9), std::vector<std::string>{"1 held"});
  sim_.ReleaseWork();  // at 10 s: the quiet time starts here
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), TimeLimit(Seconds(20))), Stop::kQuiescent);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(12));
}

TEST_F(SimulationTest, HeldWorkWithoutEventsIsNoEndlessLoop) {
  sim_.HoldWork();
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kTimeLimit);
  EXPECT_EQ(sim_.now(), VirtualTime());
}

Task<void> SleepFor(Simulation& sim, Duration d) { co_await sim.Sleep(d); }

TEST_F(SimulationTest, CancelledWorkStopsCountingAtOnce) {
  const Process::TaskId task = process_.Spawn(SleepFor(sim_, Hours(1)));
  At(Seconds(1), "a");
  sim_.RunUntil(VirtualTime() + Seconds(1));
  EXPECT_EQ(sim_.pending_work(), 1u);
  process_.Cancel(task);
  EXPECT_EQ(sim_.pending_work(), 0u);
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(3));
  EXPECT_EQ(sim_.steps(), 2u);  // the spawn and a: what was cancelled is no event
}

TEST_F(SimulationTest, QuietClockNeverGoesBack) {
  sim_.RunUntil(VirtualTime() + Seconds(50));
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), Limits()), Stop::kQuiescent);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(50));
}

// --- limits ----------------------------------------------------------------------------------

TEST_F(SimulationTest, TimeLimit) {
  At(Seconds(30), "late");
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), TimeLimit(Seconds(10))), Stop::kTimeLimit);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(10));
  EXPECT_EQ(log_, "");
  EXPECT_EQ(sim_.RunUntil(VirtualTime() + Seconds(20), TimeLimit(Seconds(15))), Stop::kTimeLimit);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(15));
  EXPECT_EQ(sim_.RunUntil(VirtualTime() + Seconds(30), TimeLimit(Seconds(30))), Stop::kTimeReached);
  EXPECT_EQ(log_, "late@+30.000s ");
}

TEST_F(SimulationTest, TimeLimitWithinTheQuietTime) {
  At(Seconds(9), "a");
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), TimeLimit(Seconds(10))), Stop::kTimeLimit);
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(2), TimeLimit(Seconds(11))), Stop::kQuiescent);
}

TEST_F(SimulationTest, EventLimitIsPassedByTheNextEvent) {
  At(Seconds(1), "a");
  At(Seconds(2), "b");
  Limits limits;
  limits.events = 2;
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(1), limits), Stop::kQuiescent);
  At(Seconds(1), "c");
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(1), limits), Stop::kEventLimit);
  At({}, "d");  // earlier than the event that was refused
  limits.events = 9;
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(1), limits), Stop::kQuiescent);
  EXPECT_EQ(log_, "a@+1.000s b@+2.000s d@+3.000s c@+4.000s ");
}

TEST_F(SimulationTest, InstantLimitStopsALivelock) {
  const std::function<void()> again = [&] {
    ++ticks_;
    sim_.After({}, TimerKind::kWork, "again", [&] { again(); });
  };
  Limits limits;
  limits.instant = 100;
  for (int i = 0; i < 100; ++i) At(Seconds(1), "x");
  EXPECT_EQ(sim_.RunUntil(VirtualTime() + Seconds(2), limits), Stop::kTimeReached);
  again();
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(1), limits), Stop::kInstantLimit);
  EXPECT_EQ(ticks_, 101);
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(2));
}

TEST_F(SimulationTest, RequestStopEndsAfterTheStep) {
  sim_.After(Seconds(1), TimerKind::kWork, "test", [this] {
    sim_.RequestStop();
    sim_.Defer([this] { Log("deferred"); });
  });
  At(Seconds(1), "a");
  EXPECT_EQ(sim_.RunUntilQuiet(Seconds(1), Limits()), Stop::kStopped);
  EXPECT_EQ(log_, "deferred@+1.000s ");
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(1));
  EXPECT_EQ(sim_.RunUntil(VirtualTime() + Seconds(9), Limits()), Stop::kTimeReached);
}

TEST_F(SimulationTest, DescribesWhatKeepsItBusy) {
  process_.Spawn(SleepFor(sim_, Seconds(5)), "replicaset");
  sim_.RunUntil(VirtualTime() + Seconds(1));
  sim_.context().actor = ActorId::Of("kubectl");
  sim_.After(Milliseconds(500), TimerKind::kWork, "message", [] {});
  sim_.After(Seconds(1), TimerKind::kPeriodic, "heartbeat", [] {});
  sim_.After(Seconds(4), TimerKind::kWork, "backoff", [] {});
  sim_.HoldWork();
  EXPECT_EQ(sim_.DescribePendingWork(10),
            (std::vector<std::string>{"message  kubectl  due +1.500s",
                                      "sleep  actor/replicaset  due +5.000s",
                                      "backoff  kubectl  due +5.000s", "1 held"}));
  EXPECT_EQ(sim_.DescribePendingWork(1).size(), 1u);
  EXPECT_EQ(sim_.pending_work(), 4u);
  sim_.ReleaseWork();
}

// A label outside the program's literals, as one of a loaded library.
TEST_F(SimulationTest, LabelsMayLieFarOff) {
  std::vector<char> far(std::size_t{8} << 20);
  const auto at = [&far](std::size_t place, const char* text) {
    return std::strcpy(far.data() + place, text);
  };
  const char* one = at(0, "one far off");
  const char* two = at(std::size_t{4} << 20, "another");
  const auto nothing = [] {};
  for (const char* label : {one, "near", two, one})
    sim_.After(Seconds(1), TimerKind::kWork, label, nothing);
  std::vector<std::string> labels;
  for (const std::string& line : sim_.DescribePendingWork(10))
    labels.push_back(line.substr(0, line.find("  ")));
  EXPECT_EQ(labels, (std::vector<std::string>{"one far off", "near", "another", "one far off"}));
}

// --- the rest --------------------------------------------------------------------------------

Task<void> ReceiveOften(Simulation& sim, Mailbox<int>& box, int n) {
  for (int i = 0; i < n; ++i) {
    box.Send(i);
    co_await box.ReceiveFor(Hours(1), TimerKind::kWork);
    co_await sim.Sleep(Nanoseconds(1));
  }
}

Task<void> WaitBriefly(Signal& signal, Simulation& sim, int n) {
  for (int i = 0; i < n; ++i) {
    sim.After(Nanoseconds(1), TimerKind::kWork, "notify", [&signal] { signal.Notify(); });
    co_await signal.WaitFor(Hours(1), TimerKind::kWork);
  }
}

// The queue drops 100,000 cancelled timeouts before their time.
TEST_F(SimulationTest, DeadTimersAreNoEventsAndCostNoMemory) {
  Mailbox<int> box(sim_);
  Signal signal(sim_);
  process_.Spawn(ReceiveOften(sim_, box, 1000));
  process_.Spawn(WaitBriefly(signal, sim_, 100'000));
  sim_.RunUntil(VirtualTime() + Seconds(1));
  EXPECT_EQ(process_.live_tasks(), 0u);
  EXPECT_EQ(sim_.pending_work(), 0u);
  EXPECT_EQ(sim_.steps(), 2 + 1000 + 2 * 100'000u);
  EXPECT_FALSE(sim_.Step());
  EXPECT_EQ(sim_.now(), VirtualTime() + Seconds(1));
}

TEST_F(SimulationTest, SeveralLiveSideBySide) {
  Simulation other{SimulationOptions()};
  At(Seconds(1), "mine");
  sim_.After(Seconds(2), TimerKind::kWork, "test", [&] {
    other.After(Seconds(7), TimerKind::kWork, "inner", [this] { Log("inner"); });
    other.RunUntil(VirtualTime() + Seconds(10));
    Log("outer");
  });
  sim_.RunUntil(VirtualTime() + Seconds(3));
  EXPECT_EQ(log_, "mine@+1.000s inner@+2.000s outer@+2.000s ");
  EXPECT_EQ(other.now(), VirtualTime() + Seconds(10));
}

TEST_F(SimulationTest, ShutdownDropsWhatIsQueued) {
  int dropped = 0;
  {
    const auto token = std::shared_ptr<int>(&dropped, [](int* n) { ++*n; });
    sim_.After(Seconds(1), TimerKind::kWork, "test", [this, token] { Log("never"); });
    sim_.Defer([this, token] { Log("never"); });
  }
  EXPECT_EQ(dropped, 0);
  sim_.Shutdown();
  EXPECT_EQ(dropped, 1);
  At(Seconds(1), "never");
  sim_.Defer([this] { Log("never"); });
  sim_.Shutdown();
  sim_.RunUntil(VirtualTime() + Seconds(2));
  EXPECT_EQ(log_, "");
}

TEST_F(SimulationTest, CrashTellsSeedTimeAndActor) {
  sim_.context().actor = ActorId::Of("kubelet/node-1");
  sim_.After(Milliseconds(1500), TimerKind::kWork, "test",
             [] { throw std::runtime_error("oops"); });
  EXPECT_EXIT(sim_.Step(), testing::ExitedWithCode(70),
              "bug: a scheduled call threw: oops\n(.|\n)*seed     1\n  time     \\+1.500000000s\n"
              "  actor    kubelet/node-1\n");
  sim_.Defer([] { throw std::runtime_error("oops"); });
  EXPECT_EXIT(sim_.Step(), testing::ExitedWithCode(70), "a deferred call threw");
}

TEST_F(SimulationTest, ExceptionsOfAnyTypeAreBugs) {
  sim_.After({}, TimerKind::kWork, "test", [] { throw 5; });
  EXPECT_EXIT(sim_.Step(), testing::ExitedWithCode(70), "threw: an exception of an unknown type");
}

TEST_F(SimulationTest, MisuseIsABug) {
  const testing::ExitedWithCode bug(70);
  EXPECT_EXIT(sim_.ReleaseWork(), bug, "pending_work_ > 0");
  EXPECT_EXIT(sim_.AddProcess("actor"), bug, "two processes named actor");
  sim_.After({}, TimerKind::kWork, "test", [this] { sim_.RunUntil(VirtualTime()); });
  EXPECT_EXIT(sim_.Step(), bug, "from inside a step");
}

}  // namespace
}  // namespace ksim::sim
