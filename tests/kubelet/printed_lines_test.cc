// Containers print what annotations say.
#include "ksim/kubelet/runtime/printed_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

using Planned = std::vector<std::pair<std::string, Duration>>;

Planned Lines(const std::string& annotation, int run = 0) {
  const value::Value text = value::Value::Of(annotation);
  const value::Value pod = *value::ParseJson(R"({"kind": "Pod", "metadata": {"name": "a"}})");
  const api::Object object = api::Object::FromTree(
      pod.Set(value::Path{"metadata", "annotations", "log.ksim.dev/c"}, text));
  Planned out;
  for (const PlannedLine& line : LinesOf(object, "c", run)) out.emplace_back(line.text, line.after);
  return out;
}

TEST(PrintedLines, StandBetweenSemicolonsOrInLines) {
  EXPECT_EQ(Lines("up; warm after 5s"), (Planned{{"up", Duration()}, {"warm", Seconds(5)}}));
  EXPECT_EQ(Lines("up\n warm, and dry after 1m30s \n"),
            (Planned{{"up", Duration()}, {"warm, and dry", Seconds(90)}}));
  EXPECT_EQ(Lines(" ;\n; "), Planned{});
  EXPECT_EQ(Lines(""), Planned{});
}

TEST(PrintedLines, WhatIsNoTimeIsText) {
  EXPECT_EQ(Lines("gave up after 3 tries"), (Planned{{"gave up after 3 tries", Duration()}}));
  EXPECT_EQ(Lines("gave up after 3 tries after 2s"),
            (Planned{{"gave up after 3 tries", Seconds(2)}}));
  EXPECT_EQ(Lines("x after -1s"), (Planned{{"x after -1s", Duration()}}));
}

TEST(PrintedLines, AreThoseOfTheRun) {
  const std::string text = "up; panic after 1s | up|down\n|\nserving";
  EXPECT_EQ(Lines(text, 0), (Planned{{"up", Duration()}, {"panic", Seconds(1)}}));
  EXPECT_EQ(Lines(text, 1), (Planned{{"up|down", Duration()}}));
  EXPECT_EQ(Lines(text, 2), (Planned{{"serving", Duration()}}));
  EXPECT_EQ(Lines(text, 9), (Planned{{"serving", Duration()}}));
}

TEST(PrintedLines, AreThoseOfTheContainer) {
  const api::Object pod = api::Object::FromTree(*value::ParseJson(
      R"({"kind": "Pod", "metadata": {"name": "a", "annotations": {"log.ksim.dev/d": "x"}}})"));
  EXPECT_TRUE(LinesOf(pod, "c", 0).empty());
  EXPECT_EQ(LinesOf(pod, "d", 0).size(), 1u);
}

}  // namespace
}  // namespace ksim::kubelet
