#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/time.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"

namespace {

constexpr ksim::Duration kOnePress = ksim::Milliseconds(500);
std::atomic<std::int64_t> first_signal{0};  // when it came, of the clock that only goes on

// The first one asks the run to stop and write what there is; the second ends at once. What comes
// right behind the first is the first once more: timeout(1) signals the process, and then its
// group.
extern "C" void OnSignal(int signal) {
  const std::int64_t now = ksim::os::MonotonicNow().ns();
  std::int64_t first = 0;
  if (!first_signal.compare_exchange_strong(first, now) && now - first > kOnePress.ns())
    _exit(128 + signal);
  ksim::cli::interrupted = signal;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C");
  ksim::InstallCrashHandlers();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  signal(SIGINT, OnSignal);
  signal(SIGTERM, OnSignal);
  ksim::cli::Io io(1, 2);
  return ksim::cli::Main(std::vector<std::string>(argv + 1, argv + argc), io);
}
