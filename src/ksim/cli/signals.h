// SIGINT and SIGTERM. Work that can stop with a result in hand holds an InterruptibleScope and
// looks at `interrupted`, at least ten times a second; a signal ends all other work at once, and
// nothing half written stays.
#pragma once
#include <atomic>

namespace ksim::cli {

// The first signal that came in an InterruptibleScope, 2 or 15; 0: none.
extern std::atomic<int> interrupted;
// --bisect was given: a process that a signal ends at once exits with 125.
extern std::atomic<bool> bisects;

// A LiveLine stands on the terminal; a signal takes it away.
extern std::atomic<bool> progress_is_shown;

class InterruptibleScope {
 public:
  // `heard`: what the first signal prints to stderr at once, a line; only of the process that made
  // the scope, and null for nothing. It must outlive the scope.
  explicit InterruptibleScope(const char* heard = nullptr);
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;
};

// Takes signals from now on, in this process. A second signal ends also what is interruptible.
void InstallSignalHandlers();

// The exit code of a command that was interrupted: 130 or 143.
int InterruptedCode();

}  // namespace ksim::cli
