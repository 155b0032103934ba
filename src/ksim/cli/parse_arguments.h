// Parsing of command lines: the only source that knows CLI11 is parse_arguments.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/flags.h"

namespace ksim::cli {

// Why a command line is refused.
struct UsageError {
  std::string message, hint;  // a hint may be ""
};

// Parses the arguments of a command as kubectl's flags are parsed: a flag takes the word behind it
// and no more, and of a flag given twice the last one counts, unless it keeps all. Nullopt if all
// is well; then the targets of `flags` have their values.
std::optional<UsageError> ParseArguments(std::string_view command, const FlagSet& flags,
                                         std::vector<std::string> arguments);

}  // namespace ksim::cli
