// The program ksim: the command line of app.h, with nothing of its own.
#include <signal.h>

#include <clocale>
#include <string>
#include <vector>

#include "ksim/base/check.h"
#include "ksim/cli/app.h"
#include "ksim/cli/signals.h"

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C");
  ksim::InstallCrashHandlers();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  ksim::cli::InstallSignalHandlers();
  ksim::cli::Io io(1, 2);
  return ksim::cli::Main(std::vector<std::string>(argv + 1, argv + argc), io);
}
