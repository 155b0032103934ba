#include "ksim/client/event_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/record/event_correlator.h"
#include "ksim/client/record/lru_cache.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

struct EventRecorderFixture {
  explicit EventRecorderFixture(api::Compat compat = api::Compat::k1_30,
                                EventRecorder::Api api = EventRecorder::Api::kCore)
      : world(compat),
        recorder(*world.connection, world.process.PartActor("rs"), "replicaset-controller",
                 "node-1", api) {}
  ~EventRecorderFixture() { world.sim.Shutdown(); }
  void Say(std::string_view message, std::string_view type = "Normal") {
    recorder.Event(Pod("a", 7), type, "Because", message, "Binding", "spec.containers{c}");
  }
  // Verbs in order, with the count a write carries: "create 1", "patch 2".
  std::vector<std::string> Writes() {
    std::vector<std::string> out;
    for (const api::Request& r : std::exchange(world.server.requests, {})) {
      const Value& series = r.body.Get("series");
      const Value& count = series.is_null() ? r.body.Get("count") : series.Get("count");
      out.push_back(fmt::format("{} {}", api::ToString(r.verb), count.AsInt()));
    }
    return out;
  }
  World world;
  EventRecorder recorder;
};

// CLIENT-124
TEST(EventRecorder, MakesACoreEventInTheBackground) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    EventRecorderFixture f(compat);
    f.world.Advance(Seconds(3));
    f.Say("Created pod: x");
    EXPECT_THAT(f.world.server.requests, IsEmpty());
    EXPECT_EQ(f.world.sim.pending_work(), 0u);
    f.world.Advance(Milliseconds(5));
    ASSERT_EQ(f.world.server.requests.size(), 1u);
    const api::Request& r = f.world.server.requests[0];
    EXPECT_EQ(r.actor.name(), "kcm/rs");
    EXPECT_EQ(r.ns, "default");
    EXPECT_EQ(r.name, fmt::format("a.{:x}", (kEpochUnixSeconds + 3) * 1'000'000'000));
    const Value& e = r.body;
    EXPECT_EQ(e.Get("kind").AsString(), "Event");
    EXPECT_EQ(e.Get("reason").AsString(), "Because");
    EXPECT_EQ(e.Get("message").AsString(), "Created pod: x");
    EXPECT_EQ(e.Get("count").AsInt(), 1);
    EXPECT_EQ(e.Get("firstTimestamp").AsString(), "2025-01-01T00:00:03Z");
    EXPECT_EQ(e.Get("source").Get("component").AsString(), "replicaset-controller");
    EXPECT_EQ(e.Get("source").Get("host").AsString(), "node-1");
    EXPECT_EQ(e.Get("reportingComponent").AsString(),
              compat == api::Compat::k1_25 ? "" : "replicaset-controller");
    const Value& about = e.Get("involvedObject");
    EXPECT_EQ(about.Get("kind").AsString(), "Pod");
    EXPECT_EQ(about.Get("resourceVersion").AsString(), "7");
    EXPECT_EQ(about.Get("fieldPath").AsString(), "spec.containers{c}");
    for (const sim::Event& event : f.world.events) EXPECT_TRUE(event.background);
  }
}

// CLIENT-124
TEST(EventRecorder, ClusterScopedObjectsHaveTheirEventsInDefault) {
  EventRecorderFixture f;
  const api::Object node = api::Object::FromTree(
      value::Obj({{"apiVersion", Value::Of("v1")},
                  {"kind", Value::Of("Node")},
                  {"metadata", value::Obj({{"name", Value::Of("node-1")}})}}));
  f.recorder.Event(node, "Warning", "NotReady", "x");
  f.recorder.Event(node, "Strange", "NotReady", "unsupported type");
  f.world.Advance(Milliseconds(50));
  ASSERT_EQ(f.world.server.requests.size(), 1u);
  EXPECT_EQ(f.world.server.requests[0].ns, "default");
}

TEST(EventRecorder, TwoEventsOfOneInstantAreTwoObjects) {
  EventRecorderFixture f;
  f.Say("one");
  f.Say("two");
  f.world.Advance(Milliseconds(50));
  ASSERT_EQ(f.world.server.requests.size(), 2u);
  EXPECT_NE(f.world.server.requests[0].name, f.world.server.requests[1].name);
}

// 1.32 and later shorten the name; earlier recorders use it unchanged, and no server checks it (a
// real 1.30 stores it).
TEST(EventRecorder, ANameThatIsTooLongForAnEventGivesAUuid) {
  const auto name_for = [](api::Compat compat, const std::string& pod) {
    EventRecorderFixture f(compat);
    f.recorder.Event(Pod(pod, 7), "Normal", "Because", "m");
    f.world.Advance(Milliseconds(50));
    return std::string(f.world.server.requests.at(0).name.view());
  };
  const std::string longest(253, 'w');
  EXPECT_THAT(name_for(api::Compat::k1_36, "web"), testing::StartsWith("web."));
  EXPECT_THAT(name_for(api::Compat::k1_30, longest), testing::StartsWith(longest + "."));
  EXPECT_THAT(
      name_for(api::Compat::k1_36, longest),
      testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

// CLIENT-124
TEST(EventRecorder, QueueOf1000DropsTheRest) {
  EventRecorderFixture f;
  f.world.server.Hang(api::Verb::kCreate);
  f.Say("first");
  f.world.Advance(Milliseconds(5));  // taken out of the queue, waits for its answer
  for (int i = 0; i < 1100; ++i) {
    f.recorder.Event(Pod(fmt::format("p{}", i), 1), "Normal", "R", "m");
  }
  f.world.Advance(Hours(1));
  std::size_t creates = 0;
  for (const std::string& w : f.Writes()) creates += w == "create 1" ? 1 : 0;
  EXPECT_EQ(creates, 1002u);  // the first was sent twice
}

// CLIENT-127
TEST(EventRecorder, RepeatedEventIsAPatchOfItsCountAndACreateIfItIsGone) {
  EventRecorderFixture f;
  f.Say("x");
  f.world.Advance(Seconds(2));
  f.Say("x");
  f.world.Advance(Seconds(2));
  ASSERT_EQ(f.world.server.requests.size(), 2u);
  const api::Request patch = f.world.server.requests[1];
  EXPECT_EQ(patch.name, f.world.server.requests[0].name);
  EXPECT_EQ(patch.patch_type, api::PatchType::kStrategic);
  EXPECT_EQ(patch.body.Get("lastTimestamp").AsString(), "2025-01-01T00:00:02Z");
  EXPECT_FALSE(patch.body.Has("firstTimestamp"));
  EXPECT_THAT(f.Writes(), ElementsAre("create 1", "patch 2"));
  f.world.server.Answer(api::Verb::kPatch, api::NotFound(api::GroupResource("", "events"), "a"));
  f.Say("x");
  f.world.Advance(Seconds(2));
  EXPECT_THAT(f.Writes(), ElementsAre("patch 3", "create 3"));
}

// CLIENT-129
TEST(EventRecorder, ApiErrorsAreFinalTransportErrorsAreTriedTwelveTimes) {
  EventRecorderFixture f;
  f.world.server.Answer(api::Verb::kCreate,
                        api::Forbidden(api::GroupResource("", "events"), "", ""));
  f.Say("x");
  f.world.Advance(Minutes(5));
  EXPECT_THAT(f.Writes(), ElementsAre("create 1"));
  for (int i = 0; i < 20; ++i) f.world.server.Drop(api::Verb::kCreate);
  const VirtualTime start = f.world.sim.now();
  f.world.events.clear();
  f.Say("y");
  f.world.Advance(Minutes(5));
  std::vector<VirtualTime> sent;
  for (const sim::Event& e : f.world.events) {
    if (e.kind == sim::EventKind::kRequest) sent.push_back(e.time);
  }
  ASSERT_EQ(sent.size(), 12u);
  EXPECT_LT(sent[1] - start, Seconds(10) + Milliseconds(3));
  for (std::size_t i = 2; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i] - sent[i - 1], Seconds(10) + Milliseconds(2));
  }
}

// --- correlation, without a server ---

struct Said : Correlation {
  EventRecord event;
};

struct Source {
  explicit Source(bool type_in_spam_key = false) : correlator(type_in_spam_key) {}
  Said Say(std::string message, std::string name = "a", std::string type = "Normal") {
    Said said;
    EventRecord& e = said.event;
    e.about = ObjectReference(Pod(name, 1), "");
    e.ns = "default";
    e.component = "c";
    e.reason = "R";
    e.type = std::move(type);
    e.message = std::move(message);
    e.first = e.last = now;
    e.name = EventName(name, now);
    static_cast<Correlation&>(said) = correlator.Correlate(e, now, now);
    return said;
  }
  EventCorrelator correlator;
  VirtualTime now;
};

// CLIENT-126
TEST(EventCorrelator, TenthDistinctMessageIsCombined) {
  Source c;
  for (int i = 0; i < 9; ++i) {
    const Said e = c.Say(fmt::format("m{}", i));
    EXPECT_EQ(e.event.message, fmt::format("m{}", i));
    EXPECT_FALSE(e.patch);
  }
  c.now = c.now + Seconds(600);  // not more than the interval
  EXPECT_EQ(c.Say("m9").event.message, "(combined from similar events): m9");
  const Said next = c.Say("m10");
  EXPECT_EQ(next.event.message, "(combined from similar events): m10");
  EXPECT_TRUE(next.patch);
  EXPECT_EQ(next.event.count, 2);
  // One message was dropped from the set each time (the first in order); m8 is still in it.
  EXPECT_EQ(c.Say("m8").event.message, "m8");
}

// CLIENT-126
TEST(EventCorrelator, GapOfMoreThanTenMinutesStartsANewSet) {
  Source c;
  for (int i = 0; i < 9; ++i) c.Say(fmt::format("m{}", i));
  c.now = c.now + Seconds(600) + Nanoseconds(1);
  EXPECT_EQ(c.Say("m9").event.message, "m9");
}

// CLIENT-125, CLIENT-127, CLIENT-128
TEST(EventCorrelator, TheTwentySixthIsDroppedButCounts) {
  Source c;
  for (int i = 1; i <= 25; ++i) {
    const Said e = c.Say("x");
    EXPECT_FALSE(e.skip);
    EXPECT_EQ(e.event.count, i);
  }
  EXPECT_TRUE(c.Say("x").skip);
  EXPECT_TRUE(c.Say("other").skip);
  EXPECT_FALSE(c.Say("x", "b").skip);  // another object
  c.now = c.now + Seconds(300);
  const Said later = c.Say("x");
  EXPECT_FALSE(later.skip);
  EXPECT_EQ(later.event.count, 27);
  EXPECT_TRUE(c.Say("x").skip);
}

// CLIENT-128
TEST(EventCorrelator, BucketsAreByTypeSince032) {
  for (const bool by_type : {false, true}) {
    Source c(by_type);
    for (int i = 0; i < 25; ++i) c.Say("x");
    EXPECT_EQ(c.Say("x", "a", "Warning").skip, !by_type);
  }
}

TEST(LruCache, TheOneUsedLongestAgoMakesRoom) {
  LruCache<int> cache(2);
  cache.Put("a", 1);
  cache.Put("b", 2);
  cache.Get("a");
  cache.Put("c", 3);
  EXPECT_EQ(cache.Get("b"), nullptr);
  EXPECT_EQ(*cache.Get("a"), 1);
  EXPECT_EQ(*cache.Get("c"), 3);
  EXPECT_EQ(cache.size(), 2u);
}

// --- events.k8s.io ---

// CLIENT-130
TEST(EventsV1, SecondOccurrenceIsASeriesLaterOnesAreCountedAndRefreshed) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    EventRecorderFixture f(compat, EventRecorder::Api::kEventsV1);
    f.Say("x");
    f.world.Advance(Seconds(1));
    ASSERT_EQ(f.world.server.requests.size(), 1u);
    const api::Request create = f.world.server.requests[0];
    EXPECT_EQ(create.resource->group, "events.k8s.io");
    EXPECT_EQ(create.body.Get("apiVersion").AsString(), "events.k8s.io/v1");
    EXPECT_EQ(create.body.Get("eventTime").AsString(), "2025-01-01T00:00:00.000000Z");
    EXPECT_EQ(create.body.Get("reportingController").AsString(), "replicaset-controller");
    EXPECT_EQ(create.body.Get("reportingInstance").AsString(), "replicaset-controller-node-1");
    EXPECT_EQ(create.body.Get("action").AsString(), "Binding");
    EXPECT_EQ(create.body.Get("note").AsString(), "x");
    EXPECT_EQ(create.body.Get("regarding").Get("name").AsString(), "a");
    const int second = compat == api::Compat::k1_25 ? 1 : 2;
    f.Writes();
    f.Say("another note, same event");
    f.world.Advance(Seconds(1));
    EXPECT_THAT(f.Writes(), ElementsAre(fmt::format("patch {}", second)));
    for (int i = 0; i < 3; ++i) f.Say("x");
    f.world.Advance(Seconds(1));
    EXPECT_THAT(f.Writes(), IsEmpty());
    f.world.Advance(Minutes(20));  // quiet for more than 6 min: a last write
    EXPECT_THAT(f.Writes(), ElementsAre(fmt::format("patch {}", second + 3)));
    f.Say("x");
    f.world.Advance(Seconds(1));
    EXPECT_THAT(f.Writes(), ElementsAre("create 0"));
  }
}

// CLIENT-130
TEST(EventsV1, OpenSeriesAreRefreshedEvery30MinutesAndSinglesForgotten) {
  EventRecorderFixture f(api::Compat::k1_30, EventRecorder::Api::kEventsV1);
  f.Say("x");
  for (int i = 0; i < 7; ++i) {
    f.world.Advance(Minutes(5));
    f.Say("x");
  }
  EXPECT_THAT(f.Writes(), ElementsAre("create 0", "patch 2", "patch 6"));
  EventRecorderFixture g(api::Compat::k1_30, EventRecorder::Api::kEventsV1);
  g.Say("x");
  g.world.Advance(Minutes(13));
  g.Say("x");
  g.world.Advance(Seconds(1));
  EXPECT_THAT(g.Writes(), ElementsAre("create 0", "create 0"));
}

// CLIENT-130
TEST(EventsV1, SeriesWhoseEventIsGoneIsCreatedAnew) {
  EventRecorderFixture f(api::Compat::k1_30, EventRecorder::Api::kEventsV1);
  f.Say("x");
  f.world.Advance(Seconds(1));
  const api::GroupResource events("events.k8s.io", "events");
  f.world.server.Answer(api::Verb::kPatch, api::NotFound(events, "a"));
  f.world.server.Answer(api::Verb::kCreate, api::AlreadyExists(events, "a"));
  f.Say("x");
  f.world.Advance(Seconds(20));
  EXPECT_THAT(f.Writes(), ElementsAre("create 0", "patch 2", "create 2", "patch 2"));
}

}  // namespace
}  // namespace ksim::client
