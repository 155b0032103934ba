#include "ksim/controllers/nodelifecycle/taint_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ksim::controllers {
namespace {

VirtualTime At(Duration d) { return VirtualTime() + Hours(1) + d; }

// A queue whose token is gone at the beginning of these tests.
TaintQueue Queue(EvictionRate rate = EvictionRate::kNormal) {
  TaintQueue queue;
  queue.SwapLimiter(EvictionRate::kNone, At({}));
  queue.SwapLimiter(EvictionRate::kNormal, At({}));
  queue.SwapLimiter(rate, At({}));
  return queue;
}

// golang.org/x/time/rate Limiter.AllowN with its floating-point numbers, and the 32-bit limit that
// client-go's flowcontrol gives it.
class GoLimiter {
 public:
  explicit GoLimiter(float qps) : limit_(static_cast<double>(qps)) {}
  bool Allow(VirtualTime now) {
    const std::int64_t ns = (now - last_).ns();
    const double seconds =
        static_cast<double>(ns / 1'000'000'000) + static_cast<double>(ns % 1'000'000'000) / 1e9;
    const double tokens = std::min(1.0, tokens_ + seconds * limit_) - 1;
    const double wait = tokens < 0 ? -tokens / limit_ * 1e9 : 0;
    if (static_cast<std::int64_t>(wait) > 0) return false;
    last_ = now;
    tokens_ = tokens;
    return true;
  }

 private:
  double limit_;
  double tokens_ = 1;
  VirtualTime last_;
};

// CTRL-NL-11: whenever it is asked, the limiter says what Go's would say, also a few nanoseconds
// around the moment at which there is a token again.
TEST(TaintQueue, AcceptsWhenGosLimiterDoes) {
  for (const EvictionRate rate : {EvictionRate::kNormal, EvictionRate::kSecondary}) {
    for (std::int64_t off = -400; off <= 400; ++off) {
      TaintQueue queue;
      queue.SwapLimiter(EvictionRate::kNone, At({}));
      queue.SwapLimiter(rate, At({}));  // it is drained, as the old one has no token
      GoLimiter go(rate == EvictionRate::kNormal ? 0.1f : 0.01f);
      go.Allow(At({}));
      queue.Add("n", At({}));
      const VirtualTime then =
          At((rate == EvictionRate::kNormal ? Seconds(10) : Seconds(100)) + Nanoseconds(off * 10));
      EXPECT_EQ(queue.Take(then).has_value(), go.Allow(then)) << off;
    }
  }
}

// The same over many looks of a loop that comes every 100 ms.
TEST(TaintQueue, KeepsGosPaceOverManyLooks) {
  TaintQueue queue = Queue(EvictionRate::kSecondary);
  GoLimiter go(0.01f);
  queue.Add("n", At({}));
  ASSERT_FALSE(queue.Take(At({})).has_value());
  ASSERT_TRUE(go.Allow(At({})));  // both are drained
  int taken = 0;
  for (int i = 1; i < 100'000; ++i) {
    const VirtualTime now = At(Milliseconds(100) * i);
    const bool accepts = queue.Take(now).has_value();
    ASSERT_EQ(accepts, go.Allow(now)) << i;
    taken += accepts ? 1 : 0;
  }
  EXPECT_EQ(taken, 99);
}

// rate_limited_queue_test.go TestAddNode, TestDelNode
TEST(TaintQueue, ANameIsThereOnceUntilItIsRemoved) {
  TaintQueue queue = Queue();
  EXPECT_TRUE(queue.Add("a", At({})));
  EXPECT_FALSE(queue.Add("a", At(Seconds(1))));
  EXPECT_EQ(queue.Take(At(Seconds(20))), "a");
  queue.Finish("a");
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.Add("a", At(Seconds(21)))) << "it counts as there";
  EXPECT_TRUE(queue.Remove("a"));
  EXPECT_FALSE(queue.Remove("a"));
  EXPECT_TRUE(queue.Add("a", At(Seconds(22))));
}

// CTRL-NL-10
TEST(TaintQueue, GivesOneNameForEachToken) {
  TaintQueue queue = Queue();
  queue.Add("a", At({}));
  queue.Add("b", At({}));
  ASSERT_EQ(queue.Take(At(Seconds(10))), "a");
  queue.Finish("a");
  EXPECT_EQ(queue.Take(At(Milliseconds(19'900))), std::nullopt);
  EXPECT_EQ(queue.NextLook(At(Seconds(15))), At(Seconds(10)) + IntervalOf(EvictionRate::kNormal));
  ASSERT_EQ(queue.Take(At(Seconds(20))), "b");
}

// rate_limited_queue_test.go TestTryOrdering, TestTryRemovingWhileTry: what failed comes again
// later, and a token is spent on a head whose time has not come.
TEST(TaintQueue, WhatFailedGoesBehindTheOthers) {
  TaintQueue queue = Queue();
  queue.Add("a", At({}));
  queue.Add("b", At(Seconds(1)));
  ASSERT_EQ(queue.Take(At(Seconds(10))), "a");
  queue.Retry("a", At(Seconds(10)), Milliseconds(50));
  ASSERT_EQ(queue.Take(At(Seconds(20))), "b");
  queue.Finish("b");
  queue.Remove("a");
  queue.Add("c", At(Seconds(40)));
  EXPECT_EQ(queue.Take(At(Seconds(35))), std::nullopt) << "not yet";
  EXPECT_EQ(queue.Take(At(Seconds(41))), std::nullopt) << "the token is gone";
  EXPECT_EQ(queue.Take(At(Seconds(45))), "c");
}

// rate_limited_queue_test.go TestSwapLimiter. CTRL-NL-11
TEST(TaintQueue, ANewRateBeginsWithATokenUnlessTheOldOneHadNone) {
  TaintQueue queue = Queue();
  queue.SwapLimiter(EvictionRate::kSecondary, At(Seconds(60)));
  queue.Add("a", At(Seconds(60)));
  EXPECT_EQ(queue.Take(At(Seconds(60))), "a") << "there was a token";
  queue.SwapLimiter(EvictionRate::kNormal, At(Seconds(61)));
  EXPECT_EQ(queue.Take(At(Seconds(61))), std::nullopt) << "there was none";
  EXPECT_EQ(queue.Take(At(Seconds(71))), "a");
  queue.SwapLimiter(EvictionRate::kNone, At(Seconds(200)));
  EXPECT_EQ(queue.Take(At(Hours(10))), std::nullopt);
  EXPECT_EQ(queue.NextLook(At(Hours(10))), std::nullopt);
}

}  // namespace
}  // namespace ksim::controllers
