// KSIM_CHECK: what our own code must never do. On in every build. A failed check prints the
// expression, the message, and where the run stood (seed, virtual time, actor, the command that
// shows it again) to stderr, and ends the process with _exit(70); it never raises a signal and runs
// no destructor.
//
//   KSIM_CHECK(revision > compacted) << "revision " << revision;
//   KSIM_CHECK(slot < slots.size(), "slot {} of {}", slot, slots.size());
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "ksim/base/time.h"

namespace ksim {

inline constexpr int kBugExitCode = 70;  // docs/exit-codes.md: a bug in ksim itself

// Where the run stands, as far as known.
struct CrashContext {
  bool running = false;  // false: nothing of the rest is known
  std::uint64_t seed = 0;
  VirtualTime time;
  std::string_view actor;  // "" outside all actors
};

// The provider of this thread's crash context; the layer that runs a simulation sets it while it
// does. `self` is handed to the function. Returns the provider set before, so that nested runs can
// put it back.
struct CrashContextProvider {
  CrashContext (*get)(const void* self) = nullptr;
  const void* self = nullptr;
};
CrashContextProvider SetCrashContextProvider(CrashContextProvider provider);

// The command line that shows this run again; printed as given. Per thread.
void SetReplayCommand(std::string command);

// Prints `what` and `message` as a failed check does, and exits.
[[noreturn]] void Crash(const char* file, int line, std::string_view what,
                        std::string_view message);

// std::terminate, abort and faults of the machine end like a failed check: printed, exit code 70.
// Under a sanitizer only std::terminate is taken over. Also sets up a second stack, so that a stack
// overflow is reported.
void InstallCrashHandlers();

namespace internal {

// One formatted argument of a check, without the formatter's headers.
class CheckArg {
 public:
  enum class Type { kSigned, kUnsigned, kDouble, kText };
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  CheckArg(T v) {  // NOLINT: implicit on purpose
    if constexpr (std::is_same_v<T, bool>) {
      text_ = v ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
      text_.push_back(v);
    } else if constexpr (std::is_floating_point_v<T>) {
      type_ = Type::kDouble;
      double_ = v;
    } else if constexpr (std::is_signed_v<T>) {
      type_ = Type::kSigned;
      signed_ = v;
    } else {
      type_ = Type::kUnsigned;
      unsigned_ = static_cast<std::uint64_t>(v);
    }
  }
  CheckArg(std::string_view v) : text_(v) {}          // NOLINT
  CheckArg(const std::string& v) : text_(v) {}        // NOLINT
  CheckArg(const char* v) : text_(v) {}               // NOLINT
  CheckArg(Duration v) : text_(FormatDuration(v)) {}  // NOLINT
  CheckArg(VirtualTime v) : text_(FormatTime(v)) {}   // NOLINT

  Type type() const { return type_; }
  std::int64_t as_signed() const { return signed_; }
  std::uint64_t as_unsigned() const { return unsigned_; }
  double as_double() const { return double_; }
  const std::string& text() const { return text_; }

 private:
  Type type_ = Type::kText;
  std::int64_t signed_ = 0;
  std::uint64_t unsigned_ = 0;
  double double_ = 0;
  std::string text_;
};

std::string FormatCheck(std::string_view format, std::initializer_list<CheckArg> args);

// Collects what is streamed into it; its end is the end of the process.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* expression)
      : file_(file), line_(line), expression_(expression) {}
  template <class... A>
  CheckFailure(const char* file, int line, const char* expression, std::string_view format,
               const A&... args)
      : CheckFailure(file, line, expression) {
    message_ = FormatCheck(format, {CheckArg(args)...});
  }
  CheckFailure(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure() { Crash(file_, line_, expression_, message_); }
  CheckFailure& operator<<(const CheckArg& arg) {
    message_ += FormatCheck("{}", {arg});
    return *this;
  }

 private:
  const char* file_;
  int line_;
  const char* expression_;
  std::string message_;
};

}  // namespace internal
}  // namespace ksim

#define KSIM_CHECK(condition, ...)          \
  while (__builtin_expect(!(condition), 0)) \
  ::ksim::internal::CheckFailure(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__)
