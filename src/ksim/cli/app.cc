#include "ksim/cli/app.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ksim/base/check.h"
#include "ksim/base/diagnostic.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/parse_arguments.h"
#include "ksim/cli/signals.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {

namespace {

int PrintUsageError(Io& io, const UsageError& error) {
  io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;31", "error:"), error.message));
  if (!error.hint.empty()) io.Err(fmt::format("hint: {}\n", InNameOf(io.program(), error.hint)));
  return kInvalid;
}

UsageError UnknownCommand(const std::string& name, const std::vector<Command>& commands) {
  std::vector<std::string_view> known{"help"};
  for (const Command& c : commands) known.push_back(c.name);
  const std::string near = Nearest(name, known);
  if (near.empty())
    return {fmt::format("unknown command \"{}\"", name), "`ksim --help` lists them"};
  return {fmt::format("unknown command \"{}\"; did you mean \"{}\"?", name, near), ""};
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

// The last value of -o or --output, which need not have been parsed; "" if there is none.
std::string OutputFormatOf(const std::vector<std::string>& args) {
  std::string format;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool next = (args[i] == "-o" || args[i] == "--output") && i + 1 < args.size();
    for (std::string_view flag : {"--output=", "-o"})
      if (args[i].starts_with(flag) && args[i] != flag) format = args[i].substr(flag.size());
    if (next) format = args[i + 1];
  }
  return format;
}

// A user who asked for a tree gets one also where there is no result: the text that went to
// stderr, if any. The commands that print as kubectl and etcdctl do print nothing then, as these.
void PrintErrorAsTree(Io& io, std::string_view command, const FlagSet& flags,
                      const std::vector<std::string>& args) {
  static constexpr std::string_view kPrintAsOthers[] = {"get", "describe", "events", "etcd"};
  const Flag* output = flags.Find("--output");
  if (io.wrote() || output == nullptr || output->type != "FORMAT") return;
  if (absl::c_linear_search(kPrintAsOthers, command)) return;
  const std::string format = OutputFormatOf(args);
  if (format != "json" && format != "yaml") return;
  std::string message = WithoutColor(io.error_text());
  while (message.ends_with('\n')) message.pop_back();
  if (message.empty()) return;
  io.Out(kubectl::TreeText(value::Obj({{"apiVersion", value::Value::Of("ksim.dev/v1")},
                                       {"kind", value::Value::Of("Error")},
                                       {"error", value::Value::Of(message)}}),
                           format));
}

int RunOneCommand(Io& io, const Command& command, const std::vector<std::string>& args) {
  CommonFlags common;
  const Invocation invocation = InvokeWithCommonFlags(command, common);
  // Words behind `--` are another program's.
  const auto end = std::find(args.begin(), args.end(), "--");
  for (const char* help : {"--help", "-h"}) {
    if (std::find(args.begin(), end, help) == end) continue;
    io.Out(InNameOf(io.program(), CommandHelp(command, invocation.flags)));
    return kOk;
  }
  int code = kInvalid;
  if (const auto error = ParseArguments(command.name, invocation.flags, args)) {
    PrintUsageError(io, *error);
  } else {
    io.SetColor(common.color);
    code = invocation.run(io);
  }
  if (code != kOk) PrintErrorAsTree(io, command.name, invocation.flags, args);
  return code;
}

// The arguments in the forms that the parser knows, from those that kubectl takes: -v=6 and -o=json
// for a short flag with its value, --selector= for an empty one, and flags before the command.
// Words behind `--` are no flags.
std::vector<std::string> FromKubectlForms(const std::vector<std::string>& args,
                                          const std::vector<Command>& commands) {
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
    return absl::c_any_of(commands, [&word](const Command& c) { return c.name == word; });
  };
  if (out.empty() || !out.front().starts_with("-")) return out;
  const auto command = std::find_if(out.begin(), out.end(), is_command);
  if (command != out.end()) std::rotate(out.begin(), command, command + 1);
  return out;
}

int Dispatch(const std::vector<std::string>& given, Io& io) {
  const std::vector<Command> commands = AllCommands();
  const std::vector<std::string> args = FromKubectlForms(given, commands);
  if (args.empty()) {
    io.Out(InNameOf(io.program(), ShortHelp(commands)));
    io.Out(ProgramHelp(io.program()));
    return kOk;
  }
  std::string name = args.front();
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (name == "--version" || name == "-V") name = "version";
  if (name == "--help" || name == "-h") name = "help";
  if (name == "help") {
    if (rest.empty()) {
      io.Out(InNameOf(io.program(), LongHelp(commands)));
      io.Out(ProgramHelp(io.program()));
      return kOk;
    }
    name = rest.front();
    rest = {"--help"};
  }
  if (name.starts_with("-"))
    return PrintUsageError(
        io, {fmt::format("unknown flag {}", name), "a command comes first: ksim run FILE"});
  for (const Command& command : commands)
    if (command.name == name) return RunOneCommand(io, command, rest);
  return PrintUsageError(io, UnknownCommand(name, commands));
}

}  // namespace

Invocation InvokeWithCommonFlags(const Command& command, CommonFlags& common) {
  Invocation invocation = command.invoke();
  FlagSet& flags = invocation.flags;
  if (flags.Find("--color") == nullptr) AddColorFlag(flags, common);
  if (flags.Find("--quiet") == nullptr) AddQuietFlag(flags, common);
  if (flags.Find("--bisect") == nullptr) AddBisectFlag(flags, common);
  return invocation;
}

int Main(const std::vector<std::string>& args, Io& io) {
  io.SetColor("auto");
  std::string command = io.program().command;
  for (const std::string& a : args) command += " " + ShellQuote(a);
  SetReplayCommand(command);
  const bool bisect = absl::c_linear_search(args, "--bisect");
  bisects = bisect;
  int code = Dispatch(args, io);
  io.Flush();
  if (!io.write_error().empty()) {
    io.Err(fmt::format("stdout: error: cannot write it: {}\n", io.write_error()));
    code = Worst({code, kUndecided});
  }
  if (bisect) return BisectCode(code);
  return io.closed() && io.write_error().empty() ? kOk : code;
}

}  // namespace ksim::cli
