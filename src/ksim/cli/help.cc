#include "ksim/cli/help.h"

#include <fmt/format.h>

#include <cctype>

namespace ksim::cli {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes:\n"
    "  0    all good; traces equal; no violation\n"
    "  1    a safety violation, an unmet expectation, a failed step, or traces differ\n"
    "  2    wrong usage or invalid input (`ksim validate`: 1)\n"
    "  3    a liveness violation: a limit passed and the cluster was not quiet\n"
    "  4    not deterministic: a replay of the same version diverged\n"
    "  5    nothing to do: no file, seed, event, object or oracle matched\n"
    "  6    undecided: a trace cut short, a run that took too long, a result that could not be "
    "written\n"
    "  70   a bug in ksim itself\n"
    "  130, 143  interrupted; results so far are written\n";

std::string CommandList(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& c : commands) out += fmt::format("  {:<11} {}\n", c.name, c.summary);
  return out;
}

std::string FlagLine(const Flag& flag) {
  std::string names;
  for (const std::string& n : flag.short_names) names += (names.empty() ? "-" : ", -") + n;
  for (const std::string& n : flag.long_names) names += (names.empty() ? "--" : ", --") + n;
  if (!flag.is_switch() && !flag.type.empty()) names += " " + flag.type;
  return fmt::format("  {:<26} {}\n", names, flag.help);
}

}  // namespace

std::string ShortHelp(const std::vector<Command>& commands) {
  return "ksim simulates Kubernetes' control plane: one seed, one result.\n\n"
         "  ksim run scenarios/replicaset.yaml\n\nCommands:\n" +
         CommandList(commands) + "\n`ksim COMMAND --help` shows flags and examples.\n";
}

std::string LongHelp(const std::vector<Command>& commands) {
  return "ksim simulates Kubernetes' control plane deterministically: etcd, API servers, "
         "informers,\n"
         "controllers, scheduler and kubelets in one process on a virtual clock.\n\n"
         "Usage: ksim COMMAND [arguments] [flags]\n\nExamples:\n"
         "  # Run a scenario and see who does what, and why\n"
         "  ksim run scenarios/replicaset.yaml\n"
         "  # Keep the trace, and look at the pods half a second into it\n"
         "  ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl\n"
         "  ksim get /tmp/run.jsonl pods --at 0.5s\n\nCommands:\n" +
         CommandList(commands) +
         "\nEnvironment:\n"
         "  NO_COLOR        no colours unless --color always\n"
         "  CLICOLOR_FORCE  colours also where there is no terminal\n\n" +
         std::string(kExitCodes) + "\n`ksim COMMAND --help` shows flags and examples.\n";
}

std::string ProgramHelp(const Program& program) {
  if (program.registry == nullptr) return "";
  const Registry& r = *program.registry;
  std::string out;
  const auto list = [&out](std::string_view title, const auto& items, auto text) {
    if (!items.empty()) out += fmt::format("\n{}:\n", title);
    for (const auto& item : items) out += fmt::format("  {}\n", text(item));
  };
  list("Controllers of its own", r.controllers(), [](const auto& c) {
    return c.options.text.empty() ? c.name : c.name + "  " + c.options.text;
  });
  list("Kinds of its own", r.kinds(), [](const auto& kind) { return kind.group_resource(); });
  list("Oracles of its own", r.oracles(), [](const auto& name) { return name; });
  list("Scenarios, to be named in place of a FILE", r.scenarios(),
       [](const auto& s) { return s.name; });
  return out;
}

std::string CommandHelp(const Command& command, const FlagSet& flags) {
  std::string out = fmt::format("{}\n\nUsage: {}\n", command.summary, command.usage);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const Example& e : command.examples) out += fmt::format("  # {}\n  {}\n", e.what, e.line);
  if (!command.description.empty()) out += fmt::format("\n{}\n", command.description);
  out += "\nFlags:\n";
  for (const Flag& flag : flags.flags())
    if (!flag.is_argument()) out += FlagLine(flag);
  out += fmt::format("  {:<26} {}\n", "-h, --help", "This text");
  return out + "\n" + std::string(kExitCodes);
}

std::string ShellQuote(std::string_view argument) {
  const bool plain =
      !argument.empty() && argument.find_first_not_of(
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "-_./:=,@%+") == std::string_view::npos;
  if (plain) return std::string(argument);
  std::string out = "'";
  for (char c : argument) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace ksim::cli
