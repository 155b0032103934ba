// CustomResourceDefinitions: registration, scope, names, subresources, generation.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Verb;
using value::Path;
using value::Value;

Value Definition(std::string_view scope, std::string_view subresources) {
  return Json(std::string(R"({"apiVersion":"apiextensions.k8s.io/v1",)") +
              R"("kind":"CustomResourceDefinition","metadata":{"name":"gadgets.example.com"},)" +
              R"("spec":{"group":"example.com","scope":")" + std::string(scope) +
              R"(","names":{"plural":"gadgets","kind":"Gadget","shortNames":["gd"]},)" +
              R"("versions":[{"name":"v1","served":true,"storage":true,)" +
              R"("schema":{"openAPIV3Schema":{"type":"object"}},"subresources":)" +
              std::string(subresources) + "}]}}");
}

Value Gadget(std::string_view ns, std::int64_t size) {
  Value gadget = Json(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}})");
  if (!ns.empty()) gadget = gadget.Set(Path{"metadata", "namespace"}, Value::Of(ns));
  return gadget.Set(Path{"spec", "size"}, Value::Of(size));
}

std::int64_t Generation(const api::Response& r) {
  return r.object.metadata().Get("generation").AsInt();
}

class Crd : public ::testing::TestWithParam<api::Compat> {
 protected:
  Crd() : world(WorldOptions(GetParam()).Servers(2)) {}
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Crd,
                         ::testing::Values(api::Compat::k1_25, api::Compat::k1_30,
                                           api::Compat::k1_36),
                         [](const auto& info) {
                           std::string name(api::ToString(info.param));
                           name[1] = '_';
                           return name;
                         });

TEST_P(Crd, ADefinitionIsServedAtOnceByEveryServer) {
  EXPECT_EQ(world.kinds.ByName("gadgets"), nullptr);
  const api::Response made =
      world.Create("customresourcedefinitions", "", Definition("Namespaced", "{}"));
  ASSERT_EQ(made.code, 201) << made.status.message;
  const Value& conditions = made.object.status().Get("conditions");
  EXPECT_EQ(conditions.size(), 2u);
  EXPECT_EQ(made.object.status().Get("storedVersions"), Json(R"(["v1"])"));
  ASSERT_NE(world.kinds.ByName("gd"), nullptr);
  const api::Response g = world.Create("gadgets", "default", Gadget("default", 1));
  ASSERT_EQ(g.code, 201) << g.status.message;
  EXPECT_EQ(Generation(g), 1);
  // The first request for the kind starts the server's watch cache.
  world.List("gadgets", "default", api::ListOptions(), 1);
  world.Advance(Seconds(1));
  EXPECT_EQ(Names(world.List("gadgets", "default", api::ListOptions(), 1)),
            std::vector<std::string>{"g"});
  auto watch = world.Watch("gadgets", "", Options("0"), 1);
  world.Patch("gadgets", "default", "g", api::PatchType::kMerge, R"({"spec":{"size":2}})");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->last().object.Get(Path{"spec", "size"}).AsInt(), 2);
}

// Each version has a storage of its own over the same keys, and reads what the other wrote as its
// own.
TEST_P(Crd, EachVersionServesTheObjectsOfAll) {
  Value definition = Definition("Namespaced", "{}");
  const Path versions{"spec", "versions"};
  const Value v1 = definition.Get(versions).at(0);
  const Value alpha =
      v1.Set(Path{"name"}, Value::Of("v1alpha1")).Set(Path{"storage"}, Value::Bool(false));
  definition = definition.Set(versions, value::Arr({alpha, v1}));
  ASSERT_EQ(world.Create("customresourcedefinitions", "", definition).code, 201);

  const std::string at_alpha = "gadgets.v1alpha1.example.com";
  const Path api_version{"apiVersion"};
  const Value old = Gadget("default", 1).Set(api_version, Value::Of("example.com/v1alpha1"));
  const api::Response made = world.Create(at_alpha, "default", old);
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.api_version(), "example.com/v1alpha1");
  EXPECT_EQ(world.Get("gadgets", "default", "g").object.api_version(), "example.com/v1");
  EXPECT_EQ(world.Get(at_alpha, "default", "g").object.api_version(), "example.com/v1alpha1");
  EXPECT_EQ(world.Create("gadgets", "default", Gadget("default", 2)).code, 409) << "the same key";

  // A watch at either version hears of a write at the other.
  world.Advance(Seconds(1));
  auto watch = world.Watch(at_alpha, "", Options("0"));
  world.Patch("gadgets", "default", "g", api::PatchType::kMerge, R"({"spec":{"size":3}})");
  world.Advance(Seconds(1));
  EXPECT_EQ(watch->last().object.Get(Path{"spec", "size"}).AsInt(), 3);
  EXPECT_EQ(watch->last().object.api_version(), "example.com/v1alpha1");
}

TEST_P(Crd, ScopeDecidesWhereTheObjectsLive) {
  world.Create("customresourcedefinitions", "", Definition("Cluster", "{}"));
  EXPECT_EQ(world.Create("gadgets", "", Gadget("", 1)).code, 201);
  EXPECT_EQ(world.Get("gadgets", "", "g").object.ns(), "");
}

TEST_P(Crd, WithAStatusSubresourceTheStatusIsApart) {
  world.Create("customresourcedefinitions", "", Definition("Namespaced", R"({"status":{}})"));
  const api::Response g = world.Create("gadgets", "default", Gadget("default", 1));
  Value tree = g.object.ToTree().Set(Path{"status", "ready"}, Value::Of(true));
  EXPECT_TRUE(world.Update("gadgets", tree).object.status().is_null()) << "the main endpoint";
  const api::Response status = world.Update("gadgets", tree, "status");
  ASSERT_EQ(status.code, 200) << status.status.message;
  EXPECT_TRUE(status.object.status().Get("ready").AsBool());
  EXPECT_EQ(Generation(status), 1);
  tree = status.object.ToTree().Set(Path{"spec", "size"}, Value::Of(2));
  EXPECT_EQ(Generation(world.Update("gadgets", tree)), 2) << "the spec moves it";
  api::Request scale = world.Request(Verb::kGet, "gadgets", "default", "g");
  scale.subresource = "scale";
  EXPECT_EQ(world.Do(std::move(scale)).code, 404) << "not defined";
}

TEST_P(Crd, WithoutOneEveryChangeButMetadataCounts) {
  world.Create("customresourcedefinitions", "", Definition("Namespaced", "{}"));
  const api::Response g = world.Create("gadgets", "default", Gadget("default", 1));
  Value tree = g.object.ToTree().Set(Path{"status", "ready"}, Value::Of(true));
  const api::Response status = world.Update("gadgets", tree);
  EXPECT_EQ(Generation(status), 2);
  tree = status.object.ToTree().Set(Path{"metadata", "labels"}, Json(R"({"a":"b"})"));
  EXPECT_EQ(Generation(world.Update("gadgets", tree)), 2);
  EXPECT_EQ(world.Update("gadgets", Gadget("default", 3)).code, 422) << "API-77: needs a version";
  EXPECT_EQ(world.Patch("gadgets", "default", "g", api::PatchType::kStrategic, "{}").code, 415);
}

TEST_P(Crd, AChangedDefinitionTakesEffect) {
  const api::Response made =
      world.Create("customresourcedefinitions", "", Definition("Namespaced", "{}"));
  const Path kSubresources{"spec", "versions"};
  const Value changed = made.object.ToTree().Set(
      kSubresources, Definition("Namespaced", R"({"status":{}})").Get(kSubresources));
  const api::Response updated = world.Update("customresourcedefinitions", changed);
  ASSERT_EQ(updated.code, 200) << updated.status.message;
  EXPECT_EQ(Generation(updated), 2);
  EXPECT_TRUE(world.kinds.ByName("gadgets")->has_status);
}

TEST_P(Crd, MistakesAreRefused) {
  struct Row {
    const char *path, *value, *cause;
  };
  for (const Row& row :
       {Row{"metadata.name", "\"things.example.com\"",
            "metadata.name: Invalid value: \"things.example.com\": must be "
            "spec.names.plural+\".\"+spec.group"},
        Row{"spec.scope", "\"Global\"",
            "spec.scope: Unsupported value: \"Global\": supported values: \"Cluster\", "
            "\"Namespaced\""},
        Row{"spec.names.kind", "\"\"", "spec.names.kind: Required value"}}) {
    const Value bad = Definition("Namespaced", "{}").Set(*Path::Parse(row.path), Json(row.value));
    const api::Response r = world.Create("customresourcedefinitions", "", bad);
    EXPECT_EQ(r.code, 422);
    EXPECT_NE(r.status.message.find(row.cause), std::string::npos) << r.status.message;
  }
  const Value two =
      Definition("Namespaced", "{}")
          .Set(Path{"spec", "versions"},
               Json(R"([{"name":"v1","storage":true},{"name":"v2","storage":true}])"));
  EXPECT_EQ(world.Create("customresourcedefinitions", "", two).code, 422);
  EXPECT_EQ(world.kinds.ByName("gadgets"), nullptr) << "what is refused is not served";
}

}  // namespace
}  // namespace ksim::apiserver
