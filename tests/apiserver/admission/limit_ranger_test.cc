// LimitRanger admission.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

struct Limits : World {
  explicit Limits(Compat compat = Compat::k1_36) : World(WorldOptions(compat)) {}
  void Add(std::string_view item) {
    const api::Response r = Create(
        "limitranges", "default",
        Json(fmt::format(R"({{"metadata":{{"name":"l"}},"spec":{{"limits":[{}]}}}})", item)));
    EXPECT_EQ(r.code, 201) << r.status.message;
    Advance(Seconds(1));
  }
  api::Response AddPod(std::string_view containers, std::string_view more = "") {
    return Create("pods", "default",
                  Json(fmt::format(R"({{"metadata":{{"name":"p"}},"spec":{{"containers":{}{}}}}})",
                                   containers, more)));
  }
  // The refusal of a pod of one container, without its beginning; "" = it is stored.
  std::string Refusal(std::string_view requests, std::string_view limits,
                      std::string_view more = "") {
    const api::Response r = AddPod(
        fmt::format(R"([{{"name":"c","image":"i:1","resources":{{"requests":{},"limits":{}}}}}])",
                    requests, limits),
        more);
    const std::string begin = "pods \"p\" is forbidden: ";
    const std::string text = r.status.message.str();
    if (r.code == 201) return Delete("pods", "default", "p"), "";
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
  }
};

// API-223, API-225
TEST(LimitRanger, GivesContainersTheirDefaults) {
  for (const Compat compat : kProfiles) {
    Limits w(compat);
    w.Add(R"({"type":"Container","default":{"cpu":"500m","memory":"1Gi"},
              "defaultRequest":{"cpu":"100m"}})");
    const api::Object pod = w.AddPod(R"([{"name":"a","image":"i:1"},
                     {"name":"b","image":"i:1","resources":{"requests":{"cpu":"50m"},
                                                            "limits":{"memory":"2Gi"}}}])",
                                     R"(,"initContainers":[{"name":"i","image":"i:1"}])")
                                .object;
    EXPECT_EQ(
        value::ToJson(pod.Get(*Path::Parse("spec.containers[0].resources"))),
        R"({"limits":{"cpu":"500m","memory":"1Gi"},"requests":{"cpu":"100m","memory":"1Gi"}})");
    EXPECT_EQ(
        value::ToJson(pod.Get(*Path::Parse("spec.containers[1].resources"))),
        R"({"limits":{"cpu":"500m","memory":"2Gi"},"requests":{"cpu":"50m","memory":"2Gi"}})");
    EXPECT_EQ(pod.Annotation("kubernetes.io/limit-ranger"),
              "LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for "
              "container a; cpu limit for container b; cpu, memory request for init container i; "
              "cpu, memory limit for init container i");
  }
}

// API-223: pods that lack nothing, and those of other namespaces, stay as they are.
TEST(LimitRanger, LeavesAloneWhatSaysItsOwn) {
  Limits w;
  w.Add(R"({"type":"Container","default":{"cpu":"500m"}})");
  EXPECT_EQ(w.Create("pods", "kube-system", Pod("kube-system", "p"))
                .object.Annotation("kubernetes.io/limit-ranger"),
            "");
  const api::Object pod =
      w.AddPod(R"([{"name":"a","image":"i:1","resources":{"limits":{"cpu":"1"}}}])").object;
  EXPECT_EQ(pod.Annotation("kubernetes.io/limit-ranger"), "");
}

// API-224
TEST(LimitRanger, HoldsContainersToTheirBounds) {
  Limits w;
  w.Add(R"({"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"1"},
            "maxLimitRequestRatio":{"cpu":"4"},"default":{"cpu":"100m"},
            "defaultRequest":{"cpu":"100m"}})");
  EXPECT_EQ(w.Refusal(R"({"cpu":"100m"})", R"({"cpu":"400m"})"), "");
  EXPECT_EQ(w.Refusal(R"({"cpu":"50m"})", R"({"cpu":"200m"})"),
            "minimum cpu usage per Container is 100m, but request is 50m");
  EXPECT_EQ(w.Refusal(R"({"cpu":"500m"})", R"({"cpu":"1500m"})"),
            "maximum cpu usage per Container is 1, but limit is 1500m");
  EXPECT_EQ(w.Refusal(R"({"cpu":"150m"})", R"({"cpu":"700m"})"),
            "cpu max limit to request ratio per Container is 4, but provided ratio is 4.666667");
  EXPECT_EQ(w.Refusal(R"({"cpu":"90m"})", R"({"cpu":"1200m"})"),
            "[minimum cpu usage per Container is 100m, but request is 90m, maximum cpu usage per "
            "Container is 1, but limit is 1200m, cpu max limit to request ratio per Container is "
            "4, but provided ratio is 13.333333]");
}

// API-224
TEST(LimitRanger, HoldsPodsToTheirBounds) {
  Limits w;
  w.Add(R"({"type":"Pod","min":{"memory":"1Gi"},"max":{"cpu":"1"},
            "maxLimitRequestRatio":{"memory":"1"}})");
  EXPECT_EQ(w.Refusal("{}", "{}"),
            "[minimum memory usage per Pod is 1Gi.  No request is specified, maximum cpu usage per "
            "Pod is 1.  No limit is specified, memory max limit to request ratio per Pod is 1, but "
            "no request is specified or request is 0]");
  EXPECT_EQ(w.Refusal(R"({"memory":"1Gi"})", R"({"cpu":"1"})"),
            "memory max limit to request ratio per Pod is 1, but no limit is specified or limit is "
            "0");
  EXPECT_EQ(w.Refusal(R"({"memory":"1Gi"})", R"({"cpu":"1","memory":"1Gi"})"), "");
  // The larger of the containers and the init containers counts.
  EXPECT_EQ(w.Refusal(R"({"memory":"1Gi"})", R"({"cpu":"1","memory":"1Gi"})",
                      R"(,"initContainers":[{"name":"i","image":"i:1","resources":{
                          "limits":{"cpu":"2"}}}])"),
            "maximum cpu usage per Pod is 1, but limit is 2");
}

// API-224
TEST(LimitRanger, HoldsClaimsToTheirBounds) {
  Limits w;
  w.Add(R"({"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"10Gi"}})");
  const auto claim = [&w](std::string_view storage) {
    return w.Create("persistentvolumeclaims", "default",
                    Json(fmt::format(R"({{"metadata":{{"generateName":"c-"}},"spec":{{
                             "accessModes":["ReadWriteOnce"],
                             "resources":{{"requests":{{"storage":"{}"}}}}}}}})",
                                     storage)));
  };
  EXPECT_EQ(claim("1Gi").code, 201);
  EXPECT_TRUE(claim("1Mi").status.message.str().ends_with(
      "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"));
  EXPECT_TRUE(claim("11Gi").status.message.str().ends_with(
      "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi"));
}

// API-224: a LimitRange that the cache does not have yet counts all the same.
TEST(LimitRanger, LooksForLimitRangesLive) {
  Limits w;
  w.server().faults().watch_cache(w.Kind("limitranges")).Freeze();
  w.Create("limitranges", "default",
           Json(R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Pod",
                    "max":{"cpu":"1"}}]}})"));
  EXPECT_EQ(w.AddPod(R"([{"name":"a","image":"i:1"}])").code, 403);
}

}  // namespace
}  // namespace ksim::apiserver
