// GET and LIST: the answers, and whether the watch cache or etcd serves them, in each profile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using From = api::Response::From;
using Lines = std::vector<std::string>;

// Three config maps in default: a, b, c; the cache knows them.
class Reads : public ::testing::TestWithParam<Compat> {
 protected:
  Reads() : world(WorldOptions(GetParam())) {
    for (const char* name : {"b", "c", "a"})
      world.Create("configmaps", "default", ConfigMap("default", name));
    world.Advance(Seconds(1));
    at = world.revision();
    cached = world.server().cache_revision(world.Kind("configmaps"));
  }
  bool is(Compat c) const { return GetParam() == c; }
  void Freeze() { world.server().faults().watch_cache(world.Kind("configmaps")).Freeze(); }
  api::Response List(std::string_view rv, std::string_view match = {}, std::int64_t limit = 0) {
    return world.List("configmaps", "default", Options(rv, match, limit));
  }
  World world;
  std::int64_t at = 0, cached = 0;
};

INSTANTIATE_TEST_SUITE_P(Profiles, Reads,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// API-31
// API-32
// API-33
TEST_P(Reads, GetFromStorageOrCache) {
  Freeze();
  world.Create("configmaps", "default", ConfigMap("default", "new"));
  const api::Response newest = world.Get("configmaps", "default", "new");
  EXPECT_EQ(newest.code, 200);
  EXPECT_EQ(newest.from, From::kStore);
  EXPECT_EQ(world.Get("configmaps", "default", "new", "0").code, 404);
  const api::Response old = world.Get("configmaps", "default", "a", std::to_string(at - 1));
  EXPECT_EQ(old.code, 200);
  EXPECT_EQ(old.from, From::kCache);
}

// API-33
// API-37
TEST_P(Reads, GetWaitsForTheCacheThreeSeconds) {
  Freeze();
  world.Create("configmaps", "default", ConfigMap("default", "new"));
  const VirtualTime before = world.sim.now();
  const api::Response r =
      world.Get("configmaps", "default", "new", std::to_string(world.revision()));
  EXPECT_EQ(world.sim.now() - before, Seconds(3));
  EXPECT_EQ(r.code, 504);
  EXPECT_EQ(r.status.reason, "Timeout");
  EXPECT_EQ(r.status.message, fmt::format("Timeout: Too large resource version: {}, current: {}",
                                          world.revision(), at));
  ASSERT_EQ(r.status.details->causes.size(), 1u);
  EXPECT_EQ(r.status.details->causes[0].reason, "ResourceVersionTooLarge");
  EXPECT_EQ(r.status.details->retry_after_seconds, 1);
}

// API-33
TEST_P(Reads, GetAtTheVersionOfAWriteJustMade) {
  const api::Response made = world.Create("configmaps", "default", ConfigMap("default", "new"));
  const api::Response r =
      world.Get("configmaps", "default", "new", std::to_string(made.object.resource_version()));
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(r.from, From::kCache);
}

// API-40
// API-46
TEST_P(Reads, ListsAreSortedAndSayWhereTheyComeFrom) {
  struct Row {
    const char* rv;
    const char* match;
    std::int64_t limit;
    From old_from, new_from;
  };
  const std::string now = std::to_string(at);
  for (const Row& row :
       std::vector<Row>{{"", "", 0, From::kStore, From::kCache},
                        {"0", "", 0, From::kCache, From::kCache},
                        {"0", "", 1, From::kCache, From::kCache},
                        {"0", "NotOlderThan", 1, From::kCache, From::kCache},
                        {now.c_str(), "", 0, From::kCache, From::kCache},
                        {now.c_str(), "NotOlderThan", 0, From::kCache, From::kCache},
                        {now.c_str(), "NotOlderThan", 5, From::kStore, From::kCache},
                        {now.c_str(), "Exact", 0, From::kStore, From::kCache},
                        {now.c_str(), "", 5, From::kStore, From::kCache}}) {
    const api::Response r = List(row.rv, row.match, row.limit);
    const std::string what = fmt::format("{} {} {}", row.rv, row.match, row.limit);
    EXPECT_EQ(r.code, 200) << what << ": " << r.status.message;
    EXPECT_EQ(r.from, is(Compat::k1_36) ? row.new_from : row.old_from) << what;
    EXPECT_EQ(Names(r), (Lines{"a", "b", "c"})) << what << ": RV 0 ignores the limit";
    EXPECT_TRUE(r.continue_token.empty()) << what;
    EXPECT_GE(r.list_rv, std::string_view(row.rv) == now ? at : 1) << what;
  }
}

// API-02
TEST_P(Reads, AnEmptyListHasARevision) {
  EXPECT_GE(world.List("secrets", "").list_rv, 1);
  EXPECT_GE(world.List("secrets", "", Options("0")).list_rv, 1);
}

// API-43
// API-40
TEST_P(Reads, AConsistentListOutwaitsALaggingCache) {
  Freeze();
  world.Create("configmaps", "default", ConfigMap("default", "new"));
  const VirtualTime before = world.sim.now();
  const api::Response r = List("");
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(r.list_rv, world.revision());
  EXPECT_EQ(Names(r), (Lines{"a", "b", "c", "new"}));
  EXPECT_EQ(r.from, From::kStore);
  const Duration took = world.sim.now() - before;
  EXPECT_EQ(took >= Seconds(3), is(Compat::k1_36));
  EXPECT_EQ(took < Milliseconds(10), !is(Compat::k1_36));
}

// API-44
// API-37
TEST_P(Reads, AQuietKindReachesTheRevisionOfOthersOnlyWithProgress) {
  world.Create("secrets", "default", Json(R"({"apiVersion":"v1","kind":"Secret",
    "metadata":{"name":"s"}})"));
  const VirtualTime before = world.sim.now();
  const api::Response r = List(std::to_string(world.revision()));
  if (is(Compat::k1_36)) {
    EXPECT_EQ(r.code, 200);
    EXPECT_EQ(r.list_rv, world.revision());
    EXPECT_LT(world.sim.now() - before, Milliseconds(250));
  } else {
    EXPECT_EQ(r.code, 504);
    EXPECT_EQ(r.status.details->retry_after_seconds, 1);
    EXPECT_EQ(world.sim.now() - before, Seconds(3));
  }
}

// API-41
// API-42
// API-20
TEST_P(Reads, AnExactListShowsTheStateOfThen) {
  world.Delete("configmaps", "default", "b");
  world.Update("configmaps", ConfigMap("default", "a", "new"));
  world.Create("configmaps", "default", ConfigMap("default", "z"));
  world.Advance(Seconds(1));
  for (const std::string_view match : {"Exact", ""}) {
    const api::Response then = List(std::to_string(at), match, match.empty() ? 10 : 0);
    EXPECT_EQ(then.code, 200);
    EXPECT_EQ(then.list_rv, at);
    EXPECT_EQ(Names(then), (Lines{"a", "b", "c"}));
    EXPECT_EQ(then.items[0].Get(value::Path{"data", "k"}).AsString(), "x");
  }
  const api::Response early = List("2", "Exact");
  EXPECT_EQ(early.code, 200);
  EXPECT_EQ(early.list_rv, 2);
  EXPECT_TRUE(early.items.empty());
}

// API-20
// API-37
TEST_P(Reads, AnExactListOfTheFuture) {
  const VirtualTime before = world.sim.now();
  const api::Response r = List(std::to_string(world.revision() + 100), "Exact");
  if (is(Compat::k1_36)) {
    EXPECT_EQ(r.code, 504);
    EXPECT_EQ(r.status.details->retry_after_seconds, 1);
    EXPECT_EQ(world.sim.now() - before, Seconds(3));
  } else {
    EXPECT_EQ(r.code, 500);
    EXPECT_EQ(r.status.reason, "");
    EXPECT_LT(world.sim.now() - before, Milliseconds(10));
  }
  const api::Response limited = List(std::to_string(world.revision() + 100), "NotOlderThan", 1);
  EXPECT_EQ(limited.code, 504);
  EXPECT_EQ(limited.status.details->retry_after_seconds, is(Compat::k1_36) ? 1 : 0);
}

// API-20
// API-35
TEST_P(Reads, AnExactListOfWhatWasCompacted) {
  ASSERT_TRUE(world.store().Compact(store::CompactRequest(at, {})).ok());
  if (is(Compat::k1_36)) {
    EXPECT_EQ(List("2", "Exact").code, 200) << "the cache has not heard of it yet";
    world.server().faults().watch_cache(world.Kind("configmaps")).ExpireHistory();
  }
  const api::Response r = List("2", "Exact");
  EXPECT_EQ(r.code, 410);
  EXPECT_EQ(r.status.reason, "Expired");
  EXPECT_EQ(r.status.message, "The resourceVersion for the provided list is too old.");
}

// API-05
TEST_P(Reads, RefusesVersionsThatAreNone) {
  const api::Response r = List("abc", "Exact");
  EXPECT_EQ(r.code, 400);
  EXPECT_TRUE(r.status.message.starts_with("invalid resource version"));
  EXPECT_EQ(List("abc").code, is(Compat::k1_36) ? 400 : 500) << "the cache reads it first";
  EXPECT_EQ(List("-1", "Exact").code, 400);
  EXPECT_EQ(List("007").code, 200);
}

// API-48
// API-50
// API-47
TEST_P(Reads, PagesTogetherAreOneList) {
  for (std::int64_t limit = 1; limit <= 4; ++limit) {
    Lines names;
    api::ListOptions options = Options("", "", limit);
    std::int64_t first_rv = 0;
    int page = 0;
    while (true) {
      const api::Response r = world.List("configmaps", "default", options);
      ASSERT_EQ(r.code, 200) << r.status.message;
      if (page++ == 0) first_rv = r.list_rv;
      EXPECT_EQ(r.list_rv, first_rv);
      for (const std::string& name : Names(r)) names.push_back(name);
      const std::int64_t left = 3 - static_cast<std::int64_t>(names.size());
      EXPECT_EQ(r.remaining_item_count.value_or(0), left);
      EXPECT_EQ(r.continue_token.empty(), left == 0);
      if (r.continue_token.empty()) break;
      options.continue_token = r.continue_token;
      // Writes in between change nothing for this chain.
      world.Create("configmaps", "default",
                   ConfigMap("default", fmt::format("b{}{}", limit, page)));
    }
    EXPECT_EQ(names, (Lines{"a", "b", "c"})) << limit;
    for (int p = 1; p < page; ++p)
      world.Delete("configmaps", "default", fmt::format("b{}{}", limit, p));
  }
}

// API-49
// API-35
TEST_P(Reads, AnExpiredTokenGoesOnAtTheNewestState) {
  api::ListOptions options = Options("", "", 1);
  options.continue_token = world.List("configmaps", "default", options).continue_token;
  world.Create("configmaps", "default", ConfigMap("default", "aa"));
  world.Create("configmaps", "default", ConfigMap("default", "d"));
  world.Advance(Seconds(1));
  ASSERT_TRUE(world.store().Compact(store::CompactRequest(world.revision(), {})).ok());
  world.server().faults().watch_cache(world.Kind("configmaps")).ExpireHistory();
  const api::Response expired = world.List("configmaps", "default", options);
  ASSERT_EQ(expired.code, 410);
  options.continue_token = expired.status.details->continue_token;
  options.limit = 2;
  api::Response r = world.List("configmaps", "default", options);
  ASSERT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(Names(r), (Lines{"aa", "b"}));
  EXPECT_EQ(r.list_rv, world.revision());
  options.continue_token = r.continue_token;
  const std::int64_t pinned = r.list_rv;
  world.Create("configmaps", "default", ConfigMap("default", "e"));
  r = world.List("configmaps", "default", options);
  EXPECT_EQ(Names(r), (Lines{"c", "d"}));
  EXPECT_EQ(r.list_rv, pinned);
}

// API-39
// API-38
TEST_P(Reads, ATokenGoesWithNoVersion) {
  api::ListOptions options = Options("", "", 1);
  options.continue_token = world.List("configmaps", "default", options).continue_token;
  options.resource_version = "0";
  // Version 0 takes the limit away where the cache answers.
  const Lines rest = is(Compat::k1_36) ? Lines{"b", "c"} : Lines{"b"};
  EXPECT_EQ(Names(world.List("configmaps", "default", options)), rest);
  options.resource_version = std::to_string(at);
  const api::Response both = world.List("configmaps", "default", options);
  EXPECT_EQ(both.code, 400);
  EXPECT_EQ(both.status.message, "specifying resource version is not allowed when using continue");
  options.resource_version_match = "Exact";
  EXPECT_EQ(world.List("configmaps", "default", options).code, 422);
  options = Options();
  options.continue_token = "no token";
  EXPECT_EQ(world.List("configmaps", "default", options).code, 400);
}

// API-51
TEST_P(Reads, ALimitCountsMatches) {
  for (int i = 0; i < 30; ++i) {
    const value::Value map = ConfigMap("default", fmt::format("m{:02}", i));
    world.Create(
        "configmaps", "default",
        i == 29 ? map.Set(value::Path{"metadata", "labels", "rare"}, value::Value::Of("y")) : map);
  }
  api::ListOptions options = Options("", "", 1);
  options.label_selector = "rare=y";
  const api::Response r = world.List("configmaps", "default", options);
  EXPECT_EQ(Names(r), Lines{"m29"});
  EXPECT_TRUE(r.continue_token.empty()) << "the match was the last candidate";
  world.Create("configmaps", "default", ConfigMap("default", "z"));
  const api::Response more = world.List("configmaps", "default", options);
  EXPECT_EQ(Names(more), Lines{"m29"});
  EXPECT_FALSE(more.continue_token.empty());
  EXPECT_FALSE(more.remaining_item_count.has_value());
  options.continue_token = more.continue_token;
  const api::Response last = world.List("configmaps", "default", options);
  EXPECT_TRUE(last.items.empty());
  EXPECT_TRUE(last.continue_token.empty());
}

// API-16
TEST_P(Reads, ANamespaceDoesNotSpillIntoOneWithALongerName) {
  for (const char* ns : {"foo", "foobar"}) {
    world.Create("namespaces", "",
                 value::Obj({{"metadata", value::Obj({{"name", value::Value::Of(ns)}})}}));
    ASSERT_EQ(world.Create("configmaps", ns, ConfigMap(ns, std::string("in-") + ns)).code, 201);
  }
  world.Advance(Seconds(1));
  for (const char* rv : {"", "0"})
    EXPECT_EQ(Names(world.List("configmaps", "foo", Options(rv))), Lines{"in-foo"});
}

// API-53
TEST_P(Reads, AFieldSelectorFindsWhatFilteringFinds) {
  api::ListOptions options;
  options.field_selector = "metadata.name=b";
  EXPECT_EQ(Names(world.List("configmaps", "default", options)), Lines{"b"});
  EXPECT_EQ(Names(world.List("configmaps", "", options)), Lines{"b"});
  options.field_selector = "metadata.namespace=default,metadata.name!=b";
  EXPECT_EQ(Names(world.List("configmaps", "", options)), (Lines{"a", "c"}));
}

// API-55
TEST_P(Reads, EventsAreListedFromStorageWithTheirLimit) {
  for (const char* name : {"e1", "e2"})
    world.Create("events", "default",
                 Json(R"({"metadata":{"name":")" + std::string(name) +
                      R"("},"involvedObject":{"namespace":"default"}})"));
  const api::Response r = world.List("events", "default", Options("0", "", 1));
  EXPECT_EQ(r.from, From::kStore);
  EXPECT_EQ(Names(r), Lines{"e1"});
  EXPECT_FALSE(r.continue_token.empty());
}

// API-45
// API-34
// WATCH-32
TEST_P(Reads, WhileTheCacheIsNotReady) {
  const api::ResourceInfo& maps = world.Kind("configmaps");
  world.server().faults().watch_cache(maps).Reinit();
  world.Advance(Milliseconds(500));
  const api::Response get = world.Get("configmaps", "default", "a", "0");
  EXPECT_EQ(get.code, 200);
  EXPECT_EQ(get.from, From::kStore);
  const VirtualTime before = world.sim.now();
  const api::Response list = List(std::to_string(at));
  if (is(Compat::k1_36)) {
    EXPECT_EQ(list.code, 429);
    EXPECT_TRUE(list.status.message.starts_with("storage is (re)initializing"));
    EXPECT_EQ(list.status.details->retry_after_seconds, 1);
    EXPECT_EQ(List("", "", 5).from, From::kStore);
    auto watch = world.Watch("configmaps", "default", Options(std::to_string(at)));
    EXPECT_EQ(watch->response.code, 429);
    EXPECT_TRUE(watch->seen.empty());
  } else {
    EXPECT_EQ(list.code, 200);
    EXPECT_GT(world.sim.now() - before, Milliseconds(400)) << "blocks until the cache is ready";
    EXPECT_EQ(list.from, From::kCache);
  }
}

TEST(Reads, UnknownPathsAndVerbs) {
  World world;
  api::Request request = world.Request(api::Verb::kGet, "configmaps", "default", "a");
  request.subresource = "status";
  api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 404);
  EXPECT_EQ(r.status.message, "the server could not find the requested resource");
  request = world.Request(api::Verb::kDelete, "pods", "default", "a");
  request.subresource = "status";
  EXPECT_EQ(world.Do(request).code, 405);
  EXPECT_EQ(world.Do(world.Request(api::Verb::kCreate, "pods", "", "")).code, 405);
}

}  // namespace
}  // namespace ksim::apiserver
