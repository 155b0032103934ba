// The addresses and node ports of Services. The situations are those of upstream's
// pkg/registry/core/service/storage/{alloc,storage,rest}_test.go.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using testing::HasSubstr;
using value::Value;

constexpr api::Compat kAllCompats[] = {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36};

class Services : public testing::TestWithParam<api::Compat> {
 protected:
  Services() : w(WorldOptions(GetParam()).Servers(2)) {}
  static Value ServiceOf(std::string_view name, std::string_view spec = "") {
    return Json(fmt::format(
        R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}",
                                "namespace":"default"}},"spec":{{"selector":{{"a":"b"}}{}{}}}}})",
        name, spec.find("ports") == spec.npos ? R"(,"ports":[{"port":80}])" : "", spec));
  }
  api::Response Make(std::string_view name, std::string_view spec = "", int to = 0,
                     bool dry_run = false) {
    api::Request r = w.Request(api::Verb::kCreate, "services", "default", "");
    r.body = ServiceOf(name, spec);
    r.dry_run = dry_run;
    return w.Do(std::move(r), to);
  }
  Value Spec(std::string_view name) { return w.Get("services", "default", name).object.spec(); }
  std::string Ip(std::string_view name) {
    return std::string(Spec(name).Get("clusterIP").AsString());
  }
  std::int64_t NodePort(std::string_view name, std::size_t i = 0) {
    return Spec(name).Get("ports").at(i).Get("nodePort").AsInt();
  }
  api::Response Change(std::string_view name, std::string_view patch) {
    return w.Patch("services", "default", name, api::PatchType::kMerge, patch);
  }
  static std::string Message(const api::Response& r) { return r.status.message.str(); }
  World w;
};

INSTANTIATE_TEST_SUITE_P(Compat, Services, testing::ValuesIn(kAllCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// API-241: 10.0.0.0/24 has 254 addresses, of which the lowest 16 come last and the first is taken.
TEST_P(Services, AddressesAreDrawnAboveTheBandAndThenWithinIt) {
  std::set<std::string> seen;
  for (int i = 0; i < 253; ++i) {
    const std::string name = fmt::format("s{}", i);
    ASSERT_EQ(Make(name, "", i % 2).code, 201) << i;
    const std::string ip = Ip(name);
    EXPECT_TRUE(seen.insert(ip).second) << ip;
    EXPECT_EQ(Spec(name).Get("clusterIPs").at(0).AsString(), ip);
    const int last = std::stoi(ip.substr(ip.rfind('.') + 1));
    EXPECT_EQ(last > 16, i < 238) << ip << " is number " << i;
  }
  const api::Response full = Make("full");
  EXPECT_EQ(full.code, 500);
  EXPECT_THAT(Message(full), HasSubstr("failed to allocate a serviceIP"));
  w.Delete("services", "default", "s7");
  EXPECT_EQ(Make("again").code, 201);
}

// API-241
TEST_P(Services, AnAddressThatIsAskedForIsFreeAndInRange) {
  EXPECT_EQ(Make("a", R"(,"clusterIP":"10.0.0.9")").code, 201);
  EXPECT_EQ(Ip("a"), "10.0.0.9");
  EXPECT_EQ(Message(Make("b", R"(,"clusterIP":"10.0.0.9")", 1)),
            std::string("Service \"b\" is invalid: spec.clusterIPs: Invalid value: ") +
                (GetParam() == api::Compat::k1_36 ? R"(["10.0.0.9"])" : R"([]string{"10.0.0.9"})") +
                ": failed to allocate IP 10.0.0.9: provided IP is already allocated");
  EXPECT_THAT(Message(Make("b", R"(,"clusterIP":"10.0.0.1")")), HasSubstr("already allocated"));
  EXPECT_THAT(Message(Make("b", R"(,"clusterIP":"10.0.1.9")")),
              HasSubstr(GetParam() == api::Compat::k1_36
                            ? "the provided network does not match the current range"
                            : "the provided IP (10.0.1.9) is not in the valid range. The range of "
                              "valid IPs is 10.0.0.0/24"));
  w.Delete("services", "default", "a");
  EXPECT_EQ(Make("b", R"(,"clusterIP":"10.0.0.9")").code, 201);
}

// API-241: what fails, or is tried out only, takes nothing.
TEST_P(Services, ARequestThatFailsTakesNothing) {
  EXPECT_EQ(Make("a", R"(,"clusterIP":"10.0.0.9","ports":[{"port":0}])").code, 422);
  const api::Response dry = Make("a", R"(,"type":"NodePort")", 0, true);
  EXPECT_EQ(dry.object.spec().Get("clusterIP").AsString(), "10.0.0.0");
  EXPECT_EQ(Make("b", R"(,"clusterIP":"10.0.0.9","type":"NodePort",
                       "ports":[{"port":80,"nodePort":30001}])")
                .code,
            201);
  EXPECT_EQ(Make("b", R"(,"clusterIP":"10.0.0.10","ports":[{"port":80}])").code, 409);
  EXPECT_EQ(Make("c", R"(,"clusterIP":"10.0.0.10")").code, 201);
}

// API-241, API-243: types change, and with them what is held.
TEST_P(Services, TypesChange) {
  Make("a", R"(,"clusterIP":"10.0.0.9")");
  ASSERT_EQ(Change("a", R"({"spec":{"type":"NodePort"}})").code, 200);
  const std::int64_t port = NodePort("a");
  EXPECT_GE(port, 30000);
  EXPECT_LE(port, 32767);
  EXPECT_EQ(Ip("a"), "10.0.0.9");
  ASSERT_EQ(Change("a", R"({"spec":{"type":"ClusterIP"}})").code, 200);
  EXPECT_EQ(NodePort("a"), 0);
  EXPECT_TRUE(Spec("a").Get("externalTrafficPolicy").is_null());
  EXPECT_EQ(
      Make("b", fmt::format(R"(,"type":"NodePort","ports":[{{"port":80,"nodePort":{}}}])", port))
          .code,
      201);
  ASSERT_EQ(Change("a", R"({"spec":{"type":"ExternalName","externalName":"x.example"}})").code,
            200);
  EXPECT_EQ(Ip("a"), "");
  EXPECT_EQ(Make("c", R"(,"clusterIP":"10.0.0.9")").code, 201);
  ASSERT_EQ(Change("a", R"({"spec":{"type":"ClusterIP","externalName":null}})").code, 200);
  EXPECT_NE(Ip("a"), "");
  EXPECT_EQ(Make("d", R"(,"clusterIP":"None")").code, 201);
  EXPECT_EQ(Ip("d"), "None");
}

// API-242
TEST_P(Services, NodePortsAreThoseAskedForOrDrawn) {
  ASSERT_EQ(Make("a", R"(,"type":"NodePort","ports":[{"name":"t","port":53,"protocol":"TCP"},
                        {"name":"u","port":53,"protocol":"UDP"},{"name":"x","port":54}])")
                .code,
            201);
  EXPECT_EQ(NodePort("a", 0), NodePort("a", 1));
  EXPECT_NE(NodePort("a", 0), NodePort("a", 2));
  const auto ask = [this](std::int64_t port) {
    return Message(Make(
        "b", fmt::format(R"(,"type":"NodePort","ports":[{{"port":80,"nodePort":{}}}])", port)));
  };
  EXPECT_EQ(ask(NodePort("a")),
            fmt::format("Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: {}: "
                        "provided port is already allocated",
                        NodePort("a")));
  EXPECT_EQ(ask(80),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is "
            "not in the valid range. The range of valid ports is 30000-32767");
  // An update by somebody who does not know the ports keeps them.
  Value mine = ServiceOf("a", R"(,"type":"NodePort","ports":[{"name":"x","port":55}])");
  const std::int64_t was = NodePort("a", 2);
  ASSERT_EQ(w.Update("services", mine).code, 200);
  EXPECT_EQ(NodePort("a"), was);
}

// API-242
TEST_P(Services, ALoadBalancerHasNodePortsAndAPortForItsHealth) {
  ASSERT_EQ(Make("a", R"(,"type":"LoadBalancer","externalTrafficPolicy":"Local")").code, 201);
  EXPECT_GE(NodePort("a"), 30000);
  EXPECT_GE(Spec("a").Get("healthCheckNodePort").AsInt(), 30000);
  ASSERT_EQ(Change("a", R"({"spec":{"externalTrafficPolicy":"Cluster"}})").code, 200);
  EXPECT_TRUE(Spec("a").Get("healthCheckNodePort").is_null());
  ASSERT_EQ(Make("b", R"(,"type":"LoadBalancer","allocateLoadBalancerNodePorts":false)").code, 201);
  EXPECT_EQ(NodePort("b"), 0);
}

// API-244
TEST_P(Services, TheClusterHasOneFamily) {
  EXPECT_THAT(Message(Make("a", R"(,"ipFamilies":["IPv6"])")),
              HasSubstr("spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this "
                        "cluster"));
  EXPECT_THAT(Message(Make("a", R"(,"ipFamilyPolicy":"RequireDualStack")")),
              HasSubstr("this cluster is not configured for dual-stack services"));
  EXPECT_THAT(Message(Make("a", R"(,"clusterIP":"2001:db8::1")")),
              HasSubstr("IPv6 is not configured on this cluster"));
}

}  // namespace
}  // namespace ksim::apiserver
