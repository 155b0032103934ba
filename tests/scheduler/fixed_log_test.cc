#include "ksim/scheduler/plugins/fixed_log.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ksim::scheduler {
namespace {

// The slow oracle is the library's logarithm, which must not decide anything in a run.
TEST(FixedLn, AgreesWithTheLibraryToTwentyEightBits) {
  EXPECT_EQ(FixedLn(1), 0u);
  for (std::uint64_t n = 1; n <= 6000; ++n) {
    const double got = static_cast<double>(FixedLn(n)) / 4294967296.0;
    EXPECT_NEAR(got, std::log(static_cast<double>(n)), 1.0 / (1 << 28)) << n;
  }
}

}  // namespace
}  // namespace ksim::scheduler
