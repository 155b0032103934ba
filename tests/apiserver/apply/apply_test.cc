// Server-side apply through the whole pipeline: ownership, conflicts, force, removal.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::PatchType;
using value::Path;
using value::Value;

const Path kSpecReplicas{"spec", "replicas"};
const Path kManagedFields{"metadata", "managedFields"};
const Path kContainers{"spec", "template", "spec", "containers"};

constexpr std::string_view kWeb = R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
  "metadata":{"name":"web","labels":{"app":"web"}},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
    "template":{"metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"c","image":"i:1"}]}}}})";

class Apply : public ::testing::Test {
 protected:
  api::Response Send(std::string_view resource, std::string_view name, std::string_view manager,
                     const Value& config, bool force = false) {
    api::Request request = world.Request(api::Verb::kPatch, resource, "default", name);
    request.patch_type = PatchType::kApply;
    request.body = config;
    request.field_manager = manager;
    request.force = force;
    return world.Do(std::move(request));
  }
  api::Response Web(std::string_view manager, const Value& config, bool force = false) {
    return Send("replicasets", "web", manager, config, force);
  }
  // {"metadata":{"labels":{"team":"a"}}} -> an apply of only that.
  static Value WebWith(std::string_view json) {
    const Value fields = Json(json);
    Value out = Json(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"}})");
    for (const Value::Member& m : fields.members())
      for (const Value::Member& below : m.value.members())
        out = out.Set(Path{value::PathStep(m.name), value::PathStep(below.name)}, below.value);
    return out;
  }
  api::Response Scale(std::string_view manager, int replicas) {
    api::Request request = world.Request(api::Verb::kPatch, "replicasets", "default", "web");
    request.body = value::Obj({{"spec", value::Obj({{"replicas", Value::Of(replicas)}})}});
    request.field_manager = manager;
    return world.Do(std::move(request));
  }
  // "alice Apply {f:...}", one a manager.
  static std::vector<std::string> Owners(const api::Object& object) {
    std::vector<std::string> out;
    for (const Value& e : object.Get(kManagedFields).items()) {
      std::string line(e.Get("manager").AsString());
      line.append(" ").append(e.Get("operation").AsString());
      if (e.Has("subresource")) line.append(" ").append(e.Get("subresource").AsString());
      out.push_back(line + " " + value::ToJson(e.Get("fieldsV1")));
    }
    return out;
  }
  std::vector<std::string> Owners() {
    return Owners(world.Get("replicasets", "default", "web").object);
  }
  World world;
};

using Lines = std::vector<std::string>;

// API-87
// API-93
TEST_F(Apply, CreatesWhatIsNotThereAndOwnsWhatItNames) {
  const api::Response r = Web("alice", Json(kWeb));
  EXPECT_EQ(r.code, 201) << r.status.message;
  EXPECT_EQ(
      Owners(r.object),
      Lines{R"(alice Apply {"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{},)"
            R"("f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},)"
            R"("f:name":{}}}}}}})"});
  const Value& entry = r.object.Get(kManagedFields).at(0);
  EXPECT_EQ(entry.Get("apiVersion").AsString(), "apps/v1");
  EXPECT_EQ(entry.Get("fieldsType").AsString(), "FieldsV1");
  EXPECT_EQ(entry.Get("time"), r.object.Get(Path{"metadata", "creationTimestamp"}));
}

// API-85
TEST_F(Apply, TheSameAgainIsNoWrite) {
  const api::Response first = Web("alice", Json(kWeb));
  world.Advance(Seconds(5));
  const api::Response again = Web("alice", Json(kWeb));
  EXPECT_EQ(again.code, 200);
  EXPECT_EQ(again.object.resource_version(), first.object.resource_version());
  EXPECT_EQ(Owners(again.object), Owners(first.object));
}

// API-92
TEST_F(Apply, AnothersFieldIsAConflictThatSaysWhoseAndWhich) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  const api::Response r = Web("bob", WebWith(R"({"spec":{"replicas":3}})"));
  EXPECT_EQ(value::ToJson(r.status.ToTree()),
            R"({"apiVersion":"v1","code":409,"details":{"causes":[{"field":".spec.replicas",)"
            R"("message":"conflict with \"alice\"","reason":"FieldManagerConflict"}]},)"
            R"("kind":"Status","message":"Apply failed with 1 conflict: conflict with \"alice\": )"
            R"(.spec.replicas","metadata":{},"reason":"Conflict","status":"Failure"})");
  EXPECT_EQ(world.Get("replicasets", "default", "web").object.Get(kSpecReplicas).AsInt(), 2);
}

// API-92
TEST_F(Apply, SeveralConflictsAreListedByManager) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  ASSERT_EQ(Scale("scaler", 4).code, 200);
  const api::Response r = Web("bob", Json(R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
    "metadata":{"name":"web","labels":{"app":"other"}},"spec":{"replicas":9,
    "template":{"spec":{"containers":[{"name":"c","image":"i:2"}]}}}})"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.message,
            "Apply failed with 3 conflicts: conflicts with \"alice\":\n"
            "- .metadata.labels.app\n"
            "- .spec.template.spec.containers[name=\"c\"].image\n"
            "conflicts with \"scaler\" using apps/v1:\n"
            "- .spec.replicas");
  EXPECT_EQ(r.status.details->causes.size(), 3u);
}

// API-92
TEST_F(Apply, ForceTakesTheFieldFromItsOwner) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  const api::Response r = Web("bob", WebWith(R"({"spec":{"replicas":3}})"), true);
  EXPECT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(r.object.Get(kSpecReplicas).AsInt(), 3);
  ASSERT_EQ(Owners(r.object).size(), 2u);
  EXPECT_EQ(Owners(r.object)[0].find("f:replicas"), std::string::npos) << Owners(r.object)[0];
  EXPECT_EQ(Owners(r.object)[1], R"(bob Apply {"f:spec":{"f:replicas":{}}})");
}

// API-92
TEST_F(Apply, TheSameValueIsShared) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  EXPECT_EQ(Web("bob", WebWith(R"({"spec":{"replicas":2}})")).code, 200);
  EXPECT_EQ(Owners()[0], R"(bob Apply {"f:spec":{"f:replicas":{}}})") << "changed nothing: no time";
  // Now neither can change it alone.
  EXPECT_EQ(Web("bob", WebWith(R"({"spec":{"replicas":3}})")).code, 409);
  // And it stays when one lets go of it.
  EXPECT_EQ(Web("bob", WebWith(R"({"metadata":{"labels":{"team":"b"}}})")).code, 200);
  EXPECT_EQ(world.Get("replicasets", "default", "web").object.Get(kSpecReplicas).AsInt(), 2);
}

// API-92
TEST_F(Apply, WhatIsNoLongerAppliedGoesUnlessSomebodyElseOwnsIt) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  ASSERT_EQ(Web("bob", WebWith(R"({"metadata":{"labels":{"team":"b","x":"1"}}})")).code, 200);
  const api::Response r = Web("bob", WebWith(R"({"metadata":{"labels":{"team":"b"}}})"));
  EXPECT_EQ(value::ToJson(r.object.labels()), R"({"app":"web","team":"b"})");
  EXPECT_EQ(value::ToJson(Web("bob", WebWith("{}")).object.labels()), R"({"app":"web"})");
  EXPECT_EQ(Owners().size(), 1u) << "who owns nothing is forgotten";
}

// API-92
TEST_F(Apply, ItemsOfAKeyedListMergeAndGoOneByOne) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  const Value sidecar = WebWith(
      R"({"spec":{"template":{"spec":{"containers":[{"name":"log","image":"l:1",
        "ports":[{"containerPort":80},{"containerPort":80,"protocol":"UDP"}]}]}}}})");
  api::Response r = Web("bob", sidecar);
  EXPECT_EQ(r.code, 200) << r.status.message;
  ASSERT_EQ(r.object.Get(kContainers).size(), 2u);
  EXPECT_EQ(r.object.Get(kContainers).at(1).Get("name").AsString(), "log");
  EXPECT_NE(Owners()[1].find(R"(k:{\"containerPort\":80,\"protocol\":\"TCP\"})"), std::string::npos)
      << Owners()[1];
  r = Web("bob", WebWith("{}"));
  ASSERT_EQ(r.object.Get(kContainers).size(), 1u);
  EXPECT_EQ(r.object.Get(kContainers).at(0).Get("name").AsString(), "c");
}

// API-92
TEST_F(Apply, AnUpdateTakesWhatItChanges) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  const api::Response r = Scale("scaler", 5);
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(Owners().back(), R"(scaler Update {"f:spec":{"f:replicas":{}}})");
  EXPECT_EQ(Web("alice", Json(kWeb)).status.message,
            "Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1: .spec.replicas");
}

// API-92
TEST_F(Apply, AScaleIsAnUpdateThroughItsSubresource) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  api::Request request = world.Request(api::Verb::kPatch, "replicasets", "default", "web");
  request.subresource = "scale";
  request.body = Json(R"({"spec":{"replicas":7}})");
  request.field_manager = "hpa";
  ASSERT_EQ(world.Do(std::move(request)).code, 200);
  EXPECT_EQ(Owners().back(), R"(hpa Update scale {"f:spec":{"f:replicas":{}}})");
  EXPECT_EQ(Web("alice", Json(kWeb)).status.message,
            "Apply failed with 1 conflict: conflict with \"hpa\" with subresource \"scale\" using "
            "apps/v1: .spec.replicas");
}

// API-83
TEST_F(Apply, StatusIsOwnedThroughItsEndpointOnly) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  api::Object object = world.Get("replicasets", "default", "web").object;
  const Value status = object.ToTree().Set(Path{"status", "replicas"}, Value::Of(1));
  ASSERT_EQ(world.Update("replicasets", status).code, 200);
  EXPECT_EQ(Owners().size(), 1u) << "the main endpoint throws it away, nobody owns it";
  object = world.Get("replicasets", "default", "web").object;
  api::Request request = world.Request(api::Verb::kUpdate, "replicasets", "default", "web");
  request.subresource = "status";
  request.body = object.ToTree().Set(Path{"status", "replicas"}, Value::Of(1));
  request.user_agent = "kube-controller-manager/v1.36 (linux)";
  ASSERT_EQ(world.Do(std::move(request)).code, 200);
  EXPECT_EQ(Owners().back(),
            R"(kube-controller-manager Update status {"f:status":{"f:replicas":{}}})");
}

// API-93
TEST_F(Apply, WhatWasThereBeforeTheFirstApplyHasAnOwner) {
  ASSERT_EQ(world.Create("replicasets", "default", Json(kWeb)).code, 201);
  EXPECT_TRUE(Owners().empty()) << "nobody applied yet";
  EXPECT_EQ(Web("bob", WebWith(R"({"spec":{"replicas":3}})")).status.message,
            "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: "
            ".spec.replicas");
  EXPECT_EQ(Web("bob", WebWith(R"({"metadata":{"labels":{"team":"b"}}})")).code, 200);
  ASSERT_EQ(Owners().size(), 2u);
  EXPECT_EQ(Owners()[1].substr(0, 26), "before-first-apply Update ");
}

// API-93
TEST_F(Apply, KubectlTakesOverWhatItsClientSideApplyWrote) {
  const Path last{"metadata", "annotations",
                  value::PathStep("kubectl.kubernetes.io/last-applied-configuration")};
  ASSERT_EQ(world.Create("replicasets", "default", Json(kWeb).Set(last, Value::Of(kWeb))).code,
            201);
  const Value more = Json(kWeb).Set(kSpecReplicas, Value::Of(6));
  EXPECT_EQ(Web("argo", more).code, 409) << "the annotation is kubectl's";
  const api::Response r = Web("kubectl", more);
  EXPECT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(r.object.Get(kSpecReplicas).AsInt(), 6);
  EXPECT_EQ(Json(r.object.Get(last).AsString()).Get(kSpecReplicas).AsInt(), 6)
      << "the annotation follows";
  ASSERT_EQ(Scale("scaler", 7).code, 200);
  EXPECT_EQ(Web("kubectl", more).code, 409) << "the live value is not kubectl's any more";
}

// API-93
TEST_F(Apply, AtMostTenUpdatersAreKept) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  for (int i = 0; i < 14; ++i) {
    world.Advance(Seconds(1));
    api::Request request = world.Request(api::Verb::kPatch, "replicasets", "default", "web");
    request.body = Json(R"({"metadata":{"labels":{}}})")
                       .Set(Path{"metadata", "labels", value::PathStep("l" + std::to_string(i))},
                            Value::Of("x"));
    request.field_manager = "m" + std::to_string(i);
    ASSERT_EQ(world.Do(std::move(request)).code, 200);
  }
  const Lines owners = Owners();
  ASSERT_EQ(owners.size(), 11u);
  EXPECT_EQ(owners[1],
            R"(ancient-changes Update {"f:metadata":{"f:labels":{"f:l0":{},"f:l1":{},"f:l2":{},)"
            R"("f:l3":{},"f:l4":{}}}})");
  EXPECT_EQ(owners[2].substr(0, 9), "m5 Update");
}

// API-93
TEST_F(Apply, AClientMayClearManagedFields) {
  ASSERT_EQ(Web("alice", Json(kWeb)).code, 201);
  Value tree = world.Get("replicasets", "default", "web").object.ToTree();
  ASSERT_EQ(world.Update("replicasets", tree.Erase(kManagedFields)).code, 200);
  EXPECT_EQ(Owners().size(), 1u) << "one that does not know the field keeps it";
  tree = world.Get("replicasets", "default", "web").object.ToTree();
  const Value cleared = tree.Set(kManagedFields, Json("[{}]"));
  ASSERT_EQ(world.Update("replicasets", cleared).code, 200);
  EXPECT_TRUE(Owners().empty());
}

// API-91
TEST_F(Apply, AManagerIsRequiredAndForceIsForApplyOnly) {
  api::Response r = Web("", Json(kWeb));
  EXPECT_EQ(r.code, 422);
  EXPECT_EQ(r.status.message,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required "
            "for apply patch");
  api::Request request = world.Request(api::Verb::kPatch, "replicasets", "default", "web");
  request.body = Json("{}");
  request.force = true;
  r = world.Do(request);
  EXPECT_EQ(r.code, 422);
  EXPECT_EQ(r.status.details->causes.at(0).field, "force");
  request.force = false;
  request.field_manager = std::string(129, 'x');
  EXPECT_EQ(world.Do(request).status.details->causes.at(0).reason, "FieldValueTooLong");
  request.field_manager = "a\tb";
  EXPECT_EQ(world.Do(request).status.details->causes.at(0).message,
            "Invalid value: \"a\\tb\": invalid character U+0009 (at position 1)");
}

// API-86
TEST_F(Apply, WhatMayNotBeApplied) {
  EXPECT_EQ(Web("a", Json(kWeb).Set("kind", Value::Of("Pod"))).status.message,
            "invalid object type: apps/v1, Kind=Pod");
  EXPECT_EQ(Web("a", Json(kWeb).Set(kManagedFields, Json("[]"))).status.message,
            "metadata.managedFields must be nil");
  EXPECT_EQ(Web("a", Json(kWeb).Set(Path{"spec", "foo"}, Value::Of(1))).status.message,
            "failed to create typed patch object (/web; apps/v1, Kind=ReplicaSet): "
            ".spec.foo: field not declared in schema");
  const Value twice = Json(R"([{"name":"c","image":"i"},{"name":"c","image":"j"}])");
  const api::Response r = Web("a", Json(kWeb).Set(kContainers, twice));
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.message,
            "failed to create typed patch object (/web; apps/v1, Kind=ReplicaSet): "
            ".spec.template.spec.containers: duplicate entries for key [name=\"c\"]");
}

// API-77
// API-87
TEST_F(Apply, AStaleVersionInTheConfigIsAConflict) {
  const api::Response first = Web("alice", Json(kWeb));
  ASSERT_EQ(Scale("scaler", 3).code, 200);
  const Value stale = WebWith(R"({"metadata":{"labels":{"a":"b"}}})")
                          .Set(Path{"metadata", "resourceVersion"},
                               Value::Of(std::to_string(first.object.resource_version())));
  const api::Response r = Web("bob", stale);
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.details->name, "web");
}

}  // namespace
}  // namespace ksim::apiserver
