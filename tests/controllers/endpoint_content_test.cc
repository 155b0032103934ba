// The parts that endpoints controllers share, and the content of Endpoints. Numbers and texts are
// upstream's: endpoints_controller_test.go, endpointslice_tracker_test.go,
// trigger_time_tracker_test.go, and the output of spew and Go's hashes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/base/foreign_hashes.h"
#include "ksim/controllers/endpoint/endpoints_content.h"
#include "ksim/controllers/endpointutil/endpoint_hash.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/slice_tracker.h"
#include "ksim/controllers/endpointutil/subsets.h"
#include "ksim/controllers/endpointutil/trigger_times.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using value::Value;

Value EpJson(const std::string& text) { return *value::ParseJson(text); }
api::Object EpObject(const std::string& text, std::int64_t version = 1) {
  return api::Object::FromTree(EpJson(text), version);
}

const Profile& Old() { return ProfileOf(api::Compat::k1_30); }
const Profile& New() { return ProfileOf(api::Compat::k1_36); }

std::string HexOf(const std::array<std::uint8_t, 16>& digest) {
  std::string hex;
  for (const std::uint8_t byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

// CTRL-EPS-05
TEST(EndpointHash, TextsAndHashesAreThoseOfGo) {
  const std::string port = SlicePortText(EpJson(R"({"name":"http","port":80,"protocol":"TCP"})"));
  EXPECT_EQ(port,
            "(v1.EndpointPort){Name:(*string)http Protocol:(*v1.Protocol)TCP Port:(*int32)80 "
            "AppProtocol:(*string)<nil>}");
  EXPECT_EQ(HexOf(Md5(port)), "57c8eae9440659a9feb9a3a0979e7279");
  EXPECT_EQ(HexOf(Fnv128a(port)), "b6c4d325122a5ba6f795b0bbffcebb6f");
  const std::string subset = EndpointSubsetText(EpJson(
      R"({"notReadyAddresses":[{"ip":"10.0.0.1","nodeName":"n1","targetRef":{"kind":"Pod",
          "namespace":"default","name":"a","uid":"u-1"}},{"ip":"10.0.0.2","hostname":"h"}]})"));
  EXPECT_EQ(HexOf(Md5(subset)), "7c7ae44ae953e759656fee7d0d75c9cf");
  EXPECT_EQ(HexOf(Fnv128a(subset)), "90a839bf1a3850996f23b363091cbc89");
  EXPECT_EQ(HexOf(Md5(EndpointPortText(EpJson(R"({"name":"http","port":80,"protocol":"TCP"})")))),
            "a0afc9289a5b862f31961966cd661a6e");
}

// CTRL-EPS-05
TEST(EndpointHash, PortsComeInTheOrderOfTheVersionsHash) {
  const Value ports = EpJson(R"([{"name":"http","port":80,"protocol":"TCP"},
                                 {"name":"https","port":443,"protocol":"TCP"},
                                 {"name":"metrics","port":9090,"protocol":"TCP"}])");
  const auto names = [&ports](const Profile& profile) {
    const Value sorted = SortedSlicePorts(ports, profile);
    std::string all;
    for (const Value& port : sorted.items()) all += std::string(port.Get("name").AsString()) + ' ';
    return all;
  };
  EXPECT_EQ(names(Old()), "http metrics https ");
  EXPECT_EQ(names(New()), "https http metrics ");
}

// CTRL-EP-03: two ports that the same addresses offer share a subset; not ready trumps ready.
TEST(Subsets, AreRepacked) {
  const Value a = EpJson(R"({"ip":"10.0.0.1","targetRef":{"uid":"u1"}})");
  const auto subset = [&a](const char* list, std::int64_t port) {
    return value::Obj(
        {{list, value::Arr({a})},
         {"ports",
          value::Arr({value::Obj({{"port", Value::Int(port)}, {"protocol", Value::Of("TCP")}})})}});
  };
  const Value one =
      RepackSubsets(value::Arr({subset("addresses", 80), subset("addresses", 443)}), Old());
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one.at(0).Get("ports").size(), 2u);
  const Value two =
      RepackSubsets(value::Arr({subset("addresses", 80), subset("notReadyAddresses", 80)}), Old());
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two.at(0).Get("notReadyAddresses").size(), 1u);
  EXPECT_TRUE(two.at(0).Get("addresses").is_null());
  EXPECT_TRUE(SameSubsets(RepackSubsets(one, Old()), one));
}

// CTRL-EP-05: TestTruncateEndpoints.
TEST(EndpointsContent, IsCutToItsCapacity) {
  struct Case {
    std::vector<int> ready, not_ready, expected_ready, expected_not_ready;
  };
  const Case cases[] = {
      {{50, 100, 100, 100, 100},
       {50, 100, 100, 100, 100},
       {50, 100, 100, 100, 100},
       {50, 100, 100, 100, 100}},
      {{100, 100, 100, 100, 100},
       {100, 100, 100, 100, 100},
       {100, 100, 100, 100, 100},
       {100, 100, 100, 100, 100}},
      {{90, 110, 50, 10, 20},
       {101, 200, 200, 201, 298},
       {90, 110, 50, 10, 20},
       {73, 144, 144, 145, 214}},
      {{205, 400, 402, 400, 693},
       {100, 200, 200, 200, 300},
       {98, 191, 192, 191, 328},
       {0, 0, 0, 0, 0}},
  };
  const auto addresses = [](int n) {
    return Value::Array(std::vector<Value>(static_cast<std::size_t>(n), EpJson("{}")));
  };
  for (const Case& c : cases) {
    std::vector<Value> subsets;
    for (std::size_t i = 0; i < c.ready.size(); ++i)
      subsets.push_back(value::Obj({{"addresses", addresses(c.ready[i])},
                                    {"notReadyAddresses", addresses(c.not_ready[i])}}));
    const Value cut = TruncateSubsets(Value::Array(subsets));
    for (std::size_t i = 0; i < c.ready.size(); ++i) {
      EXPECT_EQ(static_cast<int>(cut.at(i).Get("addresses").size()), c.expected_ready[i]);
      EXPECT_EQ(static_cast<int>(cut.at(i).Get("notReadyAddresses").size()),
                c.expected_not_ready[i]);
    }
  }
}

// CTRL-EPS-02: TestGetEndpointPorts, TestFindPort.
TEST(ServicePods, ANamedPortIsOneOfAContainerOrFrom136OfASidecar) {
  const api::Object pod = EpObject(R"({"spec":{
    "containers":[{"ports":[{"name":"web","containerPort":8080,"protocol":"TCP"}]}],
    "initContainers":[{"restartPolicy":"Always",
                       "ports":[{"name":"side","containerPort":9090,"protocol":"TCP"}]},
                      {"ports":[{"name":"init","containerPort":7070,"protocol":"TCP"}]}]}})");
  const auto port = [&pod](const char* target, const Profile& profile) {
    return TargetPortIn(pod, EpJson(fmt::format(R"({{"protocol":"TCP","targetPort":{}}})", target)),
                        profile)
        .value_or(-1);
  };
  EXPECT_EQ(port("12", Old()), 12);
  EXPECT_EQ(port(R"("web")", Old()), 8080);
  EXPECT_EQ(port(R"("side")", Old()), -1);
  EXPECT_EQ(port(R"("side")", New()), 9090);
  EXPECT_EQ(port(R"("init")", New()), -1);
}

api::Object SliceOf(const char* uid, std::int64_t generation) {
  return EpObject(fmt::format(
      R"({{"metadata":{{"name":"example-1","namespace":"ns1","uid":"{}","generation":{},
           "labels":{{"kubernetes.io/service-name":"svc1"}}}}}})",
      uid, generation));
}

// CTRL-EPS-06: TestEndpointSliceTrackerStaleSlices.
TEST(SliceTracker, KnowsACacheThatLags) {
  const api::Object old = SliceOf("original", 1), newer = SliceOf("original", 2);
  const std::string service = "ns1/svc1";
  SliceTracker tracker;
  EXPECT_FALSE(tracker.AreStale(service, {}));
  EXPECT_TRUE(tracker.ShouldSync(old));
  tracker.Update(old);
  EXPECT_FALSE(tracker.AreStale(service, {old}));
  EXPECT_FALSE(tracker.AreStale(service, {newer}));
  EXPECT_FALSE(tracker.ShouldSync(old));
  EXPECT_TRUE(tracker.ShouldSync(newer));
  EXPECT_TRUE(tracker.AreStale(service, {}));
  tracker.Update(newer);
  EXPECT_TRUE(tracker.AreStale(service, {old}));
  tracker.ExpectDeletion(newer);
  EXPECT_TRUE(tracker.AreStale(service, {newer}));
  EXPECT_FALSE(tracker.AreStale(service, {}));
  EXPECT_TRUE(tracker.HandleDeletion(newer));
  EXPECT_FALSE(tracker.Has(newer));
  tracker.Update(newer);
  EXPECT_FALSE(tracker.HandleDeletion(newer));
  tracker.Update(newer);
  tracker.DeleteService(service);
  EXPECT_FALSE(tracker.Has(newer));
}

api::Object ServiceOf(const char* created) {
  return EpObject(fmt::format(R"({{"metadata":{{"name":"s","namespace":"ns","creationTimestamp":
                                   "2025-01-01T00:00:{}Z"}}}})",
                              created));
}
api::Object PodReadySince(const char* name, const char* since) {
  return EpObject(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"ns"}},"status":{{"conditions":[
           {{"type":"Ready","status":"True","lastTransitionTime":"2025-01-01T00:00:{}Z"}}]}}}})",
      name, since));
}
std::string TimeOf(std::optional<VirtualTime> t) {
  return t ? std::string(TriggerTimeValue(t).AsString().substr(17, 2)) : "none";
}

// CTRL-EPS-07: TestNewServiceExistingPods, TestPodsAdded, TestPodsUpdated, TestPodDeletedThenAdded,
// TestServiceDeletedThenAdded.
TEST(TriggerTimes, AreTheEarliestOfWhatIsNew) {
  const api::Object service = ServiceOf("05");
  TriggerTimes times;
  EXPECT_EQ(TimeOf(times.Compute(service, {PodReadySince("a", "02")})), "05");
  EXPECT_EQ(TimeOf(times.Compute(service, {PodReadySince("a", "02")})), "none");
  EXPECT_EQ(TimeOf(times.Compute(service, {PodReadySince("a", "02"), PodReadySince("b", "09"),
                                           PodReadySince("c", "08")})),
            "08");
  EXPECT_EQ(TimeOf(times.Compute(service, {PodReadySince("a", "12"), PodReadySince("b", "09")})),
            "12");
  EXPECT_EQ(TimeOf(times.Compute(service, {PodReadySince("c", "08")})), "08");
  EXPECT_EQ(TimeOf(times.Compute(ServiceOf("20"), {PodReadySince("c", "08")})), "20");
  times.DeleteService("ns/s");
  EXPECT_EQ(TimeOf(times.Compute(ServiceOf("30"), {PodReadySince("c", "31")})), "30");
}

}  // namespace
}  // namespace ksim::controllers
