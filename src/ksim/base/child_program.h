// RunProgram: another program, run to its end, without a shell.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace ksim::os {

struct ProgramCall {
  // The program, by its path or by a name that PATH is searched for, and its arguments.
  std::vector<std::string> words;
  std::string directory;  // where it runs; "" is this process's
  // NAME=VALUE, each in place of what this process's environment says.
  std::vector<std::string> environment;
};

struct ProgramEnd {
  int code = 0;     // its exit code; 128 and the number of the signal that ended it
  std::string out;  // all that it wrote to stdout
};

// Runs a program whose stdin is empty. `on_line` hears each line of its stderr, without the
// newline, when it is whole. `stop` is asked ten times a second; true ends the program and the
// programs that it started (SIGTERM, SIGKILL two seconds later), and RunProgram gives Cancelled.
// They die with this process, too. NotFound: there is no such program.
absl::StatusOr<ProgramEnd> RunProgram(const ProgramCall& call,
                                      const std::function<void(std::string_view)>& on_line,
                                      const std::function<bool()>& stop);

}  // namespace ksim::os
