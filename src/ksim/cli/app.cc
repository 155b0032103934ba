// The program: which command, its flags, and messages of our own where CLI11's would be bare.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "ksim/base/check.h"
#include "ksim/base/diagnostic.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/signals.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {

namespace {

int Wrong(Io& io, const std::string& message, const std::string& hint) {
  io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;31", "error:"), message));
  if (!hint.empty()) io.Err(fmt::format("hint: {}\n", hint));
  return kInvalid;
}

int UnknownCommand(Io& io, const std::string& name,
                   const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string_view> known{"help"};
  for (const auto& c : commands) known.push_back(c->name());
  const std::string near = Nearest(name, known);
  if (near.empty())
    return Wrong(io, fmt::format("unknown command \"{}\"", name), "`ksim --help` lists them");
  return Wrong(io, fmt::format("unknown command \"{}\"; did you mean \"{}\"?", name, near), "");
}

// The flag names of a command, with their dashes.
std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> out{"--help"};
  for (const CLI::Option* option : app.get_options())
    for (const std::string& n : option->get_lnames()) out.push_back("--" + n);
  return out;
}

int UnknownArgument(Io& io, const CLI::App& app, const Command& command, const std::string& arg) {
  const std::string hint = fmt::format("`ksim {} --help` shows what it takes", command.name());
  if (!arg.starts_with("-")) return Wrong(io, fmt::format("unexpected argument \"{}\"", arg), hint);
  const std::string flag = arg.substr(0, arg.find('='));
  const std::vector<std::string> known = FlagNames(app);
  const std::string near = Nearest(flag, {known.begin(), known.end()});
  if (near.empty()) return Wrong(io, fmt::format("unknown flag {}", flag), hint);
  return Wrong(io, fmt::format("unknown flag {}; did you mean {}?", flag, near), "");
}

// CLI11's words for a value of a wrong type, in ours; nullopt for any others. So the two below.
std::optional<std::string> OfWrongType(const CLI::App& app, const std::string& message) {
  constexpr std::string_view kConversion = "Could not convert: ";
  const std::size_t equals = message.find(" = ");
  if (!message.starts_with(kConversion) || equals == std::string::npos) return std::nullopt;
  const std::string flag = message.substr(kConversion.size(), equals - kConversion.size());
  const CLI::Option* option = app.get_option_no_throw(flag);
  const bool yes_no =
      option != nullptr && (option->get_expected_max() == 0 || option->get_type_name() == "BOOL");
  return fmt::format("{}: \"{}\" is {}", flag, message.substr(equals + 3),
                     yes_no ? "neither true nor false" : "no number");
}

std::optional<std::string> OfMissing(const std::string& message) {
  constexpr std::string_view kMissing = " missing", kOne = ": 1 required ";
  const std::size_t one = message.find(kOne);
  if (one == std::string::npos || !message.ends_with(kMissing)) return std::nullopt;
  const std::string what = message.substr(one + kOne.size());
  return fmt::format("{} wants a value: {}", message.substr(0, one),
                     what.substr(0, what.size() - kMissing.size()));
}

std::optional<std::string> OfOutOfRange(const std::string& message) {
  constexpr std::string_view kValue = ": Value ", kRange = " not in range ";
  const std::size_t value = message.find(kValue);
  const std::size_t range = message.rfind(kRange);
  if (value == std::string::npos || range == std::string::npos || range < value)
    return std::nullopt;
  const std::size_t begin = value + kValue.size();
  return fmt::format("{}: \"{}\" is no number from {}", message.substr(0, value),
                     message.substr(begin, range - begin), message.substr(range + kRange.size()));
}

std::string Worded(const CLI::App& app, const std::string& message) {
  if (auto words = OfWrongType(app, message)) return *words;
  if (auto words = OfMissing(message)) return *words;
  return OfOutOfRange(message).value_or(message);
}

std::string WithoutColor(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find("\x1b["), text.size());
    out += text.substr(0, escape);
    text.remove_prefix(escape);
    text.remove_prefix(text.empty() ? 0 : std::min(text.find('m'), text.size() - 1) + 1);
  }
  return out;
}

// Who asked for a tree gets one also where there is no result: what was said on stderr, if
// anything. Not of what prints as kubectl and etcdctl do, which then print nothing.
void TellAsTree(Io& io, const CLI::App& app, const std::vector<std::string>& args) {
  static constexpr std::string_view kAsOthersDo[] = {"get", "describe", "events", "etcd"};
  const CLI::Option* output = app.get_option_no_throw("--output");
  if (io.wrote() || output == nullptr || output->get_type_name() != "FORMAT") return;
  if (absl::c_linear_search(kAsOthersDo, app.get_name())) return;
  std::string format;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool next = (args[i] == "-o" || args[i] == "--output") && i + 1 < args.size();
    for (std::string_view flag : {"--output=", "-o"})
      if (args[i].starts_with(flag) && args[i] != flag) format = args[i].substr(flag.size());
    if (next) format = args[i + 1];
  }
  if (format != "json" && format != "yaml") return;
  std::string message = WithoutColor(io.told());
  while (message.ends_with('\n')) message.pop_back();
  if (message.empty()) return;
  io.Out(kubectl::TreeText(value::Obj({{"apiVersion", value::Value::Of("ksim.dev/v1")},
                                       {"kind", value::Value::Of("Error")},
                                       {"error", value::Value::Of(message)}}),
                           format));
}

int ParseAndRun(Io& io, Command& command, CLI::App& app, const CommonFlags& common,
                std::vector<std::string> args) {
  if (std::find(args.begin(), args.end(), "--help") != args.end() ||
      std::find(args.begin(), args.end(), "-h") != args.end()) {
    io.Out(CommandHelp(command, app));
    return kOk;
  }
  std::reverse(args.begin(), args.end());
  try {
    app.parse(args);
  } catch (const CLI::ParseError& e) {
    return Wrong(io, Worded(app, e.what()),
                 fmt::format("`ksim {} --help` shows what it takes", command.name()));
  }
  std::vector<std::string> extras = app.remaining();
  const auto dashes = std::find(extras.begin(), extras.end(), "--");  // all behind it are files
  if (dashes != extras.end()) extras.erase(dashes);
  if (!extras.empty()) return UnknownArgument(io, app, command, extras.front());
  io.SetColor(common.color);
  return command.Run(io);
}

int RunCommand(Io& io, Command& command, const std::vector<std::string>& args) {
  CLI::App app{std::string(command.summary()), std::string(command.name())};
  app.allow_extras();
  CommonFlags common;
  DefineFlags(command, app, &common);
  const int code = ParseAndRun(io, command, app, common, args);
  if (code != kOk) TellAsTree(io, app, args);
  return code;
}

// As kubectl takes them: -v=6 and -o=json for a short flag with its value, --selector= for an empty
// one, and flags before the command. What follows `--` is no flag.
std::vector<std::string> AsKubectlTakes(const std::vector<std::string>& args,
                                        const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<std::string> out;
  for (auto a = args.begin(); a != args.end(); ++a) {
    if (*a == "--") {
      out.insert(out.end(), a, args.end());
      break;
    }
    const bool short_flag = a->size() > 2 && (*a)[0] == '-' && (*a)[1] != '-' && (*a)[2] == '=';
    const bool empty = a->starts_with("--") && a->find('=') + 1 == a->size();
    const std::size_t equals = short_flag ? 2 : empty ? a->size() - 1 : a->size();
    out.push_back(a->substr(0, equals));
    if (equals < a->size()) out.push_back(a->substr(equals + 1));
  }
  const auto is_command = [&commands](const std::string& word) {
    return std::any_of(commands.begin(), commands.end(),
                       [&word](const auto& c) { return c->name() == word; });
  };
  if (out.empty() || !out.front().starts_with("-")) return out;
  const auto command = std::find_if(out.begin(), out.end(), is_command);
  if (command != out.end()) std::rotate(out.begin(), command, command + 1);
  return out;
}

int Dispatch(const std::vector<std::string>& given, Io& io) {
  std::vector<std::unique_ptr<Command>> commands = AllCommands();
  const std::vector<std::string> args = AsKubectlTakes(given, commands);
  if (args.empty()) {
    io.Out(ShortHelp(commands));
    return kOk;
  }
  std::string name = args.front();
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (name == "--version" || name == "-V") name = "version";
  if (name == "--help" || name == "-h") name = "help";
  if (name == "help") {
    if (rest.empty()) {
      io.Out(LongHelp(commands));
      return kOk;
    }
    name = rest.front();
    rest = {"--help"};
  }
  if (name.starts_with("-"))
    return Wrong(io, fmt::format("unknown flag {}", name), "a command comes first: ksim run FILE");
  for (const auto& command : commands)
    if (command->name() == name) return RunCommand(io, *command, rest);
  return UnknownCommand(io, name, commands);
}

}  // namespace

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(MakeRun());
  all.push_back(MakeReplay());
  all.push_back(MakeDiff());
  all.push_back(MakeCheck());
  all.push_back(MakeFuzz());
  all.push_back(MakeShrink());
  all.push_back(MakeGet());
  all.push_back(MakeDescribe());
  all.push_back(MakeEvents());
  all.push_back(MakeEtcd());
  all.push_back(MakeStore());
  all.push_back(MakeReport());
  all.push_back(MakeExport());
  all.push_back(MakeValidate());
  all.push_back(MakeExplain());
  all.push_back(MakeVersion());
  all.push_back(MakeCompletion());
  return all;
}

void DefineFlags(Command& command, CLI::App& app, CommonFlags* common) {
  app.set_help_flag();
  command.Define(app);
  const auto lacks = [&app](const char* flag) { return app.get_option_no_throw(flag) == nullptr; };
  if (lacks("--color")) common->DefineColor(app);
  if (lacks("--quiet")) common->DefineQuiet(app);
  if (lacks("--bisect"))
    app.add_flag("--bisect", common->bisect, "Exit codes for git bisect run: 0, 1, 125");
  // As kubectl's flags: what follows a flag's value is no more of it, and of a flag given twice the
  // last one counts, unless it gathers all.
  for (CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    option->allow_extra_args(false);
    if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
        option->get_items_expected_max() == 1)
      option->take_last();
  }
}

CLI::Validator OneOf(std::vector<std::string> known, std::string_view what) {
  const std::string words = fmt::format("{}", fmt::join(known, " "));
  const auto check = [known = std::move(known), what](const std::string& value) -> std::string {
    if (std::find(known.begin(), known.end(), value) != known.end()) return "";
    return fmt::format("unknown {} \"{}\"; want one of {}", what, value, fmt::join(known, ", "));
  };
  return CLI::Validator(check, "", words);
}

CLI::Validator NotEmpty(std::string_view what) {
  const auto check = [what](const std::string& value) -> std::string {
    return value.empty() ? fmt::format("\"\" is no {}", what) : "";
  };
  return CLI::Validator(check, "", "");
}

std::string WordsOf(CLI::Option& option) {
  try {
    return option.get_validator()->get_name();
  } catch (const CLI::OptionNotFound&) {
    return "";  // it takes anything
  }
}

void CommonFlags::DefineOutput(CLI::App& app, std::vector<std::string> formats,
                               std::string fallback) {
  output = std::move(fallback);
  app.add_option("-o,--output", output, fmt::format("Format: {}", fmt::join(formats, ", ")))
      ->type_name("FORMAT")
      ->check(OneOf(formats, "output format"));
}

void CommonFlags::DefineColor(CLI::App& app) {
  app.add_option("--color", color, "Colours: auto, always, never; NO_COLOR turns auto off")
      ->type_name("WHEN")
      ->check(OneOf({"auto", "always", "never"}, "colour mode"));
}

void CommonFlags::DefineQuiet(CLI::App& app) {
  app.add_flag("-q,--quiet", quiet, "Only results and errors");
}

void ScenarioFlags::Define(CLI::App& app) {
  app.add_option("--seed", seed, "Seed of every draw; default the scenario's")
      ->type_name("N")
      ->check([](const std::string& value) -> std::string {
        std::int64_t number = 0;
        if (absl::SimpleAtoi(value, &number) && number >= 0) return "";
        return fmt::format("\"{}\" is no seed: a whole number from 0 to {}", value,
                           std::numeric_limits<std::int64_t>::max());
      });
  app.add_option("--set", set, "Sets a field of the scenario: cluster.nodes=5; may be repeated")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->expected(1);
  app.add_flag("--strict", strict, "Warnings, and triggers that never come, are errors");
}

int Main(const std::vector<std::string>& args, Io& io) {
  io.SetColor("auto");
  std::string command = "ksim";
  for (const std::string& a : args) command += " " + ShellQuote(a);
  SetReplayCommand(command);
  const bool bisect = std::find(args.begin(), args.end(), "--bisect") != args.end();
  bisects = bisect;
  int code = Dispatch(args, io);
  io.Flush();
  if (!io.lost().empty()) {
    io.Err(fmt::format("stdout: error: cannot write it: {}\n", io.lost()));
    code = Worst({code, kUndecided});
  }
  if (bisect) return BisectCode(code);
  return io.closed() && io.lost().empty() ? kOk : code;
}

}  // namespace ksim::cli
