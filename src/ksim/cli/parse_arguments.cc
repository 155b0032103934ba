#include "ksim/cli/parse_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/diagnostic.h"

namespace ksim::cli {
namespace {

CLI::Option* AddTo(CLI::App& app, const Flag& flag) {
  if (flag.is_switch()) return app.add_flag(flag.names, *std::get<bool*>(flag.target), flag.help);
  return std::visit([&](auto* target) { return app.add_option(flag.names, *target, flag.help); },
                    flag.target);
}

void Define(CLI::App& app, const Flag& flag) {
  CLI::Option* option = AddTo(app, flag);
  if (!flag.type.empty()) option->type_name(flag.type);
  if (flag.split_at_commas) option->delimiter(',');
  if (flag.repeated) option->take_all()->expected(1);
  if (flag.required) option->required();
  if (flag.range) option->check(CLI::Range(flag.range->first, flag.range->second));
  for (const auto& problem : flag.checks) option->check(CLI::Validator(problem, "", ""));
  if (flag.is_argument()) return;
  option->allow_extra_args(false);
  if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
      option->get_items_expected_max() == 1)
    option->take_last();
}

std::string HelpHint(std::string_view command) {
  return fmt::format("`ksim {} --help` shows what it takes", command);
}

UsageError UnknownArgument(std::string_view command, const FlagSet& flags,
                           const std::string& argument) {
  if (!argument.starts_with("-"))
    return {fmt::format("unexpected argument \"{}\"", argument), HelpHint(command)};
  const std::string flag = argument.substr(0, argument.find('='));
  std::vector<std::string> known{"--help"};
  for (const Flag& f : flags.flags())
    for (const std::string& name : f.long_names) known.push_back("--" + name);
  const std::string near = Nearest(flag, {known.begin(), known.end()});
  if (near.empty()) return {fmt::format("unknown flag {}", flag), HelpHint(command)};
  return {fmt::format("unknown flag {}; did you mean {}?", flag, near), ""};
}

// --- CLI11's messages in our words; nullopt for a message of another kind ---

std::optional<std::string> RewordWrongType(const FlagSet& flags, const std::string& message) {
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = message.find(" = ");
  if (!message.starts_with(kConversion) || equals == std::string::npos) return std::nullopt;
  const std::string name = message.substr(kConversion.size(), equals - kConversion.size());
  const Flag* flag = flags.Find(name);
  const bool yes_no = flag != nullptr && std::holds_alternative<bool*>(flag->target);
  return fmt::format("{}: \"{}\" is {}", name, message.substr(equals + 3),
                     yes_no ? "neither true nor false" : "no number");
}

std::optional<std::string> RewordMissingValue(const std::string& message) {
  constexpr std::string_view kMissing = " missing", kOne = ": 1 required ";
  const std::size_t one = message.find(kOne);
  if (one == std::string::npos || !message.ends_with(kMissing)) return std::nullopt;
  const std::string what = message.substr(one + kOne.size());
  return fmt::format("{} wants a value: {}", message.substr(0, one),
                     what.substr(0, what.size() - kMissing.size()));
}

std::optional<std::string> RewordOutOfRange(const std::string& message) {
  constexpr std::string_view kValue = ": Value ", kRange = " not in range ";
  const std::size_t value = message.find(kValue);
  const std::size_t range = message.rfind(kRange);
  if (value == std::string::npos || range == std::string::npos || range < value)
    return std::nullopt;
  const std::size_t begin = value + kValue.size();
  return fmt::format("{}: \"{}\" is no number from {}", message.substr(0, value),
                     message.substr(begin, range - begin), message.substr(range + kRange.size()));
}

std::string Reword(const FlagSet& flags, const std::string& message) {
  if (auto words = RewordWrongType(flags, message)) return *words;
  if (auto words = RewordMissingValue(message)) return *words;
  return RewordOutOfRange(message).value_or(message);
}

}  // namespace

std::optional<UsageError> ParseArguments(std::string_view command, const FlagSet& flags,
                                         std::vector<std::string> arguments) {
  CLI::App app{"", std::string(command)};
  app.allow_extras();
  app.set_help_flag();
  for (const Flag& flag : flags.flags()) Define(app, flag);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    return UsageError{Reword(flags, e.what()), HelpHint(command)};
  }
  std::vector<std::string> extras = app.remaining();
  // Everything behind "--" is an argument.
  if (const auto dashes = std::find(extras.begin(), extras.end(), "--"); dashes != extras.end())
    extras.erase(dashes);
  if (!extras.empty()) return UnknownArgument(command, flags, extras.front());
  if (GivenFlags* given = flags.given()) {
    for (const Flag& flag : flags.flags())
      if (!flag.is_argument() && app.count("--" + flag.long_names.front()) > 0)
        given->insert(flag.long_names.front());
  }
  return std::nullopt;
}

}  // namespace ksim::cli
