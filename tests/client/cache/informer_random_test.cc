// Informers under random histories, faults and versions, against slow oracles: in every quiet state
// the cache equals the server's state at the reflector's version, and the fold of every handler's
// calls equals the cache.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ksim/client/core/items_hash.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

class Script {
 public:
  Script(api::Compat compat, std::uint64_t seed)
      : random_(seed),
        world_(compat, seed),
        factory_(*world_.connection, ClientOptions(), Duration()),
        pods_(factory_.For(world_.pods())) {
    for (RecordingHandler& h : handlers_) {
      h.deletes_of_unknown = compat == api::Compat::k1_36;
      pods_.AddHandler(world_.process.PartActor(fmt::format("h{}", &h - handlers_)), &h);
    }
    for (int i = 0; i < 5; ++i) world_.server.Put(Name());
    factory_.Start();
  }
  ~Script() { world_.sim.Shutdown(); }

  // Makes one change of the objects, starts a fault, or lets some time pass.
  void Step() {
    FakeServer& server = world_.server;
    switch (random_() % 16) {
      case 0:
        server.Compact();
        break;
      case 1:
        server.EndStreams(random_() % 2 == 0 ? api::StreamEnd::kEof : api::StreamEnd::kReset);
        break;
      case 2:
        server.SendError(Error());
        break;
      case 3: {
        const api::Status error = Error();  // first: compilers differ in what they ask first
        server.Answer(random_() % 2 == 0 ? api::Verb::kList : api::Verb::kWatch, error);
        break;
      }
      case 4:
        server.up = !server.up;
        if (!server.up) server.EndStreams(api::StreamEnd::kReset);
        break;
      case 5:
        server.SendBookmark();
        break;
      case 6:
        server.Recreate(Name());
        break;
      case 7:
      case 8:
        server.Remove(Name());
        break;
      case 9:
        world_.Advance(Milliseconds(static_cast<std::int64_t>(random_() % 3000)));
        break;
      default:
        server.Put(Name());
    }
    if (random_() % 3 == 0)
      world_.Advance(Microseconds(static_cast<std::int64_t>(random_() % 3000)));
  }

  void Check() {
    world_.server.up = true;
    world_.Advance(Minutes(10));  // several answers may be prepared, with a back-off after each
    ASSERT_EQ(pods_.pending(), 0u);
    const std::string rv = pods_.last_sync_resource_version();
    ASSERT_EQ(rv, std::to_string(world_.server.rv()));
    std::vector<api::Object> expected;
    for (const auto& [key, object] : world_.server.StateAt(std::stoll(rv))) {
      expected.push_back(object);
    }
    const std::vector<api::Object> cached = pods_.lister().List("");
    ASSERT_EQ(cached.size(), expected.size());
    ASSERT_EQ(ItemsHash(cached), ItemsHash(expected));
    for (const RecordingHandler& h : handlers_) {
      std::vector<api::Object> fold;
      for (const auto& [key, object] : h.fold) fold.push_back(object);
      ASSERT_EQ(ItemsHash(fold), ItemsHash(expected));
      ASSERT_THAT(h.complaints, testing::IsEmpty());
    }
  }

  std::vector<sim::Event> events() const { return world_.events; }

 private:
  std::string Name() { return std::string(1, static_cast<char>('a' + random_() % 7)); }
  api::Status Error() {
    switch (random_() % 4) {
      case 0:
        return api::Expired("x");
      case 1:
        return api::TooManyRequests("x", 0);
      case 2:
        return api::InternalError("x");
      default:
        return api::TooLargeResourceVersion(9, 1, 0);
    }
  }
  std::mt19937 random_;
  World world_;
  InformerFactory factory_;
  SharedInformer& pods_;
  RecordingHandler handlers_[2];
};

class RandomInformerTest : public testing::TestWithParam<api::Compat> {};
INSTANTIATE_TEST_SUITE_P(Compat, RandomInformerTest,
                         testing::Values(api::Compat::k1_25, api::Compat::k1_30,
                                         api::Compat::k1_36),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CLIENT-31, CLIENT-55, CLIENT-57, G-NL1, G-OR2
TEST_P(RandomInformerTest, CacheIsTheServersStateAndHandlersAddUpToIt) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Script script(GetParam(), seed);
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 60; ++i) script.Step();
      script.Check();
      if (HasFatalFailure()) FAIL() << "seed " << seed << " round " << round;
    }
  }
}

TEST_P(RandomInformerTest, SameSeedGivesTheSameEvents) {
  auto run = [](std::uint64_t seed) {
    Script script(GetParam(), seed);
    for (int i = 0; i < 150; ++i) script.Step();
    return script.events();
  };
  const std::vector<sim::Event> one = run(3), two = run(3);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].time, two[i].time);
    ASSERT_EQ(one[i].kind, two[i].kind);
    ASSERT_EQ(one[i].cause, two[i].cause);
    ASSERT_EQ(one[i].content(), two[i].content());
  }
}

// Every event that a client emits has an earlier cause, except requests that it starts by itself.
TEST_P(RandomInformerTest, CausesComeBeforeTheirEffects) {
  Script script(GetParam(), 5);
  for (int i = 0; i < 150; ++i) script.Step();
  script.Check();
  for (const sim::Event& e : script.events()) {
    EXPECT_LT(e.cause, e.seq);
    if (e.kind == sim::EventKind::kHandler || e.kind == sim::EventKind::kCache) {
      EXPECT_NE(e.cause, 0u);
    }
  }
}

}  // namespace
}  // namespace ksim::client
