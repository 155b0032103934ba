// Indexes by labels find what a look at all objects finds, in the same order.
#include "ksim/controllers/common/label_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/client/cache/indexer.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

Value LabelJson(const std::string& text) { return *value::ParseJson(text); }

const api::ResourceInfo& Things() {
  static const api::Kinds kinds;
  return *kinds.ByName("services");
}

// An object with labels and a selector, "{}" for none.
api::Object Thing(const std::string& ns, const std::string& name, const std::string& labels,
                  const std::string& selector) {
  return api::Object::FromTree(
      LabelJson(fmt::format(R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}",
          "namespace":"{}","labels":{}}},"spec":{{"selector":{}}}}})",
                            name, ns, labels, selector)),
      1);
}

// A cache with the indexes, or one without.
struct Cache {
  explicit Cache(bool indexed) : indexer(Things()) {
    if (indexed) {
      indexer.AddIndex(kLabelIndex, &LabelValues);
      indexer.AddIndex(kSelectorIndex, &SelectorValues);
    }
    indexer.Put(Thing("a", "z", R"({"app":"web","tier":"1"})", R"({"tier":"1"})"));
    indexer.Put(Thing("a", "y", R"({"app":"web"})", R"({"app":"web","tier":"1"})"));
    indexer.Put(Thing("a", "x", R"({"app":"db"})", R"({"app":"web"})"));
    indexer.Put(Thing("a", "none", "{}", "{}"));
    indexer.Put(Thing("b", "w", R"({"app":"web"})", R"({"app":"web"})"));
  }
  std::vector<std::string> Selected(const std::string& ns, const std::string& selector) const {
    return Names(ListSelected(indexer, ns, *value::LabelSelector::Parse(selector)));
  }
  std::vector<std::string> Selecting(const std::string& ns, const std::string& labels) const {
    return Names(ListSelecting(indexer, ns, LabelJson(labels)));
  }
  static std::vector<std::string> Names(const std::vector<api::Object>& objects) {
    std::vector<std::string> names;
    for (const api::Object& o : objects) names.push_back(o.key());
    return names;
  }
  client::Indexer indexer;
};

TEST(LabelIndex, FindsWhatALookAtAllFinds) {
  for (const bool indexed : {false, true}) {
    const Cache cache(indexed);
    EXPECT_THAT(cache.Selected("a", "app=web"), ElementsAre("a/y", "a/z"));
    EXPECT_THAT(cache.Selected("a", "app=web,tier=1"), ElementsAre("a/z"));
    EXPECT_THAT(cache.Selected("a", "app in (web,db)"), ElementsAre("a/x", "a/y", "a/z"));
    EXPECT_THAT(cache.Selected("a", "app!=web"), ElementsAre("a/none", "a/x"));
    EXPECT_THAT(cache.Selected("a", ""), ElementsAre("a/none", "a/x", "a/y", "a/z"));
    EXPECT_THAT(cache.Selected("", "app=web"), ElementsAre("a/y", "a/z", "b/w"));
    EXPECT_THAT(cache.Selected("c", "app=web"), IsEmpty());

    EXPECT_THAT(cache.Selecting("a", R"({"app":"web","tier":"1"})"),
                ElementsAre("a/x", "a/y", "a/z"));
    EXPECT_THAT(cache.Selecting("a", R"({"app":"web"})"), ElementsAre("a/x"));
    EXPECT_THAT(cache.Selecting("a", R"({"app":"db"})"), IsEmpty());
    EXPECT_THAT(cache.Selecting("a", "{}"), IsEmpty());
  }
}

TEST(LabelIndex, FollowsChanges) {
  Cache cache(true);
  cache.indexer.Put(Thing("a", "x", R"({"app":"web"})", R"({"app":"db"})"));
  cache.indexer.Erase(Thing("a", "y", "{}", "{}"));
  EXPECT_THAT(cache.Selected("a", "app=web"), ElementsAre("a/x", "a/z"));
  EXPECT_THAT(cache.Selecting("a", R"({"app":"web"})"), IsEmpty());
  EXPECT_THAT(cache.Selecting("a", R"({"app":"db"})"), ElementsAre("a/x"));
}

// The objects of other labels are not looked at: the cost does not grow with the namespace.
TEST(LabelIndex, LooksOnlyAtObjectsWithTheLabel) {
  Cache cache(true);
  EXPECT_EQ(cache.indexer.ByIndex(kLabelIndex, "a\napp=web").size(), 2u);
  EXPECT_EQ(cache.indexer.ByIndex(kSelectorIndex, "a\napp=web").size(), 2u);
}

}  // namespace
}  // namespace ksim::controllers
