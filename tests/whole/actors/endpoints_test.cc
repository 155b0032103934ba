// The Endpoints controller and the mirroring controller against real API servers, in all versions.
// The situations are those of upstream's endpoints_controller_test.go and
// endpointslicemirroring_controller_test.go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/endpoint/endpoints_controller.h"
#include "ksim/controllers/endpointslicemirroring/mirroring_controller.h"
#include "tests/whole/actors/endpoints_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// "10.0.0.1,10.0.0.2|10.0.0.3:8080": ready, not ready, ports; a line a subset.
std::vector<std::string> SubsetLines(const api::Object& endpoints) {
  std::vector<std::string> lines;
  for (const value::Value& subset : endpoints.tree().Get("subsets").items()) {
    std::string line;
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      std::string all;
      for (const value::Value& address : subset.Get(list).items())
        all += (all.empty() ? "" : ",") + std::string(address.Get("ip").AsString());
      line += (line.empty() && list[0] == 'a' ? "" : "|") + all;
    }
    for (const value::Value& port : subset.Get("ports").items())
      line += ":" + std::to_string(port.Get("port").AsInt());
    lines.push_back(line);
  }
  return lines;
}

class EndpointsTest : public testing::TestWithParam<api::Compat> {
 protected:
  EndpointsTest() : w(GetParam()) {
    RunEndpointsController<controllers::EndpointsController>(&w, "endpoint");
    w.Settle();
  }
  std::vector<std::string> Subsets() { return SubsetLines(w.Get("endpoints", "web")); }
  bool Is136() const { return GetParam() == api::Compat::k1_36; }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, EndpointsTest, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-EP-01, CTRL-EP-02, CTRL-EP-04
TEST_P(EndpointsTest, FollowThePods) {
  w.Create("services", ServiceJson("web", "", R"({"team":"a"})"));
  w.Settle();
  EXPECT_THAT(Subsets(), IsEmpty());
  EXPECT_THAT(w.Writes(), ElementsAre("create endpoints/web"));
  MakePodAt(&w, "a", "10.0.0.1");
  MakePodAt(&w, "b", "10.0.0.2", false);
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.1|10.0.0.2:8080"));
  const api::Object endpoints = w.Get("endpoints", "web");
  EXPECT_EQ(endpoints.Label("team"), "a");
  EXPECT_EQ(endpoints.Label("endpoints.kubernetes.io/managed-by"),
            Is136() ? "endpoint-controller" : "");
  w.MakeReady("b");
  w.Settle();
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.1,10.0.0.2|:8080"));
  // A pod that is being deleted is no endpoint, though it may serve on.
  w.Delete("pods", "a");
  w.Settle();
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.2|:8080"));
  w.Delete("services", "web");
  w.Settle();
  EXPECT_TRUE(w.Get("endpoints", "web").empty());
}

// CTRL-EP-02: TestSyncEndpointsHeadlessWithoutPort, ...HeadlessServiceLabel.
TEST_P(EndpointsTest, AHeadlessServiceMayHaveNoPorts) {
  w.Create("services", R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{
                           "clusterIP":"None","selector":{"app":"web"}}})");
  MakePodAt(&w, "a", "10.0.0.1");
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.1|"));
  EXPECT_TRUE(w.Get("endpoints", "web").labels().Has("service.kubernetes.io/headless"));
  w.Forget();
  w.Patch("services", "web", R"({"metadata":{"annotations":{"x":"y"}}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-EP-02: pods that tolerate it are published while they are not ready, or being deleted.
TEST_P(EndpointsTest, NotReadyAddressesArePublishedIfAsked) {
  w.Create("services", ServiceJson("web", R"(,"publishNotReadyAddresses":true)"));
  MakePodAt(&w, "a", "10.0.0.1", false);
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.1|:8080"));
  w.Delete("pods", "a");
  w.Settle();
  EXPECT_THAT(Subsets(), ElementsAre("10.0.0.1|:8080"));
}

// CTRL-EP-06: TestCheckLeftoverEndpoints.
TEST_P(EndpointsTest, LeftoversGoAtTheStart) {
  ActorWorld fresh(GetParam());
  fresh.Create("endpoints", R"({"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"}})");
  fresh.Create("endpoints",
               R"({"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"lock","annotations":{
                   "control-plane.alpha.kubernetes.io/leader":"{}"}}})");
  RunEndpointsController<controllers::EndpointsController>(&fresh, "endpoint");
  fresh.Settle();
  EXPECT_TRUE(fresh.Get("endpoints", "a").empty());
  EXPECT_FALSE(fresh.Get("endpoints", "lock").empty());
}

// CTRL-EP-07
TEST_P(EndpointsTest, FollowAnExternalNameOnlyBefore130) {
  w.Create("services",
           R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{
               "type":"ExternalName","externalName":"x.example","selector":{"app":"web"}}})");
  w.Settle();
  EXPECT_EQ(w.Get("endpoints", "web").empty(), GetParam() != api::Compat::k1_25);
}

// CTRL-EP-08: the version that was replaced is known. Before 1.30 the cache that lags is taken for
// the truth, in which nothing is to be done, and nobody looks again.
TEST_P(EndpointsTest, WaitForACacheThatLags) {
  w.Create("services", ServiceJson("web"));
  MakePodAt(&w, "a", "10.0.0.1");
  w.Freeze("endpoints");
  w.MakeReady("a", false);
  w.Settle();
  w.Forget();
  w.MakeReady("a");
  w.Settle();
  EXPECT_THAT(w.Writes(), IsEmpty());
  EXPECT_THAT(Subsets(), ElementsAre("|10.0.0.1:8080"));
  w.Freeze("endpoints", false);
  w.Advance(Seconds(10));
  const bool waits = GetParam() != api::Compat::k1_25;
  EXPECT_THAT(Subsets(), ElementsAre(waits ? "10.0.0.1|:8080" : "|10.0.0.1:8080"));
}

// --- mirroring ---

class MirroringTest : public testing::TestWithParam<api::Compat> {
 protected:
  MirroringTest() : w(GetParam()) {
    RunEndpointsController<controllers::MirroringController>(&w, "endpointslicemirroring");
    w.Settle();
  }
  void MakeService(std::string_view more = "") {
    w.Create("services",
             fmt::format(R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"web"}},
                             "spec":{{"ports":[{{"port":80}}]{}}}}})",
                         more));
  }
  void MakeEndpoints(std::string_view more_metadata = "") {
    w.Create("endpoints",
             fmt::format(R"({{"apiVersion":"v1","kind":"Endpoints","metadata":{{"name":"web"{}}},
                             "subsets":[{{"addresses":[{{"ip":"10.0.0.1"}}],
                             "ports":[{{"port":80}}]}}]}})",
                         more_metadata));
    w.Settle();
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, MirroringTest, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-EPM-01, CTRL-EPM-02
TEST_P(MirroringTest, SlicesFollowEndpointsThatSomebodyWrote) {
  MakeEndpoints();
  EXPECT_THAT(SliceLines(&w), IsEmpty());  // there is no Service
  MakeService();
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready"));
  const api::Object slice = w.List("endpointslices")[0];
  EXPECT_EQ(slice.controller()->kind, "Endpoints");
  w.Patch("endpoints", "web", R"({"subsets":[{"notReadyAddresses":[{"ip":"10.0.0.2"}],
                                   "ports":[{"port":80}]}]})");
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.2"));
  w.Delete("endpoints", "web");
  w.Settle();
  EXPECT_THAT(w.List("endpointslices"), IsEmpty());
}

// CTRL-EPM-01: TestSyncEndpoints, TestShouldMirror.
TEST_P(MirroringTest, NothingIsMirroredOfSelectorsLabelsAndLocks) {
  MakeService(R"(,"selector":{"app":"web"})");
  MakeEndpoints();
  EXPECT_THAT(SliceLines(&w), IsEmpty());
  w.Patch("services", "web", R"({"spec":{"selector":null}})");
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready"));
  w.Patch("endpoints", "web",
          R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"}}})");
  w.Settle();
  EXPECT_THAT(w.List("endpointslices"), IsEmpty());
  w.Patch("endpoints", "web",
          R"({"metadata":{"labels":{"endpointslice.kubernetes.io/skip-mirror":null}}})");
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready"));
  w.Patch("endpoints", "web",
          R"({"metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}})");
  w.Settle();
  EXPECT_THAT(w.List("endpointslices"), IsEmpty());
}

// CTRL-EPM-05: up to 1.30 the old version of a slice decides whether to look, so that the first
// change that somebody else makes is not noticed.
TEST_P(MirroringTest, ASliceThatSomebodyElseChangesIsMendedFrom136On) {
  MakeService();
  MakeEndpoints();
  const std::string name(w.List("endpointslices")[0].name());
  w.Patch("endpointslices", name, R"({"endpoints":[]})");
  w.Settle();
  if (GetParam() == api::Compat::k1_36)
    EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready"));
  else
    EXPECT_THAT(SliceLines(&w), IsEmpty());
}

}  // namespace
}  // namespace ksim
