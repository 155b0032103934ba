#include "ksim/client/cache/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
INSTANTIATE_TEST_SUITE_P(Compat, ReflectorTest, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CLIENT-05, CLIENT-06, CLIENT-14, CLIENT-15, CLIENT-34
TEST_P(ReflectorTest, FirstPassStartsAtOnceAndWatchesFromTheListsVersion) {
  ReflectorFixture f(GetParam());
  f.world.server.Put("a");
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "");
  f.Start();
  f.world.Settle();
  EXPECT_EQ(f.Log(), Pass("0", "1"));
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "1");
  EXPECT_THAT(f.Deltas(), ElementsAre("replaced default/a"));
  const api::ListOptions& watch = f.world.server.requests.back().list;
  EXPECT_TRUE(watch.allow_watch_bookmarks);
  EXPECT_EQ(watch.send_initial_events.has_value(), head());
  EXPECT_EQ(watch.resource_version_match, head() ? "NotOlderThan" : "");
}

// CLIENT-15, CLIENT-02
TEST(Reflector, WatchTimeoutsAreDrawnFrom300To599Seconds) {
  ReflectorFixture f;
  f.Start();
  f.world.Settle();
  std::int64_t least = 1000, most = 0;
  for (int i = 0; i < 400; ++i) {
    f.world.Advance(Seconds(2));
    f.world.server.EndStreams(api::StreamEnd::kEof);
  }
  f.world.Advance(Seconds(2));
  for (const api::Request& r : f.world.server.requests) {
    if (r.verb != api::Verb::kWatch) continue;
    least = std::min(least, *r.list.timeout_seconds);
    most = std::max(most, *r.list.timeout_seconds);
  }
  EXPECT_GE(least, 300);
  EXPECT_LT(least, 310);
  EXPECT_LE(most, 599);
  EXPECT_GT(most, 590);
}

// CLIENT-15: the minimum timeout counts only if it is larger than the default.
TEST(Reflector, AWatchLastsAtLeastAsLongAsAskedFor) {
  for (const auto& [asked, least] : {std::pair(600u, 600), std::pair(60u, 300)}) {
    ReflectorOptions options;
    options.min_watch_timeout_seconds = asked;
    ReflectorFixture f(api::Compat::k1_30, options);
    f.Start();
    for (int i = 0; i < 20; ++i) {
      f.world.Advance(Seconds(2));
      f.world.server.EndStreams(api::StreamEnd::kEof);
    }
    for (const api::Request& r : f.world.server.requests) {
      if (r.verb != api::Verb::kWatch) continue;
      EXPECT_EQ(*r.list.timeout_seconds / least, 1);
    }
  }
}

// CLIENT-10: before 0.27 the reflector looks for the text in the causes only.
TEST(Reflector, TheTextOfTooLargeInsideAMessageCountsFrom130On) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    ReflectorFixture f(compat);
    api::Status status = api::TimeoutError("Too large resource version: 9", 0);
    status.details->causes.emplace_back("", "another", "");
    f.world.server.Answer(api::Verb::kList, status);
    f.Start();
    f.world.Advance(Milliseconds(700));
    EXPECT_EQ(f.Log().size() > 1, compat == api::Compat::k1_30) << "whether it asks without one";
  }
}

// CLIENT-19, CLIENT-21, CLIENT-30
TEST_P(ReflectorTest, EveryEventMovesTheVersionEvenBackwards) {
  ReflectorFixture f(GetParam());
  f.Start();
  f.world.Settle();
  f.Deltas();
  struct Case {
    api::WatchEventType type;
    std::int64_t rv;
  };
  for (const Case& c : {Case{api::WatchEventType::kAdded, 50},
                        {api::WatchEventType::kModified, 7},
                        {api::WatchEventType::kBookmark, 90},
                        {api::WatchEventType::kDeleted, 60}}) {
    api::WatchEvent event;
    event.type = c.type;
    event.object = Pod("a", c.rv);
    f.world.server.SendRaw(event);
    f.world.Settle();
    EXPECT_EQ(f.reflector.last_sync_resource_version(), std::to_string(c.rv));
  }
  EXPECT_THAT(f.Deltas(), ElementsAre("added default/a", "updated default/a", "deleted default/a"));
}

// CLIENT-20
TEST_P(ReflectorTest, EventOfAnotherKindIsSkipped) {
  ReflectorFixture f(GetParam());
  f.world.server.Put("a");
  f.Start();
  f.world.Settle();
  f.Deltas();
  api::WatchEvent event;
  event.object = api::Object::FromTree(
      value::Obj({{"apiVersion", value::Value::Of("v1")}, {"kind", value::Value::Of("Node")}}), 77);
  f.world.server.SendRaw(event);
  f.world.Settle();
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "1");
  EXPECT_THAT(f.Deltas(), IsEmpty());
  EXPECT_EQ(f.world.server.open_streams(), 1u);
  f.Log();
  f.world.server.EndStreams(api::StreamEnd::kEof);  // it does not count: the watch was very short
  f.world.Settle();
  EXPECT_EQ(f.Log().at(0), First("1"));
}

// CLIENT-17
TEST_P(ReflectorTest, NormalEndIsOpenedAgainAtOnceWithoutAList) {
  for (const api::StreamEnd how : {api::StreamEnd::kEof, api::StreamEnd::kReset}) {
    ReflectorFixture f(GetParam());
    f.Start();
    f.world.server.Put("a");
    f.world.Advance(Seconds(5));
    f.Log();
    f.world.server.EndStreams(how);
    f.world.Advance(Milliseconds(3));
    EXPECT_THAT(f.Log(), ElementsAre("watch rv=1"));
  }
}

// CLIENT-18
TEST_P(ReflectorTest, VeryShortWatchLeadsToAListAfterABackoff) {
  struct Case {
    Duration lasted;
    bool event;
    bool is_short;
  };
  for (const Case& c : {Case{Milliseconds(999), false, true},
                        {Seconds(1), false, false},
                        {Milliseconds(999), true, false}}) {
    ReflectorFixture f(GetParam());
    f.world.server.Put("a");
    f.Start();
    f.world.Advance(Seconds(5));
    f.world.server.EndStreams(api::StreamEnd::kEof);  // so that one ordinary watch is open
    f.world.Advance(Milliseconds(2));                 // opened at +1 ms, sent at +1 ms
    f.Log();
    if (c.event) f.world.server.SendBookmark();
    f.world.Advance(c.lasted - Milliseconds(2));
    f.world.server.EndStreams(api::StreamEnd::kEof);
    f.world.Advance(Milliseconds(5));
    EXPECT_EQ(f.Log().empty(), c.is_short);
    f.world.Advance(Milliseconds(800));
    EXPECT_EQ(f.Log(), c.is_short ? Pass("1", "1") : std::vector<std::string>());
  }
}

// CLIENT-07, CLIENT-22
TEST_P(ReflectorTest, ExpiredOnTheWatchAsksTheNextListForTheLastVersion) {
  for (const api::Status& status : {api::Expired("x"), api::Unmapped(410, "gone")}) {
    ReflectorFixture f(GetParam());
    f.world.server.Put("a");
    f.Start();
    f.world.Advance(Seconds(5));
    f.Log();
    f.world.server.SendError(status);
    f.world.Advance(Milliseconds(799));
    EXPECT_THAT(f.Log(), IsEmpty());
    f.world.Advance(Milliseconds(10));
    EXPECT_EQ(f.Log(), Pass("1", "1"));
    EXPECT_THAT(f.world.Events(sim::EventKind::kRelist).back(), testing::EndsWith("expired"));
  }
}

// CLIENT-22
TEST_P(ReflectorTest, OtherErrorsEndThePass) {
  for (const api::Status& status : {api::InternalError("x"), api::Unmapped(500, "StorageReadError"),
                                    api::ServiceUnavailable("x")}) {
    ReflectorFixture f(GetParam());
    f.world.server.Put("a");
    f.Start();
    f.world.Advance(Seconds(5));
    f.Log();
    f.world.server.SendError(status);
    f.world.Advance(Milliseconds(810));
    EXPECT_EQ(f.Log(), Pass("1", "1"));
    EXPECT_THAT(f.world.Events(sim::EventKind::kRelist).back(), testing::EndsWith("error"));
  }
}

// CLIENT-22, CLIENT-16
TEST_P(ReflectorTest, TooManyRequestsCostsADelayAndNoList) {
  ReflectorFixture f(GetParam());
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.Log();
  f.world.server.Answer(api::Verb::kWatch, api::TooManyRequests("x", 0));
  f.world.server.SendError(api::TooManyRequests("x", 0));
  f.world.Advance(Milliseconds(799));
  EXPECT_THAT(f.Log(), IsEmpty());
  f.world.Advance(Milliseconds(1600 + 10));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv=1", "watch rv=1"));
}

// CLIENT-16, CLIENT-24, CLIENT-26
TEST_P(ReflectorTest, RefusedOpensBackOffExponentiallyWithoutAList) {
  ReflectorFixture f(GetParam());
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.world.server.up = false;
  f.world.server.EndStreams(api::StreamEnd::kReset);
  f.world.events.clear();
  const VirtualTime start = f.world.sim.now();
  f.world.Advance(Seconds(85));
  std::vector<std::int64_t> at;
  for (const sim::Event& e : f.world.events) {
    if (e.kind != sim::EventKind::kRequest) continue;
    EXPECT_EQ(e.payload.As<RequestPayload>().request.verb, api::Verb::kWatch);
    at.push_back((e.time - start).ns() / 100'000'000);
  }
  EXPECT_THAT(at, ElementsAre(0, 8, 24, 56, 120, 248, 504, 804));
}

// CLIENT-16
TEST_P(ReflectorTest, OtherOpenErrorsEndThePass) {
  for (const api::Status& status : {api::Expired("x"), api::InternalError("x"),
                                    api::Forbidden(api::GroupResource("", "pods"), "", "no")}) {
    ReflectorFixture f(GetParam());
    f.world.server.Put("a");
    f.Start();
    f.world.Advance(Seconds(5));
    f.Log();
    f.world.server.Answer(api::Verb::kWatch, status);
    f.world.server.EndStreams(api::StreamEnd::kEof);
    f.world.Advance(Milliseconds(700));
    EXPECT_THAT(f.Log(), ElementsAre("watch rv=1"));
    f.world.Advance(Milliseconds(120));
    EXPECT_EQ(f.Log(), Pass("1", "1"));
  }
}

// --- LIST ---

// CLIENT-05, CLIENT-14, CLIENT-24
TEST(Reflector, FailingListsBackOffAndChangeNothing) {
  ReflectorFixture f;
  for (int i = 0; i < 3; ++i) f.world.server.Answer(api::Verb::kList, api::InternalError("x"));
  f.Start();
  f.world.Advance(Milliseconds(2390));
  EXPECT_EQ(f.Log().size(), 2u);
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "");
  EXPECT_FALSE(f.queue.HasSynced());
  f.world.Advance(Milliseconds(3300));
  EXPECT_THAT(f.Log(), ElementsAre("list rv=0 limit=500", "list rv=0 limit=500", "watch rv=0"));
}

// CLIENT-08, CLIENT-09
TEST(Reflector, ListThatIsExpiredIsMadeAgainAtOnceFromTheLatest) {
  struct Case {
    api::Status status;
    const char* reason;
  };
  api::Status too_large = api::TooLargeResourceVersion(9, 1, 0);
  api::Status legacy = api::TimeoutError("Too large resource version: 9, current: 1", 0);
  legacy.details->causes.emplace_back("", "Too large resource version", "");
  for (const Case& c : {Case{api::Expired("x"), "expired"},
                        {api::Unmapped(410, "x"), "expired"},
                        {too_large, "tooLarge"},
                        {legacy, "tooLarge"}}) {
    ReflectorFixture f;
    f.world.server.Put("a");
    f.Start();
    f.world.Advance(Seconds(5));
    f.Log();
    f.world.server.Answer(api::Verb::kList, c.status);
    f.world.server.Answer(api::Verb::kList, api::InternalError("x"));
    f.world.server.SendError(api::InternalError("x"));
    f.world.Advance(Milliseconds(810));
    EXPECT_THAT(f.Log(), ElementsAre("list rv=1", "list rv="));
    // The second failed too: the next pass begins with "".
    f.world.Advance(Milliseconds(1610));
    EXPECT_THAT(f.Log(), ElementsAre("list rv= limit=500", "watch rv=1"));
    EXPECT_THAT(f.world.Events(sim::EventKind::kRelist).back(), testing::EndsWith(c.reason));
    f.world.server.SendError(api::InternalError("x"));
    f.world.Advance(Seconds(10));
    EXPECT_THAT(f.Log(), ElementsAre("list rv=1", "watch rv=1")) << "the success cleared the flag";
  }
}

// CLIENT-10
TEST(Reflector, TimeoutOfAnotherKindIsNotTooLarge) {
  ReflectorFixture f;
  f.world.server.Answer(api::Verb::kList, api::TimeoutError("slow", 0));
  f.Start();
  f.world.Advance(Milliseconds(700));
  EXPECT_THAT(f.Log(), ElementsAre("list rv=0 limit=500"));
}

// CLIENT-11, CLIENT-12
TEST(Reflector, PagesAreOf500WithVersionOnlyOnTheFirstAndStick) {
  ReflectorFixture f;
  for (int i = 0; i < 1100; ++i) f.world.server.Put("p" + std::to_string(10'000 + i));
  f.Start();
  f.world.Advance(Seconds(1));
  EXPECT_THAT(f.Log(),
              ElementsAre("list rv=0 limit=500", "list rv= limit=500 continue=default/p10499",
                          "list rv= limit=500 continue=default/p10999", "watch rv=1100"));
  EXPECT_EQ(f.Deltas().size(), 1100u);
  EXPECT_THAT(f.world.Events(sim::EventKind::kRelist),
              ElementsAre("kcm pods rv=0 got=1100 items=1100 requests=3 start"));
  f.world.Advance(Seconds(5));
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(810));
  EXPECT_EQ(f.Log().at(0), "list rv=1100 limit=500");
}

// CLIENT-11
TEST(Reflector, RealVersionIsAskedForWithoutALimitAndExplicitSizeAlwaysCounts) {
  ReflectorFixture f;
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.Log();
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(810));
  EXPECT_EQ(f.Log().at(0), "list rv=1");

  ReflectorOptions options;
  options.page_size = 10;
  ReflectorFixture g(api::Compat::k1_30, options);
  g.world.server.Put("a");
  g.Start();
  g.world.Advance(Seconds(5));
  g.world.server.SendError(api::InternalError("x"));
  g.world.Advance(Milliseconds(810));
  EXPECT_EQ(g.Log(), (std::vector<std::string>{"list rv=0 limit=10", "watch rv=1",
                                               "list rv=1 limit=10", "watch rv=1"}));
}

// CLIENT-13
TEST(Reflector, TokenThatExpiresOnALaterPageLeadsToOneFullList) {
  ReflectorFixture f;
  for (int i = 0; i < 600; ++i) f.world.server.Put("p" + std::to_string(10'000 + i));
  f.world.server.Next(api::Verb::kList, [&f](FakeServer::Call call) {
    f.world.server.Answer(api::Verb::kList, api::Expired("token"));
    api::Response page;
    page.list_rv = 600;
    page.items = {Pod("p10000", 1)};
    page.continue_token = "t";
    call.reply(std::move(page));
  });
  f.Start();
  f.world.Advance(Seconds(1));
  EXPECT_THAT(f.Log(), ElementsAre("list rv=0 limit=500", "list rv= limit=500 continue=t",
                                   "list rv=0", "watch rv=600"));
  EXPECT_EQ(f.Deltas().size(), 600u);
}

// CLIENT-32
TEST(Reflector, OlderListIsAccepted) {
  ReflectorFixture f;
  f.world.server.Put("a");
  f.world.server.Put("b");
  f.Start();
  f.world.Advance(Seconds(5));
  f.Deltas();
  f.world.server.Next(api::Verb::kList, [](FakeServer::Call call) {
    api::Response old;
    old.list_rv = 1;
    old.items = {Pod("a", 1)};
    call.reply(std::move(old));
  });
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(803));
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "1");
}

// --- internal errors ---

// CLIENT-23
TEST(Reflector, InternalErrorsAreRetriedAtOnceWithinTheWindow) {
  ReflectorOptions options;
  options.max_internal_error_retry = Seconds(10);
  ReflectorFixture f(api::Compat::k1_30, options);
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.Log();
  for (int i = 0; i < 3; ++i) {
    f.world.server.SendError(api::InternalError("x"));
    f.world.Advance(Seconds(5) - Milliseconds(10));
    EXPECT_THAT(f.Log(), ElementsAre("watch rv=1")) << i;
  }
  f.world.server.SendError(api::InternalError("x"));  // the first was more than 10 s ago
  f.world.Advance(Milliseconds(810));
  EXPECT_EQ(f.Log().at(0), "list rv=1");
}

// CLIENT-33
TEST(Reflector, VersionFromAZeroStartWaitsForTheFirstEventThatIsNotAdded) {
  for (const bool head : {false, true}) {
    ReflectorFixture f(head ? api::Compat::k1_36 : api::Compat::k1_30);
    f.world.server.watch_list = false;
    f.Start();
    f.world.Settle();  // an empty server lists at version 0
    for (const auto& [type, rv] :
         {std::pair{api::WatchEventType::kAdded, 5}, std::pair{api::WatchEventType::kModified, 6},
          std::pair{api::WatchEventType::kAdded, 7}}) {
      api::WatchEvent event;
      event.type = type;
      event.object = Pod("a", rv);
      f.world.server.SendRaw(event);
      f.world.Settle();
      EXPECT_EQ(f.reflector.last_sync_resource_version(),
                head && rv == 5 ? "0" : std::to_string(rv));
    }
  }
}

// --- resync ---

// CLIENT-27
TEST_P(ReflectorTest, ResyncRunsWhileWatchingAndAsksNothingOfTheServer) {
  ReflectorOptions options;
  options.resync_period = Seconds(10);
  ReflectorFixture f(GetParam(), options);
  f.cache.Put(Pod("a", 1));
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(1));
  f.Log();
  f.Deltas();
  f.world.Advance(Seconds(10));
  EXPECT_THAT(f.Deltas(), ElementsAre("sync default/a"));
  f.world.Advance(Seconds(5));
  f.world.server.SendError(api::InternalError("x"));  // the timer goes with the pass
  f.world.Advance(Seconds(2));
  f.Deltas();
  f.world.Advance(Seconds(8));
  EXPECT_THAT(f.Deltas(), IsEmpty());
  f.world.Advance(Seconds(2));
  EXPECT_THAT(f.Deltas(), ElementsAre("sync default/a"));
  EXPECT_EQ(f.Log(), Pass("1", "1"));
}

// CLIENT-28: the transform fails, which the DeltaFIFO of 0.27 to 0.30 calls for resyncs too.
TEST_P(ReflectorTest, AResyncThatFailsEndsTheWatchAndThePass) {
  ReflectorOptions options;
  options.resync_period = Seconds(10);
  ReflectorFixture f(GetParam(), options);
  f.cache.Put(Pod("a", 1));
  f.world.server.Put("a");
  bool broken = false;
  f.queue.set_transform([&broken](const api::Object& o, bool) -> absl::StatusOr<api::Object> {
    if (broken) return absl::InternalError("out of order");
    return o;
  });
  f.Start();
  f.world.Advance(Seconds(1));
  f.Log();
  f.Deltas();
  broken = true;
  f.world.Advance(Milliseconds(9500));
  EXPECT_EQ(f.world.server.open_streams(), 0u) << "the watch is over";
  EXPECT_THAT(f.Log(), IsEmpty()) << "and a back-off comes first";
  broken = false;
  f.world.Advance(Milliseconds(500));
  EXPECT_EQ(f.Log(), Pass("1", "1"));
  EXPECT_THAT(f.Deltas(), ElementsAre("replaced default/a"));
}

}  // namespace
}  // namespace ksim::client
