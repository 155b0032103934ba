// The calls of a transform and the consequences of its errors, by version.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/informer.h"
#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Marks each object, and notes its calls.
struct Marker {
  TransformFunc Func() {
    return [this](const api::Object& o, bool tombstone) -> absl::StatusOr<api::Object> {
      asked.push_back(
          fmt::format("{}@{}{}", o.name(), o.resource_version(), tombstone ? " tombstone" : ""));
      if (o.name() == refused) return absl::InvalidArgumentError("not this one");
      static const value::Path kMark{"metadata", "labels", "marked"};
      return api::Object::FromTree(o.tree().Set(kMark, value::Value::Of("yes")),
                                   o.resource_version());
    };
  }
  std::vector<std::string> Take() { return std::exchange(asked, {}); }
  std::vector<std::string> asked;
  std::string refused;  // a name
};

// A handler that checks that every object is marked.
struct MarkedOnly : RecordingHandler {
  void OnAdd(const api::Object& o, bool initial) override {
    RecordingHandler::OnAdd(o, initial);
    unmarked = unmarked || o.Label("marked") != "yes";
  }
  void OnUpdate(const api::Object& a, const api::Object& b) override {
    RecordingHandler::OnUpdate(a, b);
    unmarked = unmarked || a.Label("marked") != "yes" || b.Label("marked") != "yes";
  }
  void OnDelete(const Deleted& d) override {
    RecordingHandler::OnDelete(d);
    unmarked = unmarked || d.object.Label("marked") != "yes";
  }
  bool unmarked = false;
};

struct TransformTest : testing::TestWithParam<api::Compat> {
  TransformTest()
      : world(GetParam()),
        factory(*world.connection, ClientOptions(), Hours(1)),
        pods(factory.For(world.pods())) {
    pods.SetTransform(marker.Func());
    pods.AddHandler(world.process.PartActor("a"), &handler, Minutes(1));
  }
  ~TransformTest() override { world.sim.Shutdown(); }
  void Start() {
    factory.Start();
    world.Settle();
  }
  bool v125() const { return GetParam() == api::Compat::k1_25; }
  bool v136() const { return GetParam() == api::Compat::k1_36; }

  Marker marker;
  MarkedOnly handler;
  World world;
  InformerFactory factory;
  SharedInformer& pods;
};

INSTANTIATE_TEST_SUITE_P(Compat, TransformTest, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CLIENT-54
TEST_P(TransformTest, IsAskedOfWhatComesAndUpTo130OfTombstonesAndResyncsToo) {
  using Calls = std::vector<std::string>;
  FakeServer& server = world.server;
  server.Put("a");
  Start();
  // The reflector transforms a watch-list's initial state in its private store and again in
  // Replace.
  EXPECT_EQ(marker.Take(), v136() ? Calls({"a@1", "a@1"}) : Calls({"a@1"}));
  server.Put("b");
  world.Settle();
  server.Put("b");
  world.Settle();
  server.Remove("b");
  world.Settle();
  EXPECT_THAT(marker.Take(), ElementsAre("b@2", "b@3", "b@4"));
  world.Advance(Minutes(1));
  EXPECT_EQ(marker.Take(), v136() ? Calls() : Calls({"a@1"})) << "a resync";
  server.up = false;
  server.EndStreams(api::StreamEnd::kReset);
  server.Remove("a");
  server.Compact();
  world.Advance(Milliseconds(3));
  server.up = true;
  world.Advance(Seconds(10));
  EXPECT_EQ(marker.Take(), v136() ? Calls() : Calls({"a@1 tombstone"}));
  EXPECT_THAT(handler.calls, testing::Contains("delete default/a@1 tombstone"));
  EXPECT_FALSE(handler.unmarked);
  EXPECT_THAT(handler.complaints, IsEmpty());
}

// CLIENT-54
TEST_P(TransformTest, TheCacheHoldsWhatItReturns) {
  world.server.Put("a");
  Start();
  EXPECT_EQ(pods.lister().Get("default", "a").Label("marked"), "yes");
  EXPECT_EQ(pods.lister().Get("default", "a").resource_version(), 1);
}

// CLIENT-54, CLIENT-19: an event that the transform refuses is lost, and the reflector's version
// moves on.
TEST_P(TransformTest, AnErrorDropsTheEventOnly) {
  Start();
  marker.refused = "bad";
  world.server.Put("bad");
  world.server.Put("good");
  world.Settle();
  EXPECT_THAT(handler.Take(), ElementsAre("add default/good@2"));
  EXPECT_EQ(pods.last_sync_resource_version(), "2");
  EXPECT_EQ(world.server.log.size(), v136() ? 1u : 2u) << "nothing is asked of the server again";
  marker.refused.clear();
  world.server.Put("bad");
  world.Settle();
  EXPECT_THAT(handler.Take(), ElementsAre("add default/bad@3"));
}

// CLIENT-54: 1.25 transforms behind the queue, which hands over a key's queued deltas together: a
// failure drops the deltas behind it too.
TEST_P(TransformTest, AnErrorIn125TakesTheKeysNextDeltasAlong) {
  Start();
  int calls = 0;
  InformerFactory other(*world.connection, ClientOptions(), Duration());
  SharedInformer& informer = other.For(world.pods());
  informer.SetTransform([&calls](const api::Object& o, bool) -> absl::StatusOr<api::Object> {
    if (++calls == 2) return absl::InvalidArgumentError("the second");
    return o;
  });
  RecordingHandler told;
  informer.AddHandler(world.process.PartActor("b"), &told);
  other.Start();
  world.Settle();
  for (int i = 0; i < 3; ++i) world.server.Put("a");  // arrive at one time
  world.Settle();
  EXPECT_EQ(calls, v125() ? 2 : 3);
  if (v125()) {
    EXPECT_THAT(told.calls, ElementsAre("add default/a@1"));
  } else {
    EXPECT_THAT(told.calls, ElementsAre("add default/a@1", "update default/a@1->3"));
  }
  world.sim.Shutdown();
}

// CLIENT-54: a transform error refuses the whole list, and the reflector lists again after a
// back-off.
TEST_P(TransformTest, AnErrorFailsAList) {
  world.env.jitter = false;
  world.server.watch_list = false;
  world.server.Put("a");
  world.server.Put("bad");
  world.server.Put("c");
  marker.refused = "bad";
  factory.Start();
  world.Advance(Milliseconds(500));
  world.server.log.clear();
  if (v125()) {
    EXPECT_TRUE(pods.HasSynced()) << "the list is in, but for the object";
    EXPECT_THAT(handler.Take(), ElementsAre("add default/a@1", "add default/c@3"));
    return;
  }
  EXPECT_FALSE(pods.HasSynced());
  EXPECT_EQ(pods.last_sync_resource_version(), "");
  // DeltaFIFO has queued the items before the failed one; an atomic entry is whole or absent.
  EXPECT_EQ(handler.Take().size(), v136() ? 0u : 1u);
  marker.refused.clear();
  world.Advance(Seconds(1));
  EXPECT_THAT(world.server.log, testing::Contains("list rv=0 limit=500"));
  EXPECT_TRUE(pods.HasSynced());
  EXPECT_EQ(pods.lister().size(), 3u);
}

}  // namespace
}  // namespace ksim::client
