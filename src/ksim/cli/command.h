// Command: one subcommand: its flags, its help, what it does.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cli/io.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace ksim::cli {

// A command line for the help: what it does, and the line. Every example runs as it stands in a
// checkout.
struct Example {
  std::string_view what;
  std::string_view line;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  // one line, lower case
  virtual std::string_view usage() const = 0;    // ksim run FILE... [flags]
  virtual std::string_view description() const { return ""; }
  virtual std::vector<Example> examples() const { return {}; }
  virtual void Define(CLI::App& app) = 0;
  virtual int Run(Io& io) = 0;
};

std::unique_ptr<Command> MakeRun();
std::unique_ptr<Command> MakeReplay();
std::unique_ptr<Command> MakeDiff();
std::unique_ptr<Command> MakeCheck();
std::unique_ptr<Command> MakeFuzz();
std::unique_ptr<Command> MakeShrink();
std::unique_ptr<Command> MakeGet();
std::unique_ptr<Command> MakeDescribe();
std::unique_ptr<Command> MakeEvents();
std::unique_ptr<Command> MakeEtcd();
std::unique_ptr<Command> MakeStore();
std::unique_ptr<Command> MakeReport();
std::unique_ptr<Command> MakeExport();
std::unique_ptr<Command> MakeValidate();
std::unique_ptr<Command> MakeExplain();
std::unique_ptr<Command> MakeVersion();
std::unique_ptr<Command> MakeCompletion();
// All, in the order of the help.
std::vector<std::unique_ptr<Command>> AllCommands();

// Flags that several commands take.
struct CommonFlags {
  std::string output;  // -o
  std::string color = "auto";
  bool quiet = false;
  int verbosity = 0;
  bool bisect = false;
  void DefineOutput(CLI::App& app, std::vector<std::string> formats, std::string fallback);
  void DefineColor(CLI::App& app);
  void DefineQuiet(CLI::App& app);
};

// The flags of a command, and those that every command takes.
void DefineFlags(Command& command, CLI::App& app, CommonFlags* common);

// Accepts these words only; "unknown WHAT" are others.
CLI::Validator OneOf(std::vector<std::string> known, std::string_view what = "value");
// Refuses the empty text, as `"" is no WHAT`: what "$UNSET" makes of a flag.
CLI::Validator NotEmpty(std::string_view what);
// The words that a flag takes by OneOf, "auto always never"; "" if it is not for words.
std::string WordsOf(CLI::Option& option);

// What `ksim explain` has a page of.
std::vector<std::string_view> ExplainTopics();

// Flags that change what a scenario says.
struct ScenarioFlags {
  std::optional<std::uint64_t> seed;
  std::vector<std::string> set;
  bool strict = false;
  void Define(CLI::App& app);
};

// The whole program: parses, runs, maps the exit code. `args` without the program's name.
int Main(const std::vector<std::string>& args, Io& io);

}  // namespace ksim::cli
