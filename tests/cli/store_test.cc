// ksim store replay.
#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

std::string Script(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  EXPECT_TRUE(os::WriteFile(path, text).ok());
  return path;
}

TEST(Store, ReplayWritesWhatARealEtcdAnswered) {
  for (const char* name : {"recorded/seed-1", "special/txn-edges", "special/leases"}) {
    const std::string base = std::string("tests/testdata/etcd/") + name;
    const CliResult r = RunCli({"store", "replay", base + ".ops.jsonl"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, os::ReadFile(base + ".results.jsonl").value()) << name;
    EXPECT_EQ(r.err, "");
  }
}

TEST(Store, ABadLineAnywhereMeansThatNothingIsWritten) {
  const std::string path = Script("ops.jsonl",
                                  "{\"i\":0,\"op\":\"put\",\"key\":\"a\",\"value\":\"1\"}\n"
                                  "{\"i\":1,\"op\":\"get\",\"key\":\"a\"}\n"
                                  "{\"i\":2,\"op\":\"range\",\"key\":\"a\"\n");
  const CliResult r = RunCli({"store", "replay", path});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, path +
                       ":2:13: error: no operation \"get\"\n"
                       "    2 | {\"i\":1,\"op\":\"get\",\"key\":\"a\"}\n"
                       "      |             ^~~~~\n"
                       "      hint: there are put, range, delete_range, txn, compact, watch_open, "
                       "watch_collect, watch_progress, watch_close, lease_grant, lease_revoke, "
                       "lease_ttl, lease_keepalive, lease_list, sleep\n" +
                       path +
                       ":3:30: error: no JSON: unexpected end, expected ',' or '}'\n"
                       "    3 | {\"i\":2,\"op\":\"range\",\"key\":\"a\"\n"
                       "      |                              ^\n");
}

TEST(Store, AnEmptyScriptHasNoResults) {
  const CliResult r = RunCli({"store", "replay", Script("empty.jsonl", "\n  \n")});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
}

TEST(Store, WrongUsage) {
  EXPECT_EQ(RunCli({"store"}).err, "error: store what?\nhint: ksim store replay OPS.jsonl\n");
  EXPECT_EQ(RunCli({"store", "reply", "x"}).err,
            "error: unknown action \"reply\"; did you mean \"replay\"?\n");
  EXPECT_EQ(RunCli({"store", "replay"}).code, 2);
  EXPECT_EQ(RunCli({"store", "replay", "no-such-file"}).err,
            "no-such-file: error: cannot read it: no such file or directory\n");
}

}  // namespace
}  // namespace ksim::cli
