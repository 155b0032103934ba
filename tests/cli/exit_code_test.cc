#include "ksim/cli/exit_code.h"

#include <gtest/gtest.h>

namespace ksim::cli {
namespace {

TEST(ExitCode, TheWorstWins) {
  EXPECT_EQ(Worst({}), 0);
  EXPECT_EQ(Worst({0, 0}), 0);
  EXPECT_EQ(Worst({0, 3, 1}), 1);
  EXPECT_EQ(Worst({3, 6}), 3);
  EXPECT_EQ(Worst({1, 4}), 4);
  EXPECT_EQ(Worst({130, 6}), 6);
  EXPECT_EQ(Worst({130, 5}), 130);
}

TEST(ExitCode, BisectKnowsGoodBadAndCannotTell) {
  EXPECT_EQ(BisectCode(0), 0);
  EXPECT_EQ(BisectCode(1), 1);
  EXPECT_EQ(BisectCode(3), 1);
  for (int code : {2, 4, 5, 6, 70, 130}) EXPECT_EQ(BisectCode(code), 125);
}

}  // namespace
}  // namespace ksim::cli
