// ksim informers: the lengths of informers' queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class InformersTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(
        RunCli({"run", "scenarios/informers-late-handlers.yaml", "-q", "--trace", Path()}).code, 0);
  }
  static std::string Path() { return testing::TempDir() + "informers.jsonl"; }
  static CliResult Informers(std::vector<std::string> args) {
    args.insert(args.begin(), {"informers", Path()});
    return RunCli(args);
  }
};

TEST_F(InformersTest, ShowsWhatWaitsForASlowHandler) {
  const CliResult slow = Informers({"--process", "watcher", "--at", "25s"});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_THAT(slow.out, StartsWith("PROCESS   INFORMER   DELTAFIFO   LISTENER        PENDING\n"
                                   "watcher   pods       0           watcher/early   "));
  EXPECT_THAT(slow.out, Not(HasSubstr("watcher/early   0\n")));
  EXPECT_THAT(slow.out, Not(HasSubstr("watcher/late"))) << "it comes at 30 s";
  const CliResult end = Informers({"--process", "watcher"});
  EXPECT_THAT(end.out, HasSubstr("watcher   pods       0           watcher/early   0\n"
                                 "watcher   pods       0           watcher/late    0\n"));
}

TEST_F(InformersTest, TellsEachChange) {
  const CliResult r = Informers({"--process", "watcher", "--watch"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr(" watcher pods: deltafifo 0  watcher/early 1\n"));
  EXPECT_THAT(r.out, HasSubstr("+30.000000s  #1425  watcher pods: deltafifo 0  watcher/early 0  "
                               "watcher/late 4\n"))
      << "all that the cache holds, at once: it is being told of the first of five";
  EXPECT_THAT(r.out, HasSubstr("  watcher/late 0\n"));
}

TEST_F(InformersTest, IsThereForPrograms) {
  const CliResult r =
      Informers({"--process", "kube-scheduler", "--resource", "nodes", "-o", "json"});
  EXPECT_THAT(r.out, HasSubstr("\"deltaFIFO\": 0"));
  EXPECT_THAT(r.out, HasSubstr("\"pendingNotifications\": 0"));
  EXPECT_THAT(r.out, Not(HasSubstr("\"pods\"")));
}

TEST_F(InformersTest, SaysWhatIsWrong) {
  const CliResult unknown = Informers({"--process", "watchers"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"watcher\"?"));
  EXPECT_EQ(Informers({"--at", "later"}).code, 2);
  EXPECT_EQ(Informers({"--resource", "nothing"}).code, 5);
  EXPECT_EQ(RunCli({"informers"}).code, 2);
  EXPECT_EQ(Informers({"--watch", "-o", "json"}).code, 2);
}

}  // namespace
}  // namespace ksim::cli
