// The end of informers and handlers, and the immutability of cached objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "ksim/client/cache/shared_informer.h"
#include "ksim/client/core/items_hash.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct InformerLifeFixture {
  explicit InformerLifeFixture(api::Compat compat)
      : world(compat),
        factory(*world.connection, ClientOptions(), Duration()),
        pods(factory.For(world.pods())) {}
  ~InformerLifeFixture() { world.sim.Shutdown(); }
  int Handle(RecordingHandler& handler, std::string_view part = "a") {
    return pods.AddHandler(world.process.PartActor(part), &handler);
  }
  void Start() {
    factory.Start();
    world.Settle();
  }
  World world;
  InformerFactory factory;
  SharedInformer& pods;
};

class InformerLife : public testing::TestWithParam<api::Compat> {};
INSTANTIATE_TEST_SUITE_P(Compat, InformerLife, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

struct Throwing : RecordingHandler {
  void OnAdd(const api::Object& o, bool initial) override {
    times.emplace_back(o.name(), sim->now());
    if (o.name() == "bad") throw std::runtime_error("a handler's bug");
    RecordingHandler::OnAdd(o, initial);
  }
  const sim::Simulation* sim = nullptr;
  std::vector<std::pair<std::string, VirtualTime>> times;
};

// CLIENT-59: a handler that throws loses this call, and only this handler does. The queued
// notifications come a second later; later ones wait a second only since 0.33, which pauses before
// the next call.
TEST_P(InformerLife, AHandlerThatThrowsLosesTheCallAndASecond) {
  InformerLifeFixture f(GetParam());
  f.world.env.recover_panics = true;
  Throwing bad;
  bad.sim = &f.world.sim;
  RecordingHandler other;
  f.pods.AddHandler(f.world.process.PartActor("bad"), &bad);
  f.Handle(other, "other");
  f.Start();
  const VirtualTime start = f.world.sim.now();
  f.world.server.Put("bad");
  f.world.server.Put("next");
  f.world.Advance(Milliseconds(10));
  EXPECT_THAT(bad.calls, IsEmpty());
  EXPECT_EQ(other.calls.size(), 2u) << "another handler waits for nothing";
  f.world.Advance(Seconds(1));
  EXPECT_THAT(bad.Take(), ElementsAre("add default/next@2"));
  ASSERT_EQ(bad.times.size(), 2u);
  EXPECT_EQ(bad.times[1].second - bad.times[0].second, Seconds(1));
  EXPECT_LT(bad.times[0].second - start, Milliseconds(10));

  f.world.server.Remove("bad");
  f.world.server.Put("bad");
  f.world.Advance(Seconds(5));
  f.world.server.Put("late");
  f.world.Advance(Milliseconds(10));
  const bool pauses_before_next = GetParam() == api::Compat::k1_36;
  EXPECT_EQ(bad.fold.contains("default/late"), !pauses_before_next);
  f.world.Advance(Seconds(1));
  EXPECT_TRUE(bad.fold.contains("default/late"));
}

// CLIENT-59: an initial add that throws never counts as returned.
TEST(InformerPanic, AHandlerThatThrewInItsInitialListNeverSyncs) {
  InformerLifeFixture f(api::Compat::k1_36);
  f.world.env.recover_panics = true;
  Throwing bad;
  bad.sim = &f.world.sim;
  const int registration = f.pods.AddHandler(f.world.process.PartActor("bad"), &bad);
  f.world.server.Put("bad");
  f.Start();
  f.world.Advance(Seconds(5));
  EXPECT_TRUE(f.pods.HasSynced());
  EXPECT_FALSE(f.pods.HasSynced(registration));
}

// CLIENT-67
TEST_P(InformerLife, RunASecondTimeIsIgnored) {
  InformerLifeFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.world.server.Put("a");
  auto& informer = static_cast<SharedIndexInformer&>(f.pods);
  informer.Start();
  informer.Start();
  f.world.Settle();
  informer.Start();
  f.world.Settle();
  EXPECT_EQ(f.world.Events(sim::EventKind::kRelist).size(), 1u);
  EXPECT_EQ(f.world.server.open_streams(), 1u);
  EXPECT_EQ(h.calls.size(), 1u);
}

// CLIENT-67: an informer ends with its process, which may drop notifications that are still queued
// for a handler.
TEST_P(InformerLife, QueuedNotificationsAreDroppedWithTheProcess) {
  InformerLifeFixture f(GetParam());
  RecordingHandler h;
  f.Handle(h);
  f.Start();
  for (int i = 0; i < 40; ++i) f.world.server.Put("a");
  while (h.calls.empty()) ASSERT_TRUE(f.world.sim.Step());
  f.world.process.Kill();
  const std::size_t told = h.calls.size();
  EXPECT_LT(told, 40u);
  f.world.Settle();
  EXPECT_EQ(h.calls.size(), told);
  EXPECT_EQ(f.world.server.open_streams(), 0u);
  EXPECT_EQ(f.world.sim.pending_work(), 0u);
}

// CLIENT-70, CLIENT-73: a lister returns the cached object itself, and no caller can change the
// cache, since a change makes another tree. A mutation detector has nothing to find.
TEST_P(InformerLife, WhatIsReadCannotChangeTheCache) {
  InformerLifeFixture f(GetParam());
  f.world.server.Put("a");
  f.world.server.Put("b");
  f.Start();
  const std::vector<api::Object> before = f.pods.lister().List("");
  const std::uint64_t hash = ItemsHash(before);
  const std::uint64_t content = before[0].Hash();
  EXPECT_TRUE(f.pods.lister().Get("default", "a").SameVersion(before[0]));
  static const value::Path kLabel{"metadata", "labels", "changed"};
  api::Object mine = before[0];
  mine = api::Object::FromTree(mine.tree().Set(kLabel, value::Value::Of("yes")), 99);
  EXPECT_NE(mine.Hash(), content);
  EXPECT_EQ(f.pods.lister().Get("default", "a").Hash(), content);
  EXPECT_EQ(before[0].Hash(), content) << "nor does it change what was read before";
  EXPECT_EQ(ItemsHash(f.pods.lister().List("")), hash);
}

}  // namespace
}  // namespace ksim::client
