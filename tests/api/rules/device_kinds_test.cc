// The kinds of resource.k8s.io. What a real server answers about them is in
// tests/apiserver/recorded/devices-1.36.jsonl; here is what each of their rules says alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/api/core/kind_service.h"
#include "ksim/api/schema/schema.h"
#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Claim(std::string_view devices) {
  return "{metadata: {name: c, namespace: n}, spec: {devices: {" + std::string(devices) + "}}}";
}

// API-190
TEST(DeviceKinds, ARequestIsForOneDeviceByDefault) {
  const value::Value claim = ApplyDefaults(
      KindOf("resourceclaims"),
      Yaml(Claim("requests: [{name: r, exactly: {deviceClassName: g, tolerations: [{key: k}]}}, "
                 "{name: s, firstAvailable: [{name: t, deviceClassName: g, count: 2}]}, "
                 "{name: u, exactly: {deviceClassName: g, allocationMode: All}}]")),
      Compat::k1_36);
  EXPECT_EQ(JsonAt(claim, "spec.devices.requests"),
            R"([{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"g",)"
            R"("tolerations":[{"key":"k","operator":"Equal"}]},"name":"r"},)"
            R"({"firstAvailable":[{"allocationMode":"ExactCount","count":2,)"
            R"("deviceClassName":"g","name":"t"}],"name":"s"},)"
            R"({"exactly":{"allocationMode":"All","deviceClassName":"g"},"name":"u"}])");
}

// API-190
TEST(DeviceKinds, AClaimsSpecStaysAsItIs) {
  const value::Value old =
      Prepared("resourceclaims", Claim("requests: [{name: r, exactly: {deviceClassName: g}}]"));
  EXPECT_THAT(UpdateErrors("resourceclaims", old, old), IsEmpty());
  const value::Value other = With(old, "spec.devices.requests", value::Value::Array({}));
  EXPECT_THAT(UpdateErrors("resourceclaims", other, old),
              ElementsAre("spec: Invalid value: {\"Devices\":{\"Requests\":[],\"Constraints\":null,"
                          "\"Config\":null}}: field is immutable"));
}

// API-190
TEST(DeviceKinds, AnAllocationIsMadeOnceAndForRequestsOfTheClaim) {
  const value::Value old =
      Prepared("resourceclaims", Claim("requests: [{name: r, exactly: {deviceClassName: g}}]"));
  const auto allocated = [&](const std::string& device, const std::string& request) {
    return With(old, "status.allocation",
                Yaml("{devices: {results: [{request: " + request +
                     ", driver: d.example.com, pool: p, device: " + device + "}]}}"));
  };
  EXPECT_THAT(UpdateErrors("resourceclaims", allocated("a", "r"), old, "status"), IsEmpty());
  EXPECT_THAT(
      UpdateErrors("resourceclaims", allocated("a", "z"), old, "status"),
      ElementsAre("status.allocation.devices.results[0].request: Invalid value: \"z\": must "
                  "be the name of a request in the claim or the name of a request and a "
                  "subrequest separated by '/'"));
  EXPECT_EQ(
      UpdateErrors("resourceclaims", allocated("b", "r"), allocated("a", "r"), "status").size(),
      1U);
  const value::Value reserved =
      With(old, "status.reservedFor", Yaml("[{resource: pods, name: p, uid: u}]"));
  EXPECT_THAT(UpdateErrors("resourceclaims", reserved, old, "status"),
              ElementsAre("status.reservedFor: Forbidden: may not be specified when `allocated` is "
                          "not set"));
}

// API-190: a device that is taken back loses what its driver said of it.
TEST(DeviceKinds, ADeviceThatIsNoLongerAllocatedHasNoStatus) {
  const value::Value device = Yaml("{driver: d.example.com, pool: p, device: a}");
  value::Value old = Prepared("resourceclaims", Claim("requests: []"));
  old = With(
      old, "status",
      value::Obj(
          {{"allocation",
            value::Obj({{"devices", value::Obj({{"results", value::Value::Array({device})}})}})},
           {"devices", value::Value::Array({device})}}));
  const ResourceInfo& kind = KindOf("resourceclaims");
  const value::Value freed = PrepareForUpdate(
      kind, old, With(old, "status.allocation", value::Value()), "status", Compat::k1_36);
  EXPECT_TRUE(freed.Get("status").Get("devices").is_null());
  EXPECT_EQ(PrepareForUpdate(kind, old, old, "status", Compat::k1_36), old);
}

// API-190: gates DRAListTypeAttributes and DRANodeAllocatableResources are off.
TEST(DeviceKinds, ASliceLosesFieldsOfGatesThatAreOff) {
  const value::Value slice = Prepared(
      "resourceslices",
      "{metadata: {name: s}, spec: {driver: d.example.com, devices: [{name: a, "
      "nodeAllocatableResourceMappings: {cpu: {}}, attributes: {x: {ints: [1], int: 2}}}]}}");
  EXPECT_EQ(JsonAt(slice, "spec.devices"), R"([{"attributes":{"x":{"int":2}},"name":"a"}])");
}

// API-190: two kinds have the name ResourceClaim in Go, one of them that of a pod's container.
TEST(DeviceKinds, FieldsAreThoseOfTheGroup) {
  const SchemaReport good = CheckSchema(KindOf("resourceclaims"), Yaml(Claim("requests: []")));
  EXPECT_THAT(good.unknown_fields, IsEmpty());
  EXPECT_EQ(
      CheckSchema(KindOf("resourceclaims"), Yaml(Claim("config: [{opaque: 5}]"))).type_error,
      "json: cannot unmarshal number into Go struct field "
      "DeviceClaimConfiguration.spec.devices.config.opaque of type v1.OpaqueDeviceConfiguration");
}

// API-190
TEST(DeviceKinds, AreServedFrom134On) {
  for (const char* kind :
       {"deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"}) {
    EXPECT_FALSE(IsServed(KindOf(kind), Compat::k1_25)) << kind;
    EXPECT_FALSE(IsServed(KindOf(kind), Compat::k1_30)) << kind;
    EXPECT_TRUE(IsServed(KindOf(kind), Compat::k1_36)) << kind;
  }
}

}  // namespace
}  // namespace ksim::api
