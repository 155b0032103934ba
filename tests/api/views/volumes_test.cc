// Volumes and claims; the cases are those of upstream's tables
// (pkg/controller/volume/persistentvolume/index_test.go,
// component-helpers storage/volume/helpers_test.go).
#include "ksim/api/views/volumes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::api {
namespace {

Object FromJson(std::string_view json) { return Object::FromTree(*value::ParseJson(json)); }

Object Volume(std::string_view name, std::string_view size, std::string_view more = "") {
  return FromJson(fmt::format(
      R"({{"metadata":{{"name":"{}"}},"spec":{{"capacity":{{"storage":"{}"}},"accessModes":[
         "ReadWriteOnce"]{}}},"status":{{"phase":"Available"}}}})",
      name, size, more));
}

Object Claim(std::string_view size, std::string_view more = "") {
  return FromJson(fmt::format(
      R"({{"metadata":{{"name":"c","namespace":"ns","uid":"u"}},"spec":{{"accessModes":[
         "ReadWriteOnce"],"resources":{{"requests":{{"storage":"{}"}}}}{}}}}})",
      size, more));
}

std::string Found(const Object& claim, const std::vector<Object>& volumes, bool delays = false,
                  const Object& node = Object(), const std::vector<std::string>& taken = {}) {
  return std::string(FindMatchingVolume(claim, volumes, node, taken, delays).name());
}

const char kForClaim[] = R"(,"claimRef":{"namespace":"ns","name":"c"})";

TEST(Volumes, TheSmallestThatIsLargeEnough) {
  const std::vector<Object> all = {Volume("a", "10G"), Volume("b", "5G"), Volume("c", "8G"),
                                   Volume("d", "5G")};
  EXPECT_EQ(Found(Claim("1G"), all), "b");
  EXPECT_EQ(Found(Claim("5G"), all), "b");
  EXPECT_EQ(Found(Claim("6G"), all), "c");
  EXPECT_EQ(Found(Claim("20G"), all), "");
  EXPECT_EQ(Found(Claim("5G"), all, false, Object(), {"b"}), "d");
}

TEST(Volumes, OneThatIsReservedForTheClaimComesFirst) {
  const std::vector<Object> all = {Volume("small", "1G"), Volume("ours", "10G", kForClaim)};
  EXPECT_EQ(Found(Claim("1G"), all), "ours");
  EXPECT_EQ(Found(Claim("1G"), all, true), "ours") << "whether it waits for a pod or not";
  EXPECT_EQ(Found(Claim("20G"), all), "");
  const Object other =
      Volume("other", "5G", R"(,"claimRef":{"namespace":"ns","name":"c","uid":"old"})");
  EXPECT_EQ(Found(Claim("1G"), {other}), "");
}

TEST(Volumes, AClaimThatWaitsForAPodTakesAFreeVolumeOnlyWithANode) {
  const std::string local =
      R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
         {"key":"zone","operator":"In","values":["z1"]}]}]}})";
  const std::vector<Object> all = {Volume("v", "1G", local)};
  const Object near = FromJson(R"({"metadata":{"name":"n","labels":{"zone":"z1"}}})");
  const Object far = FromJson(R"({"metadata":{"name":"m","labels":{"zone":"z2"}}})");
  EXPECT_EQ(Found(Claim("1G"), all, true), "");
  EXPECT_EQ(Found(Claim("1G"), all, true, near), "v");
  EXPECT_EQ(Found(Claim("1G"), all, true, far), "");
}

TEST(Volumes, ModeClassSelectorAndPhaseMustFit) {
  EXPECT_EQ(Found(Claim("1G", R"(,"volumeMode":"Block")"), {Volume("v", "1G")}), "");
  EXPECT_EQ(Found(Claim("1G", R"(,"storageClassName":"x")"), {Volume("v", "1G")}), "");
  EXPECT_EQ(Found(Claim("1G", R"(,"selector":{"matchLabels":{"a":"b"}})"), {Volume("v", "1G")}),
            "");
  EXPECT_EQ(Found(Claim("1G"), {FromJson(R"({"metadata":{"name":"v"},"spec":{"capacity":{
      "storage":"1G"},"accessModes":["ReadWriteOnce"]},"status":{"phase":"Pending"}})")}),
            "");
}

TEST(Volumes, BindingSaysWhoBound) {
  const Object claim = Claim("1G");
  const Object bound = BoundTo(Volume("v", "1G"), claim);
  EXPECT_TRUE(IsBoundTo(bound, claim));
  EXPECT_TRUE(HasAnnotation(bound, kBoundByController));
  EXPECT_EQ(BoundTo(bound, claim).tree(), bound.tree());
  const Object reserved = BoundTo(Volume("v", "1G", kForClaim), claim);
  EXPECT_EQ(reserved.spec().Get("claimRef").Get("uid").AsString(), "u");
  EXPECT_FALSE(HasAnnotation(reserved, kBoundByController)) << "the user has bound it";
  EXPECT_EQ(ClaimKeyOf(reserved), "ns/c");
}

TEST(Volumes, TopologiesOfAClass) {
  const Object node = FromJson(R"({"metadata":{"name":"n","labels":{"zone":"z1","rack":"r1"}}})");
  const auto allows = [&node](const char* terms) {
    return AllowsTopologyOf(
        FromJson(fmt::format(R"({{"metadata":{{"name":"s"}},"allowedTopologies":{}}})", terms)),
        node);
  };
  EXPECT_TRUE(allows("[]"));
  EXPECT_FALSE(allows("[{}]"));
  EXPECT_TRUE(allows(R"([{"matchLabelExpressions":[{"key":"zone","values":["z2","z1"]}]}])"));
  EXPECT_FALSE(allows(R"([{"matchLabelExpressions":[{"key":"zone","values":["z1"]},
                          {"key":"rack","values":["r2"]}]}])"));
  EXPECT_TRUE(allows(R"([{"matchLabelExpressions":[{"key":"zone","values":["z2"]}]},
                         {"matchLabelExpressions":[{"key":"rack","values":["r1"]}]}])"));
}

TEST(Volumes, ClaimsOfPods) {
  const Object pod = FromJson(
      R"({"metadata":{"name":"p","namespace":"ns","uid":"p1"},"spec":{"volumes":[
         {"name":"a","emptyDir":{}},{"name":"b","persistentVolumeClaim":{"claimName":"c"}},
         {"name":"d","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]}})");
  const std::vector<PodClaim> claims = ClaimsOfPod(pod);
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_EQ(claims[0].claim, "c");
  EXPECT_EQ(claims[1].claim, "p-d");
  EXPECT_TRUE(claims[1].ephemeral);
  EXPECT_TRUE(HasEphemeralVolume(pod.tree()));
  EXPECT_EQ(WhyNotForPod(pod, Claim("1G")),
            "PVC ns/c was not created for pod ns/p (pod is not owner)");
}

}  // namespace
}  // namespace ksim::api
