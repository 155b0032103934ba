// Invariants at the command line: a run, its trace, a campaign, and what is wrong in a file.
#include <gtest/gtest.h>

#include <fstream>

#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string FileOf(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string Scenario(const std::string& invariants) {
  return FileOf("shop.yaml", R"(apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: shop}
spec:
  cluster: {nodes: 0, controllers: [namespace]}
  steps:
  - {at: 1s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}}
  - {at: 2s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}}
  invariants:
)" + invariants);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// G-IN7, G-IN8.
TEST(InvariantsAtTheCommandLine, ARunAndItsTraceSayTheSame) {
  const std::string trace = testing::TempDir() + "/shop.jsonl";
  const std::string said =
      "never count > 1: it is true of the 2 configmaps since kubectl created configmaps/default/b";
  const CliResult run =
      RunCli({"run",
              Scenario("  - {name: one, for: {resource: cm}, never: count > 1}\n"
                       "  - {name: two, for: {resource: secrets}, never: count > 1}\n"),
              "-q", "--trace", trace});
  EXPECT_EQ(run.code, 1);
  EXPECT_TRUE(Has(run.err, "violation: invariant.one: " + said)) << run.err;
  EXPECT_TRUE(Has(run.err, "warning: invariant two is vacuous: no secrets was ever there"));
  const CliResult check = RunCli({"check", trace});
  EXPECT_EQ(check.code, 1);
  EXPECT_TRUE(Has(check.out, "invariant.one        violated: " + said)) << check.out;
  EXPECT_TRUE(Has(check.out, "not judged: vacuous: no secrets was ever there"));
  EXPECT_TRUE(Has(check.out, "trace.consistent     ok"));
  EXPECT_EQ(RunCli({"replay", trace, "-q"}).code, 0);  // the same run
}

// G-IN7.
TEST(InvariantsAtTheCommandLine, VacuousIsWrongWithStrict) {
  const std::string path =
      Scenario("  - {name: two, for: {resource: secrets}, never: count > 1}\n");
  EXPECT_EQ(RunCli({"run", path, "-q"}).code, 0);
  const CliResult strict = RunCli({"run", path, "--strict", "-o", "json"});
  EXPECT_EQ(strict.code, 1);
  const auto tree = value::ParseJson(strict.out);
  EXPECT_EQ(tree->Get("result").AsString(), "vacuous");
  EXPECT_EQ(tree->Get("vacuousInvariants").at(0).Get("invariant").AsString(), "two");
  const CliResult fuzz = RunCli({"fuzz", path, "--seeds", "1..2", "--strict", "--jobs", "1"});
  EXPECT_EQ(fuzz.code, 1);
  EXPECT_TRUE(Has(fuzz.out + fuzz.err, "invariant two is vacuous: in no run was there anything"))
      << fuzz.out << fuzz.err;
}

// G-IN8.
TEST(InvariantsAtTheCommandLine, OthersAreJudgedOverATrace) {
  const std::string trace = testing::TempDir() + "/shop.jsonl";
  ASSERT_EQ(RunCli({"run", Scenario("  - {name: one, for: {resource: cm}, never: count > 2}\n"),
                    "-q", "--trace", trace})
                .code,
            0);
  const std::string file = FileOf("others.yaml",
                                  "invariants:\n"
                                  "- {name: one, for: {resource: cm}, never: count > 1}\n"
                                  "- {name: new, for: {resource: cm}, finally: count == 2}\n");
  const CliResult check = RunCli({"check", trace, "--invariants", file});
  EXPECT_EQ(check.code, 1);
  EXPECT_TRUE(Has(check.out, "invariant.one        violated: never count > 1")) << check.out;
  EXPECT_TRUE(Has(check.out, "invariant.new        ok"));
  EXPECT_TRUE(Has(check.out, "trace.consistent     ok"));
  const std::string scenario = Scenario("  - {name: one, for: {resource: cm}, never: count > 1}\n");
  EXPECT_EQ(RunCli({"check", trace, "-q", "--invariants", scenario}).code, 1);
  const std::string bad =
      FileOf("bad.yaml", "invariants:\n- {name: one, for: {resource: cm}, never: count > x}\n");
  const CliResult wrong = RunCli({"check", trace, "--invariants", bad});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(
      Has(wrong.err, bad + ":2:51: error: invariants[0].never: undeclared reference to 'x'"))
      << wrong.err;
  EXPECT_EQ(RunCli({"check", trace, "--invariants", FileOf("none.yaml", "a: 1\n")}).code, 2);
}

// G-IN11.
TEST(InvariantsAtTheCommandLine, AWrongExpressionIsCodeTwoBeforeAnythingRuns) {
  const std::string path = Scenario("  - {name: one, for: {resource: cm}, never: count > x}\n");
  for (const char* command : {"run", "validate", "fuzz"}) {
    const CliResult result = RunCli({command, path});
    EXPECT_EQ(result.code, std::string(command) == "validate" ? 1 : 2) << command;
    EXPECT_TRUE(Has(result.err,
                    ":10:53: error: spec.invariants[0].never: undeclared reference to "
                    "'x'"))
        << result.err;
  }
}

}  // namespace
}  // namespace ksim::cli
