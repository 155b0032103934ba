// `ksim check` over traces that are cut short, or made on purpose wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string FileWith(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// The first lines of a trace; all of it for a negative number.
std::string CutTrace(int lines) {
  const std::string whole = testing::TempDir() + "/check_whole.jsonl";
  EXPECT_EQ(RunCli({"run", "scenarios/delete-pod.yaml", "-q", "--trace", whole}).code, 0);
  std::ifstream in(whole);
  std::string out, line;
  for (int i = 0; i != lines && std::getline(in, line); ++i) out += line + "\n";
  return FileWith("check_cut.jsonl", out);
}

TEST(Check, ATraceCutShortIsUndecided) {
  struct Case {
    const char* what;
    int lines, code;
  };
  const Case cases[] = {
      {"whole", -1, 0}, {"cut, and judged as far as it goes", 200, 6}, {"nothing to judge", 1, 6}};
  for (const Case& c : cases)
    EXPECT_EQ(RunCli({"check", CutTrace(c.lines)}).code, c.code) << c.what;
}

// A variant does wrong on purpose: that is no contradiction of its trace, in any version.
TEST(Check, NoTraceOfTheMuseumContradictsItself) {
  const std::string trace = testing::TempDir() + "/check_museum.jsonl";
  for (const auto& entry : std::filesystem::directory_iterator("scenarios/museum")) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* compat : {"compat=1.25", "compat=1.36"}) {
      RunCli({"run", entry.path().string(), "--set", compat, "-q", "--trace", trace});
      EXPECT_EQ(RunCli({"check", trace}).out.find("trace.consistent     violated"),
                std::string::npos)
          << entry.path() << " " << compat;
    }
  }
}

std::string Event(const char* type, int rv) {
  return std::string("{\"type\": \"") + type +
         "\", \"object\": {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": "
         "\"a\", \"uid\": \"u\", \"resourceVersion\": \"" +
         std::to_string(rv) + "\"}}}\n";
}

TEST(Check, AWatchCutShortIsUndecidedUnlessItIsViolated) {
  const std::string good = Event("ADDED", 10) + Event("MODIFIED", 20);
  const std::string bad = good + Event("MODIFIED", 15);
  const std::string cut = Event("MODIFIED", 30).substr(0, 40);
  struct Case {
    const char* what;
    std::string stream;
    int code;
  };
  const Case cases[] = {{"whole", good, 0},     {"violated", bad, 1},
                        {"cut", good + cut, 6}, {"violated and cut", bad + cut, 1},
                        {"nothing", "", 5},     {"nothing but a part of one", cut, 6}};
  for (const Case& c : cases) {
    const std::string path = FileWith("check_watch.json", c.stream);
    const CliResult result = RunCli({"check", "--format", "watch-json", path});
    EXPECT_EQ(result.code, c.code) << c.what;
    const bool warned = result.err.find(": warning: cut in the middle") != std::string::npos;
    EXPECT_EQ(warned, c.stream.ends_with(cut)) << c.what << ": " << result.err;
  }
}

// A file of kubectl's is known by its beginning; where it shows little, the flag that would tell
// more is named.
TEST(Check, WhatKubectlPrintedIsJudgedAsFarAsItGoes) {
  const std::string plain =
      "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"a\", "
      "\"resourceVersion\": \"7\"}}\n";
  struct Case {
    const char* what;
    std::string text;
    int code;
    const char* says;
  };
  const Case cases[] = {
      {"events", Event("ADDED", 10) + Event("MODIFIED", 20), 0, "--list FILE"},
      {"older after newer", Event("MODIFIED", 20) + Event("MODIFIED", 10), 1, "comes after"},
      {"objects", plain, 5, "--output-watch-events"},
      {"a table", "NAME   AGE\na      5s\n", 5, "--output-watch-events -o json"},
      {"a table of events", "EVENT   NAME   AGE\nADDED   a      5s\nADDED   a      6s\n", 1,
       "its deletion is missing"},
  };
  for (const Case& c : cases) {
    const std::string path = FileWith("check_kubectl.txt", c.text);
    const CliResult result = RunCli({"check", path});
    EXPECT_EQ(result.code, c.code) << c.what << result.err;
    EXPECT_NE(result.out.find(c.says), std::string::npos) << c.what << result.out;
    const CliResult diff = RunCli({"diff", path, path});
    EXPECT_EQ(diff.code, 2) << c.what;
    EXPECT_NE(diff.err.find("`ksim check` judges it"), std::string::npos) << diff.err;
  }
}

TEST(Check, WhatIsWrongInAWatchIsShownAtItsPlace) {
  const std::string watch = FileWith("check_wrong.json", "{\"type\": \"ADDED\"}\n  {\"type\": }\n");
  EXPECT_EQ(
      RunCli({"check", "--format", "watch-json", watch}).err,
      watch + ":2:12: error: expected a value\n    2 |   {\"type\": }\n      |            ^\n");
  const std::string good = FileWith("check_watch.json", Event("ADDED", 10));
  EXPECT_EQ(RunCli({"check", "--format", "watch-json", good, "--list", good}).err,
            good + ":1:1: error: want one List, as `kubectl get pods -o json` prints it\n    1 | " +
                Event("ADDED", 10) + "      | ^\n");
}

}  // namespace
}  // namespace ksim::cli
