// The command line of a program that brings controllers, kinds and scenarios of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/base/os.h"
#include "run_cli.h"
#include "tests/whole/programs/receipt_controller.h"

namespace ksim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Program Receipts(const std::string& version = "1") {
  Program program;
  program.registry = std::make_shared<const Registry>(receipts::Program(version));
  program.command = "build/receipts";
  return program;
}

std::string TempFile(const std::string& name) {
  return testing::TempDir() + "program_test." + name;
}

// A file with the trace of the program's run of a scenario.
std::string TraceOf(const std::string& scenario, const std::string& file) {
  const std::string path = TempFile(file);
  const CliResult run = RunCli({"run", scenario, "-q", "--trace", path}, Receipts());
  EXPECT_EQ(run.code, 0) << run.err;
  return path;
}

std::string ConfigMapsOf(const std::string& trace) {
  return RunCli({"get", trace, "configmaps", "-o", "name"}, Receipts()).out;
}

std::string FirstLine(const std::string& path) {
  const std::string text = os::ReadFile(path).value();
  return text.substr(0, text.find('\n'));
}

// PROG-01.
TEST(Program, RunsItsScenariosByTheirNames) {
  EXPECT_THAT(ConfigMapsOf(TraceOf("right", "run.jsonl")), HasSubstr("configmap/a-receipt"));
}

TEST(Program, PlainManifestsAreRunWithAllItsControllers) {
  const std::string path = TempFile("order.yaml");
  ASSERT_TRUE(
      os::WriteFile(path, "apiVersion: shop.test/v1\nkind: Order\nmetadata: {name: b}\n").ok());
  EXPECT_THAT(ConfigMapsOf(TraceOf(path, "order.jsonl")), HasSubstr("configmap/b-receipt"));
}

TEST(Program, AScenarioThatNamesNoneOfItsControllersIsWarnedOf) {
  const std::string path = TempFile("idle.yaml");
  ASSERT_TRUE(os::WriteFile(path, "apiVersion: ksim.dev/v1\nkind: Scenario\nspec: {}\n").ok());
  const CliResult run = RunCli({"validate", path}, Receipts());
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, HasSubstr("no controller of receipts runs"));
  EXPECT_THAT(run.err, HasSubstr("write controllers: [\"*\", right-receipts]"));
}

TEST(Program, ANameLikeOneOfItsControllersIsSuggested) {
  const CliResult run =
      RunCli({"run", "right", "--set", "cluster.controllers=[right-recipts]"}, Receipts());
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("unknown controller \"right-recipts\""));
  EXPECT_THAT(run.err, HasSubstr("did you mean \"right-receipts\"?"));
}

// PROG-02.
TEST(Program, ItsTracesNameItAndItsRegistry) {
  const std::string line = FirstLine(TraceOf("right", "named.jsonl"));
  EXPECT_THAT(line,
              HasSubstr("\"program\":{\"name\":\"receipts\",\"version\":\"1\",\"registry\":\"" +
                        Receipts().registry->hash() + "\"}"));
}

TEST(Program, TracesOfKsimItselfNameNone) {
  const std::string path = TempFile("plain.jsonl");
  ASSERT_EQ(RunCli({"run", "scenarios/scale.yaml", "-q", "--trace", path}).code, 0);
  EXPECT_THAT(FirstLine(path), Not(HasSubstr("\"program\"")));
  // The registry plays no part there.
  EXPECT_EQ(RunCli({"replay", path}, Receipts()).code, 0);
}

// PROG-03.
TEST(Program, OnlyItRunsItsTracesAgain) {
  const std::string path = TraceOf("right", "again.jsonl");
  EXPECT_EQ(RunCli({"replay", path}, Receipts()).code, 0);
  for (const char* command : {"replay", "shrink"}) {
    const CliResult other = RunCli({command, path});
    EXPECT_EQ(other.code, 2) << command;
    EXPECT_THAT(other.err, HasSubstr("the program receipts made this trace"));
    EXPECT_THAT(other.err, HasSubstr("hint: run receipts in place of ksim"));
  }
}

TEST(Program, WithAnotherRegistryItIsAnotherProgram) {
  const std::string path = TraceOf("right", "version.jsonl");
  const CliResult later = RunCli({"replay", path}, Receipts("2"));
  EXPECT_EQ(later.code, 2);
  EXPECT_THAT(later.err, HasSubstr("when it had other controllers, kinds or another version"));
}

TEST(Program, EverybodyMayLookAtItsTraces) {
  const std::string path = TraceOf("right", "look.jsonl");
  EXPECT_THAT(RunCli({"get", path, "orders"}).out, HasSubstr("a "));
  EXPECT_EQ(RunCli({"events", path}).code, RunCli({"events", path}, Receipts()).code);
  EXPECT_EQ(RunCli({"diff", path, path}).code, 0);
  EXPECT_EQ(RunCli({"check", path}).code, 0);
}

TEST(Program, TheHelpTellsWhatItBrings) {
  const CliResult help = RunCli({"--help"}, Receipts());
  for (const char* text : {"Usage: build/receipts COMMAND", "right-receipts", "orders.shop.test",
                           "Scenarios, to be named in place of a FILE:\n  right\n  wrong\n"})
    EXPECT_THAT(help.out, HasSubstr(text));
  EXPECT_THAT(RunCli({"run", "--help"}, Receipts()).out,
              HasSubstr("Usage: build/receipts run FILE... [flags]"));
  EXPECT_THAT(RunCli({"run"}, Receipts()).err, HasSubstr("hint: build/receipts run right\n"));
  EXPECT_THAT(RunCli({"explain", "controllers"}, Receipts()).out, HasSubstr("  right-receipts"));
  EXPECT_THAT(RunCli({"explain", "controllers"}).out, Not(HasSubstr("right-receipts")));
}

TEST(Program, CompletionIsOfItsName) {
  const CliResult bash = RunCli({"completion", "bash"}, Receipts());
  EXPECT_THAT(bash.out, HasSubstr("complete -o filenames -F _receipts receipts\n"));
  EXPECT_THAT(bash.out, Not(HasSubstr("_ksim")));
}

TEST(Program, TheVersionTellsBoth) {
  EXPECT_THAT(RunCli({"version"}, Receipts("1.2")).out, testing::StartsWith("receipts 1.2\nksim "));
}

TEST(Registry, ToldOfEverythingThatIsWrongWithIt) {
  const controllers::ControllerFactory factory = [](controllers::ControllerContext) {
    return std::unique_ptr<controllers::Controller>();
  };
  Registry registry("My_Program");
  registry.AddController("replicaset", factory)
      .AddController("mine", factory)
      .AddController("mine", nullptr);
  ControllerOptions in_etcd;
  in_etcd.process = "etcd";
  registry.AddController("other", factory, in_etcd);
  registry.AddKind("apps/v1", "ReplicaSet").AddScenarios("no/such/folder").AddScenario("a/b", "");
  const std::vector<std::string> problems = registry.Problems();
  for (const char* text :
       {"cannot read the folder no/such/folder", "the program \"My_Program\" has a bad name",
        "ksim has a controller \"replicaset\" already",
        "the controller \"mine\" is registered twice", "the controller \"mine\" has no factory",
        "every cluster has a process \"etcd\" already", "the scenario \"a/b\" has a bad name",
        "ksim has a kind replicasets.apps already"})
    EXPECT_THAT(problems, testing::Contains(HasSubstr(text)));
}

// PROG-04.
TEST(Registry, ItsHashKnowsNamesAndVersionAndNoOrder) {
  const controllers::ControllerFactory factory = [](controllers::ControllerContext) {
    return std::unique_ptr<controllers::Controller>();
  };
  const auto with = [&](const std::string& version, const std::vector<std::string>& names) {
    Registry registry("mine", version);
    for (const std::string& name : names) registry.AddController(name, factory);
    return registry.hash();
  };
  EXPECT_EQ(with("1", {"a", "b"}), with("1", {"b", "a"}));
  EXPECT_NE(with("1", {"a", "b"}), with("2", {"a", "b"}));
  EXPECT_NE(with("1", {"a", "b"}), with("1", {"a"}));
}

}  // namespace
}  // namespace ksim::cli
