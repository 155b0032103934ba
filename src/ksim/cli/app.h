// The whole program: chooses the command, parses, runs, maps the exit code.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/io.h"

namespace ksim::cli {

// `args` without the program's name.
int Main(const std::vector<std::string>& args, Io& io);

// A use of the command, with the flags that every command takes added behind its own. `common`
// outlives it.
Invocation InvokeWithCommonFlags(const Command& command, CommonFlags& common);

}  // namespace ksim::cli
