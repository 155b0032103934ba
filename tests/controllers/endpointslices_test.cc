// How endpoints go into slices, and the hints that they get: upstream's tables (endpointslice
// reconciler_test.go, topologycache_test.go, trafficdist_test.go, endpointslicemirroring
// reconciler_test.go).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/controllers/endpointslice/slice_packing.h"
#include "ksim/controllers/endpointslice/topology_cache.h"
#include "ksim/controllers/endpointslice/traffic_distribution.h"
#include "ksim/controllers/endpointslicemirroring/mirrored_slices.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using value::Value;

Value SlJson(const std::string& text) { return *value::ParseJson(text); }
const Value kPorts = SlJson(R"([{"name":"","port":80,"protocol":"TCP"}])");

api::Object Service(const std::string& more = "") {
  return api::Object::FromTree(
      SlJson(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"foo","namespace":"test",
                 "uid":"u-foo"},"spec":{"clusterIP":"10.0.0.1")" +
             more + "}}"));
}

Value EndpointAt(int i, bool ready = true, const std::string& zone = "") {
  value::ObjectBuilder e;
  e.Add("addresses", value::Arr({Value::Of(fmt::format("10.1.{}.{}", i / 256, i % 256))}));
  e.Add("conditions", value::Obj({{"ready", Value::Bool(ready)}}));
  e.Add("targetRef", value::Obj({{"name", Value::Of(fmt::format("pod-{:03}", i))},
                                 {"namespace", Value::Of("test")}}));
  e.AddIf(!zone.empty(), "zone", Value::Of(zone));
  return e.Build();
}

// A slice in the cache with the endpoints [from, to) in steps.
SliceDraft SliceWith(const std::string& name, int from, int to, int step = 1) {
  SliceDraft slice = NewSlice(Service(), "IPv4", kPorts);
  slice.set_name(name);
  for (int i = from; i < to; i += step) slice.endpoints.push_back(EndpointAt(i));
  return SliceDraft(slice.ToObject());
}

EndpointSet Desired(std::initializer_list<std::pair<int, int>> ranges, int unready_each = 0) {
  EndpointSet set;
  int n = 0;
  for (const auto& [from, to] : ranges)
    for (int i = from; i < to; ++i, ++n)
      set.Insert(EndpointAt(i, unready_each == 0 || n % unready_each != 0));
  return set;
}

std::vector<std::size_t> Lengths(const std::vector<SliceDraft>& slices) {
  std::vector<std::size_t> lengths;
  for (const SliceDraft& slice : slices) lengths.push_back(slice.endpoints.size());
  return lengths;
}

// CTRL-EPS-03: TestReconcileManyPods.
TEST(SlicePacking, NewSlicesAreFull) {
  const SliceChanges changes = PackSlices(Service(), {}, Desired({{0, 250}}), "IPv4", kPorts);
  EXPECT_THAT(Lengths(changes.create), ElementsAre(100, 100, 50));
  EXPECT_THAT(Lengths(changes.update), IsEmpty());
}

// CTRL-EPS-03: TestReconcileEndpointSlicesSomePreexisting: 127 more go into one new slice and the
// one that has the least room for the rest.
TEST(SlicePacking, TheRestFillsOneSlice) {
  const std::vector<SliceDraft> existing = {SliceWith("a", 1, 246, 4), SliceWith("b", 3, 246, 4)};
  EndpointSet desired = Desired({{0, 250}});
  const SliceChanges changes = PackSlices(Service(), existing, desired, "IPv4", kPorts);
  EXPECT_THAT(Lengths(changes.create), ElementsAre(100));
  EXPECT_THAT(Lengths(changes.update), ElementsAre(89));
  EXPECT_EQ(changes.update[0].name(), "a");
  EXPECT_THAT(Lengths(changes.erase), IsEmpty());
}

// CTRL-EPS-03: TestReconcileEndpointSlicesUpdatePacking: the fullest of those that change anyhow.
TEST(SlicePacking, ChangedSlicesAreFilledTheFullestFirst) {
  const std::vector<SliceDraft> existing = {SliceWith("b", 100, 120), SliceWith("a", 0, 80)};
  const SliceChanges changes = PackSlices(
      Service(), existing, Desired({{0, 80}, {100, 120}, {200, 215}}, 10), "IPv4", kPorts);
  EXPECT_THAT(Lengths(changes.create), IsEmpty());
  EXPECT_THAT(Lengths(changes.update), UnorderedElementsAre(95, 20));
}

// CTRL-EPS-03
TEST(SlicePacking, ASliceWithoutDesiredEndpointsGoes) {
  const std::vector<SliceDraft> existing = {SliceWith("a", 0, 5), SliceWith("b", 5, 10)};
  const SliceChanges changes = PackSlices(Service(), existing, Desired({{5, 10}}), "IPv4", kPorts);
  EXPECT_THAT(Lengths(changes.erase), ElementsAre(5));
  EXPECT_THAT(Lengths(changes.update), IsEmpty());
  EXPECT_EQ(Lengths(UnchangedSlices(existing, changes)), std::vector<std::size_t>{5});
}

// CTRL-EPS-04: TestReconcileEndpointSlicesServicesLabelsUpdating, ...ReservedLabels.
TEST(SlicePacking, LabelsFollowTheService) {
  const std::vector<SliceDraft> existing = {SliceWith("a", 0, 5)};
  api::Object service = Service();
  const auto with_label = [&service](const char* name) {
    const value::Path label{"metadata", "labels", name};
    return api::Object::FromTree(service.tree().Set(label, Value::Of("x")));
  };
  SliceChanges changes = PackSlices(with_label("app"), existing, Desired({{0, 5}}), "IPv4", kPorts);
  ASSERT_EQ(changes.update.size(), 1u);
  EXPECT_EQ(changes.update[0].ToObject().Label("app"), "x");
  changes = PackSlices(with_label("kubernetes.io/service-name"), existing, Desired({{0, 5}}),
                       "IPv4", kPorts);
  EXPECT_THAT(Lengths(changes.update), IsEmpty());
  const api::Object headless = api::Object::FromTree(
      service.tree().Set(value::Path{"spec", "clusterIP"}, Value::Of("None")));
  EXPECT_TRUE(
      NewSlice(headless, "IPv4", kPorts).ToObject().labels().Has("service.kubernetes.io/headless"));
}

// --- hints ---

api::Object NodeIn(const char* zone, const char* cpu, const char* ready = "True",
                   const char* more_labels = "") {
  return api::Object::FromTree(SlJson(fmt::format(
      R"({{"metadata":{{"labels":{{"topology.kubernetes.io/zone":"{}"{}}}}},"status":{{
           "allocatable":{{"cpu":"{}"}},"conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
      zone, more_labels, cpu, ready)));
}

SliceDraft ZonedSlice(const std::string& zones, bool ready = true) {
  SliceDraft slice = NewSlice(Service(), "IPv4", kPorts);
  for (std::size_t i = 0; i < zones.size(); ++i)
    slice.endpoints.push_back(
        EndpointAt(static_cast<int>(i), ready, std::string("zone-") + zones[i]));
  return slice;
}

// "ab-": the zones of the hints, - for none.
std::string HintsIn(const SliceDraft& slice) {
  std::string zones;
  for (const Value& endpoint : slice.endpoints) {
    const Value& hints = endpoint.Get("hints").Get("forZones");
    zones += hints.empty() ? "-" : std::string(hints.at(0).Get("name").AsString().substr(5));
  }
  return zones;
}

struct Hinted {
  std::vector<SliceDraft> create, update;
  std::vector<TopologyEvent> events;
};

Hinted AddHints(TopologyCache* cache, std::vector<SliceDraft> create,
                std::vector<SliceDraft> update = {}) {
  Hinted out;
  out.create = std::move(create);
  out.update = std::move(update);
  HintedSlices slices;
  slices.service = "test/foo";
  slices.address_type = "IPv4";
  slices.create = &out.create;
  slices.update = &out.update;
  out.events = cache->AddHints(&slices);
  return out;
}

// CTRL-EPS-08: TestAddHints.
TEST(TopologyCache, GivesHintsInProportionToCpus) {
  TopologyCache cache;
  Hinted hinted = AddHints(&cache, {ZonedSlice("a")});
  ASSERT_EQ(hinted.events.size(), 1u);
  EXPECT_EQ(hinted.events[0].message,
            "Insufficient Node information: allocatable CPU or zone not specified on one or more "
            "nodes, addressType: IPv4");
  cache.SetNodes({NodeIn("zone-a", "3"), NodeIn("zone-b", "4"), NodeIn("zone-c", "3")});
  hinted = AddHints(&cache, {ZonedSlice("ab")});
  EXPECT_EQ(hinted.events[0].message,
            "Insufficient number of endpoints (2 endpoints, 3 zones), addressType: IPv4");
  EXPECT_EQ(HintsIn(hinted.create[0]), "--");
  cache.SetNodes({NodeIn("zone-a", "45"), NodeIn("zone-b", "55")});
  hinted = AddHints(&cache, {ZonedSlice("ab")});
  EXPECT_EQ(HintsIn(hinted.create[0]), "ab");
  EXPECT_EQ(hinted.events[0].reason, "TopologyAwareHintsEnabled");
  EXPECT_THAT(AddHints(&cache, {ZonedSlice("ab")}).events, IsEmpty());

  // "slices to create and update within 3 zone threshold": one of zone a goes to zone b.
  cache.SetNodes({NodeIn("zone-a", "35"), NodeIn("zone-b", "35"), NodeIn("zone-c", "30")});
  hinted = AddHints(&cache, {ZonedSlice("ab"), ZonedSlice("cca")},
                    {ZonedSlice("aa"), ZonedSlice("bca")});
  EXPECT_EQ(HintsIn(hinted.create[0]), "bb");
  EXPECT_EQ(HintsIn(hinted.create[1]), "cca");
  EXPECT_EQ(HintsIn(hinted.update[0]), "aa");
  EXPECT_EQ(HintsIn(hinted.update[1]), "bca");
}

// CTRL-EPS-08: TestSetNodes.
TEST(TopologyCache, OneNodeOfUnknownZoneIsEnough) {
  TopologyCache cache;
  const auto works = [&cache](std::vector<api::Object> nodes) {
    cache.SetNodes(nodes);
    return HintsIn(AddHints(&cache, {ZonedSlice("aabb")}).create[0]) != "----";
  };
  const api::Object a = NodeIn("zone-a", "4"), b = NodeIn("zone-b", "4");
  EXPECT_TRUE(works({a, b}));
  EXPECT_FALSE(works({a, a}));
  EXPECT_FALSE(works({a, b, NodeIn("", "4")}));
  EXPECT_FALSE(works({a, b, NodeIn("zone-b", "0")}));
  EXPECT_TRUE(works({a, b, NodeIn("", "4", "False")}));
  EXPECT_TRUE(works({a, b, NodeIn("", "4", "True", R"(,"node-role.kubernetes.io/master":"")")}));
  EXPECT_FALSE(works({a, NodeIn("zone-b", "4", "Unknown")}));
  // A zone that has no endpoint at all, now that it has nodes, overloads the others.
  EXPECT_TRUE(works({a, b}));
  cache.SetNodes({a, b, NodeIn("zone-c", "4")});
  EXPECT_THAT(cache.OverloadedServices(), ElementsAre("test/foo"));
}

// CTRL-EPS-09: TestReconcileHints.
TEST(TrafficDistribution, AsksForTheZoneAndTheNode) {
  const Profile& profile = ProfileOf(api::Compat::k1_36);
  const api::Object zone = Service(R"(,"trafficDistribution":"PreferClose")");
  const api::Object node = Service(R"(,"trafficDistribution":"PreferSameNode")");
  EXPECT_TRUE(AsksForCloseTraffic(zone, profile));
  EXPECT_FALSE(AsksForCloseTraffic(zone, ProfileOf(api::Compat::k1_30)));
  EXPECT_FALSE(AsksForCloseTraffic(Service(), profile));
  std::vector<SliceDraft> create = {ZonedSlice("ab"), ZonedSlice("a", false)}, update;
  HintedSlices slices;
  slices.create = &create;
  slices.update = &update;
  slices.unchanged = {ZonedSlice("c")};
  AddCloseHints(zone, &slices);
  EXPECT_EQ(HintsIn(create[0]), "ab");
  EXPECT_EQ(HintsIn(create[1]), "-");
  ASSERT_EQ(update.size(), 1u);
  EXPECT_EQ(HintsIn(update[0]), "c");
  create[0].endpoints[0] = create[0].endpoints[0].Set("nodeName", Value::Of("n1"));
  AddCloseHints(node, &slices);
  EXPECT_EQ(create[0].endpoints[0].Get("hints"),
            SlJson(R"({"forZones":[{"name":"zone-a"}],"forNodes":[{"name":"n1"}]})"));
}

// --- mirroring ---

api::Object MirroredEndpoints(const std::string& subsets, const char* uid = "e1") {
  return api::Object::FromTree(SlJson(fmt::format(
      R"({{"apiVersion":"v1","kind":"Endpoints","metadata":{{"name":"ep","namespace":"test",
           "uid":"{}","labels":{{"foo":"bar"}},"annotations":{{"a":"1",
           "endpoints.kubernetes.io/last-change-trigger-time":"x",
           "kubectl.kubernetes.io/last-applied-configuration":"y"}}}},"subsets":{}}})",
      uid, subsets)));
}

constexpr const char* kTwoFamilies =
    R"([{"addresses":[{"ip":"10.0.0.1"},{"ip":"2001:db8::1"}],
         "notReadyAddresses":[{"ip":"10.0.0.2","hostname":"h"}],
         "ports":[{"name":"http","port":80,"protocol":"TCP"}]}])";

// CTRL-EPM-02: "Endpoints with 1 subset, port, and address", "...IPv6 addresses", "...annotations".
TEST(Mirroring, ASliceForEachTypeOfAddress) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    const MirrorPlan plan = PlanMirroring(MirroredEndpoints(kTwoFamilies), {}, ProfileOf(compat));
    ASSERT_EQ(plan.create.size(), 2u);
    const api::Object four = plan.create[0].ToObject();
    EXPECT_EQ(four.tree().Get("addressType").AsString(), "IPv4");
    EXPECT_EQ(four.tree().Get("endpoints").size(), 2u);
    EXPECT_EQ(four.Label("foo"), "bar");
    EXPECT_EQ(four.Label("kubernetes.io/service-name"), "ep");
    EXPECT_EQ(four.annotations(), SlJson(R"({"a":"1"})"));
    EXPECT_EQ(plan.create[1].address_type(), "IPv6");
    EXPECT_EQ(plan.skipped_addresses, 0);
  }
}

// CTRL-EPM-02, CTRL-EPM-03: what is right stays; one of earlier Endpoints is written anew from 1.36
// on.
TEST(Mirroring, WhatIsRightStays) {
  const Profile& profile = ProfileOf(api::Compat::k1_36);
  const api::Object endpoints = MirroredEndpoints(kTwoFamilies);
  MirrorPlan plan = PlanMirroring(endpoints, {}, profile);
  std::vector<api::Object> slices;
  for (SliceDraft& slice : plan.create) {
    slice.set_name(std::string("ep-") + (slices.empty() ? "a" : "b"));
    slices.push_back(slice.ToObject());
  }
  plan = PlanMirroring(endpoints, slices, profile);
  EXPECT_EQ(plan.right.size(), 2u);
  EXPECT_THAT(Lengths(plan.update), IsEmpty());
  const api::Object next = MirroredEndpoints(kTwoFamilies, "e2");
  EXPECT_EQ(PlanMirroring(next, slices, profile).update.size(), 2u);
  EXPECT_EQ(PlanMirroring(next, slices, ProfileOf(api::Compat::k1_30)).update.size(), 0u);
  // Without addresses all goes; with another port a slice is used again.
  EXPECT_EQ(PlanMirroring(MirroredEndpoints("[]"), slices, profile).erase.size(), 2u);
  std::string other = kTwoFamilies;
  other.replace(other.find("80"), 2, "81");
  plan = PlanMirroring(MirroredEndpoints(other), slices, profile);
  EXPECT_THAT(Lengths(plan.create), IsEmpty());
  EXPECT_THAT(Lengths(plan.erase), IsEmpty());
  EXPECT_EQ(plan.update.size(), 2u);
}

// CTRL-EPM-04: "Endpoints with invalid IPs", "...more than 1000 addresses".
TEST(Mirroring, SkipsWhatIsInvalidOrTooMuch) {
  std::string many = R"([{"ports":[{"port":80,"protocol":"TCP"}],"addresses":[{"ip":"no"})";
  for (int i = 0; i < 1005; ++i) many += fmt::format(R"(,{{"ip":"10.1.{}.{}"}})", i / 250, i % 250);
  const MirrorPlan plan =
      PlanMirroring(MirroredEndpoints(many + "]}]"), {}, ProfileOf(api::Compat::k1_25));
  EXPECT_EQ(plan.invalid_addresses, 1);
  EXPECT_EQ(plan.skipped_addresses, 6);
  EXPECT_THAT(Lengths(plan.create), ElementsAre(1000));
}

}  // namespace
}  // namespace ksim::controllers
