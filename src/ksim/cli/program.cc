#include "ksim/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ksim/cli/command.h"

namespace ksim::cli {
namespace {

constexpr std::string_view kKsim = "ksim ";
constexpr std::string_view kScenario = "scenarios/replicaset.yaml";

bool IsPartOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '/';
}

// Whether a command follows, or the word that stands for one in the help.
bool NamesCommand(std::string_view text) {
  const std::string_view word =
      text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  if (text.starts_with("COMMAND") || word == "help") return true;
  const std::vector<Command> all = AllCommands();
  return std::any_of(all.begin(), all.end(), [word](const Command& c) { return c.name == word; });
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

}  // namespace

std::string WhyNotRunAgain(const Program& program, const trace::Program& maker) {
  if (maker.name.empty()) return "";
  const bool same_name = program.registry != nullptr && program.name() == maker.name;
  if (!same_name)
    return fmt::format(
        "the program {} made this trace, with controllers or kinds of its own, and {} is another\n"
        "hint: run {} in place of {}; get, events, diff and check take the trace as it is",
        maker.name, program.name(), maker.name, program.name());
  if (program.registry->hash() == maker.registry) return "";
  return fmt::format(
      "{} made this trace when it had other controllers, kinds or another version (registry {}, "
      "version \"{}\"; this is {}, \"{}\")\nhint: build {} as it was then",
      maker.name, maker.registry, maker.version, program.registry->hash(),
      program.registry->version(), maker.name);
}

std::string InNameOf(const Program& program, std::string_view text) {
  if (program.registry == nullptr) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(kKsim), text.size());
    const bool begins_word =
        at == 0 ? out.empty() || !IsPartOfWord(out.back()) : !IsPartOfWord(text[at - 1]);
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    text.remove_prefix(kKsim.size());
    const bool command = begins_word && NamesCommand(text);
    out += command ? program.command + " " : std::string(kKsim);
  }
  const auto& scenarios = program.registry->scenarios();
  return scenarios.empty() ? out : Replaced(std::move(out), kScenario, scenarios.front().name);
}

}  // namespace ksim::cli
