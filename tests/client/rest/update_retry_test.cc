#include "ksim/client/update_retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "ksim/client/cache/indexer.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;

api::Status Stale() { return api::Conflict(api::GroupResource("", "pods"), "a", "modified"); }

struct Writer {
  explicit Writer(World& w) : world(w), client(*w.connection, w.process.actor(), ClientOptions()) {}
  sim::Task<void> Update() {
    const Change change = [this](const api::Object& cached) {
      seen.push_back(cached.resource_version());
      return cached;
    };
    result = co_await UpdateWithRetries(client, cache, world.pods(), "default", "a", change);
    at = world.sim.now();
  }
  sim::Task<void> Status(api::Object object, value::Value status) {
    result = co_await UpdateStatusWithOneRetry(client, world.pods(), object, status);
  }
  World& world;
  Client client;
  Indexer cache{Pods()};
  std::vector<std::int64_t> seen;  // versions that the change was made to
  std::optional<Client::ObjectResult> result;
  VirtualTime at;
};

// CLIENT-102: each try reads the cache: a cache that stays behind leads to the same conflict four
// times, and one that catches up in between lets the update succeed.
TEST(UpdateWithRetries, ReadsTheCacheAgainBeforeEachTry) {
  struct Case {
    const char* what;
    int conflicts;
    Duration catches_up;  // when the cache gets version 2; 0 = never
    std::vector<std::int64_t> seen;
    bool ok;
  };
  const std::vector<Case> cases = {
      {"no conflict", 0, {}, {1}, true},
      {"the cache catches up", 2, Milliseconds(30), {1, 1, 2}, true},
      {"the cache stays behind", 9, {}, {1, 1, 1, 1}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    World world;
    Writer writer(world);
    writer.cache.Put(Pod("a", 1));
    for (int i = 0; i < c.conflicts; ++i) world.server.Answer(api::Verb::kUpdate, Stale());
    if (c.catches_up > Duration())
      world.sim.After(c.catches_up, sim::TimerKind::kWork, "test",
                      [&writer] { writer.cache.Put(Pod("a", 2)); });
    world.Run(writer.Update());
    world.Advance(Seconds(5));
    ASSERT_TRUE(writer.result.has_value());
    EXPECT_EQ(writer.result->ok(), c.ok);
    EXPECT_EQ(writer.seen, c.seen);
    if (!c.ok) {
      EXPECT_TRUE(api::IsConflict(writer.result->status()));
      EXPECT_GE(writer.at, VirtualTime() + Milliseconds(310));
      EXPECT_LT(writer.at, VirtualTime() + Milliseconds(360));
    }
    world.sim.Shutdown();
  }
}

// CLIENT-102
TEST(UpdateWithRetries, WhatTheCacheDoesNotHaveIsNotFoundWithoutARequest) {
  World world;
  Writer writer(world);
  world.Run(writer.Update());
  world.Settle();
  ASSERT_TRUE(writer.result.has_value());
  EXPECT_TRUE(api::IsNotFound(writer.result->status()));
  EXPECT_TRUE(world.server.log.empty());
  world.sim.Shutdown();
}

// CLIENT-102: the helper sends one PUT; after any error it sends a live GET and the same status
// once more, onto the newer object; then it returns the error.
TEST(UpdateStatusWithOneRetry, PutsReadsLiveAndPutsOnceMore) {
  struct Case {
    const char* what;
    std::vector<api::Status> refusals;
    std::vector<std::string> log;
    bool ok;
  };
  const std::vector<Case> cases = {
      {"no error", {}, {"update a"}, true},
      {"a conflict", {Stale()}, {"update a", "get a", "update a"}, true},
      {"any error", {api::Invalid("", "Pod", "a", {})}, {"update a", "get a", "update a"}, true},
      {"twice", {Stale(), Stale()}, {"update a", "get a", "update a"}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    World world;
    Writer writer(world);
    for (const api::Status& s : c.refusals) world.server.Answer(api::Verb::kUpdate, s);
    world.server.Next(api::Verb::kGet, [](FakeServer::Call call) {
      api::Response response;
      response.object = Pod("a", 7, "u", "newer");
      call.reply(std::move(response));
    });
    const value::Value status = value::Obj({{"phase", value::Value::Of("Running")}});
    world.Run(writer.Status(Pod("a", 1), status));
    world.Advance(Seconds(5));
    ASSERT_TRUE(writer.result.has_value());
    EXPECT_EQ(writer.result->ok(), c.ok);
    EXPECT_EQ(world.server.log, c.log);
    const api::Request& last = world.server.requests.back();
    EXPECT_EQ(last.subresource, "status");
    EXPECT_EQ(last.body.Get("status").Get("phase").AsString(), "Running");
    const value::Value body = last.WholeBody();
    EXPECT_EQ(body.Get("metadata").Get("resourceVersion").AsString(),
              c.refusals.empty() ? "1" : "7")
        << "the live object's version";
    world.sim.Shutdown();
  }
}

}  // namespace
}  // namespace ksim::client
