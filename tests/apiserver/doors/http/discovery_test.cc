#include "ksim/apiserver/doors/http/discovery.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/doors/http/openapi.h"
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
