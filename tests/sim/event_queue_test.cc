#include "ksim/sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "ksim/sim/mix.h"

namespace ksim::sim {
namespace {

// The slow oracle: an ordered map.
class Oracle {
 public:
  void Push(const QueueEntry& e) { entries_[{e.time, e.sequence}] = e; }
  QueueEntry Pop() {
    const QueueEntry e = entries_.begin()->second;
    entries_.erase(entries_.begin());
    return e;
  }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::uint64_t NextTime() const { return entries_.begin()->second.time; }
  template <class F>
  void Filter(F keep) {
    std::erase_if(entries_, [&](const auto& item) { return !keep(item.second); });
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, QueueEntry> entries_;
};

class Both {
 public:
  explicit Both(std::uint64_t seed) : random_(seed) {}
  std::uint64_t Random(std::uint64_t n) { return Scale(Mix(++random_), n); }
  std::uint64_t now() const { return now_; }
  std::size_t size() const { return oracle_.size(); }

  void Push(std::uint64_t time) {
    const QueueEntry e{time, sequence_, static_cast<std::uint32_t>(sequence_), 7};
    ++sequence_;
    queue_.Push(e);
    oracle_.Push(e);
  }
  void Peek() {
    const std::uint64_t next = oracle_.NextTime();
    if (next > 0) {
      ASSERT_EQ(queue_.Due(next - 1), nullptr);
    }
    ASSERT_NE(queue_.Due(next), nullptr);
  }
  void Pop() {
    Peek();
    const QueueEntry* const due = queue_.Due(kEndOfTime);
    const QueueEntry got = *due;
    queue_.PopFront();
    const QueueEntry want = oracle_.Pop();
    ASSERT_EQ(got.time, want.time);
    ASSERT_EQ(got.sequence, want.sequence);
    ASSERT_EQ(got.slot, want.slot);
    ASSERT_EQ(got.generation, want.generation);
    ASSERT_EQ(queue_.size(), oracle_.size());
    now_ = got.time;
  }
  void Filter(std::uint64_t one_in) {
    const auto keep = [&](const QueueEntry& e) { return Mix(e.sequence) % one_in != 0; };
    queue_.Filter(keep);
    oracle_.Filter(keep);
    ASSERT_EQ(queue_.size(), oracle_.size());
  }
  void Drain() {
    while (!oracle_.empty() && !testing::Test::HasFatalFailure()) Pop();
    ASSERT_TRUE(queue_.empty());
  }

 private:
  EventQueue queue_;
  Oracle oracle_;
  std::uint64_t random_;
  std::uint64_t sequence_ = 0;
  std::uint64_t now_ = 0;
};

struct Load {
  const char* name;
  std::uint64_t spread;  // delays in [0, spread)
  std::size_t pending;   // about this many at a time
};

// The loads range from all entries at one time to almost no ties, and from a few entries to many
// chunks.
constexpr Load kLoads[] = {
    {"all at once", 1, 300},
    {"many ties", 4, 200},
    {"a few", 1000, 5},
    {"one chunk", 100'000, 40},
    {"several chunks", 5000, 400},
    {"nanoseconds", 1'000'000'000, 3000},
    {"days", 86'400'000'000'000, 100},
};

TEST(EventQueue, AgreesWithAnOrderedMap) {
  for (const Load& load : kLoads) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(testing::Message() << load.name << ", seed " << seed);
      Both both(seed * 1'000'003);
      for (int i = 0; i < 20'000; ++i) {
        const bool push = both.Random(load.pending * 2) >= both.size();
        if (push || both.size() == 0) {
          both.Push(both.now() + both.Random(load.spread));
        } else {
          both.Pop();
        }
        if (i % 5000 == 4999) both.Filter(3);
        if (HasFatalFailure()) return;
      }
      both.Drain();
      if (HasFatalFailure()) return;
    }
  }
}

// The delays have a few sizes far apart, as timers have: they fill the sorted front and overrun it.
TEST(EventQueue, AgreesWhenShortTimersOvertakeLongOnes) {
  Both both(99);
  constexpr std::uint64_t kDelays[] = {1, 10, 1000, 1'000'000, 10'000'000, 1'000'000'000};
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t burst = 1 + both.Random(6);
    for (std::uint64_t k = 0; k < burst; ++k) {
      const std::uint64_t delay = kDelays[both.Random(6)];
      both.Push(both.now() + delay + both.Random(delay));
    }
    for (std::uint64_t k = both.Random(9); k > 0 && both.size() > 0; --k) both.Pop();
    if (HasFatalFailure()) return;
  }
  both.Drain();
}

// The clock may stop before the peeked entry, and new entries may come before it.
TEST(EventQueue, TakesTimesBeforeTheOneLookedAt) {
  Both both(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t base = 1'000'000ull * static_cast<std::uint64_t>(round + 1);
    for (int i = 0; i < 30; ++i) both.Push(base + both.Random(1000));
    both.Pop();
    for (int i = 0; i < 6; ++i) {
      if (both.Random(2) == 0) both.Push(both.now());
      both.Push(base - 1 - both.Random(900'000));
      if (both.Random(4) == 0) both.Pop();
    }
    if (round % 7 == 0) both.Filter(4);
    for (int i = 0; i < 10; ++i) both.Pop();
    if (HasFatalFailure()) return;
  }
  both.Drain();
}

TEST(EventQueue, HoldsTheEndOfTime) {
  EventQueue queue;
  queue.Push({kEndOfTime, 0, 0, 0});
  queue.Push({0, 1, 1, 0});
  queue.Push({kEndOfTime, 2, 2, 0});
  queue.Push({kEndOfTime - 1, 3, 3, 0});
  for (const std::uint32_t slot : {1u, 3u, 0u, 2u}) {
    const QueueEntry* const due = queue.Due(kEndOfTime);
    EXPECT_EQ(due->slot, slot);
    queue.PopFront();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, PeekingMovesNothing) {
  EventQueue queue;
  queue.Push({1000, 0, 0, 0});
  EXPECT_EQ(queue.Due(999), nullptr);
  queue.Push({10, 1, 1, 0});
  EXPECT_EQ(queue.Due(9), nullptr);
  EXPECT_EQ(queue.Due(999)->slot, 1u);
}

TEST(EventQueue, ForEachSeesEveryEntryOnce) {
  Both both(3);
  EventQueue queue;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    queue.Push({both.Random(500), i, 0, 0});
    sum += i;
  }
  for (int i = 0; i < 100; ++i) {
    const QueueEntry* const due = queue.Due(kEndOfTime);
    sum -= due->sequence;
    queue.PopFront();
  }
  std::size_t seen = 0;
  queue.ForEach([&](const QueueEntry& e) {
    ++seen;
    sum -= e.sequence;
  });
  EXPECT_EQ(seen, 900u);
  EXPECT_EQ(sum, 0u);
}

}  // namespace
}  // namespace ksim::sim
