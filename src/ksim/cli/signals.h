// SIGINT and SIGTERM. What can stop with a result in hand says so by a Stoppable, and looks at
// `interrupted` while it works; all else a signal ends at once, and nothing half written stays.
#pragma once
#include <atomic>

namespace ksim::cli {

// The first signal that came while something was stoppable, 2 or 15; 0: none.
extern std::atomic<int> interrupted;
// --bisect was given: what a signal ends at once has the code 125.
extern std::atomic<bool> bisects;

class Stoppable {
 public:
  Stoppable();
  ~Stoppable();
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;
};

// From now on, in this process. A second signal ends also what is stoppable.
void HearSignals();

// What a command returns that was interrupted: 130 or 143.
int InterruptedCode();

}  // namespace ksim::cli
