// PUT and PATCH through the whole pipeline.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ksim/value/json.h"
#include "ksim/value/patch.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using api::PatchType;
using value::Path;
using value::Value;

const Path kVersion{"metadata", "resourceVersion"};
const Path kUid{"metadata", "uid"};
const Path kData{"data", "k"};
const Path kReplicas{"spec", "replicas"};

Value ReplicaSet(std::string_view name, int replicas) {
  Value rs = Json(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"namespace":"default"},
    "spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},
    "spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
  return rs.Set(Path{"metadata", "name"}, Value::Of(name)).Set(kReplicas, Value::Of(replicas));
}

class Updates : public ::testing::Test {
 protected:
  api::Object NewMap() {
    return world.Create("configmaps", "default", ConfigMap("default", "m", "1")).object;
  }
  World world;
};

// API-75
// API-77
// API-25
TEST_F(Updates, TheVersionSentMustBeTheOneStored) {
  const api::Object first = NewMap();
  api::Response r = world.Update("configmaps", first.ToTree().Set(kData, Value::Of("2")));
  EXPECT_EQ(r.code, 200);
  EXPECT_EQ(r.object.resource_version(), world.revision());
  r = world.Update("configmaps", first.ToTree().Set(kData, Value::Of("3")));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.reason, "Conflict");
  EXPECT_EQ(r.status.message,
            "Operation cannot be fulfilled on configmaps \"m\": the object has been modified; "
            "please apply your changes to the latest version and try again");
  r = world.Update("configmaps", first.tree().Set(kData, Value::Of("4")));
  EXPECT_EQ(r.code, 200) << "no version: whatever is there is overwritten";
  EXPECT_EQ(r.object.Get(kData).AsString(), "4");
}

// API-77
TEST(Update, SomeKindsDemandAVersion) {
  for (const Compat compat : {Compat::k1_30, Compat::k1_36}) {
    World world{WorldOptions(compat)};
    const Value lease = Json(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
      "metadata":{"name":"l","namespace":"default"},"spec":{"holderIdentity":"a"}})");
    ASSERT_EQ(world.Create("leases", "default", lease).code, 201);
    const api::Response r = world.Update("leases", lease);
    EXPECT_EQ(r.code, 422);
    EXPECT_EQ(r.status.details->kind, "leases");
    ASSERT_EQ(r.status.details->causes.size(), 1u);
    EXPECT_EQ(r.status.details->causes[0].field, "metadata.resourceVersion");
    EXPECT_EQ(r.status.details->causes[0].message,
              compat == Compat::k1_36 ? "Invalid value: 0: must be specified for an update"
                                      : "Invalid value: 0x0: must be specified for an update");
  }
}

// API-75
TEST_F(Updates, OnlySomeKindsAreCreatedByPut) {
  EXPECT_EQ(world.Update("configmaps", ConfigMap("default", "none")).code, 404);
  EXPECT_EQ(world.Update("pods", Pod("default", "none")).code, 404);
  const Value lease = Json(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
    "metadata":{"name":"l","namespace":"default"},"spec":{"holderIdentity":"a"}})");
  const api::Response r = world.Update("leases", lease);
  EXPECT_EQ(r.code, 201) << r.status.message;
  EXPECT_EQ(r.object.uid().size(), 36u);
  EXPECT_TRUE(r.object.creation_time().has_value());
}

// API-76
TEST_F(Updates, TheBodyHasTheNameOfTheUrl) {
  NewMap();
  api::Request request = world.Request(api::Verb::kUpdate, "configmaps", "default", "m");
  request.body = ConfigMap("default", "other");
  const api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 400);
  EXPECT_EQ(r.status.message,
            "the name of the object (other) does not match the name on the URL (m)");
}

// API-78
// API-13
TEST_F(Updates, AnotherUidIsAConflict) {
  const api::Object map = NewMap();
  const api::Response put =
      world.Update("configmaps", map.ToTree().Set(kUid, Value::Of("someone-else")));
  EXPECT_EQ(put.code, 409);
  EXPECT_NE(put.status.message.find("UID in precondition: someone-else"), std::string::npos);
  const api::Response patch = world.Patch("configmaps", "default", "m", PatchType::kMerge,
                                          R"({"metadata":{"uid":"someone-else"}})");
  EXPECT_EQ(patch.code, 422);
}

// API-78: the uid of a PUT is looked at before its content is; that of a PATCH is content.
TEST_F(Updates, TheUidOfAPutIsAPreconditionAndThatOfAPatchAField) {
  const api::Object map = NewMap();
  const Value invalid = map.ToTree().Set(Path{"data", "b/d"}, Value::Of("x"));
  EXPECT_EQ(world.Update("configmaps", invalid).code, 422) << "its own uid";
  const std::int64_t before = world.revision();
  const api::Response put = world.Update("configmaps", invalid.Set(kUid, Value::Of("another")));
  EXPECT_EQ(put.code, 409);
  EXPECT_EQ(put.status.reason, "Conflict");
  const api::Response both =
      world.Update("configmaps", invalid.Set(kUid, Value::Of("another"))
                                     .Set(Path{"metadata", "resourceVersion"}, Value::Of("1")));
  EXPECT_EQ(both.code, 409);
  EXPECT_NE(both.status.message.find("UID in precondition: another"), std::string::npos)
      << "before the version, too: " << both.status.message;
  const api::Response patch = world.Patch("configmaps", "default", "m", PatchType::kMerge,
                                          R"({"metadata":{"uid":"another"},"data":{"b/d":"x"}})");
  EXPECT_EQ(patch.code, 422);
  std::set<std::string> fields;
  for (const api::StatusCause& cause : patch.status.details->causes) fields.emplace(cause.field);
  EXPECT_EQ(fields, (std::set<std::string>{"metadata.uid", "data[b/d]"}));
  EXPECT_EQ(world.revision(), before);
  EXPECT_EQ(world.Update("configmaps", map.ToTree().Erase(kUid)).code, 200) << "none is no other";
}

// API-11
// API-85
TEST_F(Updates, NothingNewWritesNothing) {
  const api::Object map = NewMap();
  auto watch = world.Watch("configmaps", "default", Options(std::to_string(world.revision())));
  const std::int64_t before = world.revision();
  const api::Response put = world.Update("configmaps", map.ToTree());
  EXPECT_EQ(put.code, 200);
  EXPECT_EQ(put.object.resource_version(), map.resource_version());
  const api::Response patch =
      world.Patch("configmaps", "default", "m", PatchType::kMerge, R"({"data":{"k":"1"}})");
  EXPECT_EQ(patch.code, 200);
  world.Advance(Seconds(1));
  EXPECT_EQ(world.revision(), before);
  EXPECT_TRUE(watch->seen.empty());
}

// API-79
// API-81
// API-83
TEST_F(Updates, TheMainEndpointKeepsTheStatusAndCountsSpecChanges) {
  const api::Object rs = world.Create("replicasets", "default", ReplicaSet("r", 2)).object;
  ASSERT_FALSE(rs.empty());
  const Value wanted =
      rs.ToTree()
          .Set(kReplicas, Value::Of(3))
          .Set(Path{"status", "replicas"}, Value::Of(7))
          .Set(Path{"metadata", "generation"}, Value::Of(99))
          .Set(Path{"metadata", "creationTimestamp"}, Value::Of("2001-01-01T00:00:00Z"));
  const api::Object updated = world.Update("replicasets", wanted).object;
  EXPECT_EQ(updated.generation(), 2);
  EXPECT_EQ(updated.status(), rs.status());
  EXPECT_EQ(updated.creation_time(), rs.creation_time());
  const Value labelled = updated.ToTree().Set(Path{"metadata", "labels", "x"}, Value::Of("y"));
  EXPECT_EQ(world.Update("replicasets", labelled).object.generation(), 2);
}

// API-83
// API-81
TEST_F(Updates, TheStatusEndpointKeepsTheSpec) {
  const api::Object rs = world.Create("replicasets", "default", ReplicaSet("r", 2)).object;
  const Value wanted =
      rs.ToTree().Set(kReplicas, Value::Of(9)).Set(Path{"status", "replicas"}, Value::Of(2));
  const api::Response r = world.Update("replicasets", wanted, "status");
  ASSERT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(r.object.Get(kReplicas).AsInt(), 2);
  EXPECT_EQ(r.object.Get(Path{"status", "replicas"}).AsInt(), 2);
  EXPECT_EQ(r.object.generation(), 1);
}

// API-86
// API-87
// API-88
// API-89
TEST_F(Updates, PatchesOfAllKinds) {
  NewMap();
  const auto patch = [&](PatchType type, std::string_view json) {
    return world.Patch("configmaps", "default", "m", type, json);
  };
  EXPECT_EQ(patch(PatchType::kMerge, R"({"data":{"k":null,"l":"2"}})").object.tree().Get("data"),
            Json(R"({"l":"2"})"));
  EXPECT_EQ(patch(PatchType::kJson, R"([{"op":"add","path":"/data/m","value":"3"}])").code, 200);
  EXPECT_EQ(patch(PatchType::kStrategic, R"({"data":{"n":"4"}})").object.tree().Get("data"),
            Json(R"({"l":"2","m":"3","n":"4"})"));
  const api::Response failed =
      patch(PatchType::kJson, R"([{"op":"test","path":"/data/m","value":"9"}])");
  EXPECT_EQ(failed.code, 422);
  EXPECT_EQ(failed.status.reason, "Invalid");
  EXPECT_EQ(patch(PatchType::kJson, R"({"op":"add"})").code, 400);
  EXPECT_EQ(world.Patch("configmaps", "default", "none", PatchType::kMerge, "{}").code, 404);
}

// API-87
TEST_F(Updates, AStaleVersionInAPatchIsAConflict) {
  const api::Object map = NewMap();
  world.Update("configmaps", map.ToTree().Set(kData, Value::Of("2")));
  const std::string body =
      R"({"metadata":{"resourceVersion":")" + std::to_string(map.resource_version()) + R"("}})";
  EXPECT_EQ(world.Patch("configmaps", "default", "m", PatchType::kMerge, body).code, 409);
}

// API-87
// API-09
// API-10
TEST_F(Updates, RacingPatchesAllWin) {
  NewMap();
  std::vector<std::shared_ptr<api::Response>> answers;
  for (int i = 0; i < 8; ++i) {
    api::Request request = world.Request(api::Verb::kPatch, "configmaps", "default", "m");
    request.patch_type = PatchType::kMerge;
    request.body = Json(R"({"data":{"w)" + std::to_string(i) + R"(":"x"}})");
    answers.push_back(world.Start(request));
  }
  world.Advance(Seconds(1));
  for (const auto& answer : answers) EXPECT_EQ(answer->code, 200);
  EXPECT_EQ(world.Get("configmaps", "default", "m").object.tree().Get("data").size(), 9u);
}

// API-09
TEST_F(Updates, OneOfRacingPutsWithAVersionWins) {
  const api::Object map = NewMap();
  std::vector<std::shared_ptr<api::Response>> answers;
  for (const char* data : {"a", "b", "c"}) {
    api::Request request = world.Request(api::Verb::kUpdate, "configmaps", "default", "m");
    request.body = map.ToTree().Set(kData, Value::Of(data));
    answers.push_back(world.Start(request));
  }
  world.Advance(Seconds(1));
  int won = 0, lost = 0;
  for (const auto& answer : answers) {
    won += answer->code == 200;
    lost += answer->code == 409;
  }
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 2);
}

// API-10
TEST_F(Updates, AStaleCacheJudgesNothing) {
  const api::Object first = NewMap();
  world.Advance(Seconds(1));
  world.server().faults().watch_cache(world.Kind("configmaps")).Freeze();
  const api::Object second =
      world.Update("configmaps", first.ToTree().Set(kData, Value::Of("2"))).object;
  // The frozen cache still has `first`: its version is a conflict, and that of `second` is right.
  EXPECT_EQ(world.Update("configmaps", second.ToTree().Set(kData, Value::Of("3"))).code, 200);
  EXPECT_EQ(world.Update("configmaps", first.ToTree().Set(kData, Value::Of("4"))).code, 409);
  // The object equals the stale copy but not the stored one, so the update is a change.
  EXPECT_EQ(world.Update("configmaps", first.tree()).object.Get(kData).AsString(), "1");
  EXPECT_EQ(world.Get("configmaps", "default", "m").object.Get(kData).AsString(), "1");
}

// A client that has the object sends its tree and its version beside it. The answer is that to the
// body as it is on the wire, also where the body is wrong.
TEST(Update, AVersionBesideTheBodyIsOneInIt) {
  const auto of = [](World& world, const api::Response& r) {
    std::string text = std::to_string(r.code) + " " + value::ToJson(r.status.ToTree()) + " " +
                       value::ToJson(r.object.ToTree()) + " at " + std::to_string(world.revision());
    for (const std::string& warning : r.warnings) text += " " + warning;
    return text;
  };
  const std::vector<Value> changes = {
      Json(R"({"data":{"k":"2"}})"),
      Json(R"({"bogus":1})"),
      Json(R"({"data":7})"),
      Json(R"({"metadata":{"name":"other"}})"),
      Json(R"({"metadata":{"uid":"someone-else"}})"),
      Json(R"({"metadata":{"labels":{"a":1}}})"),
      Json(R"({"apiVersion":"v2"})"),
      Json(R"({"apiVersion":7})"),
      Json(R"({"metadata":null})"),
  };
  for (const char* strict : {"", "Strict"}) {
    for (const int late : {0, 1}) {
      for (const Value& change : changes) {
        World whole, beside;
        std::string answers[2];
        for (World* world : {&whole, &beside}) {
          const Value made = ConfigMap("default", "m", "1");
          api::Object map = world->Create("configmaps", "default", made).object;
          api::Object newer =
              world->Update("configmaps", map.tree().Set(kData, Value::Of("1a"))).object;
          const api::Object& base = late == 0 ? newer : map;
          api::Request request = world->Request(api::Verb::kUpdate, "configmaps", "default", "m");
          request.field_validation = strict;
          request.body = value::ApplyMergePatch(base.tree(), change);
          request.body_version = base.resource_version();
          const Value wire = request.WholeBody();
          EXPECT_EQ(wire.Get(kVersion).AsString(), std::to_string(base.resource_version()));
          if (world == &whole) {
            request.body = wire;
            request.body_version = 0;
          }
          answers[world == &beside] = of(*world, world->Do(request));
        }
        EXPECT_EQ(answers[0], answers[1]) << value::ToJson(change);
      }
    }
  }
}

// API-90
// API-79
TEST_F(Updates, APatchNeitherRenamesNorMoves) {
  NewMap();
  EXPECT_EQ(world
                .Patch("configmaps", "default", "m", PatchType::kMerge,
                       R"({"metadata":{"name":"other"}})")
                .code,
            400);
  EXPECT_EQ(world
                .Patch("configmaps", "default", "m", PatchType::kMerge,
                       R"({"metadata":{"namespace":"kube-system"}})")
                .code,
            400);
}

// API-94
TEST_F(Updates, UnknownFieldsWarnOrAreRefused) {
  api::Request request = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  request.body = ConfigMap("default", "m").Set("bogus", Value::Of(1));
  request.field_validation = "Strict";
  EXPECT_EQ(world.Do(request).code, 400);
  request.field_validation = "";
  const api::Response r = world.Do(request);
  EXPECT_EQ(r.code, 201);
  EXPECT_EQ(r.warnings, std::vector<std::string>{"unknown field \"bogus\""});
  EXPECT_FALSE(r.object.tree().Has("bogus"));
}

// API-72
TEST_F(Updates, DuplicateOwnersGoWithAWarning) {
  const Value owner = Json(R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"})");
  const api::Response r =
      world.Create("configmaps", "default",
                   ConfigMap("default", "m")
                       .Set(Path{"metadata", "ownerReferences"}, value::Arr({owner, owner})));
  EXPECT_EQ(r.code, 201);
  EXPECT_EQ(r.object.owners().size(), 1u);
  EXPECT_EQ(r.warnings.size(), 1u);
}

// API-124
TEST_F(Updates, ScaleChangesNothingButReplicas) {
  world.Create("replicasets", "default", ReplicaSet("r", 2));
  api::Request get = world.Request(api::Verb::kGet, "replicasets", "default", "r");
  get.subresource = "scale";
  const api::Object scale = world.Do(get).object;
  EXPECT_EQ(scale.kind(), "Scale");
  EXPECT_EQ(scale.api_version(), "autoscaling/v1");
  EXPECT_EQ(scale.Get(kReplicas).AsInt(), 2);
  EXPECT_EQ(scale.Get(Path{"status", "selector"}).AsString(), "app=a");
  api::Response r =
      world.Update("replicasets", scale.ToTree().Set(kReplicas, Value::Of(5)), "scale");
  ASSERT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(r.object.Get(kReplicas).AsInt(), 5);
  const api::Object rs = world.Get("replicasets", "default", "r").object;
  EXPECT_EQ(rs.Get(kReplicas).AsInt(), 5);
  EXPECT_EQ(rs.generation(), 2);
  EXPECT_EQ(world.Update("replicasets", scale.ToTree(), "scale").code, 409);
  r = world.Patch("replicasets", "default", "r", PatchType::kMerge, R"({"spec":{"replicas":7}})",
                  "scale");
  EXPECT_EQ(r.object.Get(kReplicas).AsInt(), 7);
  r = world.Patch("replicasets", "default", "r", PatchType::kStrategic,
                  R"({"spec":{"replicas":8}})", "scale");
  EXPECT_EQ(r.code, 200) << r.status.message;
  EXPECT_EQ(r.object.Get(kReplicas).AsInt(), 8);
}

}  // namespace
}  // namespace ksim::apiserver
