#include "ksim/cli/fuzz_progress.h"

#include <gtest/gtest.h>

namespace ksim::cli {
namespace {

fuzz::Tally SomeTally() {
  fuzz::Tally t;
  t.faults = {{"delay", 1200}, {"fault.crash", 30}, {"fault.gap", 0},
              {"order", 7},    {"fault.storm", 5},  {"fault.pause", 4}};
  t.failures.resize(2);
  t.coverage = {1, 2, 3};
  t.probes = {"a", "b"};
  return t;
}

fuzz::CampaignProgress Halfway(const fuzz::Tally& t) {
  fuzz::CampaignProgress p(t);
  p.runs = 1024;
  p.events = 40'960'000;
  p.failing = 11;
  p.total = 2048;
  p.lasted = Seconds(4);
  return p;
}

const char* const kWhole =
    "1,024/2,048 runs, 50%, 4s left, 256 runs/s, 11 failing, 2 distinct, 10,240,000 events/s, "
    "delay 1,200, crash 30, order 7, storm 5, others 4, coverage 3, probes 2";

// Whole parts, the most important first, and never as wide as the terminal.
TEST(FuzzProgress, FitsAnyWidth) {
  const fuzz::Tally t = SomeTally();
  const fuzz::CampaignProgress p = Halfway(t);
  EXPECT_EQ(ProgressLine(p, 500), kWhole);
  EXPECT_EQ(ProgressLine(p, 40), "1,024/2,048 runs, 50%, 4s left");
  EXPECT_EQ(ProgressLine(p, 9), "1,024/2,");
  for (int columns = 1; columns < 200; ++columns) {
    const std::string line = ProgressLine(p, columns);
    EXPECT_LE(line.size(), static_cast<std::size_t>(std::max(columns - 1, 1)));
    EXPECT_EQ(std::string(kWhole).substr(0, line.size()), line);
  }
}

TEST(FuzzProgress, TellsShareAndTimeLeftOfWhatEndsFirst) {
  struct Case {
    std::uint64_t runs, total;
    Duration lasted;
    std::optional<Duration> time;
    const char* line;
  };
  const Case cases[] = {
      {0, 1000, Milliseconds(10), std::nullopt, "0/1,000 runs, 0%, 0 runs/s"},
      {250, 1000, Seconds(50), std::nullopt, "250/1,000 runs, 25%, 2m30s left, 5 runs/s"},
      {1000, 1000, Seconds(50), std::nullopt, "1,000/1,000 runs, 100%, 0s left, 20 runs/s"},
      {40, 0, Seconds(15), Seconds(60), "40 runs, 25%, 45s left, 2 runs/s"},
      {40, 0, Seconds(80), Seconds(60), "40 runs, 100%, 0s left, 0 runs/s"},
      {40, 1000, Seconds(15), Seconds(60), "40/1,000 runs, 25%, 45s left, 2 runs/s"},
      {900, 1000, Seconds(9), Seconds(60), "900/1,000 runs, 90%, 1s left, 100 runs/s"},
      {40, 0, Seconds(8), std::nullopt, "40 runs, 5 runs/s"}};
  const fuzz::Tally none;
  for (const Case& c : cases) {
    fuzz::CampaignProgress p(none);
    p.runs = c.runs;
    p.total = c.total;
    p.lasted = c.lasted;
    p.time = c.time;
    const std::string line = ProgressLine(p, 200);
    EXPECT_EQ(line.substr(0, line.find(", 0 failing")), c.line);
  }
}

}  // namespace
}  // namespace ksim::cli
