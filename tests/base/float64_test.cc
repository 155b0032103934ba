// The slow oracle is the machine's own double, which must not decide anything in a run.
#include "ksim/base/float64.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace ksim {
namespace {

// SCHED-19, CTRL-HPA-13
TEST(Float64, RoundsEachStepAsADoubleDoes) {
  std::uint64_t state = 88172645463325252u;
  const auto next = [&state](std::int64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::int64_t>(state % static_cast<std::uint64_t>(below));
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t magnitude = std::int64_t{1} << (1 + next(62));
    const std::int64_t a = next(magnitude), b = 1 + next(magnitude), c = next(1 + magnitude / 2);
    const auto x = static_cast<double>(a), y = static_cast<double>(b), z = static_cast<double>(c);
    const Float64 fx = Float64::Of(a), fy = Float64::Of(b), fz = Float64::Of(c);
    const double ratio = x / y;
    const Float64 fratio = fx / fy;
    const double product = ratio * z;
    const Float64 fproduct = fratio * fz;
    ASSERT_EQ(fratio < Float64::Of(1), ratio < 1.0) << a << " " << b;
    ASSERT_EQ(fproduct > fx, product > x) << a << " " << b << " " << c;
    if (product < 9e18) {
      ASSERT_EQ(fproduct.Ceil(), static_cast<std::int64_t>(std::ceil(product))) << a << " " << b;
      ASSERT_EQ(fproduct.Floor(), static_cast<std::int64_t>(product)) << a << " " << b;
    }
    const double sum = ratio + z;
    if (sum < 9e18) {
      ASSERT_EQ((fratio + fz).Floor(), static_cast<std::int64_t>(sum));
    }
    const double apart = ratio > z ? ratio - z : z - ratio;
    const Float64 fapart = fratio > fz ? fratio - fz : fz - fratio;
    if (apart < 9e18) {
      ASSERT_EQ(fapart.Ceil(), static_cast<std::int64_t>(std::ceil(apart)));
    }
  }
}

TEST(Float64, ADifferenceOfNearlyNothing) {
  const Float64 one = Float64::Of(1), tiny = one / Float64::Of(std::int64_t{1} << 62);
  EXPECT_EQ(one - tiny, one) << "rounds back up";
  EXPECT_EQ(one - tiny * tiny, one) << "its bits lie behind the guard";
  EXPECT_EQ((Float64::Of(3) - Float64::Of(3)).Floor(), 0);
  EXPECT_EQ((Float64() * Float64::Of(7)).Floor(), 0);
}

TEST(Float64, WithoutReplicasARatioIsInfiniteOrNone) {
  const Float64 infinite = Float64::Of(1) / Float64();
  const Float64 none = Float64() / Float64();
  EXPECT_GT(infinite, Float64::Of(std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(none <= Float64::Of(1));
  EXPECT_FALSE(none >= Float64::Of(1));
  EXPECT_EQ(infinite.Ceil(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Float64::Of(std::int64_t{1} << 40).Ceil32(), std::numeric_limits<std::int32_t>::min());
}

}  // namespace
}  // namespace ksim
