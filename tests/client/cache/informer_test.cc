#include "ksim/client/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/items_hash.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct InformerFixture {
  explicit InformerFixture(api::Compat compat = api::Compat::k1_30, Duration resync = {},
                           std::uint64_t seed = 1)
      : world(compat, seed),
        factory(*world.connection, ClientOptions(), resync),
        pods(factory.For(world.pods())) {}
  ~InformerFixture() { world.sim.Shutdown(); }
  int Handle(RecordingHandler& handler, std::string_view part = "a", Duration resync = {}) {
    return pods.AddHandler(world.process.PartActor(part), &handler, resync);
  }
  void Start() {
    factory.Start();
    world.Settle();
  }
  World world;
  InformerFactory factory;
  SharedInformer& pods;
};

class InformerTest : public testing::TestWithParam<api::Compat> {};
INSTANTIATE_TEST_SUITE_P(Compat, InformerTest, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CLIENT-55
TEST_P(InformerTest, TellsHandlersOfTheListThenOfEveryChange) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.world.server.Put("a");
  f.Start();
  const bool flagged = GetParam() != api::Compat::k1_25;
  EXPECT_THAT(h.Take(), ElementsAre(flagged ? "add default/a@1 initial" : "add default/a@1"));
  f.world.server.Put("b");
  f.world.Settle();
  f.world.server.Put("a");
  f.world.Settle();
  f.world.server.Remove("b");
  f.world.Settle();
  EXPECT_THAT(h.Take(),
              ElementsAre("add default/b@2", "update default/a@1->3", "delete default/b@4"));
  EXPECT_THAT(Keys(f.pods.lister().List("")), ElementsAre("default/a"));
  EXPECT_THAT(h.complaints, IsEmpty());
}

// CLIENT-65
TEST_P(InformerTest, HasSyncedOnlyOnceTheFirstListIsApplied) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  const int registration = f.Handle(h);
  f.world.server.Put("a");
  EXPECT_FALSE(f.pods.HasSynced());
  f.factory.Start();
  f.world.Advance(Microseconds(1500));
  EXPECT_FALSE(f.pods.HasSynced());
  f.world.Settle();
  EXPECT_TRUE(f.pods.HasSynced());
  EXPECT_TRUE(f.pods.HasSynced(registration));
}

// CLIENT-46
TEST_P(InformerTest, EmptyResourceSyncs) {
  InformerFixture f(GetParam());
  f.Start();
  EXPECT_TRUE(f.pods.HasSynced());
}

TEST_P(InformerTest, CausesRunFromTheWireToTheHandler) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.Start();
  f.world.server.Put("a");
  f.world.Settle();
  const sim::Event& handler = f.world.events.back();
  ASSERT_EQ(handler.kind, sim::EventKind::kHandler);
  EXPECT_EQ(handler.actor.name(), "kcm/a");
  const sim::Event& deliver = f.world.EventOf(handler.cause);
  EXPECT_EQ(deliver.kind, sim::EventKind::kDeliver);
  EXPECT_EQ(deliver.actor.name(), "kcm");
  const auto& p = handler.payload.As<HandlerPayload>();
  EXPECT_EQ(p.informer, "kcm pods");
  EXPECT_EQ(p.object.key(), "default/a");
}

TEST_P(InformerTest, RelistEndsWithACacheEventThatEqualsTheList) {
  InformerFixture f(GetParam());
  f.world.server.Put("a");
  f.world.server.Put("b");
  f.Start();
  const std::string asked = GetParam() == api::Compat::k1_36 ? "" : "0";
  EXPECT_THAT(f.world.Events(sim::EventKind::kRelist),
              ElementsAre("kcm pods rv=" + asked + " got=2 items=2 requests=1 start"));
  EXPECT_THAT(f.world.Events(sim::EventKind::kCache), ElementsAre("kcm pods rv=2 items=2"));
  std::uint64_t relist = 0, cache = 1;
  for (const sim::Event& e : f.world.events) {
    if (e.kind == sim::EventKind::kRelist) relist = e.payload.As<RelistPayload>().items_hash;
    if (e.kind == sim::EventKind::kCache) cache = e.payload.As<CachePayload>().items_hash;
  }
  EXPECT_EQ(relist, cache);
  f.factory.EmitCacheEvents(7);
  EXPECT_EQ(f.world.events.back().cause, 7u);
  EXPECT_EQ(f.world.events.back().payload.As<CachePayload>().items_hash, cache);
}

TEST_P(InformerTest, WaitingForEventsIsNotWork) {
  InformerFixture f(GetParam());
  f.Start();
  EXPECT_EQ(f.world.sim.pending_work(), 0u);
  EXPECT_EQ(f.pods.pending(), 0u);
}

TEST_P(InformerTest, BackgroundEventStaysBackgroundUpToTheHandler) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.Start();
  f.world.sim.context().background = true;
  f.world.server.Put("a");
  f.world.sim.context().background = false;
  while (h.calls.empty()) {
    EXPECT_EQ(f.world.sim.pending_work(), 0u);
    ASSERT_TRUE(f.world.sim.Step());
  }
  EXPECT_TRUE(f.world.events.back().background);
}

// CLIENT-63, CLIENT-64
TEST_P(InformerTest, LateHandlerFirstGetsTheCacheThenWhatComes) {
  InformerFixture f(GetParam());
  f.world.server.Put("a");
  f.world.server.Put("b");
  f.Start();
  RecordingHandler late;
  const int registration = f.Handle(late, "late");
  EXPECT_EQ(f.pods.HasSynced(registration), GetParam() == api::Compat::k1_25);
  f.world.server.Put("a");
  f.world.Settle();
  const bool flagged = GetParam() != api::Compat::k1_25;
  EXPECT_THAT(late.Take(), ElementsAre(flagged ? "add default/a@1 initial" : "add default/a@1",
                                       flagged ? "add default/b@2 initial" : "add default/b@2",
                                       "update default/a@1->3"));
  EXPECT_TRUE(f.pods.HasSynced(registration));
}

// CLIENT-57, CLIENT-58
TEST_P(InformerTest, HandlersEachGetEverythingInOrderOneCallAtATime) {
  InformerFixture f(GetParam());
  RecordingHandler one, two;
  f.Handle(one, "one");
  f.Handle(two, "two");
  f.Start();
  for (int i = 0; i < 40; ++i) f.world.server.Put(i % 3 == 0 ? "a" : "b");
  f.world.Settle();
  EXPECT_EQ(one.calls.size(), 40u);
  EXPECT_EQ(one.calls, two.calls);
  EXPECT_THAT(one.complaints, IsEmpty());
}

// CLIENT-56
TEST_P(InformerTest, CacheIsNeverBehindTheHandler) {
  struct Checker : RecordingHandler {
    void OnAdd(const api::Object& o, bool initial) override {
      RecordingHandler::OnAdd(o, initial);
      behind = behind || lister->Get("default", o.name()).resource_version() < o.resource_version();
    }
    void OnUpdate(const api::Object& a, const api::Object& o) override {
      RecordingHandler::OnUpdate(a, o);
      behind = behind || lister->Get("default", o.name()).resource_version() < o.resource_version();
    }
    const Lister* lister = nullptr;
    bool behind = false;
  };
  InformerFixture f(GetParam());
  Checker h;
  h.lister = &f.pods.lister();
  f.Handle(h);
  f.Start();
  for (int i = 0; i < 20; ++i) f.world.server.Put(std::string(1, static_cast<char>('a' + i % 4)));
  f.world.Settle();
  EXPECT_EQ(h.calls.size(), 20u);
  EXPECT_FALSE(h.behind);
}

// CLIENT-60, CLIENT-61
TEST_P(InformerTest, RelistOfUnchangedObjectsIsToldToAllWhenNobodyResyncs) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.world.server.Put("a");
  f.Start();
  h.Take();
  f.world.server.SendError(api::Expired("x"));
  f.world.Settle();
  EXPECT_THAT(h.Take(), ElementsAre("update default/a@1->1"));
}

// CLIENT-27, CLIENT-60, CLIENT-61, CLIENT-62
TEST_P(InformerTest, ResyncReachesOnlyHandlersThatAreDue) {
  InformerFixture f(GetParam(), Hours(1));
  RecordingHandler minute, ten_minutes, never;
  f.Handle(minute, "minute", Minutes(1));
  f.Handle(ten_minutes, "ten", Minutes(10));
  f.Handle(never, "never", Duration(-1));
  f.world.server.Put("a");
  f.factory.Start();
  f.world.Advance(Seconds(1));
  minute.Take(), ten_minutes.Take(), never.Take();
  f.world.Advance(Minutes(5));
  EXPECT_EQ(minute.Take().size(), 5u);
  EXPECT_THAT(ten_minutes.Take(), IsEmpty());
  f.world.Advance(Minutes(6));
  EXPECT_THAT(ten_minutes.Take(), ElementsAre("update default/a@1->1"));
  EXPECT_THAT(never.Take(), IsEmpty());
  EXPECT_EQ(f.world.server.log.size(), f.world.server.requests.size());
}

// CLIENT-62
TEST_P(InformerTest, ResyncPeriodsAreAtLeastASecondAndLateOnesAtLeastTheCheckPeriod) {
  InformerFixture f(GetParam(), Minutes(1));
  RecordingHandler early, late;
  f.Handle(early, "early", Milliseconds(1));
  f.world.server.Put("a");
  f.factory.Start();
  f.world.Advance(Milliseconds(100));
  early.Take();
  f.world.Advance(Seconds(10));
  EXPECT_EQ(early.Take().size(), 10u);

  InformerFixture g(GetParam(), Minutes(1));
  g.world.server.Put("a");
  g.factory.Start();
  g.world.Advance(Milliseconds(100));
  g.Handle(late, "late", Seconds(1));
  g.world.Advance(Milliseconds(100));
  late.Take();
  g.world.Advance(Seconds(59));
  EXPECT_THAT(late.Take(), IsEmpty());
}

// CLIENT-72, CLIENT-43, CLIENT-52, G-NL2, G-NL3
TEST_P(InformerTest, DeletionMissedInAGapIsATombstoneWithTheLastKnownState) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.world.server.Put("a");
  f.world.server.Put("b");
  f.Start();
  h.Take();
  f.world.server.up = false;
  f.world.server.EndStreams(api::StreamEnd::kReset);
  f.world.server.Remove("a");
  f.world.server.Put("c");
  f.world.server.Compact();
  f.world.Advance(Milliseconds(3));
  f.world.server.up = true;
  f.world.Settle();
  const std::vector<std::string> told = h.Take();
  if (GetParam() == api::Compat::k1_36) {  // deletes first, then list order
    EXPECT_THAT(told, ElementsAre("delete default/a@1 tombstone", "update default/b@2->2",
                                  "add default/c@4"));
  } else {
    EXPECT_THAT(told, ElementsAre("update default/b@2->2", "add default/c@4",
                                  "delete default/a@1 tombstone"));
  }
  EXPECT_THAT(Keys(f.pods.lister().List("")), ElementsAre("default/b", "default/c"));
  EXPECT_THAT(h.complaints, IsEmpty());
}

// G-NL4
TEST_P(InformerTest, DeleteAndRecreateInAGapIsOneUpdateWithAnotherUid) {
  InformerFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.world.server.Put("a");
  f.Start();
  h.Take();
  f.world.server.EndStreams(api::StreamEnd::kEof);
  f.world.server.Recreate("a");
  f.world.server.Compact();
  f.world.Settle();
  EXPECT_THAT(h.Take(), ElementsAre("update default/a@1->3"));
  EXPECT_EQ(f.pods.lister().Get("default", "a").uid(), "u2");
}

// CLIENT-66
TEST(Informer, RemovedHandlerIsToldNothingMore) {
  InformerFixture f;
  RecordingHandler h, other;
  const int registration = f.Handle(h);
  f.Handle(other, "other");
  f.Start();
  f.pods.RemoveHandler(registration);
  f.pods.RemoveHandler(registration);
  f.pods.RemoveHandler(99);
  f.world.server.Put("a");
  f.world.Settle();
  EXPECT_THAT(h.calls, IsEmpty());
  EXPECT_EQ(other.calls.size(), 1u);
}

// CLIENT-69
TEST(InformerFactory, OneInformerAResourceAndStartIsIdempotent) {
  InformerFixture f;
  EXPECT_EQ(&f.factory.For(f.world.pods()), &f.pods);
  f.Start();
  f.Start();
  EXPECT_EQ(f.world.Events(sim::EventKind::kRelist).size(), 1u);
  SharedInformer& nodes = f.factory.For(f.world.kinds.ByResource("", "nodes"));
  f.world.Settle();
  EXPECT_FALSE(nodes.HasSynced());
  f.Start();
  EXPECT_TRUE(nodes.HasSynced());
  EXPECT_THAT(f.factory.informers(), ElementsAre(&nodes, &f.pods));
}

// CLIENT-69
TEST(InformerFactory, AnInformerMayHaveAResyncPeriodOfItsOwn) {
  World world(api::Compat::k1_30);
  world.server.Put("a");
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  InformerOptions options;
  options.resync = Seconds(10);
  RecordingHandler often, never;
  factory.For(world.pods(), options).AddHandler(world.process.PartActor("a"), &often);
  SharedInformer& nodes = factory.For(world.kinds.ByResource("", "nodes"));
  nodes.AddHandler(world.process.PartActor("b"), &never);
  factory.Start();
  world.Advance(Seconds(35));
  EXPECT_EQ(often.calls.size(), 4u);  // as it is added, and three times more
  EXPECT_EQ(never.calls.size(), 1u);
  world.sim.Shutdown();
}

// CLIENT-65
TEST(InformerFactory, WaitForCacheSyncAsksEvery100Milliseconds) {
  struct Waiter {
    explicit Waiter(InformerFixture& fixture) : f(fixture) {}
    sim::Task<void> Run() {
      synced = co_await f.factory.WaitForCacheSync();
      at = f.world.sim.now().ns() / 1'000'000;
    }
    InformerFixture& f;
    bool synced = false;
    std::int64_t at = -1;
  };
  InformerFixture f;
  Waiter waiter(f);
  f.world.Run(waiter.Run());
  f.world.Advance(Milliseconds(120));
  f.factory.Start();
  f.world.Settle();
  EXPECT_TRUE(waiter.synced);
  EXPECT_EQ(waiter.at, 200);
}

// CLIENT-104
TEST(InformerFactory, ResyncPeriodIsDrawnBetween12And24Hours) {
  std::set<std::int64_t> periods;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world(api::Compat::k1_30, seed);
    const Duration period = DrawResyncPeriod(*world.connection);
    EXPECT_GE(period, Hours(12));
    EXPECT_LT(period, Hours(24));
    periods.insert(period.ns());
  }
  EXPECT_GT(periods.size(), 15u);
}

// CLIENT-71
TEST(Informer, StoreVersionIsToldIn136Only) {
  InformerFixture f(api::Compat::k1_36);
  f.world.server.Put("a");
  f.Start();
  EXPECT_EQ(f.pods.lister().last_synced_resource_version(), 1);
  f.world.server.Put("b");
  f.world.Settle();
  EXPECT_EQ(f.pods.lister().last_synced_resource_version(), 2);
  f.world.server.Remove("b");
  f.world.Settle();
  EXPECT_EQ(f.pods.lister().last_synced_resource_version(), 3);
  f.world.server.set_rv(9);
  f.world.server.SendBookmark();
  f.world.Settle();
  EXPECT_EQ(f.pods.lister().last_synced_resource_version(), 9);
  InformerFixture g(api::Compat::k1_30);
  g.world.server.Put("a");
  g.Start();
  EXPECT_EQ(g.pods.lister().last_synced_resource_version(), 0);
}

// CLIENT-71: without atomic entries the store knows no version.
TEST(Informer, OneByOneTheStoreHasNoVersionAndARelistIsSeenHalfDone) {
  World world(api::Compat::k1_36);
  world.env.variants = api::ResolveVariants(api::Compat::k1_36, {{"realfifo.replace", "oneByOne"}});
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  SharedInformer& pods = factory.For(world.pods());
  struct Counter : RecordingHandler {
    void OnAdd(const api::Object& o, bool initial) override {
      RecordingHandler::OnAdd(o, initial);
      least = std::min(least, lister->size());
    }
    const Lister* lister = nullptr;
    std::size_t least = 100;
  } counter;
  counter.lister = &pods.lister();
  pods.AddHandler(world.process.PartActor("a"), &counter);
  world.server.Put("a");
  world.server.Put("b");
  factory.Start();
  world.Settle();
  EXPECT_EQ(counter.calls.size(), 2u);
  EXPECT_EQ(counter.least, 1u) << "the second object was not in the cache yet";
  EXPECT_EQ(pods.lister().last_synced_resource_version(), 0);
  world.sim.Shutdown();
}

TEST(Informer, LongQueuesTakeFewSteps) {
  InformerFixture f(api::Compat::k1_30);
  RecordingHandler h;
  f.Handle(h);
  for (int i = 0; i < 5000; ++i) f.world.server.Put("p" + std::to_string(i));
  const std::uint64_t before = f.world.sim.steps();
  f.Start();
  EXPECT_EQ(h.calls.size(), 5000u);
  EXPECT_LT(f.world.sim.steps() - before, 4000u);
}

TEST(ItemsHash, IsOfTheSetNotOfItsOrder) {
  const std::vector<api::Object> a = {Pod("a", 1), Pod("b", 2)};
  const std::vector<api::Object> b = {Pod("b", 2), Pod("a", 1)};
  EXPECT_EQ(ItemsHash(a), ItemsHash(b));
  EXPECT_NE(ItemsHash(a), ItemsHash({Pod("a", 1), Pod("b", 3)}));
  EXPECT_NE(ItemsHash(a), ItemsHash({Pod("a", 1), Pod("b", 2, "other")}));
  EXPECT_NE(ItemsHash(a), ItemsHash({Pod("a", 1)}));
}

}  // namespace
}  // namespace ksim::client
