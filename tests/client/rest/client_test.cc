#include "ksim/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Asks for one pod and keeps the answer.
struct Asker {
  explicit Asker(World& w, ClientOptions options = ClientOptions())
      : world(w), client(*w.connection, w.process.actor(), options) {}
  sim::Task<void> Get(std::string name) {
    Client::ObjectResult r = co_await client.Get(world.pods(), "default", name);
    Finish(name, r);
  }
  sim::Task<void> Create(api::Object object) {
    Client::ObjectResult r = co_await client.Create(world.pods(), object);
    Finish(std::string(object.name()), r);
  }
  sim::Task<void> OpenWatch() {
    api::ListOptions options;
    api::Result<std::unique_ptr<WatchStream>> r =
        co_await client.Watch(world.pods(), "default", options);
    if (r.ok()) stream = std::move(*r);
    if (!r.ok()) failures.push_back(r.status().reason.str());
  }
  sim::Task<void> Read() {
    for (;;) {
      std::optional<api::WatchEvent> event = co_await stream->Next();
      if (!event) break;
      seen.push_back(event->object.key());
    }
    seen.push_back(stream->end() == api::StreamEnd::kEof ? "eof" : "reset");
  }
  void Finish(const std::string& name, const Client::ObjectResult& r) {
    times.push_back(world.sim.now().ns() / 1'000'000);
    if (r.ok()) {
      answers.push_back(name);
    } else {
      failures.push_back(r.status().reason.str());
    }
  }
  World& world;
  Client client;
  std::unique_ptr<WatchStream> stream;
  std::vector<std::string> answers, failures, seen;
  std::vector<std::int64_t> times;  // ms at which an answer came
};

TEST(Client, RequestTravelsIsServedAndAnswerTravelsBack) {
  World world;
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.answers, ElementsAre("a"));
  EXPECT_THAT(asker.times, ElementsAre(2));
  EXPECT_THAT(world.Events(sim::EventKind::kResponse), ElementsAre("1 200  2ms"));
  ASSERT_EQ(world.events.size(), 2u);
  EXPECT_EQ(world.events[0].kind, sim::EventKind::kRequest);
  EXPECT_EQ(world.events[1].cause, world.events[0].seq);
  const api::Request& request = world.server.requests.at(0);
  EXPECT_EQ(request.id, 1u);
  EXPECT_EQ(request.event, world.events[0].seq);
  EXPECT_EQ(request.client, "kcm");
  EXPECT_EQ(request.user, "kcm");
}

TEST(Client, NobodyAcceptsIsRefusedAfterOneRoundTrip) {
  World world;
  world.server.up = false;
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.failures, ElementsAre("ConnectionRefused"));
  EXPECT_THAT(asker.times, ElementsAre(2));
  EXPECT_THAT(world.Events(sim::EventKind::kResponse), ElementsAre("1 0 ConnectionRefused 2ms"));
}

TEST(Client, NoAnswerIn60SecondsIsLostAndLaterOneIsDropped) {
  World world;
  world.server.Hang(api::Verb::kGet);
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.failures, ElementsAre("RequestTimedOut"));
  EXPECT_THAT(asker.times, ElementsAre(60'000));
  world.server.hanging.at(0).reply(api::Response());
  world.Settle();
  EXPECT_THAT(world.Events(sim::EventKind::kResponse),
              ElementsAre("1 0 RequestTimedOut lost 1m0s"));
}

TEST(Client, ServerThatDiesBeforeTheAnswerIsALostConnection) {
  World world;
  world.server.Drop(api::Verb::kCreate);
  Asker asker(world);
  world.Run(asker.Create(Pod("a", 0)));
  world.Settle();
  EXPECT_THAT(asker.failures, ElementsAre("ConnectionLost"));
  EXPECT_THAT(world.Events(sim::EventKind::kResponse), ElementsAre("1 0 ConnectionLost lost 2ms"));
}

// CLIENT-96
TEST(Client, RequestsBeyondTheBurstWaitInOrderOfReservation) {
  World world;
  Asker asker(world);
  for (int i = 0; i < 13; ++i) world.Run(asker.Get(std::string(1, static_cast<char>('a' + i))));
  world.Settle();
  EXPECT_THAT(asker.answers,
              ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"));
  EXPECT_THAT(asker.times, ElementsAre(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 202, 402, 602));
}

// CLIENT-96
TEST(Client, NegativeQpsNeverWaits) {
  World world;
  ClientOptions options;
  options.qps = -1;
  Asker asker(world, options);
  for (int i = 0; i < 50; ++i) world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.times, testing::Each(2));
}

// CLIENT-96: the defaults are 5 requests a second and a burst of 10.
TEST(Client, ZeroQpsAndBurstAreTheDefaults) {
  World world;
  ClientOptions options;
  options.qps = options.burst = 0;
  Asker asker(world, options);
  for (int i = 0; i < 12; ++i) world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.times, ElementsAre(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 202, 402));
}

// CLIENT-98
TEST(Client, WatchDoesNotWaitForTheLimiter) {
  World world;
  ClientOptions options;
  options.qps = 1;
  options.burst = 1;
  Asker asker(world, options);
  world.Run(asker.Get("a"));
  world.Run(asker.Get("b"));
  world.Run(asker.OpenWatch());
  world.Advance(Milliseconds(5));
  EXPECT_NE(asker.stream, nullptr);
  EXPECT_THAT(asker.answers, ElementsAre("a"));
}

// CLIENT-37
TEST(Client, RetryAfterIsHonouredTenTimesInsideOneRequest) {
  World world;
  for (int i = 0; i < 11; ++i) world.server.Answer(api::Verb::kGet, api::TooManyRequests("x", 1));
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.failures, ElementsAre("TooManyRequests"));
  EXPECT_EQ(world.server.log.size(), 11u);
  EXPECT_THAT(asker.times, ElementsAre(10 * 1000 + 11 * 2));
}

// CLIENT-37
TEST(Client, AnswersWithoutRetryAfterStand) {
  World world;
  world.server.Answer(api::Verb::kGet, api::InternalError("x"));
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_EQ(world.server.log.size(), 1u);
  EXPECT_THAT(asker.failures, ElementsAre("InternalError"));
}

// CLIENT-37
TEST(Client, ReadsThatLostTheirConnectionAreSentAgainAfterASecondWritesAreNot) {
  World world;
  world.server.Drop(api::Verb::kGet);
  Asker asker(world);
  world.Run(asker.Get("a"));
  world.Settle();
  EXPECT_THAT(asker.answers, ElementsAre("a"));
  EXPECT_THAT(asker.times, ElementsAre(1004));
}

// CLIENT-37
TEST(Client, WatchThatCannotBeOpenedForBrokenConnectionsIsEmpty) {
  World world;
  for (int i = 0; i < 11; ++i) world.server.Drop(api::Verb::kWatch);
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Settle();
  ASSERT_NE(asker.stream, nullptr);
  world.Run(asker.Read());
  world.Settle();
  EXPECT_THAT(asker.seen, ElementsAre("eof"));
}

TEST(Client, KilledClientTakesNoAnswerAndClosesTheWatchThatWasOpenedForIt) {
  World world;
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Run(asker.Get("a"));
  world.Advance(Microseconds(1500));  // served, not yet back
  EXPECT_EQ(world.server.open_streams(), 1u);
  world.process.Kill();
  world.Settle();
  EXPECT_EQ(world.server.open_streams(), 0u);
  EXPECT_THAT(asker.answers, IsEmpty());
  EXPECT_THAT(world.Events(sim::EventKind::kResponse), IsEmpty());
}

TEST(Client, KilledClientThatHadSentAWatchLeavesNoStreamBehind) {
  World world;
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Advance(Microseconds(500));  // on its way
  world.process.Kill();
  world.Settle();
  EXPECT_EQ(world.server.log.size(), 1u);
  EXPECT_EQ(world.server.open_streams(), 0u);
}

TEST(WatchStream, EventsAreDeliveredInOrderWithTheWireAsCause) {
  World world;
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Settle();
  world.Run(asker.Read());
  world.server.Put("a");
  world.server.Put("b");
  world.server.Put("a");
  world.server.EndStreams(api::StreamEnd::kEof);
  world.Settle();
  EXPECT_THAT(asker.seen, ElementsAre("default/a", "default/b", "default/a", "eof"));
  std::vector<std::uint64_t> ordinals;
  for (const sim::Event& e : world.events) {
    if (e.kind != sim::EventKind::kDeliver) continue;
    const auto& p = e.payload.As<DeliverPayload>();
    EXPECT_EQ(e.actor.name(), "kcm");
    EXPECT_EQ(p.stream, 1u);
    ordinals.push_back(p.n);
  }
  EXPECT_THAT(ordinals, ElementsAre(1, 2, 3));
}

TEST(WatchStream, SinkDroppedWithoutCloseIsAReset) {
  World world;
  Asker asker(world);
  world.server.Next(api::Verb::kWatch, [](FakeServer::Call call) {
    api::Response response;
    response.stream = 7;
    call.reply(std::move(response));
  });
  world.Run(asker.OpenWatch());
  world.Settle();
  world.Run(asker.Read());
  world.Settle();
  EXPECT_THAT(asker.seen, ElementsAre("reset"));
}

TEST(WatchStream, DroppingItTellsTheServer) {
  World world;
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Settle();
  EXPECT_EQ(world.server.open_streams(), 1u);
  asker.stream.reset();
  world.Settle();
  EXPECT_THAT(world.server.closed_by_client, ElementsAre(1));
}

TEST(WatchStream, RestFromABackgroundStepStaysBackground) {
  World world;
  Asker asker(world);
  world.Run(asker.OpenWatch());
  world.Settle();
  world.Run(asker.Read());
  world.Settle();
  world.sim.context().background = true;
  world.server.Put("a");
  world.sim.context().background = false;
  EXPECT_EQ(world.sim.pending_work(), 0u);
  world.Advance(Milliseconds(2));
  EXPECT_THAT(asker.seen, ElementsAre("default/a"));
  EXPECT_TRUE(world.events.back().background);
}

TEST(Client, BackgroundRequestNeverCountsAsWork) {
  World world;
  Asker asker(world);
  world.process.Spawn(asker.Get("a"), {}, true);
  world.Advance(Microseconds(1500));
  EXPECT_EQ(world.sim.pending_work(), 0u);
  world.Advance(Milliseconds(1));
  EXPECT_THAT(asker.answers, ElementsAre("a"));
  for (const sim::Event& e : world.events) EXPECT_TRUE(e.background);
}

}  // namespace
}  // namespace ksim::client
