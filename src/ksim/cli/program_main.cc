// ksim::Main of include/ksim/main.h: a process set up for the command line of app.h.
#include <fmt/format.h>
#include <signal.h>

#include <clocale>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/base/check.h"
#include "ksim/cli/app.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/signals.h"
#include "ksim/main.h"

namespace ksim {
namespace {

bool IsEmpty(const Registry& registry) {
  return !registry.ChangesRuns() && registry.scenarios().empty() &&
         registry.program() == Registry().program();
}

}  // namespace

int Main(int argc, char** argv, Registry registry) {
  std::setlocale(LC_ALL, "C");
  InstallCrashHandlers();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  cli::InstallSignalHandlers();
  cli::Program program;
  if (!IsEmpty(registry)) {
    if (argc > 0) program.command = cli::ShellQuote(argv[0]);
    program.registry = std::make_shared<const Registry>(std::move(registry));
  }
  cli::Io io(1, 2, program);
  if (program.registry != nullptr) {
    const std::vector<std::string> problems = program.registry->Problems();
    for (const std::string& problem : problems)
      io.Err(fmt::format("{}: error: {}\n", program.name(), problem));
    if (!problems.empty()) return cli::kInvalid;
  }
  return cli::Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), io);
}

}  // namespace ksim
