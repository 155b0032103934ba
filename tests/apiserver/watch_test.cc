// WATCH in each profile: the initial events, the changes that follow, and the end of the stream.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using Lines = std::vector<std::string>;
using value::Path;
using value::Value;

api::ListOptions WatchFrom(std::string_view rv, std::optional<bool> initial = std::nullopt,
                           bool bookmarks = false) {
  api::ListOptions options = Options(rv, initial ? "NotOlderThan" : "");
  options.send_initial_events = initial;
  options.allow_watch_bookmarks = bookmarks;
  return options;
}

std::string Added(const api::Object& o) {
  return fmt::format("ADDED {} {}", o.name(), o.resource_version());
}

// Creates the config maps b and a, in this order; the watch cache has both and is at the store's
// revision.
class Watches : public ::testing::TestWithParam<Compat> {
 protected:
  Watches() : world(WorldOptions(GetParam())) {
    b = Make("b");
    a = Make("a");
    world.Advance(Seconds(1));
  }
  bool is(Compat c) const { return GetParam() == c; }
  api::Object Make(std::string_view name, std::string_view ns = "default") {
    const api::Response r = world.Create("configmaps", ns, ConfigMap(ns, name));
    EXPECT_EQ(r.code, 201) << r.status.message;
    return r.object;
  }
  std::shared_ptr<TestWatch> Watch(api::ListOptions options, std::string_view ns = "default") {
    return world.Watch("configmaps", ns, std::move(options));
  }
  // Cuts the server off from etcd, lets the cache begin anew and asks for a watch that lives
  // `seconds`.
  std::shared_ptr<TestWatch> AskUnready(std::int64_t seconds) {
    world.network.Cut("kube-apiserver-0", "etcd");
    world.server().faults().watch_cache(world.Kind("configmaps")).Reinit();
    world.Advance(Seconds(2));
    api::ListOptions options = Options("0");
    options.timeout_seconds = seconds;
    auto watch = world.StartWatch("configmaps", "default", std::move(options));
    return watch;
  }
  World world;
  api::Object a, b;
};

INSTANTIATE_TEST_SUITE_P(Profiles, Watches,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

// WATCH-06
// WATCH-08
// WATCH-09
// WATCH-05
TEST_P(Watches, FromNowhereOrZeroBeginWithTheState) {
  for (const char* rv : {"", "0"}) {
    auto watch = Watch(WatchFrom(rv, std::nullopt, true));
    world.Advance(Milliseconds(50));
    Lines expected{Added(a), Added(b)};
    if (is(Compat::k1_36)) expected.push_back(fmt::format("BOOKMARK {} end", world.revision()));
    EXPECT_EQ(watch->Lines(), expected) << "rv '" << rv << "'";
    auto plain = Watch(WatchFrom(rv));
    world.Advance(Milliseconds(50));
    EXPECT_EQ(plain->Lines(), (Lines{Added(a), Added(b)})) << "no bookmarks unless allowed";
  }
}

// WATCH-07
TEST_P(Watches, AListAndAWatchFromItLeaveNoGapAndNoOverlap) {
  const std::int64_t listed = world.List("configmaps", "default").list_rv;
  const api::Object c = Make("c");
  auto watch = Watch(WatchFrom(std::to_string(listed)));
  const api::Object d = Make("d");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), (Lines{Added(c), Added(d)}));
}

// WATCH-06
TEST_P(Watches, FromAPastRevisionReplaysWhatCameAfter) {
  world.Update("configmaps", a.ToTree().Set(Path{"data", "k"}, Value::Of("2")));
  world.Delete("configmaps", "default", "b");
  world.Advance(Seconds(1));
  const std::int64_t now = world.revision();
  auto watch = Watch(WatchFrom(std::to_string(b.resource_version())));
  EXPECT_EQ(watch->Lines(), (Lines{Added(a), fmt::format("MODIFIED a {}", now - 1),
                                   fmt::format("DELETED b {}", now)}));
}

// WATCH-06
TEST_P(Watches, FromTheFutureWaitsForIt) {
  const std::int64_t future = world.revision() + 2;
  auto watch = Watch(WatchFrom(std::to_string(future)));
  Make("c");
  Make("d");
  const api::Object e = Make("e");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), Lines{Added(e)});
  EXPECT_FALSE(watch->closed);
}

// WATCH-24
// WATCH-38
// WATCH-03
TEST_P(Watches, FromTooOldARevisionIsAnErrorEvent) {
  world.server().faults().watch_cache(world.Kind("configmaps")).Reinit();
  world.Advance(Seconds(3));
  auto watch = Watch(WatchFrom(std::to_string(b.resource_version())));
  EXPECT_EQ(watch->response.code, 200);
  EXPECT_EQ(watch->Lines(), (Lines{"ERROR 410 Expired", "EOF"}));
  EXPECT_EQ(
      watch->last().status().message,
      fmt::format("too old resource version: {} ({})", b.resource_version(), a.resource_version()));
  EXPECT_TRUE(watch->last().status().details->causes.empty());
}

// WATCH-16
TEST_P(Watches, AllWatchersOfAnEventSeeOneContentThatNobodyCanChange) {
  const std::string now = std::to_string(world.revision());
  auto first = Watch(WatchFrom(now));
  auto second = Watch(WatchFrom(now));
  auto all = Watch(WatchFrom(now), "");
  const value::Path kData{"data", "k"};
  const Value wanted = ConfigMap("default", "c", "as it was").Get("data");
  world.Create("configmaps", "default", ConfigMap("default", "c", "as it was"));
  world.Advance(Seconds(1));
  // The first consumer scribbles in the object that it was given, in place if that is possible.
  ASSERT_EQ(first->seen.size(), 1u);
  Value mine = std::move(first->seen[0].event.object).ToTree();
  mine = std::move(mine).Set(kData, Value::Of("scribbled"));
  mine = std::move(mine).Set(value::Path{"metadata", "labels", "mine"}, Value::Of("yes"));
  mine = std::move(mine).Set(value::Path{"metadata", "name"}, Value::Of("d"));
  ASSERT_EQ(mine.Get(kData).AsString(), "scribbled");
  // The others' events, a watch that begins later, the cache and the store have what was written.
  auto late = Watch(WatchFrom(now));
  world.Advance(Seconds(1));
  const std::vector<std::pair<const char*, api::Object>> others{
      {"another watch", second->last().object},
      {"a watch of all namespaces", all->last().object},
      {"a watch from before", late->last().object},
      {"the cache", world.Get("configmaps", "default", "c", "0").object},
      {"the store", world.Get("configmaps", "default", "c").object}};
  for (const auto& [name, object] : others) {
    EXPECT_EQ(object.tree().Get("data"), wanted) << name;
    EXPECT_EQ(object.name(), "c") << name;
    EXPECT_TRUE(object.labels().empty()) << name;
    EXPECT_EQ(object.tree(), others[0].second.tree()) << name;
    EXPECT_EQ(object.resource_version(), others[0].second.resource_version()) << name;
  }
}

// WATCH-12
TEST_P(Watches, SeveralNamespacesComeInOneOrder) {
  auto watch = Watch(WatchFrom(std::to_string(world.revision())), "");
  for (int i = 0; i < 10; ++i) Make(fmt::format("x{}", i), i % 2 == 0 ? "default" : "kube-system");
  world.Advance(Seconds(1));
  ASSERT_EQ(watch->seen.size(), 10u);
  std::int64_t last = 0;
  for (const auto& s : watch->seen) {
    EXPECT_GT(s.event.object.resource_version(), last);
    last = s.event.object.resource_version();
  }
  for (std::size_t i = 0; i < watch->seen.size(); ++i) EXPECT_EQ(watch->seen[i].event.n, i + 1);
}

// WATCH-15
// WATCH-13
TEST_P(Watches, AKubeletsWatchSeesAPodWhenItIsBound) {
  api::ListOptions options = WatchFrom(std::to_string(world.revision()));
  options.field_selector = "spec.nodeName=n1";
  auto watch = world.Watch("pods", "", options);
  world.Create("pods", "default", Pod("default", "p"));
  world.Create("pods", "default", Pod("default", "q"));
  world.Advance(Seconds(1));
  EXPECT_TRUE(watch->seen.empty());
  ASSERT_EQ(world.Bind("default", "p", "n1").code, 201);
  ASSERT_EQ(world.Bind("default", "q", "n2").code, 201);
  world.Advance(Seconds(1));
  ASSERT_EQ(watch->seen.size(), 1u);
  EXPECT_EQ(watch->last().type, api::WatchEventType::kAdded);
  EXPECT_EQ(watch->last().object.name(), "p");
}

// WATCH-13
TEST_P(Watches, LeavingTheSelectionIsADeletionOfTheOldContent) {
  api::ListOptions options = WatchFrom(std::to_string(world.revision()));
  options.label_selector = "in=yes";
  auto watch = Watch(options);
  const auto label = [&](const char* v) {
    return world
        .Patch("configmaps", "default", "a", api::PatchType::kMerge,
               fmt::format(R"({{"metadata":{{"labels":{{"in":"{}"}}}}}})", v))
        .object.resource_version();
  };
  const std::int64_t in = label("yes");
  const std::int64_t out = label("no");
  label("other");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(),
            (Lines{fmt::format("ADDED a {}", in), fmt::format("DELETED a {}", out)}));
  EXPECT_EQ(watch->last().object.Label("in"), "yes");
}

// WATCH-02
TEST_P(Watches, ASingleNameIsWatchedByField) {
  api::ListOptions options = WatchFrom("0");
  options.field_selector = "metadata.name=a";
  auto watch = Watch(options);
  Make("c");
  world.Delete("configmaps", "default", "a");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), (Lines{Added(a), fmt::format("DELETED a {}", world.revision())}));
}

// WATCH-45
TEST_P(Watches, AContradictionOpensAndStaysSilent) {
  api::ListOptions options = WatchFrom("0");
  options.field_selector = "metadata.namespace=kube-system";
  auto watch = Watch(options);
  Make("c");
  Make("c", "kube-system");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->response.code, 200);
  EXPECT_TRUE(watch->seen.empty());
}

// WATCH-17
TEST_P(Watches, EndsAtItsTimeout) {
  api::ListOptions options = WatchFrom("0");
  options.timeout_seconds = 7;
  const VirtualTime before = world.sim.now();
  auto watch = Watch(options);
  world.Advance(Seconds(10));
  EXPECT_EQ(watch->Lines().back(), "EOF");
  EXPECT_EQ(watch->closed_at - before, Seconds(7));
  EXPECT_EQ(world.server().open_watches(), 0u);
}

// WATCH-17
TEST_P(Watches, LivesHalfAnHourToAnHourByDefault) {
  const VirtualTime before = world.sim.now();
  auto watch = Watch(WatchFrom("0"));
  world.Advance(Hours(1));
  EXPECT_TRUE(watch->closed);
  EXPECT_GE(watch->closed_at - before, Seconds(1800));
  EXPECT_LT(watch->closed_at - before, Seconds(3600));
}

// WATCH-17
TEST_P(Watches, ItsLifeCountsFromItsArrivalNotFromWhenTheCacheIsReady) {
  if (is(Compat::k1_36)) GTEST_SKIP() << "it does not wait";
  auto watch = AskUnready(20);
  const VirtualTime arrival = world.sim.now();
  world.Advance(Seconds(10));
  EXPECT_EQ(watch->response.code, 0) << "it waits";
  world.network.Mend("kube-apiserver-0", "etcd");
  world.Advance(Seconds(30));
  EXPECT_EQ(watch->response.code, 200);
  EXPECT_EQ(watch->Lines().back(), "EOF");
  EXPECT_EQ(watch->closed_at - arrival, Seconds(20));
  EXPECT_EQ(world.server().open_watches(), 0u);
}

// WATCH-17
// WATCH-32
TEST_P(Watches, OneOfACacheThatIsNeverReadyIsRefusedAtItsDeadline) {
  auto watch = AskUnready(20);
  const int code = is(Compat::k1_36) ? 429 : 503;
  world.Advance(Seconds(20) - Nanoseconds(1));
  EXPECT_EQ(watch->response.code, code == 503 ? 0 : code);
  world.Advance(Nanoseconds(1));
  EXPECT_EQ(watch->response.code, code);
  const api::Status& why = watch->response.status;
  EXPECT_EQ(why.reason, code == 503 ? "ServiceUnavailable" : "TooManyRequests");
  EXPECT_EQ(why.message == "context deadline exceeded", code == 503);
  EXPECT_EQ(why.details->retry_after_seconds, code == 503 ? 0 : 1);
  EXPECT_TRUE(watch->seen.empty());
  EXPECT_EQ(world.server().open_watches(), 0u);
}

// WATCH-17
TEST_P(Watches, LifetimesAreSpreadOverHalfAnHour) {
  const VirtualTime before = world.sim.now();
  std::vector<std::shared_ptr<TestWatch>> watches;
  for (int i = 0; i < 40; ++i) watches.push_back(Watch(WatchFrom("0")));
  world.Advance(Hours(1));
  Duration least = Hours(1), most;
  for (const auto& watch : watches) {
    least = std::min(least, watch->closed_at - before);
    most = std::max(most, watch->closed_at - before);
  }
  EXPECT_LT(least, Seconds(2000));
  EXPECT_GT(most, Seconds(3400));
}

// WATCH-37
TEST_P(Watches, AClientThatWentAwayGetsNothingMore) {
  auto watch = Watch(WatchFrom("0"));
  world.server().endpoint().CloseWatch(watch->response.stream);
  watch->seen.clear();
  Make("c");
  world.Advance(Seconds(1));
  EXPECT_TRUE(watch->seen.empty());
  EXPECT_EQ(world.server().open_watches(), 0u);
  world.server().endpoint().CloseWatch(999);
}

// WATCH-37
TEST_P(Watches, EndWithTheServer) {
  auto watch = Watch(WatchFrom("0"));
  world.server().process().Kill();
  EXPECT_TRUE(watch->closed);
  EXPECT_FALSE(world.server().accepting());
  world.server().Start();
  EXPECT_FALSE(world.server().ready());
  world.RunUntil([&] { return world.server().ready(); });
  EXPECT_EQ(Names(world.List("configmaps", "default")), (Lines{"a", "b"}));
}

// WATCH-04
// WATCH-03
TEST_P(Watches, BadOptionsAreRefusedBeforeAnythingIsSent) {
  auto watch = Watch(Options("5", "Exact"));
  EXPECT_EQ(watch->response.code, 422);
  EXPECT_TRUE(watch->seen.empty());
  api::ListOptions bad = WatchFrom("0");
  bad.field_selector = "data=x";
  EXPECT_EQ(Watch(bad)->response.code, 400);
  EXPECT_EQ(Watch(WatchFrom("abc"))->response.code, 500);
  EXPECT_EQ(world.server().open_watches(), 0u);
}

// WATCH-39
TEST_P(Watches, AClientCanListAtTheVersionOfAnEvent) {
  auto watch = Watch(WatchFrom(std::to_string(world.revision())));
  const api::Object c = Make("c");
  world.RunUntil([&] { return !watch->seen.empty(); });
  const VirtualTime before = world.sim.now();
  const api::Response r =
      world.List("configmaps", "default", Options(std::to_string(c.resource_version())));
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(world.sim.now(), before);
}

// WATCH-42, WATCH-36
TEST_P(Watches, EventsAreWatchedInStorage) {
  const auto event = [&](const char* name) {
    return world
        .Create("events", "default",
                Json(fmt::format(R"({{"metadata":{{"name":"{}"}},
                  "involvedObject":{{"namespace":"default"}},"reason":"R"}})",
                                 name)))
        .object;
  };
  const api::Object one = event("one");
  auto watch = world.Watch("events", "default", WatchFrom("", std::nullopt, true));
  world.Advance(Seconds(1));
  Lines expected{Added(one)};
  if (is(Compat::k1_36)) expected.push_back(fmt::format("BOOKMARK {} end", world.revision()));
  EXPECT_EQ(watch->Lines(), expected);
  const api::Object two = event("two");
  world.Advance(Seconds(1));
  expected.push_back(Added(two));
  EXPECT_EQ(watch->Lines(), expected);
  auto later = world.Watch("events", "default", WatchFrom(std::to_string(one.resource_version())));
  world.Advance(Seconds(1));
  EXPECT_EQ(later->Lines(), Lines{Added(two)});
  ASSERT_TRUE(world.store().Compact(store::CompactRequest(two.resource_version(), {})).ok());
  auto old = world.Watch("events", "default", WatchFrom("3"));
  world.Advance(Seconds(1));
  event("three");
  world.Advance(Seconds(1));
  EXPECT_EQ(old->Lines(), (Lines{"ERROR 410 Expired", "EOF"}));
  EXPECT_EQ(old->last().status().message, "The resourceVersion for the provided watch is too old.");
}

class Watches136 : public Watches {};
INSTANTIATE_TEST_SUITE_P(Profile, Watches136, ::testing::Values(Compat::k1_36),
                         [](const auto&) { return "1_36"; });

// WATCH-06
TEST_P(Watches136, InitialEventsCanBeDeclined) {
  auto unset = Watch(WatchFrom("", false));
  auto zero = Watch(WatchFrom("0", false));
  const api::Object c = Make("c");
  world.Advance(Seconds(1));
  EXPECT_EQ(unset->Lines(), Lines{Added(c)});
  EXPECT_EQ(zero->Lines(), Lines{Added(c)});
}

// WATCH-06
// WATCH-09
TEST_P(Watches136, AWatchListAtARevisionWaitsForIt) {
  world.server().faults().watch_cache(world.Kind("configmaps")).Freeze();
  const api::Object c = Make("c");
  const std::string at = std::to_string(c.resource_version());
  auto watch = world.StartWatch("configmaps", "default", WatchFrom(at, true, true));
  world.Advance(Seconds(2));
  EXPECT_EQ(watch->response.code, 0);
  world.server().faults().watch_cache(world.Kind("configmaps")).ThawAll();
  world.Advance(Milliseconds(500));
  EXPECT_EQ(watch->Lines(), (Lines{Added(a), Added(b), Added(c), "BOOKMARK " + at + " end"}));
}

TEST_P(Watches136, ACacheFrozenTwiceIsThawedTwice) {
  const api::ResourceInfo& maps = world.Kind("configmaps");
  auto watch = Watch(WatchFrom("", false));
  for (int i = 0; i < 2; ++i) world.server().faults().watch_cache(maps).Freeze();
  const api::Object c = Make("c");
  world.server().faults().watch_cache(maps).Thaw();
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), Lines());
  world.server().faults().watch_cache(maps).Thaw();
  world.server().faults().watch_cache(maps).Thaw();  // of none
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), Lines{Added(c)});
  world.server().faults().watch_cache(maps).Freeze();
  Make("d");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->Lines(), Lines{Added(c)});
}

// WATCH-06
// API-37
TEST_P(Watches136, AWatchListThatCannotGetFreshIsAnErrorEvent) {
  const VirtualTime before = world.sim.now();
  auto watch = Watch(WatchFrom(std::to_string(world.revision() + 50), true, true));
  EXPECT_EQ(world.sim.now() - before, Seconds(3));
  EXPECT_EQ(watch->response.code, 200);
  EXPECT_EQ(watch->Lines(), (Lines{"ERROR 504 Timeout", "EOF"}));
  EXPECT_TRUE(api::HasCause(watch->last().status(), "ResourceVersionTooLarge"));
  EXPECT_EQ(watch->last().status().details->retry_after_seconds, 1);
}

// WATCH-10
TEST_P(Watches136, TheEndBookmarkCountsOtherNamespaces) {
  const api::Object other = Make("other", "kube-system");
  world.Advance(Seconds(1));
  auto watch = Watch(WatchFrom("0", true, true));
  EXPECT_EQ(watch->Lines().back(), fmt::format("BOOKMARK {} end", other.resource_version()));
}

// WATCH-09
TEST_P(Watches136, AnEmptyCollectionGetsItsEndBookmark) {
  auto watch = world.Watch("secrets", "default", WatchFrom("", true, true));
  ASSERT_EQ(watch->seen.size(), 1u);
  EXPECT_TRUE(watch->last().initial_end);
  EXPECT_EQ(watch->last().object.Annotation("k8s.io/initial-events-end"), "true");
  EXPECT_EQ(watch->last().object.kind(), "Secret");
  EXPECT_EQ(watch->last().object.resource_version(), world.revision());
}

// WATCH-11
TEST_P(Watches136, NothingComesTwiceAfterTheState) {
  auto watch = Watch(WatchFrom("", true, true));
  const api::Object c = Make("c");
  world.Advance(Seconds(3));
  int times = 0;
  for (const std::string& line : watch->Lines()) times += line == Added(c);
  EXPECT_EQ(times, 1);
}

// WATCH-40
TEST(TwoServers, EachHasACacheOfItsOwn) {
  World world(WorldOptions().Servers(2));
  world.server(1).faults().watch_cache(world.Kind("configmaps")).Freeze();
  const api::Object m = world.Create("configmaps", "default", ConfigMap("default", "m")).object;
  world.Advance(Seconds(1));
  EXPECT_EQ(Names(world.List("configmaps", "default", Options("0"), 0)), Lines{"m"});
  EXPECT_TRUE(world.List("configmaps", "default", Options("0"), 1).items.empty());
  const api::Response r =
      world.List("configmaps", "default", Options(std::to_string(m.resource_version())), 1);
  EXPECT_EQ(r.code, 504) << "the lagging server does not go back in time";
}

}  // namespace
}  // namespace ksim::apiserver
