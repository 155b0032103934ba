#include "ksim/sim/process.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/sim/mailbox.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

class ProcessTest : public testing::Test {
 protected:
  void RunFor(Duration d) { sim_.RunUntil(sim_.now() + d); }
  std::string log_;  // outlives the simulation, whose end still writes
  Simulation sim_{SimulationOptions()};
  Process& a_{sim_.AddProcess("a")};
  Process& b_{sim_.AddProcess("b")};
};

class Mark {
 public:
  Mark(std::string* log, std::string word) : log_(log), word_(std::move(word)) {}
  Mark(const Mark&) = delete;
  ~Mark() { *log_ += "~" + word_ + " "; }

 private:
  std::string* log_;
  std::string word_;
};

Task<void> Tick(Simulation& sim, std::string* log, std::string word) {
  Mark mark(log, word);
  for (;;) {
    co_await sim.Sleep(Seconds(1));
    *log += word + " ";
  }
}

TEST_F(ProcessTest, StartKillRestart) {
  a_.OnStart([this] {
    log_ += "start ";
    a_.Spawn(Tick(sim_, &log_, "x"));
  });
  a_.OnStop([this] { log_ += "stop "; });
  EXPECT_FALSE(a_.alive());
  a_.Start();
  EXPECT_TRUE(a_.alive());
  EXPECT_EQ(a_.incarnation(), 1u);
  RunFor(Seconds(1));
  a_.Kill();
  EXPECT_FALSE(a_.alive());
  EXPECT_EQ(a_.live_tasks(), 0u);
  a_.Kill();  // dead already
  RunFor(Seconds(5));
  a_.Start();
  EXPECT_EQ(a_.incarnation(), 2u);
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "start x ~x stop start x ");
}

TEST_F(ProcessTest, KillDestroysTheLastSpawnedFirst) {
  a_.Start();
  for (const char* word : {"x", "y", "z"}) a_.Spawn(Tick(sim_, &log_, word));
  RunFor(Milliseconds(1));
  a_.Kill();
  EXPECT_EQ(log_, "~z ~y ~x ");
}

Task<void> KillMyself(Simulation& sim, Process& process, std::string* log) {
  Mark mark(log, "self");
  co_await sim.Sleep(Seconds(1));
  process.Kill();
  *log += "still ";  // the step ends before the kill takes effect
  co_await sim.Sleep(Duration());
  *log += "never ";
}

TEST_F(ProcessTest, AProcessMayKillItself) {
  a_.Start();
  a_.Spawn(Tick(sim_, &log_, "x"));
  a_.Spawn(KillMyself(sim_, a_, &log_));
  RunFor(Seconds(9));
  EXPECT_EQ(log_, "x still ~self ~x ");
  EXPECT_EQ(sim_.pending_work(), 0u);
}

TEST_F(ProcessTest, KillTakesEffectBeforeTheNextEvent) {
  a_.Start();
  b_.Start();
  a_.Spawn(Tick(sim_, &log_, "x"));
  RunFor(Duration());
  sim_.After(Milliseconds(999), TimerKind::kWork, "test", [this] {
    sim_.After(Milliseconds(1), TimerKind::kWork, "test", [this] { log_ += "same time "; });
  });
  sim_.After(Milliseconds(999), TimerKind::kWork, "test", [this] {
    a_.Kill();
    EXPECT_TRUE(a_.alive());  // to the end of the step
  });
  RunFor(Seconds(2));
  EXPECT_EQ(log_, "~x same time ");
}

TEST_F(ProcessTest, RestartWithinOneStep) {
  a_.OnStart([this] { a_.Spawn(Tick(sim_, &log_, std::to_string(a_.incarnation()))); });
  a_.Start();
  sim_.After(Milliseconds(1500), TimerKind::kWork, "test", [this] {
    a_.Kill();
    a_.Start();
    a_.Kill();
    a_.Start();
  });
  RunFor(Seconds(3));
  EXPECT_EQ(log_, "1 ~1 3 ");  // the second did not come to run
  EXPECT_EQ(a_.incarnation(), 3u);
}

TEST_F(ProcessTest, CancelEndsOneTask) {
  a_.Start();
  const Process::TaskId x = a_.Spawn(Tick(sim_, &log_, "x"));
  a_.Spawn(Tick(sim_, &log_, "y"));
  RunFor(Seconds(1));
  sim_.After({}, TimerKind::kWork, "test", [this, x] {
    a_.Cancel(x);
    log_ += "asked ";
  });
  RunFor(Duration());
  EXPECT_EQ(log_, "x y asked ~x ");
  EXPECT_EQ(a_.live_tasks(), 1u);
  const Process::TaskId z = a_.Spawn(Tick(sim_, &log_, "z"));  // takes the place of x
  a_.Cancel(x);
  b_.Cancel(z);
  a_.Cancel(Process::TaskId());
  EXPECT_EQ(a_.live_tasks(), 2u);
  a_.Cancel(z);
  EXPECT_EQ(log_, "x y asked ~x ");  // it had not begun
  EXPECT_EQ(a_.live_tasks(), 1u);
}

Task<void> Note(Simulation& sim, std::vector<Context>* contexts) {
  contexts->push_back(sim.context());
  co_return;
}

TEST_F(ProcessTest, TasksInheritCauseAndBackground) {
  std::vector<Context> seen;
  a_.Start();
  sim_.context().cause = 7;
  a_.Spawn(Note(sim_, &seen), "part");
  a_.Spawn(Note(sim_, &seen), "", true);
  sim_.context().background = true;
  a_.Spawn(Note(sim_, &seen), "part", false);
  RunFor(Duration());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].process, &a_);
  EXPECT_EQ(seen[0].actor, a_.PartActor("part"));
  EXPECT_EQ(seen[0].actor.name(), "a/part");
  EXPECT_EQ(seen[0].cause, 7u);
  EXPECT_FALSE(seen[0].background);
  EXPECT_EQ(seen[1].actor, a_.actor());
  EXPECT_TRUE(seen[1].background);
  EXPECT_TRUE(seen[2].background);
}

TEST_F(ProcessTest, StartRunsAsTheProcessAndIsWork) {
  std::vector<Context> seen;
  a_.OnStart([this, &seen] {
    seen.push_back(sim_.context());
    a_.Spawn(Note(sim_, &seen));
  });
  sim_.context().cause = 3;
  sim_.context().background = true;
  a_.Start();
  EXPECT_EQ(sim_.context().process, nullptr);
  EXPECT_TRUE(sim_.context().background);
  EXPECT_EQ(sim_.pending_work(), 1u);
  RunFor(Duration());
  ASSERT_EQ(seen.size(), 2u);
  for (const Context& c : seen) {
    EXPECT_EQ(c.process, &a_);
    EXPECT_EQ(c.cause, 3u);
    EXPECT_FALSE(c.background);
  }
}

TEST_F(ProcessTest, HasAClockOfItsOwn) {
  a_.set_skew(Seconds(-3));
  RunFor(Seconds(1));
  EXPECT_EQ(a_.Now(), VirtualTime() - Seconds(2));
  EXPECT_EQ(b_.Now(), VirtualTime() + Seconds(1));
}

TEST_F(ProcessTest, AreFoundByName) {
  EXPECT_EQ(sim_.FindProcess("a"), &a_);
  EXPECT_EQ(sim_.FindProcess("c"), nullptr);
  EXPECT_EQ(a_.name(), "a");
  EXPECT_EQ(&a_.simulation(), &sim_);
  ASSERT_EQ(sim_.processes().size(), 2u);
  EXPECT_EQ(sim_.processes()[1].get(), &b_);
}

// Its destructor kills another process and sends a message to a third.
class LastWill {
 public:
  LastWill(Process& heir, Mailbox<int>& box) : heir_(heir), box_(box) {}
  LastWill(const LastWill&) = delete;
  ~LastWill() {
    heir_.Kill();
    box_.Send(1);
  }

 private:
  Process& heir_;
  Mailbox<int>& box_;
};

Task<void> LiveWithWill(Simulation& sim, Process& heir, Mailbox<int>& box) {
  LastWill will(heir, box);
  co_await sim.Sleep(Hours(1));
}

Task<void> Read(Mailbox<int>& box, std::string* log) {
  const std::optional<int> item = co_await box.Receive();
  *log += item ? "told " : "closed ";
}

TEST_F(ProcessTest, DestructorsMayKillAndSend) {
  Process& c = sim_.AddProcess("c");
  Mailbox<int> box(sim_);
  for (Process* p : {&a_, &b_, &c}) p->Start();
  a_.Spawn(LiveWithWill(sim_, b_, box));
  b_.Spawn(Tick(sim_, &log_, "x"));
  c.Spawn(Read(box, &log_));
  RunFor(Milliseconds(1));
  a_.Kill();
  EXPECT_FALSE(b_.alive());
  RunFor(Milliseconds(1));
  EXPECT_EQ(log_, "~x told ");
}

TEST_F(ProcessTest, ShutdownKillsTheLastAddedFirst) {
  a_.Start();
  b_.Start();
  a_.Spawn(Tick(sim_, &log_, "x"));
  b_.Spawn(Tick(sim_, &log_, "y"));
  b_.OnStop([this] { log_ += "stop "; });
  RunFor(Milliseconds(1));
  sim_.Shutdown();
  EXPECT_EQ(log_, "~y stop ~x ");
  EXPECT_FALSE(a_.alive());
}

TEST_F(ProcessTest, MisuseIsABug) {
  const testing::ExitedWithCode bug(70);
  EXPECT_EXIT(a_.Spawn(Tick(sim_, &log_, "x")), bug, "spawned in a, which is not running");
  a_.Start();
  EXPECT_EXIT(a_.Start(), bug, "process a is already running");
  EXPECT_EXIT(a_.Spawn(Task<void>()), bug, "empty task");
}

}  // namespace
}  // namespace ksim::sim
