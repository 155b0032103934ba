#include "ksim/api/object.h"

#include <cstdlib>

#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using value::Value;

constexpr std::string_view kOwned = R"(
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  generateName: web-
  namespace: default
  uid: u-1
  generation: 3
  resourceVersion: "42"
  creationTimestamp: "2025-01-01T00:00:05Z"
  labels: {app: web}
  annotations: {note: hi}
  finalizers: [a.b/c, d.e/f]
  ownerReferences:
  - {apiVersion: v1, kind: Node, name: n, uid: n-1}
  - apiVersion: apps/v1
    kind: ReplicaSet
    name: rs
    uid: rs-1
    controller: true
    blockOwnerDeletion: true
spec: {nodeName: node-1}
status: {phase: Running}
)";

// The envelope takes no notice of fields of the same names that stand elsewhere.
TEST(Object, FieldsCountOnlyInTheirPlace) {
  const Value tree = Yaml(R"(
apiVersion: v1
name: not-mine
uid: not-mine
resourceVersion: "7"
kind: Thing
metadata: {kind: no, metadata: {name: deep}, name: n, nodeName: no, resourceVersion: "5", spec: {}}
spec: {labels: {a: b}, nodeName: node, generation: 4}
)");
  const Object object = Object::FromTree(tree);
  EXPECT_EQ(object.api_version(), "v1");
  EXPECT_EQ(object.kind(), "Thing");
  EXPECT_EQ(object.name(), "n");
  EXPECT_EQ(object.uid(), "");
  EXPECT_EQ(object.node_name(), "node");
  EXPECT_EQ(object.generation(), 0);
  EXPECT_TRUE(object.labels().is_null());
  EXPECT_EQ(object.resource_version(), 5);
  EXPECT_FALSE(object.metadata().Has("resourceVersion"));
  EXPECT_EQ(object.tree().Get("resourceVersion").AsString(), "7");
  EXPECT_EQ(object.ToTree(), tree);
  Value taken = tree;
  EXPECT_EQ(Object::TakeVersion(&taken), 5);
  EXPECT_EQ(taken, object.tree());
  EXPECT_EQ(Object::TakeVersion(&taken), 0);
  EXPECT_EQ(Object::FromTree(tree, 9).resource_version(), 9);
}

TEST(Object, EnvelopeSaysWhatTheTreeSays) {
  const Object pod = Object::FromTree(Yaml(kOwned));
  EXPECT_EQ(pod.api_version(), "v1");
  EXPECT_EQ(pod.kind(), "Pod");
  EXPECT_EQ(pod.ns(), "default");
  EXPECT_EQ(pod.name(), "web-1");
  EXPECT_EQ(pod.generate_name(), "web-");
  EXPECT_EQ(pod.uid(), "u-1");
  EXPECT_EQ(pod.generation(), 3);
  EXPECT_EQ(pod.resource_version(), 42);
  EXPECT_EQ(pod.node_name(), "node-1");
  EXPECT_EQ(pod.key(), "default/web-1");
  EXPECT_EQ(pod.Label("app"), "web");
  EXPECT_EQ(pod.Label("none"), "");
  EXPECT_EQ(pod.Annotation("note"), "hi");
  EXPECT_EQ(pod.finalizers(), (std::vector<std::string>{"a.b/c", "d.e/f"}));
  EXPECT_EQ(pod.creation_time(), VirtualTime() + Seconds(5));
  EXPECT_EQ(pod.deletion_time(), std::nullopt);
  EXPECT_FALSE(pod.deleting());
  ASSERT_EQ(pod.owners().size(), 2u);
  EXPECT_EQ(pod.owners()[0].kind, "Node");
  ASSERT_TRUE(pod.controller().has_value());
  EXPECT_EQ(pod.controller()->name, "rs");
  EXPECT_EQ(pod.controller()->api_version, "apps/v1");
  EXPECT_TRUE(pod.controller()->block_owner_deletion);
  EXPECT_EQ(pod.status().Get("phase").AsString(), "Running");
}

// API-03
TEST(Object, ResourceVersionLivesBesideTheTree) {
  const Object pod = Object::FromTree(Yaml(kOwned));
  EXPECT_EQ(JsonAt(pod.tree(), "metadata.resourceVersion"), "null");
  EXPECT_EQ(JsonAt(pod.ToTree(), "metadata.resourceVersion"), "\"42\"");

  const Object later = pod.WithResourceVersion(43);
  EXPECT_EQ(later.resource_version(), 43);
  EXPECT_TRUE(later.tree().SameTree(pod.tree()));
  EXPECT_EQ(later.name().data(), pod.name().data());  // the strings are shared, too
  EXPECT_FALSE(later.SameVersion(pod));
  EXPECT_TRUE(pod.WithResourceVersion(42).SameVersion(pod));
  EXPECT_NE(later.Hash(), pod.Hash());

  // The version that the caller passes wins over the one in the tree.
  EXPECT_EQ(Object::FromTree(Yaml(kOwned), 7).resource_version(), 7);
  EXPECT_EQ(JsonAt(Object::FromTree(Yaml(kOwned), 7).tree(), "metadata.resourceVersion"), "null");
  const Value plain = Yaml("metadata: {name: x}");
  EXPECT_TRUE(Object::FromTree(plain).tree().SameTree(plain));
  EXPECT_TRUE(Object::FromTree(plain).ToTree().SameTree(plain));
}

TEST(Object, VersionsThatAreNoPositiveDecimalsCountAsNone) {
  for (const char* rv : {"'0'", "'-3'", "'abc'", "'12x'", "''", "12"}) {
    const Object o = Object::FromTree(Yaml(std::string("metadata: {resourceVersion: ") + rv + "}"));
    EXPECT_EQ(o.resource_version(), 0) << rv;
    EXPECT_EQ(JsonAt(o.tree(), "metadata"), "{}") << rv;
  }
}

TEST(Object, NothingIsEmptyEverywhere) {
  const Object none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(Object::FromTree(Value::Of("text")).empty());
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ(none.key(), "");
  EXPECT_TRUE(none.tree().is_null());
  EXPECT_TRUE(none.labels().is_null());
  EXPECT_TRUE(none.metadata().is_null());
  EXPECT_TRUE(none.ToTree().is_null());
  EXPECT_TRUE(none.WithResourceVersion(3).empty());
  EXPECT_EQ(none.controller(), std::nullopt);
  EXPECT_FALSE(Object::FromTree(Yaml("{}")).empty());
}

// The object caches its hash for one resource only, and for no resource that Kinds does not know.
TEST(Object, KeyHashIsTheObjectHashOfWhateverResource) {
  const Kinds kinds;
  ResourceInfo unknown;
  unknown.resource = "widgets";
  Object pod = Object::FromTree(Yaml(kOwned));
  for (const std::int64_t rv : {42, 43}) {
    pod = pod.WithResourceVersion(rv);
    const ResourceInfo* const asked[] = {&unknown, kinds.ByName("pods"), kinds.ByName("nodes"),
                                         kinds.ByName("pods"), &unknown};
    for (const ResourceInfo* r : asked) {
      EXPECT_EQ(pod.KeyHash(*r), ObjectHash(r->resource, "default", "web-1"));
      EXPECT_EQ(Object().KeyHash(*r), ObjectHash(r->resource, "", ""));
    }
  }
}

TEST(Object, OutlivesWhatItWasMadeFrom) {
  Object kept;
  std::string_view name;
  {
    Value tree = Yaml(kOwned);
    Object pod = Object::FromTree(tree);
    tree = std::move(tree).Set("spec", Value());
    kept = pod.WithResourceVersion(99);
    name = kept.name();
    Object moved = std::move(pod);
    kept = kept.WithResourceVersion(100);
  }
  EXPECT_EQ(name, "web-1");
  EXPECT_EQ(kept.node_name(), "node-1");
  EXPECT_EQ(kept.key(), "default/web-1");
}

TEST(Object, DeletionAndWrongTypes) {
  const Object gone =
      Object::FromTree(Yaml("metadata: {name: x, deletionTimestamp: '2025-01-01T00:00:30Z'}"));
  EXPECT_TRUE(gone.deleting());
  EXPECT_EQ(gone.deletion_time(), VirtualTime() + Seconds(30));
  EXPECT_EQ(gone.key(), "x");
  const Object odd =
      Object::FromTree(Yaml("{metadata: {name: 5, labels: x, creationTimestamp: soon}, spec: []}"));
  EXPECT_EQ(odd.name(), "");
  EXPECT_EQ(odd.Label("a"), "");
  EXPECT_EQ(odd.creation_time(), std::nullopt);
  EXPECT_EQ(odd.node_name(), "");
}

}  // namespace
}  // namespace ksim::api
