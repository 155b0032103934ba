#include "ksim/base/child_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "ksim/base/os.h"

namespace ksim::os {
namespace {

struct Ran {
  absl::StatusOr<ProgramEnd> end;
  std::vector<std::string> lines;
};

Ran RunShell(
    const std::string& script, std::vector<std::string> environment = {},
    const std::function<bool()>& stop = [] { return false; }) {
  Ran ran{absl::UnknownError(""), {}};
  ran.end = RunProgram(
      {{"sh", "-c", script}, "/", std::move(environment)},
      [&](std::string_view line) { ran.lines.emplace_back(line); }, stop);
  return ran;
}

TEST(ChildProgram, GivesOutputLinesAndCode) {
  const Ran ran = RunShell("pwd; echo one >&2; printf two >&2; exit 7");
  ASSERT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end->code, 7);
  EXPECT_EQ(ran.end->out, "/\n");
  EXPECT_EQ(ran.lines, (std::vector<std::string>{"one", "two"}));
}

TEST(ChildProgram, ReadsOutputThatNoPipeHolds) {
  const Ran ran = RunShell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2");
  ASSERT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end->out.size(), 1'000'000U);
  ASSERT_EQ(ran.lines.size(), 1U);
  EXPECT_EQ(ran.lines[0].size(), 1'000'000U);
}

TEST(ChildProgram, EnvironmentReplacesThisProcesss) {
  ::setenv("KSIM_TEST_KEPT", "kept", 1);
  ::setenv("KSIM_TEST_CHANGED", "old", 1);
  const Ran ran = RunShell("echo $KSIM_TEST_KEPT $KSIM_TEST_CHANGED $KSIM_TEST_NEW; cat",
                           {"KSIM_TEST_CHANGED=changed", "KSIM_TEST_NEW=new"});
  ASSERT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end->out, "kept changed new\n");
}

TEST(ChildProgram, SaysWhichSignalEndedIt) {
  const Ran ran = RunShell("kill -9 $$");
  ASSERT_TRUE(ran.end.ok());
  EXPECT_EQ(ran.end->code, 128 + 9);
}

TEST(ChildProgram, SaysThatItIsNotThere) {
  const auto none = [](std::string_view) {};
  const auto go_on = [] { return false; };
  EXPECT_TRUE(
      absl::IsNotFound(RunProgram({{"ksim-no-such-program"}, "", {}}, none, go_on).status()));
  EXPECT_TRUE(
      absl::IsNotFound(RunProgram({{"sh"}, "/ksim-no-such-place", {}}, none, go_on).status()));
}

// A process that was killed takes a moment to go, and is a zombie until whoever inherited it looks.
bool IsGoneSoon(const std::string& pid) {
  for (const Duration begun = MonotonicNow(); MonotonicNow() - begun < Seconds(20);) {
    const auto stat = ReadFile("/proc/" + pid + "/stat");
    if (!stat.ok() || stat->find(") Z ") != std::string::npos ||
        stat->find(") X ") != std::string::npos)
      return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(ChildProgram, StopsWithAllThatItStarted) {
  std::string folder = testing::TempDir() + "ksim-child-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string grandchild = folder + "/pid";
  // The shell waits for a program that hears no SIGTERM.
  const std::string script =
      "sh -c 'trap \"\" TERM; echo $$ > " + grandchild + "; while :; do sleep 0.1; done' & wait";
  const Ran ran = RunShell(script, {}, [&] {
    const auto text = ReadFile(grandchild);
    return text.ok() && text->ends_with('\n');
  });
  EXPECT_TRUE(absl::IsCancelled(ran.end.status()));
  std::string pid = *ReadFile(grandchild);
  pid.pop_back();
  EXPECT_TRUE(IsGoneSoon(pid));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ksim::os
