#include "ksim/sim/decisions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ksim/base/hash.h"
#include "ksim/sim/mix.h"

namespace ksim::sim {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

// Computed apart from this code, in Python with arbitrary integers and python-xxhash:
//   f(z): z = ((z ^ z>>30) * 0xbf58476d1ce4e5b9) & M; z = ((z ^ z>>27) * 0x94d049bb133111eb) & M;
//         return z ^ z>>31                                              (M = 2^64 - 1)
//   r = f(f(f(seed ^ xxh3_64(site)) + key) + i);   answer = r * n >> 64
TEST(Draw, TestVectors) {
  const struct {
    std::uint64_t seed;
    std::string_view site;
    std::uint64_t key;
    int i;
    std::uint64_t r;
    std::uint32_t of10, of1000000, of4294967295;
  } kVectors[] = {
      {1, "order", 0, 0, 0xcf758b5d618b89b2, 8, 810387, 3480587100},
      {1, "order", 0, 1, 0x62e7e9afca039354, 3, 386351, 1659365807},
      {1, "order", 1, 0, 0xc4a747d37d52cdba, 7, 768177, 3299297234},
      {7, "latency/kube-apiserver-0/kube-scheduler/pods", 42, 0, 0xb2ed981e0e153c57, 6, 698937,
       3001915421},
      {0, "name/replicaset", kMax, 0, 0xc081328c6d8919e2, 7, 751971, 3229692555},
      {kMax, "name/replicaset", 3, 2, 0xc107ca9b2ba0faa2, 7, 754025, 3238513306},
  };
  for (const auto& v : kVectors) {
    const auto ask = [&v](auto last) {
      Decisions decisions(v.seed, {}, nullptr);
      const SiteId site = decisions.Site(v.site);
      for (int before = 0; before < v.i; ++before) decisions.Draw(site, v.key);
      return last(decisions, site);
    };
    EXPECT_EQ(ask([&](Decisions& d, SiteId s) { return d.Draw(s, v.key); }), v.r);
    const auto of = [&](std::uint32_t n) {
      return ask([&](Decisions& d, SiteId s) { return d.Draw(s, v.key, n); });
    };
    EXPECT_EQ(of(10), v.of10);
    EXPECT_EQ(of(1'000'000), v.of1000000);
    EXPECT_EQ(of(4'294'967'295u), v.of4294967295);
    EXPECT_EQ(of(1), 0u);
  }
}

TEST(Keys, TestVectors) {
  EXPECT_EQ(KeyOf(1, 2), 0xef30b01c2974aeebu);  // f(f(1) + 2)
  EXPECT_EQ(KeyOf("pods/default/web"), 0x81a01ad78f424727u);
  EXPECT_EQ(KeyOf("pods/default/web", 3), 0x5c581a3954037a75u);
}

// Oracle: the formula with a map as the count of (site, key). Keys in order, keys again, keys ahead
// of the order, hashed keys.
TEST(Draw, CountsEachSiteAndKeyApart) {
  Decisions decisions(42, {}, nullptr);
  const std::string_view names[] = {"latency/a/b/pods", "name/replicaset", "order"};
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> asked;
  std::uint64_t in_order[3] = {};
  for (std::uint64_t step = 0; step < 30'000; ++step) {
    const std::uint64_t x = Mix(step);
    const int site = static_cast<int>(x % 3);
    std::uint64_t key = 0;
    switch ((x >> 8) % 4) {
      case 0:
        key = (x >> 16) % 50;
        break;
      case 1:
        key = Mix((x >> 16) % 2000);
        break;
      default:
        key = in_order[site]++;
        break;
    }
    const std::uint64_t i = asked[{site, key}]++;
    const std::uint64_t base = Mix(42 ^ Hash64(names[site]));
    ASSERT_EQ(decisions.Draw(decisions.Site(names[site]), key), Mix(Mix(base + key) + i));
  }
  EXPECT_EQ(decisions.asked(), 30'000u);
}

TEST(Draw, AnswerStaysWithItsSubject) {
  Decisions alone(1, {}, nullptr), among(1, {}, nullptr);
  const std::uint64_t want = alone.Draw(alone.Site("latency/a/b/pods"), KeyOf("pods/default/web"));
  const SiteId site = among.Site("latency/a/b/pods");
  for (std::uint64_t k = 0; k < 100; ++k) among.Draw(site, KeyOf("pods/default/other", k));
  among.Draw(among.Site("latency/a/b/nodes"), KeyOf("pods/default/web"));
  EXPECT_EQ(among.Draw(site, KeyOf("pods/default/web")), want);
}

TEST(Draw, DurationsLieInTheirRange) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("latency/a/b/pods");
  Duration low = Seconds(1), high = Duration();
  for (std::uint64_t k = 0; k < 2000; ++k) {
    const Duration d = decisions.DrawDuration(site, k, Microseconds(200), Milliseconds(2));
    low = std::min(low, d);
    high = std::max(high, d);
  }
  EXPECT_GE(low, Microseconds(200));
  EXPECT_LT(low, Microseconds(210));
  EXPECT_LT(high, Milliseconds(2));
  EXPECT_GT(high, Microseconds(1990));
  EXPECT_EQ(decisions.DrawDuration(site, 1, Seconds(3), Seconds(3)), Seconds(3));
  EXPECT_EQ(decisions.DrawDuration(site, 1, Seconds(3), Seconds(1)), Seconds(3));
  const Duration wide = decisions.DrawDuration(site, 2, Seconds(-100), Duration::Max());
  EXPECT_GE(wide, Seconds(-100));
}

// A strategy that gives a fixed answer and records the questions.
class Scripted : public Strategy {
 public:
  std::string_view name() const override { return "scripted"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) override {
    asked.emplace_back(site, key, n);
    return answer;
  }
  std::vector<std::tuple<std::string, std::uint64_t, std::uint32_t>> asked;
  std::uint32_t answer = 0;
};

TEST(Choose, NominalWithoutOverridesAndStrategy) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("fault.dropWatch/kube-scheduler/pods");
  for (std::uint64_t k = 0; k < 100; ++k) EXPECT_EQ(decisions.Choose(site, k, 7), 0u);
  EXPECT_TRUE(decisions.decisions().empty());
  EXPECT_EQ(decisions.asked(), 100u);
}

TEST(Choose, OverrideWinsOverStrategy) {
  const auto strategy = std::make_shared<Scripted>();
  strategy->answer = 2;
  Decisions decisions(1, {{"delay/a/b/pods", 5, 1}, {"delay/a/b/pods", 6, 0}}, strategy);
  const SiteId site = decisions.Site("delay/a/b/pods");
  EXPECT_EQ(decisions.Choose(site, 4, 3), 2u);
  EXPECT_EQ(decisions.Choose(site, 5, 3), 1u);
  EXPECT_EQ(decisions.Choose(site, 6, 3), 0u);  // an override may ask for the nominal answer
  ASSERT_EQ(strategy->asked.size(), 1u);
  EXPECT_EQ(strategy->asked[0], std::tuple("delay/a/b/pods", 4u, 3u));
  const std::vector<Decision> taken = decisions.decisions();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].site, "delay/a/b/pods");
  EXPECT_EQ(std::pair(taken[0].key, taken[0].answer), std::pair(std::uint64_t{4}, 2u));
  EXPECT_EQ(std::pair(taken[1].key, taken[1].answer), std::pair(std::uint64_t{5}, 1u));
}

// A strategy that answers 1 to the first questions and then falls silent.
class SoonSilent : public Scripted {
 public:
  explicit SoonSilent(std::size_t answers) : answers_(answers) { answer = 1; }
  std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) override {
    if (asked.size() + 1 == answers_) FallSilent();
    return Scripted::Answer(site, key, n);
  }

 private:
  std::size_t answers_;
};

// A silent strategy gets no more questions, and the decisions are those of one that answers 0.
TEST(Choose, ASilentStrategyIsAskedNoMore) {
  const auto silent = std::make_shared<SoonSilent>(2);
  const auto heard = std::make_shared<Scripted>();
  const std::vector<Override> overrides{{"delay/a/b/pods", 9, 2}};
  Decisions of_silent(1, overrides, silent), of_heard(1, overrides, heard);
  std::vector<std::uint32_t> answers;
  for (const std::uint64_t key : {1, 2, 3, 2, 9, 4}) {
    heard->answer = answers.size() < 2 ? 1 : 0;
    for (const char* site : {"delay/a/b/nodes", "delay/a/b/pods"}) {
      answers.push_back(of_silent.Choose(of_silent.Site(site), key, 3));
      EXPECT_EQ(of_heard.Choose(of_heard.Site(site), key, 3), answers.back()) << site << key;
    }
    heard->answer = 0;
    const std::uint64_t once = 100 * key + answers.size();
    EXPECT_EQ(of_silent.ChooseOnce(of_silent.Site("delay/c/d/pods"), once, 3), 0u);
    EXPECT_EQ(of_heard.ChooseOnce(of_heard.Site("delay/c/d/pods"), once, 3), 0u);
  }
  EXPECT_EQ(answers, (std::vector<std::uint32_t>{1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}));
  EXPECT_EQ(silent->asked.size(), 2u);
  EXPECT_EQ(of_silent.asked(), of_heard.asked());
  EXPECT_EQ(of_silent.answer_sum(), of_heard.answer_sum());
}

// A repeated question with the same key counts as a question of its own.
TEST(Choose, AKeyAskedAgainIsAnotherQuestion) {
  Decisions decisions(1, {{"delay/a/b/pods", 5, 1}, {"delay/a/b/pods", KeyOf(5, 2), 2}}, nullptr);
  const SiteId site = decisions.Site("delay/a/b/pods");
  EXPECT_EQ(decisions.Choose(site, 5, 3), 1u);
  EXPECT_EQ(decisions.Choose(site, 5, 3), 0u);
  EXPECT_EQ(decisions.Choose(site, 5, 3), 2u);
  const std::vector<Decision> taken = decisions.decisions();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].key, 5u);
  EXPECT_EQ(taken[1].key, KeyOf(5, 2));
}

// The answers of a strategy that begins late, given as overrides, do not apply to earlier
// questions.
TEST(Choose, OverridesComeAtTheQuestionsThatWereAnswered) {
  const auto ask = [](std::vector<Override> overrides, std::shared_ptr<Scripted> strategy) {
    auto decisions = std::make_unique<Decisions>(1, std::move(overrides), strategy);
    for (int i = 0; i < 6; ++i) {
      if (strategy != nullptr) strategy->answer = i == 3 ? 2 : 0;
      decisions->Choose(decisions->Site("delay/a/b/pods"), 5, 3);
    }
    return decisions;
  };
  const auto first = ask({}, std::make_shared<Scripted>());
  ASSERT_EQ(first->decisions().size(), 1u);
  const Decision d = first->decisions()[0];
  const auto second = ask({{d.site, d.key, d.answer}}, nullptr);
  EXPECT_TRUE(second->unapplied().empty());
  EXPECT_EQ(second->decisions().size(), 1u);
  EXPECT_EQ(second->answer_sum(), first->answer_sum());
}

TEST(Choose, TheSumKnowsNothingOfWhoMightHaveAnswered) {
  const auto sum = [](std::shared_ptr<Strategy> strategy) {
    Decisions decisions(1, {}, std::move(strategy));
    for (int i = 0; i < 3; ++i) decisions.Choose(decisions.Site("delay/a/b/pods"), 5, 3);
    return decisions.answer_sum();
  };
  EXPECT_EQ(sum(nullptr), sum(std::make_shared<Scripted>()));
}

TEST(Choose, UnappliedAreThoseNeverAskedFor) {
  Decisions decisions(
      1, {{"delay/a/b/pods", 1, 1}, {"delay/a/b/pods", 2, 9}, {"delay/x/y/pods", 1, 1}}, nullptr);
  const SiteId site = decisions.Site("delay/a/b/pods");
  EXPECT_EQ(decisions.Choose(site, 1, 3), 1u);
  EXPECT_EQ(decisions.Choose(site, 2, 3), 0u);  // there is no answer 9 of 3
  const std::vector<Override> unapplied = decisions.unapplied();
  ASSERT_EQ(unapplied.size(), 2u);
  EXPECT_EQ(unapplied[0].answer, 9u);
  EXPECT_EQ(unapplied[1].site, "delay/x/y/pods");
}

TEST(Choose, OverriddenRunReplaysFromItsDecisions) {
  const auto strategy = std::make_shared<Scripted>();
  strategy->answer = 1;
  Decisions first(1, {}, strategy);
  for (std::uint64_t k = 0; k < 10; ++k) first.Choose(first.Site("delay/a/b/pods"), k, 2);
  std::vector<Override> overrides;
  for (const Decision& d : first.decisions()) overrides.push_back({d.site, d.key, d.answer});
  Decisions second(1, overrides, nullptr);
  for (std::uint64_t k = 0; k < 10; ++k) second.Choose(second.Site("delay/a/b/pods"), k, 2);
  EXPECT_TRUE(second.unapplied().empty());
  EXPECT_EQ(second.answer_sum(), first.answer_sum());
}

// A question through the Once calls gets the answer of the counted calls.
TEST(Once, AnswersAsTheFirstTimeAndCountsAlike) {
  Decisions counted(7, {{"delay/a/b/c", 4, 2}}, nullptr);
  Decisions once(7, {{"delay/a/b/c", 4, 2}}, nullptr);
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t key = KeyOf(i, 1) % 50 * 100 + i;  // no two alike, in no order
    const Duration min = Milliseconds(1), max = Milliseconds(9);
    EXPECT_EQ(once.DrawDurationOnce(once.Site("latency/a/b/c"), key, min, max),
              counted.DrawDuration(counted.Site("latency/a/b/c"), key, min, max));
  }
  for (std::uint64_t key = 0; key < 10; ++key)
    EXPECT_EQ(once.ChooseOnce(once.Site("delay/a/b/c"), key, 7),
              counted.Choose(counted.Site("delay/a/b/c"), key, 7));
  EXPECT_EQ(once.answer_sum(), counted.answer_sum());
  EXPECT_EQ(once.asked(), counted.asked());
  ASSERT_EQ(once.decisions().size(), 1u);
  EXPECT_EQ(once.decisions()[0].key, counted.decisions().at(0).key);
  EXPECT_TRUE(once.unapplied().empty());
}

TEST(Decisions, SumShowsAStrayAskAndADifferentAnswerButNoOrder) {
  const auto sum = [](std::vector<std::uint64_t> keys, std::vector<Override> overrides) {
    Decisions decisions(1, std::move(overrides), nullptr);
    const SiteId draw = decisions.Site("order"), choose = decisions.Site("delay/a/b/c");
    for (const std::uint64_t k : keys) {
      decisions.Draw(draw, k);
      decisions.Choose(choose, k, 7);
    }
    return decisions.answer_sum();
  };
  EXPECT_EQ(sum({1, 2, 3}, {}), sum({3, 1, 2}, {}));
  EXPECT_NE(sum({1, 2, 3}, {}), sum({1, 2, 4}, {}));
  EXPECT_NE(sum({1, 2, 3}, {}), sum({1, 2, 3, 4}, {}));
  EXPECT_NE(sum({1, 2, 3}, {}), sum({1, 2, 3}, {{"delay/a/b/c", 2, 1}}));
}

TEST(DecisionsDeathTest, MisuseIsABug) {
  Decisions decisions(1, {}, nullptr);
  const SiteId site = decisions.Site("order");
  EXPECT_EQ(decisions.Site("order"), site);
  const testing::ExitedWithCode bug(70);
  EXPECT_EXIT(decisions.Site(""), bug, "printable ASCII");
  EXPECT_EXIT(decisions.Site("latency/a b"), bug, "printable ASCII");
  EXPECT_EXIT(decisions.Site("latency/\u00e4"), bug, "printable ASCII");
  // The bad letter stands within the eight bytes that the check compares at once.
  for (const char* name :
       {"a b/latency", "\x7flatency/", "latency\x1f", "lat\u00e4ncy", "\x01!!!!!!!"})
    EXPECT_EXIT(decisions.Site(name), bug, "printable ASCII") << name;
  decisions.Site("!~!~!~!~~!~!~!~!");
  EXPECT_EXIT(decisions.Draw(SiteId(), 0), bug, "bug");
  EXPECT_EXIT(decisions.Draw(site, 0, 0), bug, "n >= 1");
  EXPECT_EXIT(decisions.Choose(site, 0, 0), bug, "n >= 1");
  const auto strategy = std::make_shared<Scripted>();
  strategy->answer = 3;
  Decisions wrong(1, {}, strategy);
  EXPECT_EXIT(wrong.Choose(wrong.Site("order"), 0, 3), bug, "strategy scripted answered 3 of 3");
}

// More sites than the tables hold initially.
TEST(Decisions, FindsManySitesByTheirNames) {
  Decisions decisions(7, {}, nullptr);
  const auto name = [](int i) {
    return "latency/" + std::to_string(i % 61) + "/" + std::to_string(i);
  };
  std::vector<SiteId> sites;
  for (int i = 0; i < 3000; ++i) sites.push_back(decisions.Site(name(i)));
  for (int i = 0; i < 3000; ++i) {
    const SiteId site = decisions.Site(name(i));
    ASSERT_EQ(site, sites[static_cast<std::size_t>(i)]);
    ASSERT_EQ(decisions.name(site), name(i));
    ASSERT_EQ(decisions.Draw(site, 5), Mix(Mix(Mix(7 ^ Hash64(name(i))) + 5)));
  }
}

TEST(Decisions, KnowsTheSitesThatWereAskedAt) {
  Decisions decisions(1, {}, nullptr);
  decisions.Site("never");
  const SiteId in_order = decisions.Site("b/in-order");
  const SiteId by_key = decisions.Site("a/by-key");
  const SiteId chosen = decisions.Site("c/chosen");
  decisions.Draw(in_order, 0);
  decisions.Draw(by_key, 77);
  decisions.Choose(chosen, 5, 2);
  EXPECT_EQ(decisions.asked_sites(),
            (std::vector<std::string>{"a/by-key", "b/in-order", "c/chosen"}));
}

// A strategy that says 1 to everything.
class Ones : public Strategy {
 public:
  std::string_view name() const override { return "ones"; }
  std::uint32_t Answer(std::string_view, std::uint64_t, std::uint32_t) override { return 1; }
};

TEST(BeginAnew, DrawsAreThoseOfTheNewSeedAsIfNothingHadBeenAsked) {
  Decisions fresh(7, {}, nullptr), begun(3, {}, nullptr);
  const SiteId site = begun.Site("latency/a/b"), late = begun.Site("uid/pods");
  for (std::uint64_t key : {0u, 1u, 1u, 9u}) begun.Draw(site, key);
  begun.BeginAnew(7, {}, nullptr);
  EXPECT_EQ(begun.seed(), 7u);
  EXPECT_EQ(begun.Site("latency/a/b"), site);
  for (std::uint64_t key : {0u, 1u, 1u, 9u})
    EXPECT_EQ(begun.Draw(site, key), fresh.Draw(fresh.Site("latency/a/b"), key));
  EXPECT_EQ(begun.Draw(late, 0), fresh.Draw(fresh.Site("uid/pods"), 0));
}

TEST(BeginAnew, WhoAnswersIsAskedFromThereOn) {
  Decisions d(3, {}, nullptr);
  const SiteId site = d.Site("fault.crash/a"), other = d.Site("fault.crash/b");
  EXPECT_EQ(d.Choose(site, 0, 4), 0u);
  d.BeginAnew(3, {{"fault.crash/b", 0, 3}}, std::make_shared<Ones>());
  EXPECT_EQ(d.Choose(site, 0, 4), 1u);
  EXPECT_EQ(d.Choose(other, 0, 4), 3u);
  EXPECT_EQ(d.decisions().size(), 2u);
}

}  // namespace
}  // namespace ksim::sim
