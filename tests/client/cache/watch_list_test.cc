// The initial state by WATCH instead of LIST (1.36).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
// CLIENT-34
TEST(WatchList, AsksForTheLastVersionNeverForZero) {
  ReflectorFixture f(api::Compat::k1_36);
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(810));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv= initial", "watch rv=1 initial"));
}

// CLIENT-35
TEST(WatchList, NothingIsTakenInBeforeTheBookmarkAndTheSameStreamGoesOn) {
  ReflectorFixture f(api::Compat::k1_36);
  std::shared_ptr<api::WatchSink> sink;
  f.world.server.Next(api::Verb::kWatch, [&sink](FakeServer::Call call) {
    api::Response response;
    response.stream = 1;
    call.reply(std::move(response));
    sink = std::move(call.sink);
  });
  f.Start();
  f.world.Settle();
  auto send = [&](api::WatchEventType type, const api::Object& object, bool end = false) {
    api::WatchEvent event;
    event.type = type;
    event.object = object;
    event.initial_end = end;
    sink->Send(event);
    f.world.Settle();
  };
  send(api::WatchEventType::kAdded, Pod("a", 1));
  send(api::WatchEventType::kAdded, Pod("b", 2));
  send(api::WatchEventType::kModified, Pod("a", 3));
  send(api::WatchEventType::kDeleted, Pod("b", 4));
  send(api::WatchEventType::kBookmark, Pod("", 4));
  EXPECT_THAT(f.Deltas(), IsEmpty());
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "");
  send(api::WatchEventType::kBookmark, Pod("", 9), true);
  EXPECT_THAT(f.Deltas(), ElementsAre("replaced default/a"));
  EXPECT_EQ(f.reflector.last_sync_resource_version(), "9");
  send(api::WatchEventType::kAdded, Pod("c", 10));
  EXPECT_THAT(f.Deltas(), ElementsAre("added default/c"));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv= initial"));
}

// CLIENT-36
TEST(WatchList, FallsBackToAListWhereTheServerKnowsNoInitialEvents) {
  ReflectorFixture f(api::Compat::k1_36);
  f.world.server.watch_list = false;
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv= initial", "list rv=0 limit=500", "watch rv=1"));
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(810));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv=1 initial", "list rv=1", "watch rv=1"));
}

// CLIENT-36
TEST(WatchList, StreamLostBeforeTheBookmark) {
  struct Case {
    const char* name;
    Duration after;
    std::optional<api::Status> error;
    std::vector<std::string> log;  // from the end of the first stream, for 790 ms
  };
  const std::vector<Case> cases = {
      {"later: sent again at once", Seconds(2), std::nullopt, {"watch rv= initial"}},
      {"very short: list", Duration(), std::nullopt, {"list rv=0 limit=500", "watch rv=0"}},
      {"expired: again at once", Duration(), api::Expired("x"), {"watch rv= initial"}},
      {"other: list", Duration(), api::InternalError("x"), {"list rv=0 limit=500", "watch rv=0"}},
      {"429: delay", Duration(), api::TooManyRequests("x", 0), {}},
  };
  for (const Case& c : cases) {
    ReflectorFixture f(api::Compat::k1_36);
    std::shared_ptr<api::WatchSink> sink;
    f.world.server.Next(api::Verb::kWatch, [&sink](FakeServer::Call call) {
      call.reply(api::Response());
      sink = std::move(call.sink);
    });
    f.Start();
    f.world.Advance(Milliseconds(3) + c.after);
    f.Log();
    if (c.error) sink->Send(api::WatchEvent::OfError(*c.error));
    sink->Close(api::StreamEnd::kEof);
    f.world.Advance(Milliseconds(790));
    EXPECT_EQ(f.Log(), c.log) << c.name;
  }
}

// CLIENT-36
TEST(WatchList, VersionThatIsTooLargeIsGivenUp) {
  ReflectorFixture f(api::Compat::k1_36);
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  f.Log();
  f.world.server.Answer(api::Verb::kWatch, api::TooLargeResourceVersion(1, 0, 0));
  f.world.server.SendError(api::InternalError("x"));
  f.world.Advance(Milliseconds(810));
  EXPECT_THAT(f.Log(), ElementsAre("watch rv=1 initial", "watch rv= initial"));
  EXPECT_THAT(f.world.Events(sim::EventKind::kRelist).back(), testing::EndsWith("tooLarge"));
}

}  // namespace
}  // namespace ksim::client
