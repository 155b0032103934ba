// `ksim check` over audit logs: those of ksim's own runs, and such as real servers write.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string AuditLogOf(const std::string& scenario, const std::string& name) {
  const std::string path = testing::TempDir() + name;
  const CliResult run = RunCli(
      {"run", scenario, "-q", "--strict", "--audit-log", path, "--audit-level", "RequestResponse"});
  EXPECT_LE(run.code, 3) << run.err;
  return path;
}

TEST(CheckAudit, OfARunThatIsRightFindsNothing) {
  for (const char* scenario :
       {"scenarios/deployment.yaml", "scenarios/drain.yaml", "scenarios/controller-restart.yaml",
        "scenarios/job-fails-twice.yaml", "scenarios/namespace-finalizer.yaml",
        "scenarios/node-dies.yaml"}) {
    const CliResult told = RunCli({"check", AuditLogOf(scenario, "right.log")});
    EXPECT_EQ(told.code, 0) << scenario << told.out << told.err;
    EXPECT_NE(told.out.find("store.linearizable   ok\n"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("hot.loop             ok\n"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("watch.ordered        not judged: an audit log does not show it\n"),
              std::string::npos);
  }
}

// kubernetes#29522: a kubelet sends its deletion again, and another pod of the name goes.
TEST(CheckAudit, OfTheMuseumNotesTheDeletionThatHitTheNextPod) {
  const CliResult told =
      RunCli({"check", AuditLogOf("scenarios/museum/b16-delete-precondition.yaml", "b16.log")});
  EXPECT_NE(told.out.find("delete.uid           note: pods default/web: the deletion by "
                          "system:node:node-1"),
            std::string::npos)
      << told.out;
  const std::string path = testing::TempDir() + "b16-fixed.log";
  RunCli({"run", "scenarios/museum/b16-delete-precondition.yaml", "-q", "--set",
          "cluster.variants.kubelet.deletePrecondition=fixed", "--audit-log", path, "--audit-level",
          "RequestResponse"});
  EXPECT_EQ(RunCli({"check", path}).out.find("note:"), std::string::npos);
}

TEST(CheckAudit, NamesFileLineTimeAndId) {
  const CliResult told = RunCli({"check", "tests/cli/audit/stale-update.log", "-q"});
  EXPECT_EQ(told.code, 1) << told.err;
  EXPECT_EQ(told.out,
            "store.linearizable   violated: deployments.apps shop/web: two writes from "
            "resourceVersion 84112 succeeded: system:serviceaccount:kube-system:"
            "deployment-controller (kube-controller-manager) made 84120, line 2 "
            "(2026-03-02T09:14:07.412907Z, auditID 0b4f6a52-3c1e-4f0c-9d62-7d2f5a8e9b01), and "
            "alice@example.com (kubectl) made 84131, line 4 (2026-03-02T09:14:08.030117Z, auditID "
            "9a1d2c77-52c8-4d0e-8c55-1f6f6f1f3a02)\n"
            "                     at: tests/cli/audit/stale-update.log:4\n");
  const CliResult tree = RunCli({"check", "tests/cli/audit/stale-update.log", "-o", "json"});
  EXPECT_NE(tree.out.find("\"first\": 4"), std::string::npos) << tree.out;
  EXPECT_NE(tree.out.find("\"who\": \"alice@example.com (kubectl)\""), std::string::npos);
}

TEST(CheckAudit, AtTheLevelMetadataSaysWhatItCannotSee) {
  const CliResult told = RunCli({"check", "tests/cli/audit/metadata.log"});
  EXPECT_EQ(told.code, 3) << told.err;
  EXPECT_NE(told.out.find("store.linearizable   not judged: no write of an object tells which "
                          "version it made (level RequestResponse)\n"),
            std::string::npos)
      << told.out;
  EXPECT_NE(told.out.find("hot.loop             violated: widgets.example.com/status default/w: "
                          "system:serviceaccount:default:widget-operator (manager) has 10 updates "
                          "within"),
            std::string::npos)
      << told.out;
}

TEST(CheckAudit, WhatIsNoEventIsShownAtItsPlace) {
  const std::string path = testing::TempDir() + "bad.log";
  ASSERT_TRUE(os::WriteFile(path, R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"All"})"
                                  "\n")
                  .ok());
  const CliResult told = RunCli({"check", path});
  EXPECT_EQ(told.code, 2);
  EXPECT_EQ(
      told.err,
      path + ":1:1: error: auditID is missing or no text\n" +
          "    1 | {\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"All\"}\n"
          "      | ^\n");
  EXPECT_EQ(RunCli({"check", "tests/cli/audit/metadata.log", "--list", path}).code, 2);
}

}  // namespace
}  // namespace ksim::cli
