// The EndpointSlice controller against real API servers, in all versions. The situations are those
// of upstream's endpointslice_controller_test.go and reconciler_test.go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/controllers/endpointslice/endpointslice_controller.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/endpoints_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class EndpointSlices : public testing::TestWithParam<api::Compat> {
 protected:
  EndpointSlices() : w(GetParam()) {
    RunEndpointsController<controllers::EndpointSliceController>(&w, "endpointslice");
    w.Settle();
  }
  api::Object TheSlice() {
    const std::vector<api::Object> slices = w.List("endpointslices");
    EXPECT_EQ(slices.size(), 1u);
    return slices.empty() ? api::Object() : slices[0];
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, EndpointSlices, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-EPS-01, CTRL-EPS-04, CTRL-EPS-07
TEST_P(EndpointSlices, AServiceWithoutPodsHasAnEmptySlice) {
  w.Create("services", ServiceJson("web", "", R"({"team":"a"})"));
  w.Settle();
  const api::Object slice = TheSlice();
  EXPECT_THAT(std::string(slice.name()), StartsWith("web-"));
  EXPECT_TRUE(slice.tree().Get("endpoints").empty());
  EXPECT_TRUE(slice.tree().Get("ports").empty());
  EXPECT_EQ(slice.Label("team"), "a");
  EXPECT_EQ(slice.Label("kubernetes.io/service-name"), "web");
  EXPECT_EQ(slice.Label("endpointslice.kubernetes.io/managed-by"),
            "endpointslice-controller.k8s.io");
  EXPECT_EQ(slice.Annotation("endpoints.kubernetes.io/last-change-trigger-time"),
            w.Get("services", "web").metadata().Get("creationTimestamp").AsString());
  ASSERT_TRUE(slice.controller());
  EXPECT_EQ(slice.controller()->kind, "Service");
  EXPECT_TRUE(slice.controller()->block_owner_deletion);
  EXPECT_THAT(w.Writes(), ElementsAre("create endpointslices"));
  w.Advance(Seconds(5));
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-EPS-01, CTRL-EPS-02: conditions follow the pod.
TEST_P(EndpointSlices, EndpointsFollowThePods) {
  w.Create("services", ServiceJson("web"));
  MakePodAt(&w, "a", "10.0.0.1");
  MakePodAt(&w, "b", "10.0.0.2", false);
  EXPECT_THAT(SliceLines(&w), UnorderedElementsAre("10.0.0.1 ready serving", "10.0.0.2"));
  const api::Object slice = TheSlice();
  const value::Value& endpoint = slice.tree().Get("endpoints").at(0);
  EXPECT_EQ(endpoint.Get("nodeName").AsString(), "n1");
  EXPECT_EQ(endpoint.Get("targetRef").Get("kind").AsString(), "Pod");
  EXPECT_EQ(slice.tree().Get("ports").at(0).Get("port").AsInt(), 8080);
  w.MakeReady("a", false);
  w.Settle();
  EXPECT_THAT(SliceLines(&w), UnorderedElementsAre("10.0.0.1", "10.0.0.2"));
  w.MakeReady("a");
  w.Delete("pods", "a");
  w.Settle();
  EXPECT_THAT(SliceLines(&w), UnorderedElementsAre("10.0.0.1 serving terminating", "10.0.0.2"));
  w.Delete("pods", "a", Grace(0));
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.2"));
  EXPECT_EQ(w.List("endpointslices").size(), 1u);
}

// CTRL-EPS-02
TEST_P(EndpointSlices, NotReadyAddressesArePublishedIfAsked) {
  w.Create("services", ServiceJson("web", R"(,"publishNotReadyAddresses":true)"));
  MakePodAt(&w, "a", "10.0.0.1", false);
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready"));
  w.Patch("pods", "a", R"({"status":{"phase":"Succeeded"}})", "status");
  w.Delete("pods", "a");  // a change that is looked at
  w.Settle();
  EXPECT_THAT(SliceLines(&w), IsEmpty());
}

// CTRL-EPS-02: a host name under that of the Service; the zone of the node.
TEST_P(EndpointSlices, EndpointsHaveHostNameAndZone) {
  w.Patch("nodes", "n1", R"({"metadata":{"labels":{"topology.kubernetes.io/zone":"z1"}}})");
  w.Create("services", ServiceJson("web", R"(,"clusterIP":"None")"));
  MakePodAt(&w, "a", "10.0.0.1", true, R"(,"hostname":"db","subdomain":"web")");
  const api::Object slice = TheSlice();
  const value::Value& endpoint = slice.tree().Get("endpoints").at(0);
  EXPECT_EQ(endpoint.Get("hostname").AsString(), "db");
  EXPECT_EQ(endpoint.Get("zone").AsString(), "z1");
  EXPECT_TRUE(slice.labels().Has("service.kubernetes.io/headless"));
}

// CTRL-EPS-01
TEST_P(EndpointSlices, AServiceWithoutSelectorIsLeftAlone) {
  w.Create("services",
           R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},
               "spec":{"ports":[{"port":80}]}})");
  MakePodAt(&w, "a", "10.0.0.1");
  EXPECT_THAT(w.List("endpointslices"), IsEmpty());
}

// CTRL-EPS-10
TEST_P(EndpointSlices, FollowAnExternalNameOnlyBefore130) {
  w.Create("services",
           R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{
               "type":"ExternalName","externalName":"x.example","selector":{"app":"web"}}})");
  MakePodAt(&w, "a", "10.0.0.1");
  EXPECT_EQ(w.List("endpointslices").empty(), GetParam() != api::Compat::k1_25);
}

// CTRL-EPS-11: a pod whose node is not there keeps its slice from being complete.
TEST_P(EndpointSlices, APodOfAMissingNodeIsLeftOutAndTriedAgain) {
  w.Create("services", ServiceJson("web"));
  MakePodAt(&w, "a", "10.0.0.1");
  w.Create("pods", PodJson("b", R"({"app":"web"})", {}, R"(,"nodeName":"gone")"));
  w.Patch("pods", "b",
          R"({"status":{"podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}],"phase":"Running"}})",
          "status");
  w.Forget();
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready serving"));
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning FailedToUpdateEndpointSlices Error updating Endpoint Slices for "
                       "Service default/web: skipping Pod b for Service default/web: Node gone "
                       "Not Found"));
  // The retries come after 1 s, 2 s, 4 s and so on.
  w.Advance(Seconds(20));
  EXPECT_EQ(w.Reconciles("default/web"), 3u);  // 3 s, 7 s and 15 s after the first
  w.AddNode("gone");
  w.Advance(Seconds(40));
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready serving", "10.0.0.2"));
}

// CTRL-EPS-06: a cache that lags is waited for.
TEST_P(EndpointSlices, WaitForACacheThatLags) {
  w.Create("services", ServiceJson("web"));
  MakePodAt(&w, "a", "10.0.0.1");
  w.Freeze("endpointslices");
  w.MakeReady("a", false);
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1"));
  w.Forget();
  w.MakeReady("a");
  w.Settle();
  EXPECT_THAT(w.Writes(), IsEmpty());
  w.Freeze("endpointslices", false);
  w.Advance(Seconds(10));
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready serving"));
}

// CTRL-EPS-06: what somebody else does to a slice is undone, a second later.
TEST_P(EndpointSlices, ASliceThatSomebodyElseChangesIsMended) {
  w.Create("services", ServiceJson("web"));
  MakePodAt(&w, "a", "10.0.0.1");
  const std::string name(TheSlice().name());
  w.Patch("endpointslices", name, R"({"endpoints":[]})");
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready serving"));
  w.Delete("endpointslices", name);
  w.Settle();
  EXPECT_THAT(SliceLines(&w), ElementsAre("10.0.0.1 ready serving"));
  EXPECT_NE(std::string(TheSlice().name()), name);
}

// CTRL-EPS-03: 100 endpoints a slice.
TEST_P(EndpointSlices, ASliceHasAHundredEndpoints) {
  w.Create("services", ServiceJson("web"));
  for (int i = 0; i < 101; ++i) {
    const std::string name = fmt::format("p{:03}", i);
    w.Create("pods", PodJson(name, R"({"app":"web"})", {}, R"(,"nodeName":"n1")"));
    w.Patch(
        "pods", name,
        fmt::format(R"({{"status":{{"podIP":"10.0.1.{0}","podIPs":[{{"ip":"10.0.1.{0}"}}]}}}})", i),
        "status");
  }
  w.Advance(Seconds(20));
  std::vector<std::size_t> sizes;
  for (const api::Object& slice : w.List("endpointslices"))
    sizes.push_back(slice.tree().Get("endpoints").size());
  // Those that came together and did not fit into the first have one of their own.
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0] + sizes[1], 101u);
  EXPECT_LE(std::max(sizes[0], sizes[1]), 100u);
}

}  // namespace
}  // namespace ksim
