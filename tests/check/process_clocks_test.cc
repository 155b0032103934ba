#include "ksim/check/process_clocks.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/base/time.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

constexpr std::int64_t kSecond = Seconds(1).ns();

class ProcessClocksTest : public testing::Test {
 protected:
  void Begin(std::int64_t t, const std::string& id, const std::string& rate,
             const char* process = "a") {
    const value::Value args = value::Obj({{"rate", value::Value::String(rate)}});
    clocks_.Take("skewClock", process, id, "begin", t * kSecond, &args);
  }
  void End(std::int64_t t, const std::string& id, const char* process = "a") {
    clocks_.Take("skewClock", process, id, "end", t * kSecond, nullptr);
  }
  // In seconds; what is more than whole ones is the rounding.
  std::int64_t Passed(std::int64_t from, std::int64_t to, const char* process = "a") const {
    const std::int64_t ns = clocks_.Passed(process, from * kSecond, to * kSecond);
    EXPECT_LE(ns % kSecond, 4);
    return ns / kSecond;
  }
  std::int64_t When(std::int64_t from, std::int64_t passed) const {
    const std::int64_t ns = clocks_.When("a", from * kSecond, passed * kSecond);
    EXPECT_EQ(ns % kSecond, 0);
    return ns / kSecond;
  }
  std::string RateIn(std::int64_t from, std::int64_t to) const {
    return std::string(clocks_.RateIn("a", from * kSecond, to * kSecond));
  }
  ProcessClocks clocks_;
};

TEST_F(ProcessClocksTest, WithoutAFaultAllClocksAreOne) {
  EXPECT_EQ(clocks_.Passed("a", 3, 10), 7);
  EXPECT_EQ(clocks_.MostPassed(3, 10), 7);
  EXPECT_EQ(clocks_.When("a", 3, 10), 13);
  EXPECT_EQ(RateIn(0, 100), "");
}

// G-CK2
TEST_F(ProcessClocksTest, FollowTheFaults) {
  Begin(10, "1", "50%");
  EXPECT_EQ(Passed(0, 10), 10);
  EXPECT_EQ(Passed(0, 20), 15);
  EXPECT_EQ(Passed(0, 20, "b"), 20);
  EXPECT_EQ(When(0, 15), 20);
  Begin(20, "2", "3/1");
  EXPECT_EQ(Passed(10, 30), 5 + 30);
  EXPECT_EQ(When(10, 35), 30);
  EXPECT_EQ(When(10, 5), 20);
  End(30, "2");
  EXPECT_EQ(Passed(10, 40), 5 + 30 + 5);
  End(40, "1");
  EXPECT_EQ(Passed(0, 100), 10 + 5 + 30 + 5 + 60);
  EXPECT_EQ(When(0, 110), 100);
  EXPECT_EQ(Passed(50, 60), 10);
  EXPECT_EQ(Passed(12, 14), 1);
  EXPECT_EQ(RateIn(0, 10), "");
  EXPECT_EQ(RateIn(0, 15), "50%");
  EXPECT_EQ(RateIn(0, 25), "3/1");
  EXPECT_EQ(RateIn(0, 35), "50%");
  EXPECT_EQ(RateIn(41, 45), "");
}

TEST_F(ProcessClocksTest, TheFurthestCounts) {
  Begin(0, "1", "50%", "slow");
  EXPECT_EQ(clocks_.MostPassed(0, 10 * kSecond), 10 * kSecond);
  Begin(0, "2", "200%", "fast");
  EXPECT_EQ(clocks_.MostPassed(0, 10 * kSecond) / kSecond, 20);
}

// A step is no rate, and other faults are none of it.
TEST_F(ProcessClocksTest, OthersChangeNothing) {
  const value::Value by = value::Obj({{"by", value::Value::Of("1h")}});
  clocks_.Take("skewClock", "a", "1", "begin", 0, &by);
  clocks_.Take("pause", "a", "2", "begin", 0, &by);
  clocks_.Take("skewClock", "a", "1", "end", kSecond, nullptr);
  EXPECT_EQ(clocks_.Passed("a", 0, 10), 10);
  Begin(5, "3", "50%");
  clocks_.Take("skewClock", "a", "1", "end", 7 * kSecond, nullptr);
  EXPECT_EQ(Passed(5, 15), 5);
}

}  // namespace
}  // namespace ksim::check
