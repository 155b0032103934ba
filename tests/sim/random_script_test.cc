// Actors that sleep, receive with a deadline, send and restart one another at random, beside a
// model that knows no coroutine: explicit states and an ordered map. After every step both must
// agree on the clock, on what has happened, and on how much work is pending.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ksim/sim/digest.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/mix.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {
namespace {

constexpr int kActors = 12;
constexpr int kPlansPerActor = 400;

struct Plan {
  enum Kind { kSleep, kReceive, kSend, kRestart } kind;
  int target;
  std::int64_t delay;
};

// An actor's n-th action, whatever its incarnation.
Plan PlanOf(std::uint64_t seed, int actor, int n) {
  const std::uint64_t x = Mix(seed + Mix(static_cast<std::uint64_t>(actor * 1'000'003 + n)));
  constexpr Plan::Kind kKinds[] = {Plan::kSleep,   Plan::kSleep,  Plan::kReceive, Plan::kReceive,
                                   Plan::kReceive, Plan::kSend,   Plan::kSend,    Plan::kSend,
                                   Plan::kSend,    Plan::kRestart};
  // Small delays, zero among them, so that many events fall on one time.
  return {kKinds[x % 10], static_cast<int>((x >> 8) % kActors),
          static_cast<std::int64_t>((x >> 16) % 8)};
}

std::string Line(std::int64_t now, int actor, const std::string& what) {
  return std::to_string(now) + ":" + std::to_string(actor) + " " + what;
}

class World {
 public:
  explicit World(std::uint64_t seed) : seed_(seed), digest_(sim_.bus()) {
    for (int i = 0; i < kActors; ++i) {
      boxes_.push_back(std::make_unique<Mailbox<int>>(sim_));
      Process& process = sim_.AddProcess("actor-" + std::to_string(i));
      process.OnStart([this, &process, i] { process.Spawn(Live(*this, i)); });
      process.Start();
    }
  }
  ~World() { sim_.Shutdown(); }

  bool Step() { return sim_.Step(); }
  std::int64_t now() const { return sim_.now().ns(); }
  std::uint64_t pending() const { return sim_.pending_work(); }
  const std::vector<std::string>& log() const { return log_; }
  std::string Digest() { return digest_.Final(sim_.decisions()); }

 private:
  void Log(int actor, const std::string& what) {
    log_.push_back(Line(now(), actor, what));
    sim_.Emit({EventKind::kStep, static_cast<std::uint64_t>(actor)}, PayloadRef());
  }
  void Restart(int actor, std::int64_t delay) {
    sim_.After(Nanoseconds(delay), TimerKind::kWork, "restart", [this, actor] {
      Process& process = *sim_.processes()[static_cast<std::size_t>(actor)];
      process.Kill();
      process.Start();
    });
  }

  static Task<void> Live(World& w, int actor) {
    int& done = w.done_[actor];
    while (done < kPlansPerActor) {
      const Plan plan = PlanOf(w.seed_, actor, done++);
      const Duration delay(plan.delay);
      if (plan.kind == Plan::kSleep) {
        co_await w.sim_.Sleep(delay);
        w.Log(actor, "slept");
      } else if (plan.kind == Plan::kReceive) {
        Mailbox<int>& box = *w.boxes_[static_cast<std::size_t>(actor)];
        const std::optional<int> item = co_await box.ReceiveFor(delay, TimerKind::kWork);
        w.Log(actor, item ? "got " + std::to_string(*item) : "waited");
      } else if (plan.kind == Plan::kSend) {
        w.boxes_[static_cast<std::size_t>(plan.target)]->Send(actor * 1000 + done);
      } else {
        w.Restart(plan.target, plan.delay);
      }
    }
    w.Log(actor, "ended");
  }

  std::uint64_t seed_;
  Simulation sim_{SimulationOptions()};
  sim::Digest digest_;
  std::vector<std::unique_ptr<Mailbox<int>>> boxes_;
  int done_[kActors] = {};
  std::vector<std::string> log_;
};

class Model {
 public:
  explicit Model(std::uint64_t seed) : seed_(seed) {
    for (int i = 0; i < kActors; ++i) Start(i);
  }

  bool Step() {
    while (!queue_.empty()) {
      const auto [key, entry] = *queue_.begin();
      queue_.erase(queue_.begin());
      if (!Live(entry)) continue;
      now_ = key.first;
      Run(entry);
      return true;
    }
    return false;
  }
  std::int64_t now() const { return now_; }
  std::uint64_t pending() const {
    return static_cast<std::uint64_t>(std::count_if(
        queue_.begin(), queue_.end(), [this](const auto& item) { return Live(item.second); }));
  }
  const std::vector<std::string>& log() const { return log_; }

 private:
  struct Entry {
    bool restart;
    int actor;
    int wait;  // the wait it is meant for
  };
  struct Actor {
    enum { kStarting, kSleeping, kReceiving, kEnded } state = kStarting;
    int wait = 0;  // rises with every wait that ends
    bool woken = false;
    int done = 0;
    std::deque<int> box;
  };

  bool Live(const Entry& e) const { return e.restart || actors_[e.actor].wait == e.wait; }
  void Push(std::int64_t delay, const Entry& e) { queue_[{now_ + delay, ++sequence_}] = e; }
  void Start(int actor) {
    Actor& a = actors_[actor];
    ++a.wait;
    a.state = Actor::kStarting;
    Push(0, {false, actor, a.wait});
  }
  void Log(int actor, const std::string& what) { log_.push_back(Line(now_, actor, what)); }
  void Wait(int actor, std::int64_t delay) {
    actors_[actor].woken = false;
    Push(delay, {false, actor, actors_[actor].wait});
  }
  void Receive(int actor) {
    Actor& a = actors_[actor];
    Log(actor, a.box.empty() ? "waited" : "got " + std::to_string(a.box.front()));
    if (!a.box.empty()) a.box.pop_front();
  }
  void Send(int to, int item) {
    Actor& a = actors_[to];
    a.box.push_back(item);
    if (a.state != Actor::kReceiving || std::exchange(a.woken, true)) return;
    Push(0, {false, to, a.wait});
  }
  void Run(const Entry& e) {
    if (e.restart) {
      Start(e.actor);
      return;
    }
    Actor& a = actors_[e.actor];
    ++a.wait;
    const auto was = std::exchange(a.state, Actor::kStarting);
    if (was == Actor::kSleeping) Log(e.actor, "slept");
    if (was == Actor::kReceiving) Receive(e.actor);
    while (a.done < kPlansPerActor) {
      const Plan plan = PlanOf(seed_, e.actor, a.done++);
      if (plan.kind == Plan::kSleep) {
        a.state = Actor::kSleeping;
        return Wait(e.actor, plan.delay);
      }
      if (plan.kind == Plan::kReceive) {
        if (a.box.empty()) {
          a.state = Actor::kReceiving;
          return Wait(e.actor, plan.delay);
        }
        Receive(e.actor);
      } else if (plan.kind == Plan::kSend) {
        Send(plan.target, e.actor * 1000 + a.done);
      } else {
        Push(plan.delay, {true, plan.target, 0});
      }
    }
    a.state = Actor::kEnded;
    Log(e.actor, "ended");
  }

  std::uint64_t seed_;
  std::int64_t now_ = 0;
  std::uint64_t sequence_ = 0;
  std::map<std::pair<std::int64_t, std::uint64_t>, Entry> queue_;
  Actor actors_[kActors];
  std::vector<std::string> log_;
};

TEST(RandomScript, AgreesWithAModelWithoutCoroutines) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    Model model(seed);
    for (;;) {
      const bool more = world.Step();
      ASSERT_EQ(more, model.Step());
      if (!more) break;
      ASSERT_EQ(world.now(), model.now());
      ASSERT_EQ(world.pending(), model.pending());
      ASSERT_EQ(world.log().size(), model.log().size());
      if (!model.log().empty()) {
        ASSERT_EQ(world.log().back(), model.log().back());
      }
    }
    EXPECT_EQ(world.log(), model.log());
    EXPECT_GT(model.log().size(), 1000u);
  }
}

TEST(RandomScript, SameSeedSameDigest) {
  const auto digest = [](std::uint64_t seed) {
    World world(seed);
    while (world.Step()) {
    }
    return world.Digest();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

TEST(RandomScript, SimulationsOnSeveralThreadsDoNotMix) {
  const auto run = [](std::string* digest) {
    World world(7);
    while (world.Step()) {
    }
    *digest = world.Digest();
  };
  std::string alone;
  run(&alone);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::string> digests(4);
    std::vector<std::thread> threads;
    for (std::string& digest : digests) threads.emplace_back(run, &digest);
    for (std::thread& t : threads) t.join();
    for (const std::string& digest : digests) EXPECT_EQ(digest, alone);
  }
}

// The recorded digest: any compiler, optimisation level and machine must give it again.
TEST(RandomScript, DigestIsTheSameEverywhere) {
  World world(7);
  while (world.Step()) {
  }
  EXPECT_EQ(world.Digest(), "2fe4b85c31e24b85576cdf77084cabd0");
}

}  // namespace
}  // namespace ksim::sim
