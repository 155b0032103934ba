#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <string>
#include <vector>

#include "ksim/base/check.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"

namespace {

// The first one asks the run to stop and write what there is; the second ends at once.
extern "C" void OnSignal(int signal) {
  if (ksim::cli::interrupted.exchange(signal) != 0) _exit(128 + signal);
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
