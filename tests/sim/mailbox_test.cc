#include "ksim/sim/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

class MailboxTest : public testing::Test {
 protected:
  MailboxTest() { process_.Start(); }
  ~MailboxTest() override { sim_.Shutdown(); }
  void RunFor(Duration d) { sim_.RunUntil(sim_.now() + d); }
  template <class F>
  void At(int ns, F f) {
    sim_.After(Nanoseconds(ns), TimerKind::kWork, "test", std::move(f));
  }
  std::string log_;
  Simulation sim_{SimulationOptions()};
  Process& process_{sim_.AddProcess("actor")};
  Mailbox<int> box_{sim_};
  Signal signal_{sim_};
};

void Note(Simulation& sim, std::string* log, const std::string& what) {
  *log += what + "@" + std::to_string(sim.now().ns()) + " ";
}

Task<void> ReceiveAll(Simulation& sim, Mailbox<int>& box, std::string* log) {
  for (;;) {
    const std::optional<int> item = co_await box.Receive();
    if (!item) break;
    Note(sim, log, std::to_string(*item));
  }
  Note(sim, log, "closed");
}

TEST_F(MailboxTest, FirstInFirstOutAndThenClosed) {
  box_.Send(1);
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  At(5, [&] {
    box_.Send(2);
    box_.Send(3);
    EXPECT_EQ(log_, "1@0 ");  // nobody is resumed inline
  });
  At(9, [&] {
    box_.Send(4);
    box_.Close();
  });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "1@0 2@5 3@5 4@9 closed@9 ");
  EXPECT_TRUE(box_.closed());
  EXPECT_EQ(box_.size(), 0u);
  EXPECT_EQ(process_.live_tasks(), 0u);
}

Task<void> Poll(Simulation& sim, Mailbox<int>& box, std::string* log, int times) {
  for (int i = 0; i < times; ++i) {
    const std::optional<int> item = co_await box.ReceiveFor(Nanoseconds(10), TimerKind::kWork);
    Note(sim, log, item ? std::to_string(*item) : "none");
  }
}

TEST_F(MailboxTest, ReceiveForGivesUpAtItsDeadline) {
  process_.Spawn(Poll(sim_, box_, &log_, 4));
  At(3, [&] { box_.Send(7); });
  At(18, [&] { box_.Send(8); });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "7@3 none@13 8@18 none@28 ");
}

// The timer fires first, but the message has arrived already, so the receiver takes it.
TEST_F(MailboxTest, MessageAtTheDeadlineIsReceivedOnce) {
  Mailbox<int> sent_before(sim_), sent_after(sim_);
  At(10, [&] { sent_before.Send(1); });
  process_.Spawn(Poll(sim_, sent_before, &log_, 2));
  RunFor(Nanoseconds(15));
  EXPECT_EQ(log_, "1@10 ");
  RunFor(Nanoseconds(5));
  EXPECT_EQ(log_, "1@10 none@20 ");
  log_.clear();
  process_.Spawn(Poll(sim_, sent_after, &log_, 2));
  RunFor(Duration());
  At(10, [&] { sent_after.Send(1); });  // queued behind the timer
  RunFor(Nanoseconds(30));
  EXPECT_EQ(log_, "none@30 1@30 ");
}

Task<void> ReceivePointers(Mailbox<std::unique_ptr<int>>& box, int* sum) {
  for (;;) {
    const std::optional<std::unique_ptr<int>> item = co_await box.Receive();
    if (!item) co_return;
    *sum += **item;
  }
}

TEST_F(MailboxTest, CarriesMoveOnlyItems) {
  Mailbox<std::unique_ptr<int>> pointers(sim_);
  int sum = 0;
  process_.Spawn(ReceivePointers(pointers, &sum));
  pointers.Send(std::make_unique<int>(2));
  pointers.Send(std::make_unique<int>(3));
  pointers.Close();
  RunFor(Seconds(1));
  EXPECT_EQ(sum, 5);
}

TEST_F(MailboxTest, KilledReceiverLeavesTheItemToTheNext) {
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  RunFor(Nanoseconds(1));
  box_.Send(1);  // wakes it, but it dies first
  process_.Kill();
  RunFor(Nanoseconds(1));
  EXPECT_EQ(box_.size(), 1u);
  box_.Send(2);  // nobody waits
  process_.Start();
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  RunFor(Nanoseconds(1));
  EXPECT_EQ(log_, "1@2 2@2 ");
}

TEST_F(MailboxTest, TwoReceiversAtOnceAreABug) {
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  EXPECT_EXIT(RunFor(Seconds(1)), testing::ExitedWithCode(70), "two tasks receive");
}

// The first receiver still owns the mailbox between its wake-up and its resumption.
TEST_F(MailboxTest, ASecondReceiverBesideAWokenOneIsABug) {
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  RunFor(Nanoseconds(1));
  process_.Spawn(ReceiveAll(sim_, box_, &log_));  // begins before the receiver is resumed
  box_.Send(1);
  EXPECT_EXIT(RunFor(Seconds(1)), testing::ExitedWithCode(70), "two tasks receive");
}

Task<void> WaitPlain(Simulation& sim, Signal& signal, std::string* log) {
  co_await signal.Wait();
  Note(sim, log, "woken");
}

TEST_F(MailboxTest, DestroyingWhatATaskWaitsForIsABug) {
  auto box = std::make_unique<Mailbox<int>>(sim_);
  auto signal = std::make_unique<Signal>(sim_);
  process_.Spawn(ReceiveAll(sim_, *box, &log_));
  process_.Spawn(WaitPlain(sim_, *signal, &log_));
  RunFor(Duration());
  EXPECT_EXIT(box.reset(), testing::ExitedWithCode(70), "destroyed while a task waits");
  EXPECT_EXIT(signal.reset(), testing::ExitedWithCode(70), "destroyed while a task waits");
  process_.Kill();
}

// --- futures ---------------------------------------------------------------------------------

Task<void> Await(Simulation& sim, Future<int> future, std::string* log) {
  const std::optional<int> value = co_await future.Wait();
  Note(sim, log, value ? std::to_string(*value) : "gone");
}

Task<void> AwaitFor(Simulation& sim, Future<int> future, std::string* log) {
  const std::optional<int> value = co_await future.WaitFor(Nanoseconds(10), TimerKind::kWork);
  const char* otherwise = future.ready() ? "gone" : "timeout";
  Note(sim, log, value ? std::to_string(*value) : otherwise);
}

TEST_F(MailboxTest, FutureOfAPromiseKept) {
  Promise<int> early(sim_), late(sim_);
  process_.Spawn(Await(sim_, early.future(), &log_));
  process_.Spawn(Await(sim_, late.future(), &log_));
  EXPECT_TRUE(early.pending());
  early.Fulfil(1);
  EXPECT_FALSE(early.pending());
  At(5, [&] { late.Fulfil(2); });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "1@0 2@5 ");
}

TEST_F(MailboxTest, FutureOfAPromiseBroken) {
  auto dropped = std::make_unique<Promise<int>>(sim_);
  auto replaced = std::make_unique<Promise<int>>(sim_);
  process_.Spawn(Await(sim_, dropped->future(), &log_));
  process_.Spawn(AwaitFor(sim_, replaced->future(), &log_));
  At(4, [&] { *replaced = Promise<int>(sim_); });
  At(5, [&] { dropped.reset(); });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "gone@4 gone@5 ");
}

TEST_F(MailboxTest, FutureWaitsOnlySoLong) {
  Promise<int> never(sim_), at_deadline(sim_);
  At(10, [&] { at_deadline.Fulfil(1); });
  process_.Spawn(AwaitFor(sim_, never.future(), &log_));
  process_.Spawn(AwaitFor(sim_, at_deadline.future(), &log_));
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "timeout@10 1@10 ");
  EXPECT_TRUE(never.pending());
  never.Fulfil(3);  // nobody waits any more
}

TEST_F(MailboxTest, PromiseMayOutliveTheWaiter) {
  Promise<int> promise(sim_);
  process_.Spawn(Await(sim_, promise.future(), &log_));
  RunFor(Nanoseconds(1));
  process_.Kill();
  promise.Fulfil(1);
  RunFor(Nanoseconds(1));
  EXPECT_EQ(log_, "");
}

TEST_F(MailboxTest, PromiseMoves) {
  Promise<int> first(sim_);
  const Future<int> future = first.future();
  Promise<int> second = std::move(first);
  EXPECT_FALSE(first.pending());  // NOLINT: what a moved-from promise is like is the point
  EXPECT_FALSE(future.ready());
  second.Fulfil(1);
  EXPECT_TRUE(future.ready());
  EXPECT_EXIT(second.Fulfil(2), testing::ExitedWithCode(70), "fulfilled twice");
}

// --- signals ---------------------------------------------------------------------------------

Task<void> WaitFor(Simulation& sim, Signal& signal, std::string* log, std::string name,
                   Duration timeout) {
  const bool notified = co_await signal.WaitFor(timeout, TimerKind::kWork);
  Note(sim, log, name + (notified ? "" : " timeout"));
}

TEST_F(MailboxTest, SignalWakesAllInOrder) {
  signal_.Notify();  // nobody waits: nothing is remembered
  for (const char* name : {"a", "b", "c"})
    process_.Spawn(WaitFor(sim_, signal_, &log_, name, Hours(1)));
  At(5, [&] {
    signal_.Notify();
    signal_.Notify();
  });
  At(6, [&] { signal_.Notify(); });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "a@5 b@5 c@5 ");
}

TEST_F(MailboxTest, SignalTimesOut) {
  process_.Spawn(WaitFor(sim_, signal_, &log_, "a", Nanoseconds(3)));
  process_.Spawn(WaitFor(sim_, signal_, &log_, "b", Nanoseconds(5)));
  process_.Spawn(WaitFor(sim_, signal_, &log_, "c", Nanoseconds(9)));
  RunFor(Duration());
  At(5, [&] { signal_.Notify(); });  // b's timer is queued before it
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "a timeout@3 b timeout@5 c@5 ");
}

TEST_F(MailboxTest, SignalKeepsItsOrderWhileWaitersGiveUp) {
  const std::pair<const char*, int> kWaiters[] = {
      {"first", 1}, {"b", 99}, {"between", 2}, {"d", 99}, {"last", 3}};
  for (const auto& [name, timeout] : kWaiters)
    process_.Spawn(WaitFor(sim_, signal_, &log_, name, Nanoseconds(timeout)));
  At(5, [&] { process_.Spawn(WaitFor(sim_, signal_, &log_, "new", Nanoseconds(99))); });
  At(6, [&] { signal_.Notify(); });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "first timeout@1 between timeout@2 last timeout@3 b@6 d@6 new@6 ");
}

TEST_F(MailboxTest, SignalForgetsTheDead) {
  Process& other = sim_.AddProcess("other");
  other.Start();
  process_.Spawn(WaitFor(sim_, signal_, &log_, "a", Hours(1)));
  other.Spawn(WaitFor(sim_, signal_, &log_, "b", Hours(1)));
  process_.Spawn(WaitFor(sim_, signal_, &log_, "c", Hours(1)));
  RunFor(Duration());
  other.Kill();
  At(1, [&] {
    signal_.Notify();
    process_.Kill();  // woken, but dead before they can run
  });
  RunFor(Seconds(1));
  EXPECT_EQ(log_, "");
  EXPECT_EQ(sim_.pending_work(), 0u);
}

TEST_F(MailboxTest, WaitsWithoutTimeoutAreNoWork) {
  process_.Spawn(WaitPlain(sim_, signal_, &log_));
  process_.Spawn(ReceiveAll(sim_, box_, &log_));
  RunFor(Duration());
  EXPECT_EQ(sim_.pending_work(), 0u);
  box_.Send(1);
  box_.Send(2);
  EXPECT_EQ(sim_.pending_work(), 1u);  // one wake-up for both
  signal_.Notify();
  EXPECT_EQ(sim_.pending_work(), 2u);
  RunFor(Duration());
  EXPECT_EQ(log_, "1@0 2@0 woken@0 ");
  EXPECT_EQ(sim_.pending_work(), 0u);
}

}  // namespace
}  // namespace ksim::sim
