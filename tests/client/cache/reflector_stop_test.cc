// The end of a reflector: its process dies in the middle of a pass; and that of what it watches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/client/cache/reflector_fixture.h"

namespace ksim::client {
namespace {

using testing::IsEmpty;

struct ReflectorStop : ReflectorTest {};
INSTANTIATE_TEST_SUITE_P(Compat, ReflectorStop, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CLIENT-29: the process dies while its reflector reads, asks or waits. Nothing is asked
// afterwards, nothing reaches the queue, and no wait goes on.
TEST_P(ReflectorStop, DeathOfTheProcessEndsThePassWhereverItIs) {
  struct Case {
    const char* name;
    std::function<void(FakeServer&)> before, during;
    std::size_t streams;  // open when it dies
  };
  const auto nothing = [](FakeServer&) {};
  for (const Case& c : std::vector<Case>{
           {"it reads", nothing, nothing, 1},
           {"it lists", [](FakeServer& s) { s.Hang(api::Verb::kList); }, nothing, head() ? 1u : 0u},
           {"it opens a watch", [](FakeServer& s) { s.Hang(api::Verb::kWatch); }, nothing, 0},
           {"it waits to open again, refused",
            [](FakeServer& s) {
              if (s.log.empty()) s.Put("a");
            },
            [](FakeServer& s) {
              s.EndStreams(api::StreamEnd::kEof);
              s.up = false;
            },
            0},
           {"it waits to open again, too many requests", nothing,
            [](FakeServer& s) { s.SendError(api::TooManyRequests("later", 1)); }, 0},
           {"it waits for the next pass", nothing,
            [](FakeServer& s) { s.SendError(api::Expired("old")); }, 0}}) {
    SCOPED_TRACE(c.name);
    ReflectorFixture f(GetParam());
    FakeServer& server = f.world.server;
    server.Put("first");
    c.before(server);
    f.Start();
    f.world.Advance(Milliseconds(1500));
    c.during(server);
    f.world.Advance(Milliseconds(20));
    EXPECT_EQ(server.open_streams(), c.streams);
    f.Log();
    f.Deltas();
    f.world.process.Kill();
    f.world.Advance(Milliseconds(20));
    EXPECT_EQ(f.world.sim.pending_work(), 0u) << "no wait goes on";
    server.up = true;
    for (FakeServer::Call& call : server.hanging) call.reply(api::Response());
    server.Put("late");
    f.world.Advance(Minutes(2));
    EXPECT_EQ(server.open_streams(), 0u);
    EXPECT_THAT(f.Log(), IsEmpty());
    EXPECT_THAT(f.Deltas(), IsEmpty());
  }
}

// CLIENT-29
TEST_P(ReflectorStop, DeathOfTheProcessClosesTheStream) {
  ReflectorFixture f(GetParam());
  f.Start();
  f.world.Settle();
  EXPECT_EQ(f.world.server.open_streams(), 1u);
  f.world.process.Kill();
  f.world.Settle();
  EXPECT_EQ(f.world.server.open_streams(), 0u);
  EXPECT_EQ(f.world.sim.pending_work(), 0u);
}

// It asks on, and keeps no run busy with that; once it has listed again its back-offs are work.
TEST_P(ReflectorStop, NobodyWaitsForAKindThatIsGone) {
  ReflectorFixture f(GetParam());
  f.world.server.Put("a");
  f.Start();
  f.world.Advance(Seconds(5));
  const api::Status gone = api::NotFound(api::GroupResource("", "pods"), "");
  if (head()) f.world.server.Answer(api::Verb::kWatch, gone);
  f.world.server.Answer(api::Verb::kList, gone);
  f.world.server.SendError(api::Expired("x"));
  f.world.Advance(Milliseconds(400));
  EXPECT_GT(f.world.sim.pending_work(), 0u) << "what broke is mended soon";
  f.world.Advance(Milliseconds(1100));
  EXPECT_EQ(f.world.sim.pending_work(), 0u);
  f.Log();
  f.world.Advance(Seconds(5));
  EXPECT_FALSE(f.Log().empty()) << "it asks on";
  f.world.server.SendError(api::Expired("x"));
  f.world.Advance(Milliseconds(100));
  EXPECT_GT(f.world.sim.pending_work(), 0u) << "the kind is back";
}

}  // namespace
}  // namespace ksim::client
