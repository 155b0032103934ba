// The Service default/kubernetes, which API servers make for themselves.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using value::ToJson;

WorldOptions WithAddress(api::Compat compat, const char* address) {
  WorldOptions options(compat);
  options.server.address = address;
  return options;
}

// API-260
TEST(KubernetesService, IsMadeWithItsEndpoints) {
  for (const api::Compat compat : kProfiles) {
    World w(WithAddress(compat, "172.18.0.2"));
    w.Advance(Seconds(1));
    const api::Object service = w.Get("services", "default", "kubernetes").object;
    EXPECT_EQ(service.spec().Get("clusterIP").AsString(), "10.0.0.1");
    EXPECT_EQ(service.spec().Get("type").AsString(), "ClusterIP");
    EXPECT_FALSE(service.spec().Has("selector"));
    EXPECT_EQ(ToJson(service.spec().Get("ports")),
              R"([{"name":"https","port":443,"protocol":"TCP","targetPort":6443}])");
    EXPECT_EQ(service.Label("component"), "apiserver");
    EXPECT_EQ(service.Label("provider"), "kubernetes");
    const api::Object endpoints = w.Get("endpoints", "default", "kubernetes").object;
    EXPECT_EQ(endpoints.Label("endpointslice.kubernetes.io/skip-mirror"), "true");
    EXPECT_EQ(endpoints.tree().Get("subsets"),
              Json(R"([{"addresses":[{"ip":"172.18.0.2"}],)"
                   R"("ports":[{"name":"https","port":6443,"protocol":"TCP"}]}])"));
    const api::Object slice = w.Get("endpointslices", "default", "kubernetes").object;
    EXPECT_EQ(slice.Label("kubernetes.io/service-name"), "kubernetes");
    EXPECT_EQ(slice.tree().Get("addressType").AsString(), "IPv4");
    EXPECT_EQ(slice.tree().Get("endpoints"),
              Json(R"([{"addresses":["172.18.0.2"],"conditions":{"ready":true}}])"));
    EXPECT_EQ(slice.tree().Get("ports"),
              Json(R"([{"name":"https","port":6443,"protocol":"TCP"}])"));
  }
}

// API-260: what is there is left alone, but for an address that is missing.
TEST(KubernetesService, AServerThatStartsAgainAddsWhatIsMissing) {
  World w(WithAddress(api::Compat::k1_36, "172.18.0.2"));
  w.Advance(Seconds(1));
  const auto restart = [&w] {
    w.server().process().Kill();
    w.server().Start();
    w.RunUntil([&w] { return w.server().ready(); });
    w.Advance(Seconds(1));
  };
  const std::int64_t before = w.revision();
  restart();
  EXPECT_EQ(w.revision(), before);
  w.Delete("services", "default", "kubernetes");  // and with it the Endpoints
  restart();
  EXPECT_EQ(w.Get("services", "default", "kubernetes").code, 200);
  w.Patch("endpoints", "default", "kubernetes", api::PatchType::kMerge,
          R"({"subsets":[{"addresses":[{"ip":"172.18.0.1"},{"ip":"172.18.0.3"}],)"
          R"("ports":[{"name":"https","port":6443,"protocol":"TCP"}]}]})");
  restart();
  const api::Object endpoints = w.Get("endpoints", "default", "kubernetes").object;
  EXPECT_EQ(ToJson(endpoints.tree().Get("subsets").at(0).Get("addresses")),
            R"([{"ip":"172.18.0.1"},{"ip":"172.18.0.2"},{"ip":"172.18.0.3"}])");
}

// API-260: nobody asks for it in most clusters.
TEST(KubernetesService, IsNotMadeByAServerWithoutAnAddress) {
  World w;
  w.Advance(Seconds(1));
  EXPECT_EQ(w.Get("services", "default", "kubernetes").code, 404);
}

}  // namespace
}  // namespace ksim::apiserver
