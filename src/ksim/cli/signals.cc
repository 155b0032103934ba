#include "ksim/cli/signals.h"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/time.h"
#include "ksim/cli/exit_code.h"

namespace ksim::cli {

std::atomic<int> interrupted{0};
std::atomic<bool> bisects{false};
std::atomic<bool> progress_is_shown{false};

namespace {

// A signal right behind the first is the first once more: timeout(1) signals the process, and then
// its group.
constexpr Duration kOnePress = Milliseconds(500);
std::atomic<std::int64_t> first_signal{0};  // when it came, of the clock that only goes on
std::atomic<int> stoppable{0};
std::atomic<const char*> heard_text{nullptr};
std::atomic<int> heard_by{0};  // the process that says so

void Say(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);  // there is nobody to tell
}

void EraseProgress() {
  if (progress_is_shown.exchange(false)) Say("\r\x1b[K");
}

extern "C" void OnInterrupt(int signal) {
  const std::int64_t now = os::MonotonicNow().ns();
  std::int64_t first = 0;
  const bool is_first = first_signal.compare_exchange_strong(first, now);
  if (is_first ? stoppable == 0 : now - first > kOnePress.ns()) {
    if (heard_by == ::getpid()) EraseProgress();
    os::RemoveUnfinished();
    ::_exit(bisects ? BisectCode(128 + signal) : 128 + signal);
  }
  int none = 0;
  interrupted.compare_exchange_strong(none, signal);
  const char* heard = heard_text;
  if (!is_first || heard == nullptr || heard_by != ::getpid()) return;
  EraseProgress();
  Say(heard);
}

}  // namespace

InterruptibleScope::InterruptibleScope(const char* heard) {
  heard_by = ::getpid();
  heard_text = heard;
  ++stoppable;
}

InterruptibleScope::~InterruptibleScope() {
  --stoppable;
  heard_text = nullptr;
}

void InstallSignalHandlers() {
  ::signal(SIGINT, OnInterrupt);
  ::signal(SIGTERM, OnInterrupt);
}

int InterruptedCode() { return interrupted == SIGINT ? kInterrupted : kTerminated; }

}  // namespace ksim::cli
