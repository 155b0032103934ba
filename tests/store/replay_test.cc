#include "ksim/store/replay.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "ksim/base/status.h"
#include "ksim/value/json.h"

namespace ksim::store {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Recording : public testing::TestWithParam<const char*> {};

// STORE-96
TEST_P(Recording, ReplaysAsTheRealEtcdAnswered) {
  const std::string base = std::string("tests/testdata/etcd/") + GetParam();
  std::istringstream ops(ReadAll(base + ".ops.jsonl"));
  std::istringstream expected(ReadAll(base + ".results.jsonl"));
  OpReplay replay;
  std::string op, line;
  int lines = 0;
  while (std::getline(ops, op)) {
    ASSERT_TRUE(std::getline(expected, line));
    const absl::StatusOr<value::Value> result = replay.Run(value::ParseJson(op).value());
    ASSERT_TRUE(result.ok()) << Message(result.status());
    EXPECT_EQ(value::ToJson(*result), value::ToJson(value::ParseJson(line).value())) << op;
    ++lines;
  }
  EXPECT_FALSE(std::getline(expected, line));
  EXPECT_GT(lines, 20);
}

INSTANTIATE_TEST_SUITE_P(Etcd, Recording,
                         testing::Values("recorded/seed-1", "recorded/seed-2", "recorded/seed-3",
                                         "recorded/seed-4", "recorded/seed-5", "recorded/seed-6",
                                         "recorded/seed-7", "recorded/seed-8", "special/compaction",
                                         "special/compaction-within-a-revision", "special/leases",
                                         "special/put-options", "special/range-options",
                                         "special/txn-edges"));

}  // namespace
}  // namespace ksim::store
