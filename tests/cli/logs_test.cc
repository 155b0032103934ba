// ksim logs: what containers and controllers had printed at a moment of a trace.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

class Logs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(RunCli({"run", "scenarios/container-logs.yaml", "-q", "--trace", Path()}).code, 0);
  }
  static std::string Path() { return testing::TempDir() + "logs.jsonl"; }
  static CliResult Ask(std::vector<std::string> args) {
    args.insert(args.begin(), {"logs", Path()});
    return RunCli(args);
  }
};

TEST_F(Logs, PrintsWhatTheContainerSaid) {
  const CliResult web = Ask({"web"});
  EXPECT_EQ(web.out, "listening on :8080\ncache is warm\n");
  EXPECT_EQ(web.err, "Defaulted container \"app\" out of: app, proxy, migrate (init)\n");
  EXPECT_EQ(web.code, 0);
  EXPECT_EQ(Ask({"web", "proxy"}).out, "ready for traffic\n");
  EXPECT_EQ(Ask({"pods/web", "-c", "migrate"}).out, "migrating\n3 tables changed\n");
  EXPECT_EQ(Ask({"web", "--all-containers", "--prefix"}).out,
            "[pod/web/migrate] migrating\n[pod/web/migrate] 3 tables changed\n"
            "[pod/web/app] listening on :8080\n[pod/web/app] cache is warm\n"
            "[pod/web/proxy] ready for traffic\n");
  EXPECT_EQ(Ask({"-l", "app=web", "--tail", "1"}).out, "cache is warm\n");
}

TEST_F(Logs, KnowsTheRunBefore) {
  EXPECT_EQ(Ask({"crashes", "--previous"}).out, "starting\npanic: no configuration\n");
  EXPECT_EQ(Ask({"crashes"}).out, "starting\nserving\n");
  const CliResult none = Ask({"web", "-c", "app", "-p"});
  EXPECT_EQ(none.err,
            "Error from server (BadRequest): previous terminated container \"app\" in pod \"web\" "
            "not found\n");
  EXPECT_EQ(none.code, 5);
}

TEST_F(Logs, IsOfTheMoment) {
  EXPECT_EQ(Ask({"web", "-c", "app", "--at", "10s"}).out, "listening on :8080\n");
  const CliResult early = Ask({"web", "-c", "app", "--at", "7.5s"});
  EXPECT_TRUE(early.err.find("Error from server (BadRequest): container \"app\" in pod \"web\" is "
                             "waiting to start: PodInitializing") != std::string::npos)
      << early.err;
  EXPECT_EQ(Ask({"web", "-c", "app", "--since", "1s"}).out, "");
  const CliResult stamped = Ask({"web", "-c", "app", "--timestamps", "--tail", "1"});
  EXPECT_TRUE(stamped.out.starts_with("2025-01-01T00:00:1")) << stamped.out;
  EXPECT_TRUE(stamped.out.ends_with("Z cache is warm\n")) << stamped.out;
  EXPECT_EQ(Ask({"web", "-c", "app", "--since-time", "2025-01-01T01:00:00Z"}).out, "");
}

TEST_F(Logs, SaysWhatIsWrongAsKubectlDoes) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"none"},
       "error: error from server (NotFound): pods \"none\" not found in namespace "
       "\"default\"\n"},
      {{"web", "-c", "x"},
       "error: container x is not valid for pod web out of: app, proxy, migrate (init)\n"},
      {{},
       "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
       "POD or TYPE/NAME is a required argument for the logs command\n"},
      {{"web", "-l", "a=b"}, "error: only a selector (-l) or a POD name is allowed\n"},
      {{"web", "--since", "1s", "--since-time", "2025-01-01T00:00:00Z"},
       "error: at most one of `sinceTime` or `sinceSeconds` may be specified\n"},
      {{"web", "-c", "app", "--all-containers"},
       "error: --all-containers=true should not be specified with container name app\n"},
      {{"web", "app", "-c", "app"},
       "error: only one of -c or an inline [CONTAINER] arg is allowed\n"},
      {{"web", "--tail", "-2"}, "error: --tail must be greater than or equal to -1\n"},
      {{"-l", "a=b"}, "No resources found in default namespace.\n"},
      {{"process/none"}, "error: the trace has no process none\n"},
      {{"web", "-c", "proxy", "-f"},
       "warning: -f has nothing to follow: a trace holds all that was printed\n"}};
  for (const auto& [args, err] : cases) EXPECT_EQ(Ask(args).err, err);
}

// A controller of ksim's own prints nothing: its reconciles are told.
TEST(LogsOfProcesses, TellOfReconciles) {
  const std::string path = testing::TempDir() + "logs-rs.jsonl";
  ASSERT_EQ(RunCli({"run", "scenarios/replicaset.yaml", "-q", "--trace", path}).code, 0);
  const CliResult told = RunCli({"logs", path, "process/kube-controller-manager"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("reconcile default/my-replicaset ok\n"), std::string::npos) << told.out;
  EXPECT_TRUE(told.out.starts_with("kube-controller-manager start\n")) << told.out;
  EXPECT_EQ(RunCli({"logs", path, "rs/my-replicaset"}).err.substr(0, 23),
            "Found 2 pods, using pod");
}

TEST(LogsOfContainers, AreToldInTheStoryAndByTheTrace) {
  const CliResult run = RunCli({"run", "scenarios/container-logs.yaml"});
  EXPECT_NE(run.out.find("hears app of default/web say: cache is warm"), std::string::npos)
      << run.out;
  const std::string path = testing::TempDir() + "logs-story.jsonl";
  ASSERT_EQ(RunCli({"run", "scenarios/container-logs.yaml", "-q", "--trace", path}).code, 0);
  EXPECT_EQ(RunCli({"check", path, "-q"}).code, 0) << RunCli({"check", path}).out;
  EXPECT_EQ(RunCli({"replay", path, "-q"}).code, 0);
}

// A line that is another container's than the start that led to it contradicts the trace.
TEST(LogsOfContainers, MustBeThoseOfTheContainerThatStarted) {
  const std::string path = testing::TempDir() + "logs-altered.jsonl";
  ASSERT_EQ(RunCli({"run", "scenarios/container-logs.yaml", "-q", "--trace", path}).code, 0);
  std::string text = *os::ReadFile(path);
  const std::size_t line = text.find("\"text\":\"cache is warm\"");
  ASSERT_NE(line, std::string::npos);
  const std::string own = "\"container\":\"app\"";
  text.replace(text.find(own, line), own.size(), "\"container\":\"proxy\"");
  ASSERT_TRUE(os::WriteFile(path, text).ok());
  const CliResult told = RunCli({"check", path, "-q"});
  EXPECT_EQ(told.code, 1);
  EXPECT_NE(told.out.find("the container of its cause"), std::string::npos) << told.out;
}

}  // namespace
}  // namespace ksim::cli
