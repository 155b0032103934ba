#include "ksim/scheduler/plugins/float64.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ksim::scheduler {
namespace {

std::int64_t Truncated(double d) { return static_cast<std::int64_t>(d); }

// The slow oracle is the machine's own double, which must not decide anything in a run.
TEST(Float64, RoundsAsTheMachineDoes) {
  std::uint64_t state = 1;
  const auto next = [&state](int bits) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state >> (64 - bits));
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t a = next(1 + i % 60), b = next(1 + i / 60 % 60) + 1;
    const Float64 quotient = Float64(a) / Float64(b);
    const double want = static_cast<double>(a) / static_cast<double>(b);
    // Numbers are compared by what is left of them when they have been made large.
    const Float64 scale(std::int64_t{1} << 58);
    if (want < 16) {
      const Float64 large = quotient * scale;
      ASSERT_EQ(large.Truncated(), Truncated(want * 0x1p58)) << a << "/" << b;
    } else if (want < 0x1p60) {
      ASSERT_EQ(quotient.Truncated(), Truncated(want)) << a << "/" << b;
    }
    if (want > 1) continue;
    ASSERT_EQ((Float64(100) * quotient).Truncated(), Truncated(100 * want)) << a << "/" << b;
    const double rest = 1 - want / 2;
    ASSERT_EQ(((Float64(1) - quotient / Float64(2)) * scale).Truncated(), Truncated(rest * 0x1p58))
        << a << "/" << b;
    ASSERT_EQ(quotient < Float64(1), want < 1);
  }
}

TEST(Float64, ADifferenceOfNearlyNothing) {
  const Float64 tiny = Float64(1) / Float64(std::int64_t{1} << 62);
  EXPECT_FALSE(Float64(1) - tiny < Float64(1));         // rounds back up
  EXPECT_FALSE(Float64(1) - tiny * tiny < Float64(1));  // its bits lie behind the guard
  EXPECT_EQ((Float64(3) - Float64(3)).Truncated(), 0);
  EXPECT_EQ((Float64() * Float64(7)).Truncated(), 0);
}

}  // namespace
}  // namespace ksim::scheduler
