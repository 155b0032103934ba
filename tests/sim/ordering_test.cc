// The order of events as a decision: chains, the window, keys, and events that are never reordered.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/hash.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

// A strategy that chooses a head by a rule and records the questions.
class Ruled : public Strategy {
 public:
  enum class Rule { kNominal, kLast };
  explicit Ruled(Rule rule) : rule_(rule) {}
  std::string_view name() const override { return "ruled"; }
  std::uint32_t Answer(std::string_view, std::uint64_t, std::uint32_t) override { return 0; }
  bool orders() const override { return true; }
  std::uint32_t First(const OrderQuestion& q) override {
    keys.push_back(q.key);
    widths.push_back(q.n);
    return rule_ == Rule::kLast ? q.n - 1 : 0;
  }
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> widths;

 private:
  Rule rule_;
};

class OrderingTest : public testing::Test {
 protected:
  void Make(std::shared_ptr<Strategy> strategy, std::vector<Override> overrides = {},
            Duration window = Milliseconds(2)) {
    SimulationOptions options;
    options.strategy = std::move(strategy);
    options.overrides = std::move(overrides);
    options.order_window = window;
    sim_ = std::make_unique<Simulation>(options);
    log_.clear();
  }
  ChainId Chain(const std::string& name) { return ChainId::Of(name); }
  void At(Duration delay, const std::string& name, ChainId chain) {
    sim_->After(
        delay, TimerKind::kWork, "logged",
        [this, name] { log_ += name + "@" + FormatDuration(sim_->now() - VirtualTime()) + " "; },
        chain);
  }
  std::string Run() {
    sim_->RunUntil(VirtualTime() + Seconds(1));
    return log_;
  }

  std::unique_ptr<Simulation> sim_;
  std::string log_;
};

TEST_F(OrderingTest, ALaterEventWithinTheWindowMayGoFirstAndTheClockDoesNotGoBack) {
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  At(Milliseconds(1), "a", Chain("a"));
  At(Milliseconds(2), "b", Chain("b"));
  At(Milliseconds(4), "c", Chain("c"));  // past a's window
  EXPECT_EQ(Run(), "b@2ms a@2ms c@4ms ");
}

TEST_F(OrderingTest, AChainKeepsItsOrder) {
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  const ChainId stream = Chain("stream");
  At(Microseconds(30), "s1", stream);
  At(Microseconds(40), "s2", stream);
  At(Microseconds(10), "other", Chain("other"));
  EXPECT_EQ(Run(), "s1@30us s2@40us other@40us ");
}

TEST_F(OrderingTest, NoEventWaitsLongerThanTheWindow) {
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  At(Milliseconds(1), "waits", Chain("waits"));
  for (int i = 2; i <= 6; ++i)
    At(Milliseconds(i), std::to_string(i), Chain("chain-" + std::to_string(i)));
  EXPECT_EQ(Run(), "3@3ms 2@3ms waits@3ms 6@6ms 5@6ms 4@6ms ");
}

TEST_F(OrderingTest, NominalAnswersAreTheNominalOrder) {
  Make(nullptr);
  for (int i = 0; i < 50; ++i)
    At(Microseconds(i * 37 % 23 * 100), std::to_string(i), Chain(std::to_string(i)));
  const std::string nominal = Run();
  auto strategy = std::make_shared<Ruled>(Ruled::Rule::kNominal);
  Make(strategy);
  for (int i = 0; i < 50; ++i)
    At(Microseconds(i * 37 % 23 * 100), std::to_string(i), Chain(std::to_string(i)));
  EXPECT_EQ(Run(), nominal);
  EXPECT_GT(strategy->keys.size(), 20u);
  EXPECT_TRUE(sim_->decisions().decisions().empty());
}

// A chain that is passed over again and again gets a question with a new key each time.
TEST_F(OrderingTest, EveryQuestionHasAKeyOfItsOwn) {
  auto strategy = std::make_shared<Ruled>(Ruled::Rule::kLast);
  Make(strategy);
  for (int i = 0; i < 20; ++i)
    At(Microseconds(10 * i), std::to_string(i), Chain(std::to_string(i % 7)));
  Run();
  const std::set<std::uint64_t> different(strategy->keys.begin(), strategy->keys.end());
  EXPECT_EQ(different.size(), strategy->keys.size());
  EXPECT_GT(different.size(), 10u);
}

TEST_F(OrderingTest, ItsDecisionsGivenAsOverridesMakeTheSameRun) {
  const auto fill = [this] {
    for (int i = 0; i < 40; ++i)
      At(Microseconds(i * 29 % 31 * 60), std::to_string(i), Chain(std::to_string(i % 9)));
  };
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  fill();
  const std::string once = Run();
  std::vector<Override> overrides;
  for (const Decision& d : sim_->decisions().decisions()) {
    EXPECT_EQ(d.site, "order");
    overrides.push_back({d.site, d.key, d.answer});
  }
  ASSERT_GT(overrides.size(), 5u);
  Make(nullptr, overrides);
  fill();
  EXPECT_EQ(Run(), once);
  EXPECT_TRUE(sim_->decisions().unapplied().empty());
}

TEST_F(OrderingTest, OneActorsWakeUpsAreOneChainAndTwoRequestsOfOneClientAreTwo) {
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  Process& process = sim_->AddProcess("actor");
  process.Start();
  const auto sleeper = [](Simulation& sim, std::string* log, const char* name) -> Task<void> {
    co_await sim.Sleep(Microseconds(100));
    *log += name;
  };
  process.Spawn(sleeper(*sim_, &log_, "first "));
  process.Spawn(sleeper(*sim_, &log_, "second "));
  EXPECT_EQ(Run(), "first second ");

  LatencyRange range;
  range.max = range.min;
  Network network(*sim_, range);
  Channel requests(network, "client", "server", "pods", Channel::Order::kUnordered);
  log_.clear();
  requests.Send(1, [this] { log_ += "one "; });
  requests.Send(2, [this] { log_ += "two "; });
  sim_->RunUntil(VirtualTime() + Seconds(2));
  EXPECT_EQ(log_, "two one ");
}

TEST_F(OrderingTest, AWaitingEntryOfAKilledProcessDoesNotRun) {
  Make(std::make_shared<Ruled>(Ruled::Rule::kLast));
  Process& process = sim_->AddProcess("actor");
  process.Start();
  const auto sleeper = [](Simulation& sim, std::string* log) -> Task<void> {
    co_await sim.Sleep(Microseconds(100));
    *log += "ran ";
  };
  process.Spawn(sleeper(*sim_, &log_));
  sim_->RunUntil(VirtualTime() + Microseconds(50));
  sim_->After(
      Microseconds(60), TimerKind::kWork, "kill", [&process] { process.Kill(); }, Chain("killer"));
  EXPECT_EQ(Run(), "");
  EXPECT_EQ(sim_->pending_work(), 0u);
}

// A strategy that records the chains of the last question and answers by its key.
class Drawing : public Strategy {
 public:
  std::string_view name() const override { return "drawing"; }
  std::uint32_t Answer(std::string_view, std::uint64_t, std::uint32_t) override { return 0; }
  bool orders() const override { return true; }
  std::uint32_t First(const OrderQuestion& q) override {
    asked.assign(q.chains, q.chains + q.n);
    answer = static_cast<std::uint32_t>(q.key % q.n);
    return answer;
  }
  std::vector<std::uint64_t> asked;
  std::uint32_t answer = 0;
};

// The slow oracle finds the heads of the pending chains anew before every step, by the definition.
struct Pending {
  struct Entry {
    std::int64_t time;
    int id;  // in the order in which they were scheduled
    std::uint64_t chain;
  };
  std::vector<Entry> Heads(Duration window) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.time, a.id) < std::pair(b.time, b.id);
    });
    std::vector<Entry> heads;
    std::set<std::uint64_t> seen;
    for (const Entry& e : entries) {
      if (e.time > entries.front().time + window.ns() || heads.size() == 64) break;
      if (seen.insert(e.chain).second) heads.push_back(e);
    }
    return heads;
  }
  std::vector<Entry> entries;
};

// The workload: calls in chains and actors that sleep until they are killed; each call begins
// others.
class OrderingOracleTest : public OrderingTest {
 protected:
  static constexpr Duration kWindow = Microseconds(200);
  void Play(std::uint64_t seed) {
    random_.seed(seed);
    actors_.clear();
    begun_ = 0;
    auto strategy = std::make_shared<Drawing>();
    Make(strategy, {}, kWindow);
    for (int i = 0; i < 20; ++i) {
      actors_.push_back(&sim_->AddProcess("actor-" + std::to_string(i)));
      actors_.back()->Start();
    }
    for (int i = 0; i < 300; ++i) Begin();
    while (!pending_.entries.empty()) {
      const std::vector<Pending::Entry> heads = pending_.Heads(kWindow);
      strategy->asked.clear();
      strategy->answer = 0;
      ASSERT_TRUE(sim_->Step());
      std::vector<std::uint64_t> chains;
      for (const Pending::Entry& e : heads) chains.push_back(e.chain);
      if (chains.size() == 1) chains.clear();  // nothing to ask
      ASSERT_EQ(strategy->asked, chains);
      ASSERT_EQ(last_, heads[strategy->answer].id);
      most_ = std::max(most_, heads.size());
    }
    EXPECT_FALSE(sim_->Step());
  }
  std::size_t most_ = 0;
  int killed_ = 0;

 private:
  int Roll(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  int Expect(Duration delay, std::string_view chain) {
    pending_.entries.push_back({(sim_->now() + delay).ns(), begun_, Hash64(chain)});
    return begun_++;
  }
  void Begin() {
    const Duration delay = Microseconds(10 * Roll(60));
    if (Roll(2) == 0) {
      const std::string chain = "chain-" + std::to_string(Roll(100));
      const int id = Expect(delay, chain);
      sim_->After(delay, TimerKind::kWork, "call", [this, id] { OnRun(id); }, Chain(chain));
    } else {
      Process* const actor = actors_[static_cast<std::size_t>(Roll(20))];
      actor->Spawn(Sleep(actor, delay, Expect(Duration(), actor->name())));
    }
  }
  Task<void> Sleep(Process* actor, Duration delay, int id) {
    OnRun(id);
    id = Expect(delay, actor->name());
    co_await sim_->Sleep(delay);
    OnRun(id);
  }
  void OnRun(int id) {
    last_ = id;
    std::erase_if(pending_.entries, [id](const Pending::Entry& e) { return e.id == id; });
    for (int i = begun_ < 1000 ? Roll(3) : 0; i > 0; --i) Begin();
    if (Roll(6) == 0) sim_->Defer([this] { Restart(actors_[static_cast<std::size_t>(Roll(20))]); });
  }
  void Restart(Process* actor) {
    actor->Kill();
    actor->Start();
    killed_ += static_cast<int>(std::erase_if(pending_.entries, [&](const Pending::Entry& e) {
      return e.chain == Hash64(actor->name());
    }));
  }

  std::mt19937_64 random_;
  std::vector<Process*> actors_;
  Pending pending_;
  int begun_ = 0, last_ = -1;
};

TEST_F(OrderingOracleTest, EveryStepIsAskedAboutAsTheRuleSays) {
  for (std::uint64_t seed = 1; seed <= 5 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    OrderingOracleTest::Play(seed);
  }
  EXPECT_EQ(most_, 64u);
  EXPECT_GT(killed_, 100);
}

}  // namespace
}  // namespace ksim::sim
