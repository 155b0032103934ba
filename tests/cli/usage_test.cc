// The forms of flags, and results that cannot be written.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "ksim/base/os.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

const std::string kScenario = "scenarios/replicaset.yaml";

TEST(Usage, FlagsAreWrittenAsForKubectl) {
  const std::string requests = RunCli({"run", kScenario, "-q", "-v", "6"}).err;
  EXPECT_EQ(RunCli({"run", kScenario, "-q", "-v=6"}).err, requests);
  EXPECT_EQ(RunCli({"run", kScenario, "-q", "--v=6"}).err, requests);
  const std::string names = RunCli({"run", kScenario, "-o", "name"}).out;
  EXPECT_EQ(RunCli({"run", kScenario, "-o=name"}).out, names);
  EXPECT_EQ(RunCli({"-o", "name", "run", kScenario}).out, names) << "flags before the command";
}

// Flags follow pflag: a flag takes the one word behind it, and the last of two counts.
TEST(Usage, FlagsTakeOneValueAndTheLastOneCounts) {
  const std::string trace = testing::TempDir() + "last.jsonl";
  const std::string one = RunCli({"run", kScenario, "-q", "--set", "cluster.nodes=1"}).out;
  EXPECT_EQ(RunCli({"run", "-q", "--set", "cluster.nodes=1", kScenario}).out, one);
  EXPECT_EQ(RunCli({"run", "-q", "--set", "cluster.nodes=4", "--set=cluster.nodes=1", kScenario,
                    "--seed", "3", "--seed", "1", "--trace", "/nowhere/x", "--trace", trace})
                .out,
            one);
  const auto get = [&trace](std::vector<std::string> args) {
    args.insert(args.begin(), "get");
    args.insert(args.end(), {trace, "nodes"});
    return RunCli(args).out;
  };
  EXPECT_EQ(get({"-o", "wide", "-o", "name"}), "node/node-1\n");
  EXPECT_EQ(get({"-o=name", "--selector="}), "node/node-1\n") << "an empty value is one";
  EXPECT_EQ(get({"-o", "name", "-l", "a=b", "-l", ""}), "node/node-1\n");
  EXPECT_EQ(get({"--no-headers", "--label-columns", "kubernetes.io/os,x", "-L", "y"}),
            get({"--no-headers", "-L", "kubernetes.io/os", "-L", "x", "-L", "y"}));
  EXPECT_NE(get({"--no-headers", "-L", "kubernetes.io/os"}).find("linux\n"), std::string::npos);
  const std::string all = RunCli({"export", trace, "-F", "csv", "--actors", "kubectl,etcd"}).out;
  EXPECT_EQ(RunCli({"export", "-F", "csv", "--actors", "kubectl", "--actors", "etcd", trace}).out,
            all);
  EXPECT_EQ(RunCli({"run", "--", "-o="}).err,
            "-o=: error: cannot read it: no such file or directory\n");
}

TEST(Usage, WrongAndMissingValuesAreNamedAsWhatTheyAre) {
  const std::string trace = testing::TempDir() + "last.jsonl";
  const struct {
    std::vector<std::string> args;
    const char* what;
  } kCases[] = {
      {{"run", kScenario, "--seed"}, "--seed wants a value: N"},
      {{"get", trace, "pods", "-L"}, "--label-columns wants a value: LABEL"},
      {{"run", kScenario, "--jobs", "x"}, "--jobs: \"x\" is no number from 1 to 1024"},
      {{"run", kScenario, "--jobs", "0"}, "--jobs: \"0\" is no number from 1 to 1024"},
      {{"run", kScenario, "-v", "x"}, "--v: \"x\" is no number from 0 to 2147483647"},
      {{"run", kScenario, "-v", ""}, "--v: \"\" is no number from 0 to 2147483647"},
      {{"run", kScenario, "--strict=perhaps"}, "--strict: \"perhaps\" is neither true nor false"},
      {{"get", trace, "pods", "--allow-missing-template-keys", "perhaps"},
       "--allow-missing-template-keys: \"perhaps\" is neither true nor false"},
      {{"report", trace, "--max-events", "-1"},
       "--max-events: \"-1\" is no number from 0 to 2147483647"},
      {{"etcd", trace, "get", "/", "--rev="}, "--rev: \"\" is no number"},
      {{"etcd", trace, "get", "/", "--limit", ""}, "--limit: \"\" is no number"},
      {{"run", kScenario, "--trace="}, "--trace: \"\" is no file"},
      {{"run", kScenario, "--audit-log", ""}, "--audit-log: \"\" is no file"},
      {{"run", kScenario, "--junit="}, "--junit: \"\" is no file"},
      {{"fuzz", kScenario, "--junit="}, "--junit: \"\" is no file"},
  };
  for (const auto& c : kCases) {
    const CliResult r = RunCli(c.args);
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(r.err, fmt::format("error: {}\nhint: `ksim {} --help` shows what it takes\n", c.what,
                                 c.args.front()));
  }
  EXPECT_EQ(RunCli({"run", ""}).err, "error: \"\" is no file\n");
  const CliResult until = RunCli({"replay", trace, "--until="});
  EXPECT_EQ(until.code, 2);
  EXPECT_EQ(until.err, "--until: error: \"\" is neither an event's number nor a time\n");
}

TEST(Usage, FoldersWithoutScenariosAreNamed) {
  const std::string folder = testing::TempDir() + "no-scenarios";
  ASSERT_TRUE(os::MakeDirectories(folder).ok());
  for (const char* command : {"run", "validate"}) {
    const CliResult r = RunCli({command, folder});
    EXPECT_EQ(r.code, 5);
    EXPECT_EQ(r.err, "error: no *.yaml in " + folder + "\n");
  }
}

struct ScopedVariable {
  ScopedVariable(const char* name, const char* value) : name(name) { setenv(name, value, 1); }
  ~ScopedVariable() { unsetenv(name); }
  const char* name;
};

TEST(Usage, VariablesTurnColoursOnAndOff) {
  const std::string bad = testing::TempDir() + "colours.yaml";
  ASSERT_TRUE(os::WriteFile(bad, "kind: Scenarioo\n").ok());
  const auto coloured = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"validate", bad});
    return RunCli(flags).err.find('\x1b') != std::string::npos;
  };
  EXPECT_FALSE(coloured({})) << "no terminal";
  EXPECT_TRUE(coloured({"--color", "always"}));
  const ScopedVariable force("CLICOLOR_FORCE", "1");
  EXPECT_TRUE(coloured({}));
  EXPECT_FALSE(coloured({"--color", "never"}));
  const ScopedVariable none("NO_COLOR", "1");
  EXPECT_FALSE(coloured({}));
  EXPECT_TRUE(coloured({"--color", "always"}));
  const ScopedVariable not_forced("CLICOLOR_FORCE", "0");
  EXPECT_FALSE(coloured({}));
}

TEST(Usage, EveryCommandTakesTheCommonFlags) {
  for (const auto& command : AllCommands()) {
    const std::string help = RunCli({std::string(command.name), "--help"}).out;
    for (const char* flag : {"--color WHEN", "-q, --quiet", "--bisect", "-h, --help"})
      EXPECT_NE(help.find(flag), std::string::npos) << command.name << " " << flag;
    EXPECT_EQ(help.find(":{"), std::string::npos) << "a check is no type: " << command.name;
  }
}

TEST(Usage, TreesAreToldAsJsonAndYaml) {
  const std::string trace = testing::TempDir() + "usage.jsonl";
  ASSERT_EQ(RunCli({"run", kScenario, "-q", "--trace", trace}).code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"version"}, {"check", trace}, {"diff", trace, trace}, {"validate", kScenario}};
  for (std::vector<std::string> args : commands) {
    args.insert(args.end(), {"-o", "json"});
    EXPECT_TRUE(value::ParseJson(RunCli(args).out).ok()) << args.front();
    args.back() = "yaml";
    EXPECT_TRUE(RunCli(args).out.starts_with("apiVersion: ksim.dev/v1\n")) << args.front();
  }
}

TEST(Usage, BehindTwoDashesAreFiles) {
  EXPECT_EQ(RunCli({"run", "-q", "--", kScenario}).code, 0);
  EXPECT_EQ(RunCli({"run", "-q", "--", "-no-such-file.yaml"}).err,
            "-no-such-file.yaml: error: cannot read it: no such file or directory\n");
}

TEST(Usage, ASeedIsAWholeNumber) {
  for (const char* seed : {"-1", "99999999999999999999", "x", "1.5"}) {
    const CliResult r = RunCli({"run", kScenario, "--seed", seed});
    EXPECT_EQ(r.code, 2) << seed;
    EXPECT_TRUE(r.err.starts_with("error: --seed: \"" + std::string(seed) + "\" is no seed"))
        << r.err;
  }
}

// A program that parses stdout gets JSON there also when the command fails.
TEST(Usage, FailuresAreTreesToo) {
  const std::vector<std::vector<std::string>> commands = {{"run", "no-such-file.yaml"},
                                                          {"run", kScenario, "--sed", "3"},
                                                          {"check", "no-such-trace"},
                                                          {"diff", "no-such-trace", "nor-such"}};
  for (std::vector<std::string> args : commands) {
    const std::string told = RunCli(args).err;
    args.insert(args.end(), {"-o", "json"});
    const CliResult r = RunCli(args);
    const absl::StatusOr<value::Value> tree = value::ParseJson(r.out);
    ASSERT_TRUE(tree.ok()) << args.front() << r.out;
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(std::string(tree->Get("error").AsString()) + "\n", told);
    EXPECT_EQ(r.err, told) << "told on stderr as ever";
  }
}

TEST(Usage, NoFileIsWrittenOverWhatIsRead) {
  const std::string scenario = testing::TempDir() + "own.yaml";
  const std::string text = *os::ReadFile(kScenario);
  ASSERT_TRUE(os::WriteFile(scenario, text).ok());
  const std::string trace = testing::TempDir() + "apart.jsonl";
  ASSERT_EQ(RunCli({"run", scenario, "-q", "--trace", trace}).code, 0);
  const std::string recorded = *os::ReadFile(trace);
  const std::string other_name = testing::TempDir() + "../" +
                                 std::string(testing::TempDir(), 1, testing::TempDir().size() - 2) +
                                 "/own.yaml";
  const std::vector<std::vector<std::string>> wrong = {
      {"run", scenario, "--trace", scenario},
      {"run", scenario, "--trace", other_name},
      {"run", scenario, "--junit", scenario},
      {"run", scenario, "--trace", trace + "2", "--audit-log", trace + "2"},
      {"run", scenario, "--trace", "-", "--audit-log", "-"},
      {"run", scenario, "--trace", "-", "-o", "json"},
      {"report", trace, "-o", trace}};
  for (const std::vector<std::string>& args : wrong)
    EXPECT_EQ(RunCli(args).code, 2) << args.at(args.size() - 2) << " " << args.back();
  EXPECT_EQ(*os::ReadFile(scenario), text);
  EXPECT_EQ(*os::ReadFile(trace), recorded);
  EXPECT_FALSE(os::Exists(trace + "2"));
  EXPECT_EQ(
      RunCli({"run", scenario, "-q", "--trace", "/dev/null", "--audit-log", "/dev/null"}).code, 0)
      << "a device takes everything";
}

TEST(Usage, SeveralResultsAreOneDocument) {
  const CliResult r = RunCli({"run", kScenario, "scenarios/scale.yaml", "-o", "json"});
  const absl::StatusOr<value::Value> list = value::ParseJson(r.out);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->Get("kind").AsString(), "RunResultList");
  ASSERT_EQ(list->Get("items").size(), 2u);
  EXPECT_EQ(list->Get("items").at(1).Get("scenario").AsString(), "scale");
}

// The rule holds for failures too, on both streams and in every format.
TEST(Usage, RunsSideBySideSayTheSame) {
  for (const std::vector<std::string>& form :
       {std::vector<std::string>{"-v", "6"}, {"-o", "json"}, {"-o", "name"}}) {
    std::vector<std::string> args{"run", "scenarios/museum/b5-delete-event-rv.yaml", kScenario,
                                  "scenarios/scale.yaml"};
    args.insert(args.end(), form.begin(), form.end());
    const CliResult in_turn = RunCli(args);
    args.insert(args.end(), {"--jobs", "2"});
    const CliResult side_by_side = RunCli(args);
    EXPECT_EQ(in_turn.code, 1);
    EXPECT_EQ(side_by_side.code, 1);
    EXPECT_EQ(side_by_side.out, in_turn.out);
    EXPECT_EQ(side_by_side.err, in_turn.err);
  }
}

TEST(Usage, NumbersAndWordsAreChecked) {
  EXPECT_EQ(
      RunCli({"run", kScenario, "--jobs", "x"}).err,
      "error: --jobs: \"x\" is no number from 1 to 1024\nhint: `ksim run --help` shows what it "
      "takes\n");
  EXPECT_EQ(RunCli({"run", kScenario, "--jobs", "0"}).code, 2);
  EXPECT_EQ(RunCli({"diff", "a", "b", "--by", "x"}).err,
            "error: --by: unknown value \"x\"; want one of object, time\nhint: `ksim diff --help` "
            "shows what it takes\n");
}

// ksim knows before the run that a path cannot be written: invalid. A full disk shows only at the
// end: undecided, and ksim prints the result all the same.
TEST(Usage, FilesThatCannotBeWritten) {
  for (const char* flag : {"--trace", "--audit-log", "--junit"}) {
    const CliResult r = RunCli({"run", kScenario, flag, "/no/such/directory/file"});
    EXPECT_EQ(r.code, 2) << flag;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err,
              "/no/such/directory/file: error: cannot write it: no such file or directory\n");
  }
  const CliResult full = RunCli({"run", kScenario, "-q", "--trace", "/dev/full"});
  EXPECT_EQ(full.code, 6);
  EXPECT_EQ(full.err, "/dev/full: error: cannot write it: no space left on device\n");
  EXPECT_NE(full.out.find("ok: 1"), std::string::npos);
  EXPECT_EQ(RunCli({"fuzz", kScenario, "--seeds", "1..2", "--out", "/proc/x"}).code, 2);
}

int CodeWithStdout(int fd, std::string* err) {
  std::FILE* file = std::tmpfile();
  int code = 0;
  {
    Io io(fd, fileno(file));
    code = Main({"run", kScenario, "-q"}, io);
  }
  *err = Contents(file);
  return code;
}

TEST(Usage, AClosedStdoutIsQuietAndAFullOneIsNot) {
  std::string err;
  const int full = ::open("/dev/full", O_WRONLY);
  EXPECT_EQ(CodeWithStdout(full, &err), 6);
  EXPECT_EQ(err, "stdout: error: cannot write it: no space left on device\n");
  ::close(full);
  constexpr int kNobodys = 900;
  EXPECT_EQ(CodeWithStdout(kNobodys, &err), 0);
  EXPECT_EQ(err, "");
}

TEST(Usage, UndecidedRunsAreNamed) {
  const std::string out = testing::TempDir() + "undecided";
  const CliResult r = RunCli(
      {"fuzz", kScenario, "--seeds", "1..3", "--jobs", "1", "--run-timeout", "1ns", "--out", out});
  EXPECT_EQ(r.code, 6);
  EXPECT_NE(r.out.find("undecided after 1ns of real time: seed"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("; ksim fuzz scenarios/replicaset.yaml --seeds "), std::string::npos);
  const absl::StatusOr<value::Value> json = value::ParseJson(*os::ReadFile(out + "/campaign.json"));
  ASSERT_TRUE(json.ok());
  EXPECT_GT(json->Get("undecided").AsInt(), 0);
  EXPECT_EQ(static_cast<std::int64_t>(json->Get("undecidedSeeds").size()),
            json->Get("undecided").AsInt());
  EXPECT_TRUE(json->Get("faults").Has("dropWatch")) << "the name that spec.fuzz.faults takes";
}

// A flag with an empty value differs from an absent flag.
TEST(Usage, FuzzTakesNoEmptyOrNegativeFlags) {
  for (const char* flag : {"--seeds", "--shard", "--time", "--budget", "--out"}) {
    const CliResult r = RunCli({"fuzz", kScenario, flag, ""});
    EXPECT_EQ(r.code, 2) << flag;
    EXPECT_EQ(r.err.find(std::string(flag) + ": error: \"\" is no "), 0u) << r.err;
  }
  for (const char* command : {"fuzz", "shrink"}) {
    const CliResult r = RunCli({command, kScenario, "--shrink-runs", "-1"});
    EXPECT_EQ(r.code, 2) << command;
    EXPECT_NE(r.err.find("--shrink-runs"), std::string::npos) << r.err;
  }
}

TEST(Usage, FuzzSaysWhichFlagsDoNotGoTogether) {
  const auto refused = [](std::vector<std::string> flags) {
    std::vector<std::string> args{"fuzz", kScenario};
    args.insert(args.end(), flags.begin(), flags.end());
    const CliResult r = RunCli(args);
    EXPECT_EQ(r.code, 2);
    return r.err;
  };
  EXPECT_EQ(refused({"--budget", "3"}),
            "--budget: error: \"3\" is no budget; write 60s, 1000runs or 5Mevents\n");
  EXPECT_EQ(refused({"--budget", "3s", "--time", "4s"}),
            "--budget: error: --time says how long already\n");
  EXPECT_EQ(refused({"--corpus", "kept"}),
            "--corpus: error: the strategy swarm keeps no inputs; write --strategy coverage\n");
  EXPECT_EQ(refused({"--staleness", "--seeds", "1..2"}),
            "--seeds: error: says nothing of --staleness, which is no campaign\n");
}

// The command line has every flag on which the run depends.
TEST(Usage, TheCommandThatShowsASeedAgainIsWhole) {
  // The runs are long enough for the campaign to check its time limit.
  constexpr const char* kLong = "scenarios/museum/b6-rs-expectations.workload.yaml";
  const auto shown = [](std::vector<std::string> flags) {
    std::vector<std::string> args{"fuzz", kLong, "--seeds", "2..3", "--run-timeout", "1us"};
    args.insert(args.end(), {"--jobs", "1", "-q", "--out", testing::TempDir() + "shown"});
    args.insert(args.end(), flags.begin(), flags.end());
    const std::string out = RunCli(args).out;
    const std::size_t from = out.find("; ksim fuzz ");
    return from == std::string::npos ? out : out.substr(from + 2, out.find('\n', from) - from - 2);
  };
  const std::string begin = std::string("ksim fuzz ") + kLong + " --seeds ";
  EXPECT_EQ(shown({"--strategy", "pct", "--depth", "7", "--set", "cluster.nodes=2"}),
            begin + "2 --strategy pct --depth 7 --set cluster.nodes=2 --run-timeout 1us");
  EXPECT_EQ(shown({"--strategy", "random", "--rate", "6", "--set", "fuzz.faults=[crash, gap]"}),
            begin +
                "2 --strategy random --rate 6 --set 'fuzz.faults=[crash, gap]' "
                "--run-timeout 1us");
  EXPECT_EQ(shown({"--strategy", "exhaustive", "--bound", "1"}),
            begin + "2 --strategy exhaustive --bound 1 --run-timeout 1us");
  // The strategy learns from the earlier runs of its shard.
  EXPECT_EQ(shown({"--strategy", "coverage", "--shard", "1/2"}),
            begin + "2..3 --strategy coverage --shard 1/2 --run-timeout 1us");
}

TEST(Usage, FuzzRefusesWhatIsNeverDrawn) {
  for (const char* name : {"nodeTrouble", "thawCache", "releaseStream", "-resume"}) {
    const CliResult r =
        RunCli({"fuzz", kScenario, "--set", "fuzz.faults=[" + std::string(name) + "]", "--out",
                testing::TempDir() + "never"});
    EXPECT_EQ(r.code, 2) << name;
    EXPECT_NE(r.err.find("is never drawn"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find("drawn are: dropWatch, "), std::string::npos) << r.err;
  }
  const CliResult r = RunCli({"validate", kScenario});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(Usage, StrictCallsWhatNeverCameAnError) {
  const std::string path = testing::TempDir() + "never-strikes.yaml";
  ASSERT_TRUE(
      os::WriteFile(path,
                    "apiVersion: ksim.dev/v1\nkind: Scenario\nspec:\n  until: 5s\n  faults:\n"
                    "  - {at: 3s, crash: {process: kube-scheduler, afterWrite: 9}}\n")
          .ok());
  const std::string what =
      " fault 1 (crash kube-scheduler) did not happen: nothing came that it could strike\n";
  EXPECT_EQ(RunCli({"run", path, "-q"}).err, "warning:" + what);
  const CliResult strict = RunCli({"run", path, "-q", "--strict"});
  EXPECT_EQ(strict.code, 1);
  EXPECT_EQ(strict.err, "error:" + what);
}

}  // namespace
}  // namespace ksim::cli
