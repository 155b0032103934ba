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
              R"("schema":{"openAPIV3Schema":{"type":"object",)" +
              R"("x-kubernetes-preserve-unknown-fields":true}},"subresources":)" +
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
  // Creates a definition and waits until it is established, which takes 5 s with two servers.
  api::Response Define(const Value& definition) {
    api::Response made = world.Create("customresourcedefinitions", "", definition);
    world.Advance(Seconds(6));
    return made;
  }
  Value Conditions() {
    const api::Response r = world.Get("customresourcedefinitions", "", "gadgets.example.com");
    value::ObjectBuilder out;
    for (const Value& c : r.object.status().Get("conditions").items())
      out.Add(c.Get("type").AsString(), Value::Of(std::string(c.Get("status").AsString()) + " " +
                                                  std::string(c.Get("reason").AsString())));
    return out.Build();
  }
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

// CRD-10: the names are accepted, the kind is served from then on, and 5 s later it is established.
TEST_P(Crd, ADefinitionIsServedByEveryServerOnceItsNamesAreAccepted) {
  EXPECT_EQ(world.kinds.ByName("gadgets"), nullptr);
  const api::Response made =
      world.Create("customresourcedefinitions", "", Definition("Namespaced", "{}"));
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_TRUE(made.object.status().Get("conditions").is_null());
  EXPECT_EQ(made.object.status().Get("storedVersions"), Json(R"(["v1"])"));
  EXPECT_EQ(world.kinds.ByName("gadgets"), nullptr) << "not yet";
  world.Advance(Seconds(1));
  EXPECT_EQ(Conditions(), Json(R"({"NamesAccepted":"True NoConflicts",)"
                               R"("Established":"False Installing"})"));
  ASSERT_NE(world.kinds.ByName("gd"), nullptr);
  const api::Response g = world.Create("gadgets", "default", Gadget("default", 1));
  ASSERT_EQ(g.code, 201) << g.status.message;
  EXPECT_EQ(Generation(g), 1);
  world.Advance(Seconds(6));
  EXPECT_EQ(Conditions(), Json(R"({"NamesAccepted":"True NoConflicts",)"
                               R"("Established":"True InitialNamesAccepted"})"));
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
  ASSERT_EQ(Define(definition).code, 201);

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
  Define(Definition("Cluster", "{}"));
  EXPECT_EQ(world.Create("gadgets", "", Gadget("", 1)).code, 201);
  EXPECT_EQ(world.Get("gadgets", "", "g").object.ns(), "");
}

TEST_P(Crd, WithAStatusSubresourceTheStatusIsApart) {
  Define(Definition("Namespaced", R"({"status":{}})"));
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
  Define(Definition("Namespaced", "{}"));
  const api::Response g = world.Create("gadgets", "default", Gadget("default", 1));
  Value tree = g.object.ToTree().Set(Path{"status", "ready"}, Value::Of(true));
  const api::Response status = world.Update("gadgets", tree);
  EXPECT_EQ(Generation(status), 2);
  tree = status.object.ToTree().Set(Path{"metadata", "labels"}, Json(R"({"a":"b"})"));
  EXPECT_EQ(Generation(world.Update("gadgets", tree)), 2);
  EXPECT_EQ(world.Update("gadgets", Gadget("default", 3)).code, 422) << "API-77: needs a version";
  EXPECT_EQ(world.Patch("gadgets", "default", "g", api::PatchType::kStrategic, "{}").code, 415);
}

// CRD-12: whoever watches a kind whose definition changes begins anew.
TEST_P(Crd, AChangedDefinitionTakesEffectAndEndsWatches) {
  Define(Definition("Namespaced", "{}"));
  world.Create("gadgets", "default", Gadget("default", 1));
  world.List("gadgets", "default");
  world.Advance(Seconds(1));
  auto watch = world.Watch("gadgets", "", Options("0"));
  const api::Response live = world.Get("customresourcedefinitions", "", "gadgets.example.com");
  const Path kSubresources{"spec", "versions"};
  const Value changed = live.object.ToTree().Set(
      kSubresources, Definition("Namespaced", R"({"status":{}})").Get(kSubresources));
  const api::Response updated = world.Update("customresourcedefinitions", changed);
  ASSERT_EQ(updated.code, 200) << updated.status.message;
  EXPECT_EQ(Generation(updated), 2);
  EXPECT_TRUE(world.kinds.ByName("gadgets")->has_status);
  EXPECT_FALSE(watch->closed);
  world.Advance(Seconds(3));
  EXPECT_TRUE(watch->closed);
  EXPECT_EQ(Names(world.List("gadgets", "default")), std::vector<std::string>{"g"});
}

// CRD-11: the objects go before their definition, and nothing new is created meanwhile.
TEST_P(Crd, ADeletedDefinitionTakesItsObjectsAlong) {
  Define(Definition("Namespaced", "{}"));
  Value held = Gadget("default", 1).Set(Path{"metadata", "finalizers"}, Json(R"(["a.b/c"])"));
  ASSERT_EQ(world.Create("gadgets", "default", held).code, 201);
  const api::Response deleted =
      world.Delete("customresourcedefinitions", "", "gadgets.example.com");
  EXPECT_EQ(deleted.object.finalizers(),
            std::vector<std::string>{"customresourcecleanup.apiextensions.k8s.io"});
  world.Advance(Seconds(1));
  EXPECT_EQ(Conditions().Get("Terminating").AsString(), "True InstanceDeletionInProgress");
  const api::Response refused = world.Create("gadgets", "default", Gadget("default", 2));
  const bool forbids = GetParam() == api::Compat::k1_36;
  EXPECT_EQ(refused.code, forbids ? 403 : 405);
  EXPECT_EQ(refused.status.message.str(),
            std::string(forbids ? "gadgets.example.com \"g\" is forbidden: " : "") +
                "create not allowed while custom resource definition is terminating");
  EXPECT_TRUE(world.Get("gadgets", "default", "g").object.deleting());
  world.Patch("gadgets", "default", "g", api::PatchType::kMerge,
              R"({"metadata":{"finalizers":null}})");
  world.Advance(Seconds(6));
  EXPECT_EQ(world.Get("customresourcedefinitions", "", "gadgets.example.com").code, 404);
  EXPECT_EQ(world.List("gadgets", "default").code, 404);
  // The same definition again: a kind of its own.
  Define(Definition("Namespaced", "{}"));
  EXPECT_TRUE(world.List("gadgets", "default").items.empty());
  EXPECT_EQ(world.Create("gadgets", "default", Gadget("default", 3)).code, 201);
}

// CRD-10: a name that another definition of the group has is not accepted until that is gone.
TEST_P(Crd, NamesThatAreTakenAreNotAccepted) {
  Define(Definition("Namespaced", "{}"));
  const Value other = Definition("Namespaced", "{}")
                          .Set(Path{"metadata", "name"}, Value::Of("gizmos.example.com"))
                          .Set(Path{"spec", "names"},
                               Json(R"({"plural":"gizmos","kind":"Gizmo","shortNames":["gd"]})"));
  Define(other);
  const auto state = [&] {
    const Value status =
        world.Get("customresourcedefinitions", "", "gizmos.example.com").object.status();
    const Value& c = status.Get("conditions").at(0);
    return std::string(c.Get("reason").AsString()) + ": " +
           std::string(c.Get("message").AsString());
  };
  EXPECT_EQ(state(), "ShortNamesConflict: \"gd\" is already in use");
  EXPECT_EQ(world.kinds.ByName("gizmos"), nullptr);
  world.Delete("customresourcedefinitions", "", "gadgets.example.com");
  world.Advance(Seconds(8));
  EXPECT_EQ(state(), "NoConflicts: no conflicts found");
  EXPECT_NE(world.kinds.ByName("gizmos"), nullptr);
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
