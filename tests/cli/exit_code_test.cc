#include "ksim/cli/exit_code.h"

#include <gtest/gtest.h>

namespace ksim::cli {
namespace {

TEST(ExitCode, TheWorstWins) {
  const struct {
    std::vector<int> codes;
    int worst;
  } cases[] = {{{}, 0},       {{0, 0}, 0},     {{0, 3, 1}, 1},  {{3, 6}, 3},   {{1, 4}, 4},
               {{130, 6}, 6}, {{130, 5}, 130}, {{143, 0}, 143}, {{70, 0}, 70}, {{70, 1}, 70},
               {{70, 6}, 70}, {{4, 70}, 70},   {{1, 143}, 1}};
  for (const auto& c : cases) EXPECT_EQ(Worst(c.codes), c.worst) << testing::PrintToString(c.codes);
}

TEST(ExitCode, BisectKnowsGoodBadAndCannotTell) {
  EXPECT_EQ(BisectCode(0), 0);
  EXPECT_EQ(BisectCode(1), 1);
  EXPECT_EQ(BisectCode(3), 1);
  for (int code : {2, 4, 5, 6, 70, 130}) EXPECT_EQ(BisectCode(code), 125);
}

}  // namespace
}  // namespace ksim::cli
