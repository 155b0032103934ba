// Help texts, made from the same flags that parse.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/command.h"
#include "ksim/cli/flags.h"
#include "ksim/cli/program.h"

namespace ksim::cli {

std::string ShortHelp(const std::vector<Command>& commands);  // bare `ksim`
std::string LongHelp(const std::vector<Command>& commands);   // ksim --help
// The controllers, kinds, oracles and scenarios that a program brings; "" of ksim itself.
std::string ProgramHelp(const Program& program);
std::string CommandHelp(const Command& command, const FlagSet& flags);
std::string ShellQuote(std::string_view argument);

}  // namespace ksim::cli
