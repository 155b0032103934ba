#include "ksim/apiserver/doors/http/discovery.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/doors/http/openapi.h"
#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/value/json.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

// The item of a list whose field says so.
Value ItemWith(const Value& list, std::string_view field, std::string_view text) {
  for (const Value& item : list.items())
    if (item.Get(field).AsString() == text) return item;
  return Value();
}

// API-145
TEST(Discovery, TellsVersionsGroupsAndResources) {
  const api::Kinds kinds;
  const ServedKinds served = api::ServedKinds(kinds, api::kDefaultCompat);
  EXPECT_EQ(value::ToJson(ApiVersions()),
            R"({"kind":"APIVersions","serverAddressByClientCIDRs":[],"versions":["v1"]})");
  const Value groups = ApiGroupList(served);
  EXPECT_EQ(groups.Get("kind").AsString(), "APIGroupList");
  const Value apps = ItemWith(groups.Get("groups"), "name", "apps");
  EXPECT_EQ(value::ToJson(apps.Get("preferredVersion")),
            R"({"groupVersion":"apps/v1","version":"v1"})");
  const Value core = ApiResourceList(served, "", "v1");
  EXPECT_EQ(core.Get("kind").AsString(), "APIResourceList");
  EXPECT_EQ(core.Get("groupVersion").AsString(), "v1");
  // As a kube-apiserver 1.30 tells of pods.
  EXPECT_EQ(value::ToJson(ItemWith(core.Get("resources"), "name", "pods")),
            R"({"categories":["all"],"kind":"Pod","name":"pods","namespaced":true,)"
            R"("shortNames":["po"],"singularName":"pod","storageVersionHash":"xPOwRZ+Yhw8=",)"
            R"("verbs":["create","delete","deletecollection","get","list","patch","update",)"
            R"("watch"]})");
  EXPECT_EQ(value::ToJson(ItemWith(core.Get("resources"), "name", "pods/eviction")),
            R"({"group":"policy","kind":"Eviction","name":"pods/eviction","namespaced":true,)"
            R"("singularName":"","verbs":["create"],"version":"v1"})");
  const Value certificates = ApiResourceList(served, "certificates.k8s.io", "v1").Get("resources");
  EXPECT_EQ(value::ToJson(ItemWith(certificates, "name", "certificatesigningrequests/approval")),
            R"({"kind":"CertificateSigningRequest","name":"certificatesigningrequests/approval",)"
            R"("namespaced":false,"singularName":"","verbs":["get","patch","update"]})");
  EXPECT_TRUE(ApiResourceList(served, "apps", "v2").is_null());
  EXPECT_TRUE(ApiGroup(served, "nothing").is_null());
}

TEST(Discovery, TellsGroupsInTheOrderOfTheirPriority) {
  const api::Kinds kinds;
  const Value groups = ApiGroupList(api::ServedKinds(kinds, api::kDefaultCompat)).Get("groups");
  std::string names;
  for (const Value& group : groups.items())
    names += std::string(group.Get("name").AsString()) + " ";
  EXPECT_TRUE(names.starts_with("apiregistration.k8s.io apps events.k8s.io authentication.k8s.io "))
      << names;
}

TEST(Discovery, TellsAllAtOnce) {
  const api::Kinds kinds;
  const ServedKinds served = api::ServedKinds(kinds, api::kDefaultCompat);
  const Value all = AggregatedDiscovery(served, false, "v2");
  EXPECT_EQ(all.Get("apiVersion").AsString(), "apidiscovery.k8s.io/v2");
  for (const Value& group : all.Get("items").items()) {
    if (group.Get("metadata").Get("name").AsString() != "apps") continue;
    const Value sets =
        ItemWith(group.Get("versions").at(0).Get("resources"), "resource", "replicasets");
    EXPECT_EQ(sets.Get("scope").AsString(), "Namespaced");
    EXPECT_EQ(value::ToJson(ItemWith(sets.Get("subresources"), "subresource", "scale")),
              R"({"responseKind":{"group":"autoscaling","kind":"Scale","version":"v1"},)"
              R"("subresource":"scale","verbs":["get","patch","update"]})");
    return;
  }
  ADD_FAILURE() << "no apps";
}

Value WithoutNulls(const Value& v) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(WithoutNulls(item));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v;
  value::ObjectBuilder out;
  for (const auto& [name, child] : v.members()) {
    if (!child.is_null() && name.text() != "serverAddressByClientCIDRs")
      out.Add(name, WithoutNulls(child));
  }
  return out.Build();
}

// API-145: every document of a real server, which record_discovery.py wrote down.
TEST(Discovery, IsThatOfARealServer) {
  for (const api::Compat compat : {api::Compat::k1_30, api::Compat::k1_36}) {
    const std::string version(api::ToString(compat));
    std::ifstream file("tests/apiserver/recorded/discovery/" + version + ".jsonl");
    const api::Kinds kinds;
    const Paths paths(kinds, compat);
    std::string line;
    int documents = 0;
    for (; std::getline(file, line); ++documents) {
      const Value recorded = *value::ParseJson(line);
      HttpRequest http;
      http.method = "GET";
      const bool aggregated = recorded.Get("aggregated").AsBool();
      http.headers.Add("Accept",
                       aggregated
                           ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
                           : "application/json");
      Url url;
      url.path = recorded.Get("path").AsString();
      const auto answer = value::ParseJson(paths.Serve(http, url).body);
      ASSERT_TRUE(answer.ok()) << version << " " << line;
      EXPECT_EQ(value::ToJson(WithoutNulls(*answer)),
                value::ToJson(WithoutNulls(recorded.Get("answer"))))
          << version << " " << url.path << (aggregated ? " (aggregated)" : "");
    }
    EXPECT_GT(documents, 40) << version;
  }
}

// A custom group stands behind all others, and its resources have the verbs in another order.
TEST(Discovery, TellsOfCustomResources) {
  api::Kinds kinds;
  const auto crd = value::ParseJson(
      R"({"spec":{"group":"a.example.com","scope":"Cluster","names":{"kind":"Thing",)"
      R"("plural":"things","singular":"thing","shortNames":["th"],"categories":["all"]},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,)"
      R"("subresources":{"status":{},"scale":{}}}]}})");
  ASSERT_TRUE(kinds.AddFromCrd(*crd).ok());
  const ServedKinds served = api::ServedKinds(kinds, api::kDefaultCompat);
  const Value groups = ApiGroupList(served).Get("groups");
  EXPECT_EQ(groups.at(groups.size() - 1).Get("name").AsString(), "a.example.com");
  const Value things =
      ItemWith(ApiResourceList(served, "a.example.com", "v1").Get("resources"), "name", "things");
  EXPECT_EQ(value::ToJson(things.Get("verbs")),
            R"(["delete","deletecollection","get","list","patch","create","update","watch"])");
  EXPECT_EQ(value::ToJson(things.Get("categories")), R"(["all"])");
}

TEST(OpenApi, HasThePatchStrategiesThatKubectlMergesBy) {
  const api::Kinds kinds;
  const ServedKinds served = api::ServedKinds(kinds, api::kDefaultCompat);
  const Value schemas = OpenApiDocument(served, "", "v1").Get("components").Get("schemas");
  const Value containers =
      schemas.Get("io.k8s.api.core.v1.PodSpec").Get("properties").Get("containers");
  EXPECT_EQ(containers.Get("x-kubernetes-patch-merge-key").AsString(), "name");
  EXPECT_EQ(containers.Get("x-kubernetes-patch-strategy").AsString(), "merge");
  EXPECT_EQ(
      value::ToJson(schemas.Get("io.k8s.api.core.v1.Pod").Get("x-kubernetes-group-version-kind")),
      R"([{"group":"","kind":"Pod","version":"v1"}])");
  EXPECT_FALSE(schemas.Get("io.k8s.api.core.v1.PodSpec").Get("required").empty());
}

}  // namespace
}  // namespace ksim::apiserver::http
