#include "ksim/cli/command.h"

namespace ksim::cli {

std::vector<Command> AllCommands() {
  return {RunCommand(),    ServeCommand(),     CtlCommand(),      EnvtestCommand(),
          ReplayCommand(), DiffCommand(),      CheckCommand(),    FuzzCommand(),
          ShrinkCommand(), GetCommand(),       DescribeCommand(), EventsCommand(),
          LogsCommand(),   InformersCommand(), EtcdCommand(),     StoreCommand(),
          ReportCommand(), ExportCommand(),    ValidateCommand(), NewCommand(),
          GuestCommand(),  ExplainCommand(),   VersionCommand(),  CompletionCommand()};
}

}  // namespace ksim::cli
