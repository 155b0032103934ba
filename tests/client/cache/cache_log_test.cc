// CacheLog hears what reflectors and informers log; QueuesOf tells the lengths of their queues.
#include "ksim/client/core/cache_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "ksim/client/cache/informer_queues.h"
#include "ksim/client/cache/shared_informer.h"
#include "ksim/client/core/cache_waits.h"
#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using Said = CacheMoment::Kind;

struct Heard : CacheLog {
  void Hear(const CacheMoment& m) override {
    const std::string all =
        "starts,lists,list fails,watch-list refused,watch-list fails,initial,populated,resync,"
        "refused,watch fails,breaks,closes,expires,throttled,retried,ends,too small,raised,waits,"
        "synced";
    const std::vector<std::string> names = absl::StrSplit(all, ',');
    std::string line = names.at(static_cast<std::size_t>(m.kind));
    if (m.kind == Said::kWatchCloses || m.kind == Said::kInitialEventsEnd)
      line += fmt::format(" {}", m.items);
    if (m.very_short) line += " very short";
    if (m.status.code != 200) line += fmt::format(" {}", m.status.code);
    if (m.kind == Said::kPeriodTooSmall || m.kind == Said::kPeriodRaised)
      line += fmt::format(" {} {}", FormatDuration(m.period), FormatDuration(m.least));
    if (!m.part.empty()) line += fmt::format(" {}", m.part);
    lines.push_back(line);
  }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

// CLIENT-143
class CacheLogTest : public ReflectorTest {
 protected:
  // A first pass that succeeds, with one object.
  std::vector<std::string> FirstPass() const {
    if (head()) return {"starts", "lists", "initial 2", "populated"};
    return {"starts", "lists", "populated"};
  }
};
INSTANTIATE_TEST_SUITE_P(Compat, CacheLogTest, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

TEST_P(CacheLogTest, HearsOfAPassAndOfHowItsWatchesEnd) {
  ReflectorFixture f(GetParam());
  Heard log;
  f.reflector.LogTo(&log);
  f.world.server.Put("a");
  f.Start();
  f.world.Settle();
  EXPECT_THAT(log.Take(), ElementsAreArray(FirstPass()));
  f.world.server.Put("b");
  f.world.Advance(Seconds(2));
  f.world.server.EndStreams(api::StreamEnd::kEof);
  f.world.Settle();
  EXPECT_THAT(log.Take(), ElementsAre("closes 1"));
  f.world.Advance(Seconds(2));
  f.world.server.SendError(api::TooManyRequests("later", 1));
  f.world.Settle();
  EXPECT_THAT(log.Take(), ElementsAre("throttled 429"));
  f.world.Advance(Seconds(60));
  f.world.server.SendError(api::Expired("too old resource version: 1 (2)"));
  f.world.Settle();
  EXPECT_EQ(log.Take().front(), "expires 410");
}

TEST_P(CacheLogTest, HearsOfAWatchThatWasVeryShort) {
  ReflectorFixture f(GetParam());
  Heard log;
  f.reflector.LogTo(&log);
  f.Start();
  f.world.Settle();
  log.Take();
  f.world.Advance(Seconds(2));
  f.world.server.EndStreams(api::StreamEnd::kEof);
  f.world.Settle();
  EXPECT_THAT(log.Take(), ElementsAre("closes 0"));
  f.world.server.EndStreams(api::StreamEnd::kEof);
  f.world.Settle();
  EXPECT_EQ(log.Take().front(), "ends very short");
}

TEST_P(CacheLogTest, HearsOfWhatIsRefused) {
  ReflectorFixture f(GetParam());
  Heard log;
  f.reflector.LogTo(&log);
  if (head()) f.world.server.Answer(api::Verb::kWatch, api::BadRequest("what?"));
  f.world.server.Answer(api::Verb::kList, api::InternalError("no"));
  f.Start();
  f.world.Advance(Milliseconds(100));
  const std::vector<std::string> lines = log.Take();
  EXPECT_EQ(lines.back(), "list fails 500");
  EXPECT_EQ(lines.size(), head() ? 4u : 3u);
  f.world.Advance(Seconds(5));
  EXPECT_THAT(log.Take(), Contains("populated"));
  f.world.server.Answer(api::Verb::kWatch, api::BadRequest("what?"));
  f.world.server.EndStreams(api::StreamEnd::kEof);
  f.world.Advance(Milliseconds(100));
  EXPECT_EQ(log.Take().back(), "watch fails 400");
}

TEST(CacheLog, WhoListensLateHearsOfTheFirstPassThatHasBegun) {
  ReflectorFixture f;
  f.world.server.Hang(api::Verb::kList);
  f.Start();
  f.world.Settle();
  Heard log;
  f.reflector.LogTo(&log);
  EXPECT_THAT(log.Take(), ElementsAre("starts", "lists"));
}

// CLIENT-60, CLIENT-62
TEST_P(CacheLogTest, HearsOfResyncsAndOfPeriodsThatAreNotGiven) {
  World world(GetParam());
  InformerFactory factory(*world.connection, ClientOptions(), Seconds(10));
  SharedInformer& pods = factory.For(world.pods());
  Heard log;
  LogTo(factory, &log);
  RecordingHandler early, late;
  pods.AddHandler(world.process.PartActor("early"), &early, Milliseconds(1));
  EXPECT_THAT(log.Take(), ElementsAre("too small 1ms 1s"));
  factory.Start();
  world.Settle();
  EXPECT_THAT(log.Take(), Contains("populated"));
  world.Advance(Milliseconds(1100));
  EXPECT_THAT(log.Take(), ElementsAre("resync"));
  pods.AddHandler(world.process.PartActor("late"), &late, Milliseconds(1));
  EXPECT_THAT(log.Take(), ElementsAre("too small 1ms 1s"));
  world.sim.Shutdown();
}

// CLIENT-143: a part of two loops waits until the second goes on, and is told of once.
TEST(CacheWaits, ToldOfEachPartOnce) {
  CacheWaits waits;
  Heard log;
  waits.Begin("a");
  waits.Begin("b");
  waits.Begin("a");
  EXPECT_THAT(log.Take(), IsEmpty());
  waits.LogTo(&log);
  EXPECT_THAT(log.Take(), ElementsAre("waits a", "waits b"));
  waits.End("a");
  EXPECT_THAT(log.Take(), IsEmpty());
  waits.End("a");
  waits.End("b");
  EXPECT_THAT(log.Take(), ElementsAre("synced a", "synced b"));
  waits.Begin("c");
  EXPECT_THAT(log.Take(), ElementsAre("waits c"));
}

// CLIENT-57, CLIENT-144: what a slow handler has not heard of waits in its own queue.
TEST_P(CacheLogTest, QueuesTellWhatWaits) {
  std::unique_ptr<FaultHooks> hooks;  // the server's streams, which go with the world, know them
  World world(GetParam());
  hooks = std::make_unique<FaultHooks>(world.sim);
  world.env.faults = hooks.get();
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  SharedInformer& pods = factory.For(world.pods());
  RecordingHandler quick, slow;
  pods.AddHandler(world.process.PartActor("quick"), &quick);
  const int registration = pods.AddHandler(world.process.PartActor("slow"), &slow);
  const std::string process = world.process.name();
  hooks->HandlerGate(process + "/slow", world.pods()).Close();
  factory.Start();
  world.Settle();
  world.server.Put("a");
  world.server.Put("b");
  world.Settle();
  const std::vector<InformerQueues> queues = QueuesOf(factory);
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0].resource, world.pods());
  EXPECT_EQ(queues[0].deltas, 0u);
  ASSERT_EQ(queues[0].listeners.size(), 2u);
  EXPECT_EQ(queues[0].listeners[0].name, process + "/quick");
  EXPECT_EQ(queues[0].listeners[0].pending, 0u);
  EXPECT_EQ(queues[0].listeners[1].pending, 2u);
  hooks->HandlerGate(process, world.pods()).Close();
  world.server.Put("c");
  world.Settle();
  EXPECT_EQ(QueuesOf(factory)[0].deltas, 1u) << "in front of the cache";
  if (GetParam() != api::Compat::k1_25) {
    pods.RemoveHandler(registration);
    EXPECT_EQ(QueuesOf(factory)[0].listeners.size(), 1u);
  }
  world.sim.Shutdown();
}

}  // namespace
}  // namespace ksim::client
