#include "ksim/fuzz/staleness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

// The search over a controller that breaks at the delays that `breaks` names.
StreamStaleness Searched(const std::function<bool(Duration)>& breaks, int* runs = nullptr) {
  StreamStaleness stream;
  SearchStaleness(
      [&](Duration by) {
        if (runs != nullptr) ++*runs;
        DelayedRun end;
        if (!breaks(by)) return end;
        end.code = kSafety;
        end.oracle = "o";
        return end;
      },
      &stream);
  return stream;
}

// The oracle: each delay of the grid, one by one.
TEST(SearchStaleness, FUZZ_04_FindsTheLimit) {
  for (const Duration limit : {Milliseconds(1), Milliseconds(7), Milliseconds(10),
                               Milliseconds(333), Seconds(1), Seconds(7), Seconds(59), Seconds(61),
                               Seconds(299), Seconds(300), Seconds(301), Minutes(14)}) {
    int runs = 0;
    const StreamStaleness s = Searched([limit](Duration by) { return by >= limit; }, &runs);
    ASSERT_TRUE(s.fails_at.has_value());
    EXPECT_EQ(*s.fails_at, limit) << FormatDuration(limit);
    EXPECT_LT(s.stands, limit);
    const Duration step = limit <= Seconds(1)   ? Milliseconds(1)
                          : limit <= Minutes(1) ? Milliseconds(100)
                                                : Seconds(1);
    EXPECT_EQ(s.stands + step, limit) << FormatDuration(limit);
    EXPECT_TRUE(s.stands_again.empty());
    EXPECT_LT(runs, 25);
  }
}

TEST(SearchStaleness, OfWhatStandsEverything) {
  const StreamStaleness s = Searched([](Duration) { return false; });
  EXPECT_FALSE(s.fails_at.has_value());
  EXPECT_EQ(s.stands, Minutes(15));
}

TEST(SearchStaleness, FUZZ_04_SaysWhatIsNotMonotone) {
  const StreamStaleness s =
      Searched([](Duration by) { return by >= Seconds(20) && by < Minutes(4); });
  EXPECT_EQ(s.fails_at, Seconds(20));
  EXPECT_EQ(s.stands_again, (std::vector<Duration>{Minutes(5), Minutes(10), Minutes(15)}));
}

const StreamStaleness& Of(const Staleness& s, const std::string& client,
                          const std::string& resource) {
  const auto it = std::find_if(s.streams.begin(), s.streams.end(), [&](const StreamStaleness& x) {
    return x.client == client && x.resource == resource;
  });
  EXPECT_TRUE(it != s.streams.end()) << client << " " << resource;
  return *it;
}

// kubernetes/kubernetes#129795: expectations expire after five minutes.
TEST(Staleness, FUZZ_04_ExpectationsStandFiveMinutes) {
  StalenessOptions options;
  const scenario::Scenario s = ExpiredExpectations();
  const Staleness alone = *FindStaleness(s, options);
  const StreamStaleness& pods = Of(alone, "kube-controller-manager", "pods");
  EXPECT_EQ(pods.oracle, "expect");
  ASSERT_TRUE(pods.fails_at.has_value());
  EXPECT_GE(*pods.fails_at, Seconds(299));
  EXPECT_LE(*pods.fails_at, Seconds(303));
  EXPECT_EQ(alone.Code(), kSafety);
  EXPECT_FALSE(Of(alone, "kube-scheduler", "nodes").fails_at.has_value());
  options.jobs = 2;
  EXPECT_EQ(ToJson(*FindStaleness(s, options), "w"), ToJson(alone, "w"));
}

TEST(Staleness, OfAScenarioThatFailsAnyway) {
  scenario::Scenario s = ExpiredExpectations();
  s.expect.front().max = 0;
  const Staleness found = *FindStaleness(s, StalenessOptions());
  EXPECT_TRUE(found.streams.empty());
  EXPECT_EQ(found.Code(), kSafety);
}

}  // namespace
}  // namespace ksim::fuzz
