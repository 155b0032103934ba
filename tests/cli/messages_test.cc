// The messages for wrong usage and bad input, as golden texts. All commands end with exit code 2
// and write no file.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string Temporary(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  EXPECT_TRUE(os::WriteFile(path, text).ok());
  return path;
}

TEST(Messages, WrongUsageSuggests) {
  struct Case {
    std::vector<std::string> args;
    std::string err;
  };
  const Case cases[] = {
      {{"rnu", "x"}, "error: unknown command \"rnu\"; did you mean \"run\"?\n"},
      {{"frobnicate"}, "error: unknown command \"frobnicate\"\nhint: `ksim --help` lists them\n"},
      {{"run", "x", "--sed", "3"}, "error: unknown flag --sed; did you mean --seed?\n"},
      {{"run"}, "error: which file?\nhint: ksim run scenarios/replicaset.yaml\n"},
      {{"version", "more"},
       "error: unexpected argument \"more\"\nhint: `ksim version --help` shows what it takes\n"},
      {{"completion", "tcsh"}, "error: unknown shell \"tcsh\"; known: bash, zsh, fish\n"},
      {{"run", "no-such-file.yaml"},
       "no-such-file.yaml: error: cannot read it: no such file or directory\n"},
      {{"replay", "no-such-trace"},
       "no-such-trace: error: cannot read it: no such file or directory\n"}};
  for (const Case& c : cases) {
    const CliResult r = RunCli(c.args);
    EXPECT_EQ(r.code, 2) << c.err;
    EXPECT_EQ(r.err, c.err);
    EXPECT_EQ(r.out, "");
  }
}

constexpr const char* kMismatch =
    "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n"
    "  selector: {matchLabels: {app: web}}\n  template:\n    metadata:\n"
    "      labels: {app: other}\n    spec: {containers: [{name: c, image: nginx}]}\n";

TEST(Messages, WhatTheApiServerWouldRefuseIsToldAtItsPlace) {
  const std::string path = Temporary("mismatch.yaml", kMismatch);
  const std::string trace = testing::TempDir() + "never.jsonl";
  const CliResult r = RunCli({"run", path, "--trace", trace});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err,
            path +
                ":8:7: error: The ReplicaSet \"web\" is invalid: spec.template.metadata.labels: "
                "Invalid value: map[string]string{\"app\":\"other\"}: `selector` does not match "
                "template `labels`\n"
                "    8 |       labels: {app: other}\n"
                "      |       ^~~~~~\n");
  EXPECT_FALSE(os::Exists(trace));
}

TEST(Messages, WhatCannotBeDecodedIsToldAtItsPlace) {
  struct Case {
    std::string pod;  // the line of its spec
    std::string place, hint;
  };
  const Case cases[] = {
      {"spec: {containers: [{name: c, imag: nginx}]}", "4:31:", "did you mean \"image\"?"},
      {"spec: {containers: [{name: c}, {name: d, ports: [{containerPort: \"80\"}]}]}", "4:66:", ""},
      {"spec: {containers: [{name: c}], nodeSelector: {disk: 7}}", "4:54:", ""},
      {"spec: {frobnicate: 1}", "4:8:", ""}};
  for (const Case& c : cases) {
    const std::string path = Temporary(
        "decoded.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n" + c.pod + "\n");
    const CliResult r = RunCli({"run", path});
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(r.err.starts_with(path + ":" + c.place)) << r.err;
    EXPECT_EQ(r.err.find("hint:") != std::string::npos, !c.hint.empty()) << r.err;
    EXPECT_NE(r.err.find(c.hint), std::string::npos) << r.err;
  }
}

TEST(Messages, BadScenariosOfTheCorpusEndWithTwoAndValidateWithOne) {
  for (const char* name : {"unterminated-string", "tab", "duplicate-key", "unknown-fields",
                           "wrong-types", "unknown-step", "steps", "faults", "manifests"}) {
    const std::string path = std::string("tests/scenario/bad/") + name + ".yaml";
    const std::string trace = testing::TempDir() + "never.jsonl";
    const CliResult run = RunCli({"run", path, "--trace", trace});
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(path + ":"), std::string::npos);
    EXPECT_FALSE(os::Exists(trace));
    EXPECT_EQ(RunCli({"validate", path}).code, 1) << name;
    EXPECT_EQ(RunCli({"run", path, "--bisect"}).code, 125) << name;
  }
}

TEST(Messages, WhatThisVersionHasNotIsRefused) {
  const std::string head = "apiVersion: ksim.dev/v1\nkind: Scenario\nspec:\n";
  struct Case {
    std::string spec, place, what;
  };
  const Case cases[] = {
      {"  cluster: {controllers: [csrsigning]}\n", "4:27", "the controller csrsigning"},
      {"  cluster: {controllers: [{name: ttl, replicas: 2}]}\n", "4:34", "the controller ttl"},
      {"  cluster: {processes: {mine: [ttl]}}\n", "4:32", "the controller ttl"}};
  for (const Case& c : cases) {
    const std::string path = Temporary("later.yaml", head + c.spec);
    const CliResult r = RunCli({"run", path});
    EXPECT_EQ(r.code, 2) << c.what;
    const std::string told =
        path + ":" + c.place + ": error: " + c.what + " is not in this version of ksim\n";
    EXPECT_EQ(r.err.substr(0, told.size()), told);
    EXPECT_NE(r.err.find("^"), std::string::npos) << r.err;
    const CliResult validated = RunCli({"validate", path});
    EXPECT_EQ(validated.code, 1) << c.what;
    EXPECT_EQ(validated.err, r.err);
  }
}

TEST(Messages, EmptyDirectoriesAreNothingToDo) {
  const std::string path = testing::TempDir() + "nothing-here";
  ASSERT_TRUE(os::MakeDirectories(path).ok());
  EXPECT_EQ(RunCli({"run", path}).code, 5);
  EXPECT_EQ(RunCli({"validate", path}).code, 5);
}

}  // namespace
}  // namespace ksim::cli
