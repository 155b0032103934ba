#include "ksim/apiserver/cacher/watch_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "ksim/api/kinds.h"
#include "ksim/sim/decisions.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using State = std::map<std::string, std::int64_t>;  // key -> resource version

api::Object PodAt(std::string_view ns, std::string_view name, std::string_view node,
                  std::int64_t rv) {
  return api::Object::FromTree(Pod(ns, name, node), rv);
}

State StateOf(const std::vector<api::Object>& objects) {
  State state;
  for (const api::Object& o : objects) state[o.key()] = o.resource_version();
  return state;
}

bool Sorted(const std::vector<api::Object>& objects) {
  for (std::size_t i = 1; i < objects.size(); ++i)
    if (objects[i - 1].key() >= objects[i].key()) return false;
  return true;
}

// Random changes on a few keys, with the states of all revisions kept beside.
class RandomChanges {
 public:
  explicit RandomChanges(std::uint64_t seed) : decisions_(seed, {}, nullptr), cache_(true, true) {
    cache_.Replace({PodAt("a", "p0", "", 5)}, 10);
    states_[10] = {{"a/p0", 5}};
  }
  void Step(std::int64_t revision) {
    const std::string ns(1, static_cast<char>('a' + Draw(2)));
    const std::string name = fmt::format("p{}", Draw(6));
    const std::string node = fmt::format("n{}", Draw(3));
    const std::string key = ns + "/" + name;
    State state = std::prev(states_.end())->second;
    const bool there = state.contains(key);
    auto type = there ? api::WatchEventType::kModified : api::WatchEventType::kAdded;
    if (there && Draw(3) == 0) type = api::WatchEventType::kDeleted;
    now_ = now_ + Milliseconds(Draw(4) * 500);
    cache_.Apply(type, 1, PodAt(ns, name, node, revision), now_, sim::Origin());
    if (type == api::WatchEventType::kDeleted) {
      state.erase(key);
    } else {
      state[key] = revision;
    }
    states_[revision] = state;
  }
  // The state at a revision: the fold of the changes up to it.
  State At(std::int64_t revision) const { return std::prev(states_.upper_bound(revision))->second; }
  WatchCache& cache() { return cache_; }
  std::uint32_t Draw(std::uint32_t n) { return decisions_.Draw(decisions_.Site("test"), 0, n); }

 private:
  sim::Decisions decisions_;
  WatchCache cache_;
  VirtualTime now_;
  std::map<std::int64_t, State> states_;
};

State WithPrefix(const State& state, const std::string& prefix) {
  State out;
  for (const auto& [key, rv] : state)
    if (key.starts_with(prefix)) out[key] = rv;
  return out;
}

// API-41
TEST(WatchCache, ExactListIsTheFoldOfTheHistoryAtThatRevision) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomChanges run(seed);
    std::int64_t revision = 10;
    int served = 0;
    for (int i = 0; i < 400; ++i) {
      revision += 1 + run.Draw(3);
      run.Step(revision);
      const std::int64_t asked = revision - run.Draw(150);
      for (const std::string prefix : {"", "a/", "b/"}) {
        const auto list = run.cache().ListExact(asked, prefix, prefix);
        EXPECT_EQ(list.has_value(), run.cache().CanServeExact(asked));
        if (!list) continue;
        ++served;
        EXPECT_TRUE(Sorted(*list));
        ASSERT_EQ(StateOf(*list), WithPrefix(run.At(asked), prefix))
            << "seed " << seed << " at " << asked << " of " << revision;
      }
    }
    EXPECT_GT(served, 500);
  }
}

// API-46
TEST(WatchCache, ListsAndIndexesAgreeWithTheFold) {
  RandomChanges run(7);
  for (std::int64_t revision = 11; revision < 500; ++revision) {
    run.Step(revision);
    const auto all = run.cache().List("", "");
    EXPECT_TRUE(Sorted(all));
    ASSERT_EQ(StateOf(all), run.At(revision));
    for (const std::string node : {"", "n0", "n1", "n2", "n9"}) {
      std::vector<api::Object> expected;
      for (const api::Object& o : all)
        if (o.node_name() == node && o.ns() == "a") expected.push_back(o);
      ASSERT_EQ(StateOf(run.cache().ListOnNode(node, "a/")), StateOf(expected)) << node;
    }
  }
}

// API-41
TEST(WatchCache, SnapshotsEndWithTheHistoryAndAtACompaction) {
  WatchCache cache(true, false);
  cache.Replace({}, 10);
  EXPECT_FALSE(cache.CanServeExact(9));
  EXPECT_TRUE(cache.CanServeExact(10));
  for (int i = 0; i < 99; ++i)
    cache.Apply(api::WatchEventType::kAdded, 1, PodAt("a", fmt::format("p{}", i), "", 11 + i),
                VirtualTime() + Seconds(i), sim::Origin());
  EXPECT_TRUE(cache.CanServeExact(10));
  // The ring is full now: the list's own snapshot is older than its oldest change.
  cache.Apply(api::WatchEventType::kAdded, 1, PodAt("a", "last", "", 110),
              VirtualTime() + Seconds(99), sim::Origin());
  EXPECT_FALSE(cache.CanServeExact(10));
  EXPECT_TRUE(cache.CanServeExact(11));
  cache.CompactSnapshots(50);
  EXPECT_FALSE(cache.CanServeExact(49));
  EXPECT_TRUE(cache.CanServeExact(50));
  cache.Replace({}, 200);
  EXPECT_FALSE(cache.CanServeExact(199));
}

TEST(WatchCache, KeepsNoSnapshotsInOlderProfiles) {
  WatchCache cache(false, false);
  cache.Replace({}, 10);
  EXPECT_FALSE(cache.CanServeExact(10));
  EXPECT_FALSE(cache.ListExact(10, "", "").has_value());
}

}  // namespace
}  // namespace ksim::apiserver
