// The signal and allocator handlers of crash_report.h: a crash of ksim ends with code 70 and a
// report.
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "ksim/base/check.h"
#include "ksim/base/crash_report.h"
#include "ksim/base/internal/sanitizer.h"
#include "ksim/base/output_file.h"

// mimalloc's function, where the program is linked with mimalloc.
extern "C" __attribute__((weak)) void mi_register_error(void (*on_error)(int, void*), void* self);

namespace ksim {
namespace {

const char* SignalText(int signal) {
  switch (signal) {
    case SIGABRT:
      return "abort";
    case SIGSEGV:
      return "segmentation fault (or stack overflow)";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic fault";
    case SIGILL:
      return "illegal instruction";
    default:
      return "signal";
  }
}

void OnSignal(int signal) {
  char report[4096];
  const std::size_t n = internal::CrashReport(report, sizeof(report), {}, SignalText(signal), {});
  internal::WriteAll(STDERR_FILENO, {report, n});
  ::_exit(kBugExitCode);
}

// Nothing may be allocated here.
[[noreturn]] void OnOutOfMemory() {
  os::RemoveUnfinished();
  internal::WriteAll(STDERR_FILENO, "error: out of memory\n");
  ::_exit(kOutOfMemoryExitCode);
}

[[noreturn]] void OnTerminate() {
  const char* what = "terminate called";
  const std::exception_ptr error = std::current_exception();
  if (!error) Crash("", 0, what, "no active exception");
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    OnOutOfMemory();
  } catch (const std::exception& e) {
    Crash("", 0, what, e.what());
  } catch (...) {
    Crash("", 0, what, "exception of an unknown type");
  }
}

// The handler of `new` alone is not enough: mimalloc that was compiled as C does not ask for it,
// and aborts.
void InstallOutOfMemoryHandler() {
  std::set_new_handler(OnOutOfMemory);
  if (mi_register_error == nullptr) return;
  const auto on_error = [](int error, void*) {
    if (error == ENOMEM) OnOutOfMemory();
  };
  mi_register_error(on_error, nullptr);
}

void InstallSignalHandlers() {
  static char stack[64 * 1024];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

void InstallCrashHandlers() {
  std::set_terminate(OnTerminate);
  InstallOutOfMemoryHandler();
  if (!kSanitized) InstallSignalHandlers();
}

}  // namespace ksim
