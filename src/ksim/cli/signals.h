// SIGINT and SIGTERM. Work that can stop with a result in hand holds an InterruptibleScope and
// looks at `interrupted`; a signal ends all other work at once, and nothing half written stays.
#pragma once
#include <atomic>

namespace ksim::cli {

// The first signal that came in an InterruptibleScope, 2 or 15; 0: none.
extern std::atomic<int> interrupted;
// --bisect was given: a process that a signal ends at once exits with 125.
extern std::atomic<bool> bisects;

class InterruptibleScope {
 public:
  InterruptibleScope();
  ~InterruptibleScope();
  InterruptibleScope(const InterruptibleScope&) = delete;
  InterruptibleScope& operator=(const InterruptibleScope&) = delete;
};

// Takes signals from now on, in this process. A second signal ends also what is interruptible.
void InstallSignalHandlers();

// The exit code of a command that was interrupted: 130 or 143.
int InterruptedCode();

}  // namespace ksim::cli
