// What may legally happen does not alarm.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

TEST(Legal, RealRunsAreSilentLiveAndRecorded) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const char* name : {"replicaset", "delete-pod"}) {
      const Trace trace = Recorded(name, compat);
      EXPECT_EQ(trace.end->violations.size(), 0u) << name << " " << compat;
      EXPECT_EQ(Messages(trace), "") << name << " " << compat;
      // The same oracles had something to judge.
      const auto checker = CheckTrace(trace, {"*"});
      ASSERT_TRUE(checker.ok());
      std::vector<std::string> live = trace.end->judged;
      live.erase(std::remove_if(live.begin(), live.end(),
                                [](const auto& n) { return n == "limit" || n == "expect"; }),
                 live.end());
      EXPECT_EQ((*checker)->judged(), live) << name << " " << compat;
    }
  }
}

}  // namespace
}  // namespace ksim::check
