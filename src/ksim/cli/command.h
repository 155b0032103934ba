// Command: one subcommand as data: its texts, its flags, and the function that does it. Each has a
// file of its name with a struct of its flags and free functions.
#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "ksim/cli/flags.h"
#include "ksim/cli/io.h"

namespace ksim::cli {

// A command line for the help: what it does, and the line. Every example runs as it stands in a
// checkout.
struct Example {
  std::string_view what;
  std::string_view line;
};

// One use of a command: parsing the flags fills them, then `run` does it and returns the exit code.
struct Invocation {
  FlagSet flags;
  std::function<int(Io& io)> run;  // owns what the flags point at
};

struct Command {
  std::string_view name;
  std::string_view summary;      // one line, lower case
  std::string_view usage;        // ksim run FILE... [flags]
  std::string_view description;  // "" for none
  std::vector<Example> examples;
  Invocation (*invoke)();
};

// The Invocation of a command with flags of type `Flags`.
template <class Flags, void (*add_flags)(FlagSet&, Flags&), int (*run)(Io&, const Flags&)>
Invocation Invoke() {
  const auto flags = std::make_shared<Flags>();
  Invocation invocation;
  add_flags(invocation.flags, *flags);
  invocation.run = [flags](Io& io) { return run(io, *flags); };
  return invocation;
}

Command RunCommand();
Command ServeCommand();
Command CtlCommand();
Command EnvtestCommand();
Command ReplayCommand();
Command DiffCommand();
Command CheckCommand();
Command FuzzCommand();
Command ShrinkCommand();
Command GetCommand();
Command DescribeCommand();
Command EventsCommand();
Command InformersCommand();
Command LogsCommand();
Command EtcdCommand();
Command StoreCommand();
Command ReportCommand();
Command ExportCommand();
Command ValidateCommand();
Command NewCommand();
Command GuestCommand();
Command ExplainCommand();
Command VersionCommand();
Command CompletionCommand();
// All, in the order of the help.
std::vector<Command> AllCommands();

// The topics that `ksim explain` has a page of.
std::vector<std::string_view> ExplainTopics();

}  // namespace ksim::cli
