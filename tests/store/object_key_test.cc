#include "ksim/store/object_key.h"

#include <gtest/gtest.h>

#include <array>

#include "ksim/base/hash.h"
#include "ksim/store/key_value.h"

namespace ksim::store {
namespace {

TEST(ObjectKey, Parts) {
  struct Row {
    const char *key, *resource, *ns, *name;
  };
  constexpr std::array<Row, 14> kRows{{
      {"/registry/pods/default/p1", "pods", "default", "p1"},
      {"/registry/namespaces/default", "namespaces", "", "default"},
      {"/registry/minions/n1", "nodes", "", "n1"},
      {"/registry/services/specs/default/s", "services", "default", "s"},
      {"/registry/services/endpoints/default/s", "endpoints", "default", "s"},
      {"/registry/controllers/default/rc", "replicationcontrollers", "default", "rc"},
      {"/registry/ingress/default/i", "ingresses", "default", "i"},
      {"/registry/example.com/widgets/ns/w", "widgets", "ns", "w"},
      {"/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
       "customresourcedefinitions", "", "widgets.example.com"},
      // These keys begin like the special resources.
      {"/registry/configmaps/default/c", "configmaps", "default", "c"},
      {"/registry/services/default/s", "services", "default", "s"},
      {"/registry/minions.example.com/widgets/w", "widgets", "", "w"},
      {"/registry/pods/", "pods", "", ""},
      {"/registry/pods/default/", "pods", "default", ""},
  }};
  for (const Row& row : kRows) {
    const std::optional<ObjectParts> parts = PartsOfKey(row.key);
    ASSERT_TRUE(parts) << row.key;
    EXPECT_EQ(parts->resource, row.resource) << row.key;
    EXPECT_EQ(parts->ns, row.ns) << row.key;
    EXPECT_EQ(parts->name, row.name) << row.key;
  }
  EXPECT_FALSE(PartsOfKey("compact_rev_key"));
  EXPECT_FALSE(PartsOfKey("/registry/"));
  EXPECT_FALSE(PartsOfKey(""));
}

TEST(ObjectKey, Hash) {
  EXPECT_EQ(ObjectHashOfKey("/registry/minions/n1"), Hash64("nodes//n1"));
  EXPECT_EQ(ObjectHashOfKey("/registry/pods/default/p1"), Hash64("pods/default/p1"));
  EXPECT_EQ(ObjectHashOfKey("compact_rev_key"), Hash64("compact_rev_key"));
  EXPECT_EQ(Key("/registry/pods/a/b").object_hash(), Hash64("pods/a/b"));
  EXPECT_EQ(Key().object_hash(), Hash64(""));
  EXPECT_EQ(Key().text(), "");
}

// CRD-27
TEST(ObjectKey, AKeyMayBeToldWhatItsResourceIsKnownAs) {
  const ResourceNamer namer = [](std::string_view group, std::string_view resource) {
    return group == "b.io" ? std::string(resource) + ".b.io" : std::string(resource);
  };
  EXPECT_EQ(KnownAs("/registry/b.io/services/d/s", namer), "services.b.io");
  EXPECT_EQ(KnownAs("/registry/a.io/services/d/s", namer), "") << "the key says it";
  EXPECT_EQ(KnownAs("/registry/services/specs/d/s", namer), "");
  EXPECT_EQ(KnownAs("compact_rev_key", namer), "");
  const Key key("/registry/b.io/services/d/s", "services.b.io");
  ASSERT_TRUE(key.parts());
  EXPECT_EQ(key.text(), "/registry/b.io/services/d/s");
  EXPECT_EQ(key.known_as(), "services.b.io");
  EXPECT_EQ(key.parts()->resource, "services.b.io");
  EXPECT_EQ(key.parts()->group, "b.io");
  EXPECT_EQ(key.parts()->ns, "d");
  EXPECT_EQ(key.parts()->name, "s");
  EXPECT_EQ(key.object_hash(), Hash64("services.b.io/d/s"));
}

TEST(ObjectKey, AKeyKnowsItsParts) {
  const Key key("/registry/pods/a/b");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(key.parts());
    EXPECT_EQ(key.parts()->resource, "pods");
    EXPECT_EQ(key.parts()->ns, "a");
    EXPECT_EQ(key.parts()->name, "b");
    EXPECT_EQ(key.parts()->name.data(), key.text().substr(17).data()) << "of the key's own text";
  }
  EXPECT_FALSE(Key("compact_rev_key").parts());
  EXPECT_FALSE(Key().parts());
}

}  // namespace
}  // namespace ksim::store
