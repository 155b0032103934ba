#include "ksim/fuzz/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ksim/base/hash.h"
#include "tests/fuzz/worlds.h"

namespace ksim::fuzz {
namespace {

const std::vector<std::string> kKinds{"delay", "fault.dropWatch"};

StrategySpec Spec(const std::string& name, std::uint64_t seed) {
  StrategySpec spec;
  spec.name = name;
  spec.seed = seed;
  return spec;
}

std::string SiteOf(std::uint32_t i) {
  return fmt::format("{}/server/client-{}/pods", i % 3 == 0 ? "fault.dropWatch" : "delay", i % 17);
}

// The strategy's answers to a fixed list of questions.
std::vector<std::uint32_t> Answers(const StrategySpec& spec, bool backwards = false) {
  const std::shared_ptr<Strategy> strategy = *Make(spec, kKinds);
  strategy->SetOpen(true);
  std::vector<std::uint32_t> out(600);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const std::uint32_t at = backwards ? 599 - i : i;
    out[at] = strategy->Answer(SiteOf(at), at, 7);
  }
  return out;
}

class ByName : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Strategies, ByName, testing::Values("random", "swarm", "pct", "answers"));

TEST_P(ByName, IsAFunctionOfItsSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(Answers(Spec(GetParam(), seed)), Answers(Spec(GetParam(), seed)));
}

TEST(Random, DoesNotDependOnTheOrderOfQuestions) {
  EXPECT_EQ(Answers(Spec("random", 3)), Answers(Spec("random", 3), true));
}

TEST(Random, KeepsItsRate) {
  StrategySpec spec = Spec("random", 1);
  spec.params = value::Obj({{"rate", value::Value::Of(10)}});
  std::size_t faults = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    spec.seed = seed;
    for (std::uint32_t a : Answers(spec)) faults += a != 0;
  }
  EXPECT_NEAR(static_cast<double>(faults), 3000, 300);
}

TEST(Swarm, RunsDifferInWhatCanGoWrongAtAll) {
  std::set<std::set<std::string>> worlds;
  int quiet = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<std::uint32_t> answers = Answers(Spec("swarm", seed));
    std::set<std::string> sites;
    for (std::uint32_t i = 0; i < answers.size(); ++i)
      if (answers[i] != 0) sites.insert(SiteOf(i));
    quiet += sites.empty();
    worlds.insert(sites);
  }
  EXPECT_GT(worlds.size(), 100u);
  EXPECT_LT(quiet, 100);
}

// A seed that found something goes on finding it, unless it is one of a quarter.
TEST(Swarm, KindsThatCameLaterLeaveThreeRunsOfFourAsTheyWere) {
  int runs_with_rivals = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    int rivals = 0;
    const auto answers = [&](bool later) {
      const std::shared_ptr<Strategy> strategy =
          *Make(Spec("swarm", seed), {"delay", "fault.dropWatch", "fault.rival"});
      strategy->SetOpen(true);
      std::vector<std::uint32_t> out;
      for (std::uint32_t i = 0; i < 600; ++i) {
        const std::string site = fmt::format("fault.rival/client-{}/pods", i % 17);
        if (later && strategy->Answer(site, i, 6) != 0) ++rivals;
        out.push_back(strategy->Answer(SiteOf(i), i, 7));
      }
      return out;
    };
    const std::vector<std::uint32_t> before = answers(false), after = answers(true);
    if (rivals == 0) {
      EXPECT_EQ(after, before) << seed;
    }
    runs_with_rivals += rivals > 0 ? 1 : 0;
  }
  EXPECT_GT(runs_with_rivals, 20);
  EXPECT_LT(runs_with_rivals, 100);
}

TEST(Swarm, TheLongestDelayIsRarerThanTheNextOne) {
  std::map<std::uint32_t, int> delays, others;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::vector<std::uint32_t> answers = Answers(Spec("swarm", seed));
    for (std::uint32_t i = 0; i < answers.size(); ++i)
      ++(SiteOf(i).starts_with("delay/") ? delays : others)[answers[i]];
  }
  EXPECT_GT(delays[6], 0);
  EXPECT_GT(delays[5], 2 * delays[6]);
  EXPECT_GT(others[6], others[5]) << "where large sizes are drawn, the largest is";
}

TEST(Strategies, AnswerNothingOutsideTheWindowAndNothingThatIsNotAllowed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::shared_ptr<Strategy> strategy = *Make(Spec("swarm", seed), {"delay"});
    EXPECT_EQ(strategy->Answer("delay/a/b/pods", seed, 7), 0u);
    strategy->SetOpen(true);
    for (std::uint64_t key = 0; key < 50; ++key)
      EXPECT_EQ(strategy->Answer("fault.dropWatch/a/pods", key, 2), 0u);
  }
}

TEST(WindowOf, ReachesTheLastStep) {
  const auto drawn = [](Duration last) {
    scenario::Scenario s;
    s.steps.resize(2);
    s.steps[1].at = last;
    std::set<Duration> windows;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      windows.insert(WindowOf(s, Spec("swarm", seed)));
    return windows;
  };
  EXPECT_EQ(drawn(Seconds(30)), (std::set{Seconds(30), Minutes(2), Minutes(15)}));
  EXPECT_EQ(drawn(Seconds(31)), (std::set{Minutes(2), Minutes(15)}));
  EXPECT_EQ(drawn(Minutes(3)), (std::set{Minutes(15)}));
  EXPECT_EQ(drawn(Minutes(20)), (std::set{Minutes(15)})) << "the longest there is";
}

TEST(AnswersStrategy, GivesItsRecordsAndNothingElse) {
  StrategySpec spec = Spec("answers", 1);
  spec.params = ToParams({{Hash64("delay/a/b/pods"), 5, 3}, {Hash64("delay/a/b/pods"), 9, 6}});
  const std::shared_ptr<Strategy> strategy = *Make(spec, kKinds);
  strategy->SetOpen(true);
  EXPECT_EQ(strategy->Answer("delay/a/b/pods", 9, 7), 6u);
  EXPECT_EQ(strategy->Answer("delay/a/b/pods", 5, 7), 3u);
  EXPECT_EQ(strategy->Answer("delay/a/b/pods", 5, 3), 0u);  // there is no such size
  EXPECT_EQ(strategy->Answer("delay/a/b/pods", 6, 7), 0u);
  EXPECT_EQ(strategy->Answer("delay/a/c/pods", 5, 7), 0u);
}

TEST(Pct, TheHighestChainRunsAndAddingOneLeavesTheOthersOrder) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    StrategySpec spec = Spec("pct", seed);
    spec.params = value::Obj({{"depth", value::Value::Of(1)}});
    const std::shared_ptr<Strategy> strategy = *Make(spec, kKinds);
    strategy->SetOpen(true);
    const std::uint64_t two[] = {11, 22}, swapped[] = {22, 11}, three[] = {11, 22, 33};
    const auto first = [&](const std::uint64_t* chains, std::uint32_t n) {
      sim::OrderQuestion q;
      q.chains = chains;
      q.n = n;
      return chains[strategy->First(q)];
    };
    const std::uint64_t winner = first(two, 2);
    EXPECT_EQ(first(swapped, 2), winner);
    EXPECT_TRUE(first(three, 3) == winner || first(three, 3) == 33);
  }
}

TEST(Pct, AtAChangePointTheChainThatWouldRunDrops) {
  StrategySpec spec = Spec("pct", 1);
  spec.params = value::Obj({{"depth", value::Value::Of(2)}, {"steps", value::Value::Of(10)}});
  const std::shared_ptr<Strategy> strategy = *Make(spec, kKinds);
  strategy->SetOpen(true);
  const std::uint64_t chains[] = {11, 22};
  sim::OrderQuestion q;
  q.chains = chains;
  q.n = 2;
  const std::uint32_t before = strategy->First(q);
  q.step = 10;
  EXPECT_NE(strategy->First(q), before);
}

TEST(Make, SaysWhatIsWrong) {
  EXPECT_FALSE(Make(Spec("clever", 1), kKinds).ok());
  StrategySpec spec = Spec("random", 1);
  spec.params = value::Obj({{"rate", value::Value::Of("often")}});
  EXPECT_FALSE(Make(spec, kKinds).ok());
}

TEST(KindsOf, FollowsTheScenario) {
  const scenario::Scenario s = ExpiredExpectations("[dropWatch, delayStream]");
  EXPECT_EQ(KindsOf(s),
            (std::vector<std::string>{"fault.dropWatch", "fault.delayStream", "delay"}));
  const std::vector<std::string> all = KindsOf(ExpiredExpectations("[\"*\"]"));
  EXPECT_TRUE(std::find(all.begin(), all.end(), "order") != all.end());
  EXPECT_EQ(KindsOf(ExpiredExpectations("[order]")), std::vector<std::string>{"order"});
}

TEST(KindsOf, HasReseedWhereThereAreGuests) {
  scenario::Scenario s = ExpiredExpectations("[\"*\"]");
  const auto reseeds = [&s] {
    const std::vector<std::string> kinds = KindsOf(s);
    return std::find(kinds.begin(), kinds.end(), kReseed) != kinds.end();
  };
  EXPECT_FALSE(reseeds());
  s.cluster.guests.emplace_back();
  EXPECT_TRUE(reseeds());
  s.fuzz.faults.emplace_back("-reseed");
  EXPECT_FALSE(reseeds());
}

// Answers to a guest's questions at each of its runs, as GuestProcess asks them.
std::vector<std::uint32_t> Reseeds(const std::string& name, std::uint64_t seed,
                                   const std::vector<std::string>& kinds, std::uint32_t runs) {
  const std::shared_ptr<Strategy> strategy = *Make(Spec(name, seed), kinds);
  strategy->SetOpen(true);
  std::vector<std::uint32_t> out;
  for (std::uint32_t run = 1; run <= runs; ++run)
    out.push_back(strategy->Answer("reseed/guest", run, 3));
  return out;
}

TEST(Reseed, IsAnsweredBothWays) {
  for (const char* name : {"swarm", "random", "pct"}) {
    std::set<std::uint32_t> answers;
    std::uint32_t nothing = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const std::vector<std::uint32_t> given = Reseeds(name, seed, {"delay", "reseed"}, 200);
      answers.insert(given.begin(), given.end());
      nothing += *std::max_element(given.begin(), given.end()) == 0 ? 1 : 0;
      const std::vector<std::uint32_t> without = Reseeds(name, seed, {"delay"}, 200);
      EXPECT_EQ(*std::max_element(without.begin(), without.end()), 0u) << name;
    }
    EXPECT_TRUE(answers.contains(2)) << name;
    EXPECT_EQ(answers.contains(1), name != std::string("pct")) << name;
    if (name == std::string("swarm")) {
      EXPECT_GT(nothing, 5u);
    }
  }
}

// Where a run may have few faults, its guests are reseeded all the same.
TEST(Reseed, TakesNoneOfARunsFaults) {
  int more_than_any_bound = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<std::uint32_t> given = Reseeds("swarm", seed, {"reseed"}, 3000);
    const auto reseeds = std::count_if(given.begin(), given.end(), [](auto a) { return a != 0; });
    more_than_any_bound += reseeds > 1000 ? 1 : 0;
  }
  EXPECT_GT(more_than_any_bound, 0);
}

// rejectWrite has a third answer, 409, for some of a client's writes only.
TEST(Swarm, AnswersOfOneSiteFitEachQuestion) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::shared_ptr<Strategy> strategy = *Make(Spec("swarm", seed), kKinds);
    strategy->SetOpen(true);
    for (std::uint32_t i = 0; i < 50; ++i) {
      const std::uint32_t n = i % 2 == 0 ? 4 : 3;
      EXPECT_LT(strategy->Answer("fault.dropWatch/client/pods", i, n), n);
    }
  }
}

TEST(Swarm, OrdersOnlyWhereOrderMayBe) {
  int ordering = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ordering += (*Make(Spec("swarm", seed), {"delay", "order"}))->orders();
    EXPECT_FALSE((*Make(Spec("swarm", seed), {"delay"}))->orders());
  }
  EXPECT_GT(ordering, 0);
}

}  // namespace
}  // namespace ksim::fuzz
