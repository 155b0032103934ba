// Tasks must do the same on every compiler, optimisation level and sanitizer.
#include "ksim/sim/task.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

class TaskTest : public testing::Test {
 protected:
  TaskTest() { process_.Start(); }
  void RunAll() {
    while (sim_.Step()) {
    }
  }
  Simulation sim_{SimulationOptions()};
  Process& process_{sim_.AddProcess("actor")};
};

Task<int> AtOnce(int value) { co_return value; }

Task<void> AwaitManyReady(int n, long* sum) {
  for (int i = 0; i < n; ++i) {
    const int one = co_await AtOnce(1);
    *sum += one;
  }
}

TEST_F(TaskTest, MillionsOfReadyChildrenNeedNoStack) {
  long sum = 0;
  process_.Spawn(AwaitManyReady(2'000'000, &sum));
  RunAll();
  EXPECT_EQ(sum, 2'000'000);
}

Task<int> AfterANanosecond(Simulation& sim, int value) {
  co_await sim.Sleep(Nanoseconds(1));
  co_return value;
}

Task<void> AwaitManySleeping(Simulation& sim, int n, long* sum) {
  for (int i = 0; i < n; ++i) {
    const int one = co_await AfterANanosecond(sim, 1);
    *sum += one;
  }
}

TEST_F(TaskTest, ManySleepingChildrenNeedNoStack) {
  long sum = 0;
  process_.Spawn(AwaitManySleeping(sim_, 300'000, &sum));
  RunAll();
  EXPECT_EQ(sum, 300'000);
  EXPECT_EQ(sim_.now(), VirtualTime(300'000));
  EXPECT_EQ(process_.live_tasks(), 0u);
}

Task<int> Descend(Simulation& sim, int depth) {
  if (depth == 0) {
    co_await sim.Sleep(Nanoseconds(1));
    co_return 0;
  }
  const int below = co_await Descend(sim, depth - 1);
  co_return 1 + below;
}

Task<void> DescendInto(Simulation& sim, int depth, int* result) {
  *result = co_await Descend(sim, depth);
}

TEST_F(TaskTest, AwaitsNest) {
  int result = 0;
  process_.Spawn(DescendInto(sim_, 2000, &result));
  RunAll();
  EXPECT_EQ(result, 2000);
}

// Its destructor writes its letter.
class LetterOnExit {
 public:
  LetterOnExit(std::string* log, char letter) : log_(log), letter_(letter) {}
  LetterOnExit(const LetterOnExit&) = delete;
  ~LetterOnExit() { log_->push_back(letter_); }

 private:
  std::string* log_;
  char letter_;
};

Task<void> InnerWait(Simulation& sim, std::string* log) {
  LetterOnExit mark(log, 'i');
  co_await sim.Sleep(Seconds(1));
  log->push_back('X');
}

Task<void> OuterWait(Simulation& sim, std::string* log) {
  LetterOnExit mark(log, 'o');
  co_await InnerWait(sim, log);
  log->push_back('Y');
}

TEST_F(TaskTest, KillRunsDestructorsFromTheInside) {
  std::string log;
  process_.Spawn(OuterWait(sim_, &log));
  sim_.Step();
  EXPECT_EQ(log, "");
  EXPECT_EQ(sim_.pending_work(), 1u);
  process_.Kill();
  EXPECT_EQ(log, "io");
  EXPECT_EQ(sim_.pending_work(), 0u);
  EXPECT_FALSE(sim_.Step());
  EXPECT_EQ(sim_.now(), VirtualTime());
}

TEST_F(TaskTest, CompletionRunsDestructorsToo) {
  std::string log;
  process_.Spawn(OuterWait(sim_, &log));
  RunAll();
  EXPECT_EQ(log, "XiYo");
}

Task<void> ThrowLater(Simulation& sim) {
  co_await sim.Sleep(Nanoseconds(1));
  throw std::runtime_error("boom");
}

Task<void> CatchIt(Simulation& sim, std::string* log) {
  bool caught = false;
  try {
    co_await ThrowLater(sim);
  } catch (const std::runtime_error& e) {
    *log = e.what();
    caught = true;
  }
  if (caught) co_await sim.Sleep(Nanoseconds(1));
  *log += "!";
}

TEST_F(TaskTest, ExceptionsReachTheAwaiter) {
  std::string log;
  process_.Spawn(CatchIt(sim_, &log));
  RunAll();
  EXPECT_EQ(log, "boom!");
}

TEST_F(TaskTest, EscapedExceptionIsABugOfTheActor) {
  process_.Spawn(ThrowLater(sim_), "part");
  EXPECT_EXIT(RunAll(), testing::ExitedWithCode(70), "boom(.|\n)*actor    actor/part");
}

Task<void> Echo(Simulation& sim, std::string* log, char letter) {
  log->push_back(letter);
  co_await sim.Sleep(Duration());
  log->push_back(letter);
}

TEST_F(TaskTest, EqualTimesRunInTheOrderOfAsking) {
  std::string log;
  for (const char letter : {'a', 'b', 'c'}) process_.Spawn(Echo(sim_, &log, letter));
  RunAll();
  EXPECT_EQ(log, "abcabc");
}

// The compiler must keep this temporary alive over the await and destroy it once.
class Token {
 public:
  explicit Token(int* alive) : alive_(alive) { ++*alive_; }
  Token(const Token& o) : alive_(o.alive_) { ++*alive_; }
  Token& operator=(const Token&) = delete;
  ~Token() { --*alive_; }

 private:
  int* alive_;
};

Task<void> Hold(Simulation& sim, Token token) {
  co_await sim.Sleep(Seconds(1));
  static_cast<void>(token);
}

Task<void> HoldTemporary(Simulation& sim, int* alive) { co_await Hold(sim, Token(alive)); }

TEST_F(TaskTest, ParametersLiveAsLongAsTheFrame) {
  int alive = 0;
  process_.Spawn(HoldTemporary(sim_, &alive));
  sim_.Step();
  EXPECT_GE(alive, 1);
  process_.Kill();
  EXPECT_EQ(alive, 0);
  process_.Start();
  process_.Spawn(HoldTemporary(sim_, &alive));
  RunAll();
  EXPECT_EQ(alive, 0);
}

TEST_F(TaskTest, TaskNeverStartedIsDropped) {
  int alive = 0;
  {
    const Task<void> task = Hold(sim_, Token(&alive));
  }
  EXPECT_EQ(alive, 0);
  process_.Spawn(Hold(sim_, Token(&alive)));
  EXPECT_EQ(alive, 1);
  process_.Kill();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(sim_.pending_work(), 0u);
  EXPECT_FALSE(sim_.Step());
}

TEST_F(TaskTest, MovedFromTaskIsEmpty) {
  Task<int> task = AtOnce(1);
  const Task<int> other = std::move(task);
  EXPECT_TRUE(task.done());  // NOLINT: what a moved-from task is like is the point
  EXPECT_FALSE(other.done());
}

}  // namespace
}  // namespace ksim::sim
