#include "ksim/kubelet/pod_workers/restart_backoff.h"

#include <gtest/gtest.h>

namespace ksim::kubelet {
namespace {

VirtualTime At(std::int64_t seconds) { return VirtualTime(Seconds(seconds).ns()); }

// KUBELET-11
TEST(RestartBackoff, FirstNothingThenTenSecondsDoublingToFiveMinutes) {
  RestartBackoff backoff;
  std::int64_t now = 100;
  for (const std::int64_t wait : {0, 10, 20, 40, 80, 160, 300, 300, 300}) {
    const VirtualTime finished = At(now);
    EXPECT_EQ(backoff.WaitsUntil("u/c", finished), At(now + wait));
    now += wait;
    backoff.Next("u/c", finished, At(now));
    now += 1;  // it runs for a second
  }
  EXPECT_EQ(backoff.WaitsUntil("u/other", At(now)), At(now)) << "each container has its own";
}

// KUBELET-11: the back-off resets when the last restart is strictly more than ten minutes ago.
TEST(RestartBackoff, ALongRunBeginsAnew) {
  for (const auto& [ran, waits] : {std::pair{600, 20}, std::pair{601, 0}}) {
    RestartBackoff backoff;
    backoff.Next("u/c", At(0), At(0));
    backoff.Next("u/c", At(10), At(20));
    const VirtualTime finished = At(20 + ran);
    EXPECT_EQ(backoff.WaitsUntil("u/c", finished), finished + Seconds(waits)) << ran;
    backoff.Next("u/c", finished, finished + Seconds(waits));
    EXPECT_EQ(backoff.Get("u/c"), Seconds(ran == 600 ? 40 : 10)) << ran;
  }
}

// KUBELET-13: the back-off of an image pull counts from the last failed pull.
TEST(RestartBackoff, MayCountFromTheLastTime) {
  RestartBackoff backoff;
  EXPECT_EQ(backoff.WaitsSinceLast("u_i", At(5)), At(5));
  std::int64_t now = 100;
  for (const std::int64_t wait : {10, 20, 40, 80, 160, 300, 300}) {
    backoff.Next("u_i", At(now), At(now));
    EXPECT_EQ(backoff.WaitsSinceLast("u_i", At(now + 1)), At(now + wait));
    EXPECT_EQ(backoff.WaitsSinceLast("u_i", At(now + wait)), At(now + wait));
    now += wait;
  }
  EXPECT_EQ(backoff.WaitsSinceLast("u_i", At(now + 700)), At(now + 700)) << "forgotten by then";
}

TEST(RestartBackoff, ForgetsAPodsContainers) {
  RestartBackoff backoff;
  for (const char* key : {"u/a", "u/b", "v/a"}) backoff.Next(key, At(0), At(0));
  backoff.Forget("u");
  EXPECT_EQ(backoff.Get("u/a") + backoff.Get("u/b"), Duration());
  EXPECT_EQ(backoff.Get("v/a"), Seconds(10));
}

}  // namespace
}  // namespace ksim::kubelet
