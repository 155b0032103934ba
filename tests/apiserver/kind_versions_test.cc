// Built-in kinds with several versions, kinds that a version does not serve, and the subresource
// approval, through the server.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using api::Verb;
using value::Path;
using value::Value;

api::Request About(World& world, Verb verb, std::string_view api_version, std::string_view kind,
                   std::string_view name) {
  api::Request request;
  request.verb = verb;
  request.resource = world.kinds.ByKind(api_version, kind);
  if (request.resource->namespaced) request.ns = "default";
  request.name = name;
  return request;
}

api::Request AboutHpa(World& world, Verb verb, std::string_view version, std::string_view name) {
  return About(world, verb, "autoscaling/" + std::string(version), "HorizontalPodAutoscaler", name);
}

// API-174
TEST(KindVersions, AnAutoscalerIsOneObjectAtBothVersions) {
  World world{WorldOptions(Compat::k1_36)};
  api::Request create = AboutHpa(world, Verb::kCreate, "v1", "");
  create.body = Json(
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},)"
      R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},)"
      R"("maxReplicas":3}})");
  const api::Response made = world.Do(create);
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.api_version(), "autoscaling/v1");
  EXPECT_EQ(value::ToJson(made.object.spec()),
            R"({"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1",)"
            R"("kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80})");

  // At v2 another metric joins it, and a controller reports the status.
  api::Request patch = AboutHpa(world, Verb::kPatch, "v2", "a");
  patch.patch_type = api::PatchType::kMerge;
  patch.body =
      Json(R"({"spec":{"metrics":[{"type":"Resource","resource":{"name":"memory","target":)"
           R"({"type":"AverageValue","averageValue":"1Gi"}}}]}})");
  const api::Response patched = world.Do(patch);
  ASSERT_EQ(patched.code, 200) << patched.status.message;
  EXPECT_EQ(patched.object.api_version(), "autoscaling/v2");
  api::Request status = AboutHpa(world, Verb::kPatch, "v2", "a");
  status.subresource = "status";
  status.patch_type = api::PatchType::kMerge;
  status.body = Json(
      R"({"status":{"currentReplicas":2,"desiredReplicas":3,"conditions":[{"type":"AbleToScale",)"
      R"("status":"True"}]}})");
  ASSERT_EQ(world.Do(status).code, 200);

  const api::Response v1 = world.Do(AboutHpa(world, Verb::kGet, "v1", "a"));
  ASSERT_EQ(v1.code, 200) << v1.status.message;
  EXPECT_EQ(v1.object.Annotation("autoscaling.alpha.kubernetes.io/metrics"),
            R"([{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}])");
  EXPECT_EQ(v1.object.Annotation("autoscaling.alpha.kubernetes.io/conditions"),
            R"([{"type":"AbleToScale","status":"True","lastTransitionTime":null}])");
  EXPECT_FALSE(v1.object.spec().Has("targetCPUUtilizationPercentage"));

  // A PUT at v1 cannot change the status, not even by its annotations.
  api::Request put = AboutHpa(world, Verb::kUpdate, "v1", "a");
  put.body =
      v1.object.ToTree()
          .Set(Path{"spec", "maxReplicas"}, Value::Of(9))
          .Erase(Path{"metadata", "annotations", "autoscaling.alpha.kubernetes.io/conditions"});
  const api::Response replaced = world.Do(put);
  ASSERT_EQ(replaced.code, 200) << replaced.status.message;
  const api::Response v2 = world.Do(AboutHpa(world, Verb::kGet, "v2", "a"));
  EXPECT_EQ(v2.object.spec().Get("maxReplicas").AsInt(), 9);
  EXPECT_EQ(v2.object.spec().Get("metrics").size(), 1u);
  EXPECT_EQ(v2.object.status().Get("conditions").size(), 1u);
  EXPECT_TRUE(v2.object.annotations().empty());

  ASSERT_EQ(world.Do(AboutHpa(world, Verb::kDelete, "v1", "a")).code, 200);
  EXPECT_EQ(world.Do(AboutHpa(world, Verb::kGet, "v2", "a")).code, 404);
}

// API-174
TEST(KindVersions, AStatusAtV1LeavesTheSpec) {
  World world{WorldOptions(Compat::k1_30)};
  api::Request create = AboutHpa(world, Verb::kCreate, "v1", "");
  create.body = Json(
      R"({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},)"
      R"("spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3}})");
  ASSERT_EQ(world.Do(create).code, 201);
  api::Request patch = AboutHpa(world, Verb::kPatch, "v1", "a");
  patch.subresource = "status";
  patch.patch_type = api::PatchType::kMerge;
  patch.body = Json(R"({"spec":{"maxReplicas":7},"status":{"currentReplicas":1,)"
                    R"("currentCPUUtilizationPercentage":12}})");
  ASSERT_EQ(world.Do(patch).code, 200);
  const api::Response v2 = world.Do(AboutHpa(world, Verb::kGet, "v2", "a"));
  EXPECT_EQ(v2.object.spec().Get("maxReplicas").AsInt(), 3);
  const Value& metrics = v2.object.status().Get("currentMetrics");
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics.at(0).Get("resource").Get("name").AsString(), "cpu");
  EXPECT_EQ(metrics.at(0).Get("resource").Get("current").Get("averageUtilization").AsInt(), 12);
}

// API-175
TEST(KindVersions, WhatAVersionDoesNotServeIsNotFound) {
  for (const auto& [compat, code] :
       {std::pair{Compat::k1_25, 404}, {Compat::k1_30, 201}, {Compat::k1_36, 201}}) {
    World world{WorldOptions(compat)};
    const std::string version = "flowcontrol.apiserver.k8s.io/v1";
    api::Request create = About(world, Verb::kCreate, version, "PriorityLevelConfiguration", "");
    create.body =
        Json(R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1",)"
             R"("kind":"PriorityLevelConfiguration","metadata":{"name":"a"},)"
             R"("spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}}})");
    const api::Response made = world.Do(create);
    EXPECT_EQ(made.code, code) << made.status.message;
  }
}

// API-175
TEST(KindVersions, ASigningRequestIsApprovedAtItsSubresource) {
  World world{WorldOptions(Compat::k1_36)};
  const std::string version = "certificates.k8s.io/v1";
  api::Request create = About(world, Verb::kCreate, version, "CertificateSigningRequest", "");
  create.body = Json(
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":)"
      R"({"name":"a"},"spec":{"signerName":"a.b/c","request":"Zm9v","usages":["any"],)"
      R"("username":"somebody else","groups":["x"]},)"
      R"("status":{"conditions":[{"type":"Approved","status":"True"}]}})");
  const api::Response made = world.Do(create);
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_NE(made.object.spec().Get("username").AsString(), "somebody else");
  EXPECT_TRUE(made.object.status().Get("conditions").empty());
  const Value approved =
      made.object.ToTree()
          .Set(Path{"status"},
               Json(R"({"conditions":[{"type":"Approved","status":"True"}],"certificate":"eA=="})"))
          .Set(Path{"spec", "signerName"}, Value::Of("other/x"));
  api::Request put = About(world, Verb::kUpdate, version, "CertificateSigningRequest", "a");
  put.body = approved;
  put.subresource = "approval";
  const api::Response answer = world.Do(put);
  ASSERT_EQ(answer.code, 200) << answer.status.message;
  EXPECT_EQ(answer.object.status().Get("conditions").size(), 1u);
  EXPECT_FALSE(answer.object.status().Has("certificate"));
  EXPECT_EQ(answer.object.spec().Get("signerName").AsString(), "a.b/c");
  put.resource = world.kinds.ByName("configmaps");
  put.ns = "default";
  EXPECT_EQ(world.Do(put).code, 404) << "no other kind has it";
}

}  // namespace
}  // namespace ksim::apiserver
