#include "ksim/base/check.h"

#include <fmt/args.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iterator>
#include <utility>

#include "ksim/base/crash_report.h"
#include "ksim/base/version.h"

namespace ksim {
namespace {

constinit thread_local CrashContextProvider provider;
constinit thread_local std::string* replay_command = nullptr;

}  // namespace

CrashContextProvider SetCrashContextProvider(CrashContextProvider p) {
  return std::exchange(provider, p);
}

void SetReplayCommand(std::string command) {
  // Never freed: a crash may come after the thread's destructors.
  if (replay_command == nullptr) replay_command = new std::string;
  *replay_command = std::move(command);
}

namespace internal {

std::size_t CrashReport(char* out, std::size_t capacity, std::string_view where,
                        std::string_view what, std::string_view message) {
  const CrashContext context = provider.get ? provider.get(provider.self) : CrashContext();
  std::size_t used = 0;
  const auto add = [&]<class... T>(fmt::format_string<T...> format, T&&... args) {
    const auto r = fmt::format_to_n(out + used, capacity - used, format, std::forward<T>(args)...);
    used += static_cast<std::size_t>(r.out - (out + used));
  };
  add("ksim {}: bug: {}{}{}\n", Version(), what, message.empty() ? "" : ": ",
      message.substr(0, capacity / 2));
  if (!where.empty()) add("  at       {}\n", where);
  if (context.running) {
    const std::int64_t ns = context.time.ns();
    add("  seed     {}\n  time     +{}.{:09}s\n", context.seed, ns / 1'000'000'000,
        ns % 1'000'000'000);
    add("  actor    {}\n", context.actor.empty() ? "none" : context.actor);
  }
  if (replay_command != nullptr && !replay_command->empty())
    add("  again    {}\n", *replay_command);
  return used;
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string FormatCheck(std::string_view format, std::initializer_list<CheckArg> args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const CheckArg& a : args) {
    switch (a.type()) {
      case CheckArg::Type::kSigned:
        store.push_back(a.as_signed());
        break;
      case CheckArg::Type::kUnsigned:
        store.push_back(a.as_unsigned());
        break;
      case CheckArg::Type::kDouble:
        store.push_back(a.as_double());
        break;
      case CheckArg::Type::kText:
        store.push_back(a.text());
        break;
    }
  }
  try {
    return fmt::vformat(format, store);
  } catch (const std::exception&) {
    return std::string(format);  // a wrong format must not hide the check
  }
}

}  // namespace internal

void Crash(const char* file, int line, std::string_view what, std::string_view message) {
  static constinit thread_local bool crashing = false;
  if (std::exchange(crashing, true)) ::_exit(kBugExitCode);
  std::fflush(stdout);  // what was said before the bug is part of the evidence
  char where[256];
  const auto end = fmt::format_to_n(where, sizeof(where), "{}:{}", file, line).out;
  char report[8192];
  const std::size_t n = internal::CrashReport(
      report, sizeof(report), {where, static_cast<std::size_t>(end - where)}, what, message);
  internal::WriteAll(STDERR_FILENO, {report, n});
  ::_exit(kBugExitCode);
}

}  // namespace ksim
