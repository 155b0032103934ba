// Help texts, made from the same flags that parse.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/command.h"
#include "ksim/cli/flags.h"

namespace ksim::cli {

std::string ShortHelp(const std::vector<Command>& commands);  // bare `ksim`
std::string LongHelp(const std::vector<Command>& commands);   // ksim --help
std::string CommandHelp(const Command& command, const FlagSet& flags);
std::string ShellQuote(std::string_view argument);

}  // namespace ksim::cli
