// ksim completion: a script for a shell, made from the same flags that parse.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ksim/cli/app.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"

namespace ksim::cli {
namespace {

struct FlagWords {
  std::string name, text;                // --name
  std::string values;                    // "auto always never"; "" if it takes others or none
  std::vector<std::string> short_names;  // -o
};

struct CommandWords {
  std::string name;
  std::string summary;
  std::string topics;  // taken in place of files
  std::vector<FlagWords> flags;
};

std::string TopicsOf(std::string_view command) {
  if (command == "explain") return fmt::format("{}", fmt::join(ExplainTopics(), " "));
  return command == "completion" ? "bash zsh fish" : "";
}

std::vector<CommandWords> CompletionWords() {
  std::vector<CommandWords> out;
  for (const Command& command : AllCommands()) {
    CommonFlags common;
    const Invocation invocation = InvokeWithCommonFlags(command, common);
    CommandWords words;
    words.name = std::string(command.name);
    words.summary = std::string(command.summary);
    words.topics = TopicsOf(words.name);
    for (const Flag& flag : invocation.flags.flags())
      for (const std::string& name : flag.long_names)
        words.flags.push_back({"--" + name, flag.help,
                               fmt::format("{}", fmt::join(flag.words, " ")), flag.short_names});
    words.flags.push_back({"--help", "This text", "", {}});
    out.push_back(std::move(words));
  }
  return out;
}

std::string CommandNames(const std::vector<CommandWords>& all) {
  std::string out;
  for (const CommandWords& w : all) out += (out.empty() ? "" : " ") + w.name;
  return out;
}

std::string FlagNames(const CommandWords& words) {
  std::string out;
  for (const FlagWords& flag : words.flags) out += (out.empty() ? "" : " ") + flag.name;
  return out;
}

// The cases of bash in which certain words are wanted: COMMAND:WORD-BEFORE.
std::string BashValues(const CommandWords& words) {
  std::string out;
  if (!words.topics.empty())
    out += fmt::format("    {0}:{0}) values=\"{1}\" ;;\n", words.name, words.topics);
  for (const FlagWords& flag : words.flags) {
    if (flag.values.empty()) continue;
    std::string before = fmt::format("{}:{}", words.name, flag.name);
    for (const std::string& s : flag.short_names) before += fmt::format("|{}:-{}", words.name, s);
    out += fmt::format("    {}) values=\"{}\" ;;\n", before, flag.values);
  }
  return out;
}

std::string BashScript(const std::vector<CommandWords>& all) {
  std::string out = fmt::format(
      "# bash completion for ksim: source <(ksim completion bash)\n"
      "_ksim() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local flags= values=\n"
      "  [ \"$before\" != = ] || before=${{COMP_WORDS[COMP_CWORD-2]}}\n"
      "  [ \"$cur\" != = ] || cur=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} help\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      CommandNames(all));
  for (const CommandWords& w : all)
    out += fmt::format("    {}) flags=\"{}\" ;;\n", w.name, FlagNames(w));
  out += "  esac\n  case ${COMP_WORDS[1]}:$before in\n";
  for (const CommandWords& w : all) out += BashValues(w);
  return out +
         "  esac\n"
         "  if [ -n \"$values\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case $cur in\n"
         "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _ksim ksim\n";
}

std::string ZshQuoted(std::string text) {
  std::string out;
  for (char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string ZshScript(const std::vector<CommandWords>& all) {
  std::string out =
      "#compdef ksim\n# zsh completion for ksim: source <(ksim completion zsh)\n"
      "_ksim() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(\n";
  for (const CommandWords& w : all)
    out += fmt::format("      '{}:{}'\n", w.name, ZshQuoted(w.summary));
  out += "    )\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const CommandWords& w : all) {
    out += fmt::format("    {})\n      _arguments", w.name);
    for (const FlagWords& flag : w.flags)
      out += fmt::format(" \\\n        '{}[{}]{}'", flag.name, ZshQuoted(flag.text),
                         flag.values.empty() ? "" : fmt::format(":value:({})", flag.values));
    out += w.topics.empty() ? " \\\n        '*:file:_files' ;;\n"
                            : fmt::format(" \\\n        '*:topic:({})' ;;\n", w.topics);
  }
  return out + "  esac\n}\ncompdef _ksim ksim\n";
}

std::string FishQuoted(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string FishScript(const std::vector<CommandWords>& all) {
  std::string out = "# fish completion for ksim: ksim completion fish | source\n";
  for (const CommandWords& w : all) {
    out += fmt::format("complete -c ksim -n __fish_use_subcommand -a {} -d '{}'\n", w.name,
                       FishQuoted(w.summary));
    const std::string seen =
        fmt::format("complete -c ksim -n '__fish_seen_subcommand_from {}'", w.name);
    if (!w.topics.empty()) out += fmt::format("{} -f -a '{}'\n", seen, w.topics);
    for (const FlagWords& flag : w.flags)
      out += fmt::format("{} -l {} -d '{}'{}\n", seen, flag.name.substr(2), FishQuoted(flag.text),
                         flag.values.empty() ? "" : fmt::format(" -x -a '{}'", flag.values));
  }
  return out;
}

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
}

// The script with another program's name in place of ksim's, and of its function's.
std::string ForProgram(const Program& program, const std::string& script) {
  constexpr std::string_view kKsim = "ksim";
  const std::string name = program.name();
  std::string function = name;
  std::replace(function.begin(), function.end(), '-', '_');
  std::string out;
  for (std::size_t at = 0; at < script.size();) {
    const bool whole =
        script.compare(at, kKsim.size(), kKsim) == 0 &&
        (at == 0 || !IsPartOfName(script[at - 1])) &&
        (at + kKsim.size() == script.size() || !IsPartOfName(script[at + kKsim.size()]));
    if (!whole) {
      out += script[at++];
      continue;
    }
    out += out.ends_with('_') ? function : name;
    at += kKsim.size();
  }
  return out;
}

struct CompletionFlags {
  std::string shell;
};

void AddCompletionFlags(FlagSet& set, CompletionFlags& flags) {
  set.Add("SHELL", &flags.shell, "bash, zsh or fish");
}

int PrintCompletion(Io& io, const CompletionFlags& flags) {
  const std::string& shell = flags.shell;
  const std::vector<CommandWords> words = CompletionWords();
  if (shell == "bash")
    io.Out(ForProgram(io.program(), BashScript(words)));
  else if (shell == "zsh")
    io.Out(ForProgram(io.program(), ZshScript(words)));
  else if (shell == "fish")
    io.Out(ForProgram(io.program(), FishScript(words)));
  else {
    io.Err(shell.empty()
               ? "error: for which shell? bash, zsh or fish\n"
               : fmt::format("error: unknown shell \"{}\"; known: bash, zsh, fish\n", shell));
    return kInvalid;
  }
  return kOk;
}

}  // namespace

Command CompletionCommand() {
  return {.name = "completion",
          .summary = "print a completion script for a shell",
          .usage = "ksim completion bash|zsh|fish",
          .description = "",
          .examples = {{"In bash, for this session", "source <(ksim completion bash)"}},
          .invoke = &Invoke<CompletionFlags, AddCompletionFlags, PrintCompletion>};
}

}  // namespace ksim::cli
