// Help texts, made from the same flag tables that parse.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/command.h"

namespace ksim::cli {

std::string ShortHelp(const std::vector<std::unique_ptr<Command>>& commands);  // bare `ksim`
std::string LongHelp(const std::vector<std::unique_ptr<Command>>& commands);   // ksim --help
std::string CommandHelp(const Command& command, const CLI::App& app);
std::string ShellQuote(std::string_view argument);

}  // namespace ksim::cli
