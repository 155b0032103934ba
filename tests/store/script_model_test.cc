// Drawn op scripts on the store and on the slow model, and the recordings on the model, so that the
// oracle itself is held against a real etcd.
#include "tests/store/script_model.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ksim/base/os.h"
#include "ksim/sim/decisions.h"
#include "ksim/value/json.h"
#include "tests/store/script_drawer.h"

namespace ksim::store {
namespace {

class DrawnScripts : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DrawnScripts, AnswerAsTheModelDoes) {
  for (std::uint64_t part = 0; part < 20; ++part) {
    sim::Decisions decisions(GetParam() * 20 + part, {}, nullptr);
    const sim::SiteId site = decisions.Site("test/script");
    std::uint64_t draws = 0;
    int left = 150;
    const std::string difference =
        CompareDrawnScript([&](std::uint32_t n) { return decisions.Draw(site, draws++, n); },
                           [&left] { return left-- > 0; });
    ASSERT_EQ(difference, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DrawnScripts, testing::Range<std::uint64_t>(0, 20));

class ModelRecording : public testing::TestWithParam<const char*> {};

TEST_P(ModelRecording, IsWhatTheModelAnswers) {
  const std::string base = std::string("tests/testdata/etcd/") + GetParam();
  std::istringstream ops(os::ReadFile(base + ".ops.jsonl").value());
  std::istringstream results(os::ReadFile(base + ".results.jsonl").value());
  ScriptModel model;
  int lines = 0;
  for (std::string op, result; std::getline(ops, op) && std::getline(results, result); ++lines)
    ASSERT_EQ(value::ToJson(model.Run(value::ParseJson(op).value())),
              value::ToJson(value::ParseJson(result).value()))
        << op;
  EXPECT_GT(lines, 20);
}

INSTANTIATE_TEST_SUITE_P(Etcd, ModelRecording,
                         testing::Values("recorded/seed-1", "recorded/seed-2", "recorded/seed-3",
                                         "recorded/seed-4", "recorded/seed-5", "recorded/seed-6",
                                         "recorded/seed-7", "recorded/seed-8", "special/compaction",
                                         "special/compaction-within-a-revision", "special/leases",
                                         "special/put-options", "special/range-options",
                                         "special/txn-edges"));

}  // namespace
}  // namespace ksim::store
