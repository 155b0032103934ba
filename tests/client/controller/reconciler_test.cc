#include "ksim/client/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/workqueue.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;

struct ScriptedReconciler : Reconciler {
  explicit ScriptedReconciler(World& w) : world(w) {}
  sim::Task<ReconcileResult> Reconcile(std::string) override {
    times.push_back(world.sim.now().ns() / 1'000'000);
    causes.push_back(world.sim.context().cause);
    running += 1;
    most = std::max(most, running);
    if (work > Duration()) co_await world.sim.Sleep(work);
    running -= 1;
    if (script.empty()) co_return ReconcileResult::Done();
    ReconcileResult r = script.front();
    script.erase(script.begin());
    co_return r;
  }
  World& world;
  Duration work;
  int running = 0, most = 0;
  std::vector<ReconcileResult> script;
  std::vector<std::int64_t> times;
  std::vector<std::uint64_t> causes;
};

struct ReconcilerFixture {
  explicit ReconcilerFixture(api::Compat compat = api::Compat::k1_30)
      : world(compat),
        queue(world.process, DefaultControllerRateLimiter(world.process)),
        reconciler(world),
        loop(*world.connection, "rs", queue, reconciler) {}
  ~ReconcilerFixture() { world.sim.Shutdown(); }
  World world;
  WorkQueue queue;
  ScriptedReconciler reconciler;
  ReconcileLoop loop;
};

// CLIENT-95, CLIENT-132
TEST(ReconcileLoop, PutsTheKeyBackAsTheResultSays) {
  struct Case {
    ReconcileResult result;
    std::vector<std::int64_t> times;
    int requeues_after;
  };
  const std::vector<Case> cases = {
      {ReconcileResult::Done(), {0}, 0},
      {ReconcileResult::Error("x"), {0, 5}, 0},
      {ReconcileResult::Requeue(), {0, 5}, 0},
      {ReconcileResult::Terminal("x"), {0}, 3},
      {ReconcileResult::RequeueAfter(Milliseconds(30)), {0, 30}, 0},
      {ReconcileResult::RequeueAfter(Duration()), {0}, 0},
  };
  for (const Case& c : cases) {
    ReconcilerFixture f;
    for (int i = 0; i < 3; ++i) {
      if (c.result.kind() == ReconcileResult::Kind::kTerminal) f.queue.AddRateLimited("q");
    }
    f.reconciler.script = {c.result};
    f.loop.Start(1);
    if (f.queue.NumRequeues("q") == 0) f.queue.Add("q");
    f.world.Settle();
    if (c.requeues_after == 0) {
      EXPECT_EQ(f.reconciler.times, c.times) << c.result.ToString();
    }
    EXPECT_EQ(f.reconciler.times.size(), c.times.size()) << c.result.ToString();
    EXPECT_EQ(f.queue.NumRequeues("q"), c.requeues_after) << c.result.ToString();
    EXPECT_TRUE(f.queue.idle());
  }
}

// CLIENT-132
TEST(ReconcileLoop, TerminalErrorsDoNotExistIn125) {
  ReconcilerFixture f(api::Compat::k1_25);
  f.reconciler.script = {ReconcileResult::Terminal("x")};
  f.loop.Start(1);
  f.queue.Add("q");
  f.world.Settle();
  EXPECT_EQ(f.reconciler.times.size(), 2u);
}

// CLIENT-132
TEST(ReconcileLoop, ErrorsCountOnUntilSuccess) {
  ReconcilerFixture f;
  f.reconciler.script = {ReconcileResult::Error("x"), ReconcileResult::Error("y"),
                         ReconcileResult::Requeue(), ReconcileResult::Done()};
  f.loop.Start(1);
  f.queue.Add("q");
  f.world.Settle();
  EXPECT_THAT(f.reconciler.times, ElementsAre(0, 5, 15, 35));
  EXPECT_EQ(f.queue.NumRequeues("q"), 0);
}

// CLIENT-133
TEST(ReconcileLoop, WorkersRunSideBySideButNeverOnOneKey) {
  ReconcilerFixture f;
  f.reconciler.work = Milliseconds(10);
  f.loop.Start(3);
  for (const char* key : {"a", "b", "c", "d"}) f.queue.Add(key);
  f.world.Advance(Milliseconds(5));
  f.queue.Add("a");
  f.world.Settle();
  EXPECT_EQ(f.reconciler.most, 3);
  EXPECT_THAT(f.reconciler.times, ElementsAre(0, 0, 0, 10, 10));
}

TEST(ReconcileLoop, EmitsBeginAndEndAndBeginIsTheCauseInside) {
  ReconcilerFixture f;
  f.reconciler.script = {ReconcileResult::Error("boom")};
  f.loop.Start(1);
  f.queue.Add("default/q");
  f.world.Settle();
  EXPECT_THAT(f.world.Events(sim::EventKind::kReconcile),
              ElementsAre("rs default/q begin ", "rs default/q end error: boom",
                          "rs default/q begin ", "rs default/q end ok"));
  EXPECT_EQ(f.world.events.at(0).actor.name(), "kcm/rs");
  EXPECT_THAT(f.reconciler.causes, ElementsAre(1, 3));
  EXPECT_EQ(f.world.events.at(1).cause, 1u);
  EXPECT_EQ(f.world.events.at(2).cause, 2u);  // the failed call is why it runs again
}

TEST(ReconcileLoop, WorkersWaitForTheInformers) {
  ReconcilerFixture f;
  InformerFactory factory(*f.world.connection, ClientOptions(), Duration());
  SharedInformer& pods = factory.For(f.world.pods());
  f.loop.Start(1, {&pods});
  f.queue.Add("q");
  f.world.Advance(Milliseconds(250));
  EXPECT_TRUE(f.reconciler.times.empty());
  factory.Start();
  f.world.Settle();
  EXPECT_THAT(f.reconciler.times, ElementsAre(300));
  f.world.sim.Shutdown();
}

// CLIENT-133
TEST(ReconcileLoop, AProcessWhoseCachesDoNotFillInTimeEndsItself) {
  for (const bool filled : {false, true}) {
    ReconcilerFixture f;
    std::vector<std::int64_t> exits;
    f.world.env.exit = [&](sim::Process& process) {
      EXPECT_EQ(&process, &f.world.process);
      exits.push_back(f.world.sim.now().ns() / 1'000'000);
      process.Kill();
    };
    InformerFactory factory(*f.world.connection, ClientOptions(), Duration());
    f.loop.Start(1, {&factory.For(f.world.pods())}, Minutes(2));
    f.queue.Add("q");
    f.world.Advance(Minutes(2) - Seconds(1));
    if (filled) factory.Start();
    f.world.Advance(Minutes(1));
    EXPECT_EQ(f.world.process.alive(), filled);
    EXPECT_EQ(exits, filled ? std::vector<std::int64_t>() : std::vector<std::int64_t>{120'000});
    EXPECT_EQ(f.reconciler.times.size(), filled ? 1u : 0u);
    f.world.sim.Shutdown();
  }
}

// CLIENT-39
TEST(SplitKey, OneOrTwoParts) {
  for (const auto& [key, ns, name] : {std::tuple("default/a", "default", "a"),
                                      std::tuple("node-1", "", "node-1"), std::tuple("", "", "")}) {
    const absl::StatusOr<ObjectKey> split = SplitKey(key);
    ASSERT_TRUE(split.ok()) << key;
    EXPECT_EQ(split->ns, ns);
    EXPECT_EQ(split->name, name);
  }
  EXPECT_EQ(SplitKey("a/b/c").status().message(), R"(unexpected key format: "a/b/c")");
}

}  // namespace
}  // namespace ksim::client
