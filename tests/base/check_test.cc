#include "ksim/base/check.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ksim/base/crash_report.h"
#include "ksim/base/internal/sanitizer.h"
#include "ksim/base/version.h"

namespace ksim {
namespace {

using testing::ExitedWithCode;

TEST(CheckDeathTest, PassingDoesNothing) {
  int evaluated = 0;
  KSIM_CHECK(++evaluated == 1) << "not shown";
  KSIM_CHECK(evaluated == 1, "not shown {}", evaluated);
  if (evaluated == 0)
    KSIM_CHECK(false);
  else
    ++evaluated;  // the macro does not swallow an else
  EXPECT_EQ(evaluated, 2);
}

TEST(CheckDeathTest, PrintsExpressionAndMessageAndExitsWith70) {
  const int n = 3;
  EXPECT_EXIT(KSIM_CHECK(n == 4) << "n is " << n << ' ' << Seconds(2) << std::string(" and on"),
              ExitedWithCode(70), "bug: n == 4: n is 3 2s and on\n  at .*check_test.cc:[0-9]+");
  EXPECT_EXIT(KSIM_CHECK(n > 4, "{} of {}, {:.1f}, {}", n, std::uint64_t{9}, 0.5, true),
              ExitedWithCode(70), "bug: n > 4: 3 of 9, 0.5, true");
  EXPECT_EXIT(KSIM_CHECK(n > 4), ExitedWithCode(70), "bug: n > 4\n");
}

TEST(CheckDeathTest, WrongFormatDoesNotHideTheCheck) {
  EXPECT_EXIT(KSIM_CHECK(false, "{} {}", 1), ExitedWithCode(70), "bug: false: \\{\\} \\{\\}");
}

CrashContext Somewhere(const void* self) {
  return {true, 7, VirtualTime(1'500'000'001), static_cast<const char*>(self)};
}

TEST(CheckDeathTest, TellsWhereTheRunStood) {
  EXPECT_EXIT(
      {
        SetCrashContextProvider({&Somewhere, "kubelet/node-1"});
        SetReplayCommand("ksim run scenarios/a.yaml --seed 7");
        KSIM_CHECK(false);
      },
      ExitedWithCode(70),
      "seed     7\n  time     \\+1.500000001s\n  actor    kubelet/node-1\n"
      "  again    ksim run scenarios/a.yaml --seed 7");
  EXPECT_EXIT(
      {
        SetCrashContextProvider({&Somewhere, ""});
        KSIM_CHECK(false);
      },
      ExitedWithCode(70), "actor    none");
}

TEST(CheckDeathTest, ContextBelongsToTheThread) {
  EXPECT_EXIT(
      {
        SetCrashContextProvider({&Somewhere, "mine"});
        std::thread([] { KSIM_CHECK(false) << "elsewhere"; }).join();
      },
      ExitedWithCode(70), "elsewhere\n  at [^\n]*\n$");
}

TEST(CheckDeathTest, SettingTheProviderGivesTheOneBefore) {
  const CrashContextProvider before = SetCrashContextProvider({&Somewhere, "a"});
  const CrashContextProvider mine = SetCrashContextProvider(before);
  EXPECT_EQ(mine.get, &Somewhere);
}

std::string Report(std::size_t capacity, std::string_view where, std::string_view what,
                   std::string_view message) {
  std::string text(capacity, '?');
  text.resize(internal::CrashReport(text.data(), capacity, where, what, message));
  return text;
}

TEST(CrashReport, SaysWhatIsKnown) {
  const std::string version = "ksim " + std::string(Version());
  EXPECT_EQ(Report(500, "a.cc:7", "n == 4", "n is 3"),
            version + ": bug: n == 4: n is 3\n  at       a.cc:7\n");
  EXPECT_EQ(Report(500, "", "abort", ""), version + ": bug: abort\n");
  const CrashContextProvider before = SetCrashContextProvider({&Somewhere, "etcd"});
  SetReplayCommand("ksim replay t.jsonl");
  EXPECT_EQ(Report(500, "", "abort", ""),
            version +
                ": bug: abort\n  seed     7\n  time     +1.500000001s\n  actor    etcd\n"
                "  again    ksim replay t.jsonl\n");
  SetReplayCommand("");
  SetCrashContextProvider(before);
}

TEST(CrashReport, LongMessageLeavesRoomForTheRest) {
  const CrashContextProvider before = SetCrashContextProvider({&Somewhere, "etcd"});
  const std::string version = "ksim " + std::string(Version());
  const std::string text = Report(400, "a.cc:7", "x", std::string(10'000, 'm'));
  EXPECT_TRUE(text.ends_with("  actor    etcd\n")) << text;
  EXPECT_EQ(Report(10, "a.cc:7", "x", "y"), version.substr(0, 10));
  SetCrashContextProvider(before);
}

TEST(FormatCheck, TakesEveryKindOfArgument) {
  enum class Color : std::uint8_t { kRed = 2 };
  EXPECT_EQ(internal::FormatCheck("{} {} {} {} {} {} {}",
                                  {-1, std::uint64_t{5}, 2.5, 'c', "text", Color::kRed, false}),
            "-1 5 2.5 c text 2 false");
  EXPECT_EQ(internal::FormatCheck("{} at {}", {Milliseconds(1500), VirtualTime(5)}),
            "1.5s at +0.000000005s");
  EXPECT_EQ(internal::FormatCheck("{} {}", {1}), "{} {}");
}

void Throw() { throw std::runtime_error("thrown away"); }
void ThrowUncaught() noexcept { Throw(); }

TEST(CrashHandlersDeathTest, UncaughtExceptionEndsWith70) {
  EXPECT_EXIT(
      {
        InstallCrashHandlers();
        ThrowUncaught();
      },
      ExitedWithCode(70), "terminate called: thrown away");
}

// Allocates `size` bytes at a time until the memory limit is reached.
void TakeAllMemory(std::size_t size) {
  const rlimit little{256 << 20, 256 << 20};
  ::setrlimit(RLIMIT_AS, &little);
  std::vector<std::string> kept;
  for (;;) kept.emplace_back(size, 'x');
}

TEST(CrashHandlersDeathTest, NoMemoryLeftIsNoBug) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer takes more memory than that";
  for (const std::size_t size : {100u, 1u << 20, 1u << 30})
    EXPECT_EXIT(
        {
          InstallCrashHandlers();
          TakeAllMemory(size);
        },
        ExitedWithCode(6), "^error: out of memory\n$")
        << size;
}

int UseTheStack(int depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(depth);
  return depth == 0 ? page[0] : UseTheStack(depth - 1) + page[0];
}

TEST(CrashHandlersDeathTest, SignalsEndWith70) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports these itself";
  const struct {
    int signal;
    const char* text;
  } kCases[] = {{SIGABRT, "bug: abort"},
                {SIGSEGV, "bug: segmentation fault"},
                {SIGBUS, "bug: bus error"},
                {SIGFPE, "bug: arithmetic fault"},
                {SIGILL, "bug: illegal instruction"}};
  for (const auto& c : kCases) {
    EXPECT_EXIT(
        {
          InstallCrashHandlers();
          ::raise(c.signal);
        },
        ExitedWithCode(70), c.text);
  }
  EXPECT_EXIT(
      {
        InstallCrashHandlers();
        std::exit(UseTheStack(1'000'000));
      },
      ExitedWithCode(70), "stack overflow");
}

}  // namespace
}  // namespace ksim
