#include "ksim/guest/process/log_line.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ksim::guest {
namespace {

using ::testing::ElementsAre;

TEST(LogLine, ReadsKlog) {
  const LogLine line =
      ParseLogLine("W0101 00:00:01.000000       1 reflector.go:561] failed to list *v1.Pod: EOF");
  EXPECT_EQ(line.level, "warning");
  EXPECT_EQ(line.place, "reflector.go:561");
  EXPECT_EQ(line.text, "failed to list *v1.Pod: EOF");
}

TEST(LogLine, ReadsZapsConsole) {
  const LogLine line = ParseLogLine("2025-01-01T00:00:01Z\tERROR\tReconciler error\t{\"n\": 1}");
  EXPECT_EQ(line.level, "error");
  EXPECT_EQ(line.text, "Reconciler error\t{\"n\": 1}");
}

TEST(LogLine, ReadsJson) {
  const LogLine line = ParseLogLine(
      R"({"level":"info","ts":1.5,"caller":"a/b.go:7","msg":"Starting","controller":"pod"})");
  EXPECT_EQ(line.level, "info");
  EXPECT_EQ(line.place, "a/b.go:7");
  EXPECT_EQ(line.text, R"(Starting {"controller":"pod"})");
}

TEST(LogLine, KeepsWhatItDoesNotKnow) {
  for (const char* text :
       {"plain", "I am here", "{\"level\":1}", "I0101 no place] x", "", "\t\t"}) {
    const LogLine line = ParseLogLine(text);
    EXPECT_EQ(line.text, text);
    EXPECT_EQ(line.level, "");
    EXPECT_EQ(line.place, "");
  }
}

TEST(LineCutter, WaitsForTheEndOfALine) {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto take = [&](const std::string& line) { lines.push_back(line); };
  cutter.Add("one\ntw", take);
  EXPECT_THAT(lines, ElementsAre("one"));
  cutter.Add("o\n\nthr", take);
  EXPECT_THAT(lines, ElementsAre("one", "two", ""));
  EXPECT_EQ(cutter.TakeRest(), "thr");
  EXPECT_EQ(cutter.TakeRest(), "");
  cutter.Add(std::string(LineCutter::kMostBytes, 'x'), take);
  EXPECT_EQ(lines.back().size(), LineCutter::kMostBytes) << "a line without an end is cut";
}

}  // namespace
}  // namespace ksim::guest
