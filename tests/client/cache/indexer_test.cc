#include "ksim/client/cache/indexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/client/fake_server.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An index function: each letter of the pod's label `app` is an index value.
void Letters(const api::Object& o, IndexValues& values) {
  for (const char& c : o.Label("app")) values.Add(std::string_view(&c, 1));
}

TEST(IndexValues, KeepsEachValueApartAndIsEmptyAfterClear) {
  IndexValues values;
  EXPECT_EQ(values.size(), 0u);
  for (const char* value : {"ab", "", "c"}) values.Add(value);
  EXPECT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0], "ab");
  EXPECT_EQ(values[1], "");
  EXPECT_EQ(values[2], "c");
  IndexValues other;
  for (const char* value : {"a", "b", "c"}) other.Add(value);
  EXPECT_FALSE(values == other);
  values.clear();
  EXPECT_TRUE(values == IndexValues());
}

// CLIENT-73
TEST(Indexer, ListsInKeyOrderAndHandsOutTheStoredObject) {
  Indexer cache{Pods()};
  const api::Object b = Pod("b", 1);
  cache.Put(b);
  cache.Put(Pod("a", 2));
  cache.Put(Pod("kube-system/a", 3));
  EXPECT_THAT(Keys(cache.List("")), ElementsAre("default/a", "default/b", "kube-system/a"));
  EXPECT_TRUE(cache.Get("default", "b").SameVersion(b));
}

// CLIENT-77
TEST(Indexer, NamespacedListsHoldThatNamespaceOnly) {
  Indexer cache{Pods()};
  for (const char* name : {"a/x", "a-b/x", "a/y", "b/x"}) cache.Put(Pod(name, 1));
  EXPECT_THAT(Keys(cache.List("a")), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(Keys(cache.ByIndex(kNamespaceIndex, "a-b")), ElementsAre("a-b/x"));
  EXPECT_THAT(Keys(cache.List("none")), IsEmpty());
}

// CLIENT-78
TEST(Indexer, MissingKeyIsEmpty) {
  Indexer cache{Pods()};
  EXPECT_TRUE(cache.Get("default", "a").empty());
}

// CLIENT-74, CLIENT-75
TEST(Indexer, UpdateMovesAKeyBetweenValuesAndEmptyValuesGo) {
  Indexer cache{Pods()};
  cache.AddIndex("letters", Letters);
  cache.Put(Pod("a", 1, "u", "xy"));
  cache.Put(Pod("b", 1, "u", "y"));
  EXPECT_THAT(Keys(cache.ByIndex("letters", "y")), ElementsAre("default/a", "default/b"));
  cache.Put(Pod("a", 2, "u", "z"));
  EXPECT_THAT(cache.ListIndexFuncValues("letters"), ElementsAre("y", "z"));
  EXPECT_EQ(cache.ByIndex("letters", "z").at(0).resource_version(), 2);
  cache.Erase(Pod("b", 1));
  cache.Erase(Pod("none", 1));
  EXPECT_THAT(cache.ListIndexFuncValues("letters"), ElementsAre("z"));
  EXPECT_THAT(Keys(cache.ByIndex("letters", "y")), IsEmpty());
}

TEST(Indexer, UpdateOfAnUnchangedValueGivesTheNewObject) {
  Indexer cache{Pods()};
  cache.AddIndex("letters", Letters);
  cache.Put(Pod("a", 1, "u", "x"));
  cache.Put(Pod("a", 5, "u", "x"));
  EXPECT_EQ(cache.ByIndex("letters", "x").at(0).resource_version(), 5);
}

// CLIENT-76
TEST(Indexer, ReplaceRebuildsEveryIndex) {
  Indexer cache{Pods()};
  cache.AddIndex("letters", Letters);
  cache.Put(Pod("a", 1, "u", "x"));
  cache.Replace({Pod("b", 2, "u", "y")}, 9);
  EXPECT_THAT(Keys(cache.List("")), ElementsAre("default/b"));
  EXPECT_THAT(cache.ListIndexFuncValues("letters"), ElementsAre("y"));
  EXPECT_EQ(cache.last_synced_resource_version(), 9);
}

// CLIENT-79
TEST(Indexer, AddedIndexHoldsWhatIsThereAndANameIsTakenOnce) {
  Indexer cache{Pods()};
  cache.Put(Pod("a", 1, "u", "x"));
  cache.AddIndex("letters", Letters);
  EXPECT_THAT(Keys(cache.ByIndex("letters", "x")), ElementsAre("default/a"));
  EXPECT_EXIT(cache.AddIndex("letters", Letters), testing::ExitedWithCode(70), "index exists");
  EXPECT_EXIT(cache.AddIndex("namespace", Letters), testing::ExitedWithCode(70), "index exists");
}

// CLIENT-75
TEST(Indexer, UnknownIndexIsAnError) {
  Indexer cache{Pods()};
  EXPECT_EXIT(cache.ByIndex("none", "x"), testing::ExitedWithCode(70), "no index");
}

// CLIENT-74, CLIENT-76, G-CC4
TEST(Indexer, IndexEqualsRecomputationUnderRandomScripts) {
  for (int seed = 0; seed < 20; ++seed) {
    Indexer cache{Pods()};
    cache.AddIndex("letters", Letters);
    std::map<std::string, api::Object> model;
    std::mt19937 random(seed);
    for (int rv = 1; rv < 300; ++rv) {
      std::string label;
      for (unsigned i = random() % 4; i > 0; --i) label.push_back("wxyz"[random() % 4]);
      const api::Object o =
          Pod(std::string(1, static_cast<char>('a' + random() % 8)), rv, "u", label);
      if (random() % 3 == 0) {
        cache.Erase(o);
        model.erase(o.key());
      } else if (random() % 40 == 0) {
        cache.Replace({o}, rv);
        model = {{o.key(), o}};
      } else {
        cache.Put(o);
        model[o.key()] = o;
      }
      std::map<std::string, std::set<std::string>> index;
      for (const auto& [key, object] : model) {
        for (const char c : object.Label("app")) index[std::string(1, c)].insert(key);
      }
      ASSERT_EQ(cache.size(), model.size());
      ASSERT_EQ(cache.ListIndexFuncValues("letters").size(), index.size());
      for (const auto& [value, keys] : index) {
        ASSERT_THAT(Keys(cache.ByIndex("letters", value)), testing::ElementsAreArray(keys));
      }
    }
  }
}

}  // namespace
}  // namespace ksim::client
