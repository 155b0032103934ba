// Updates of a pod at its subresources. What real servers answer is in
// tests/apiserver/recorded/subresources-*.jsonl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

value::Value PodOf(std::string_view spec) {
  return Prepared("pods", "{metadata: {name: p, namespace: n, labels: {a: b}}, spec: {" +
                              std::string(spec) + "}}");
}
const char* const kOne = "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]";

value::Value UpdatedAt(std::string_view subresource, const value::Value& updated,
                       const value::Value& old) {
  return PrepareForUpdate(KindOf("pods"), old, updated, subresource, Compat::k1_36);
}

// API-192
TEST(PodSubresources, ChangeOnlyWhatIsTheirs) {
  const value::Value old = PodOf(kOne);
  value::Value updated = With(old, "metadata.labels", Yaml("{a: c}"));
  updated = With(updated, "spec.ephemeralContainers", Yaml("[{name: e, image: i}]"));
  updated = With(updated, "spec.containers",
                 Yaml("[{name: c, image: j, resources: {requests: "
                      "{cpu: 2}}}]"));
  updated = With(updated, "status", Yaml("{phase: Failed}"));
  for (const char* sub : {"ephemeralcontainers", "resize"}) {
    const value::Value stored = UpdatedAt(sub, updated, old);
    EXPECT_EQ(JsonAt(stored, "metadata.labels"), R"({"a":"b"})") << sub;
    EXPECT_EQ(JsonAt(stored, "metadata.generation"), "2") << sub;
    EXPECT_EQ(JsonAt(stored, "status"), JsonAt(old, "status")) << sub;
    const bool resize = std::string_view(sub) == "resize";
    EXPECT_EQ(stored.Get("spec").Has("ephemeralContainers"), !resize) << sub;
    const value::Value& container = stored.Get("spec").Get("containers").at(0);
    EXPECT_EQ(container.Get("image").AsString(), "i") << sub;
    EXPECT_EQ(JsonAt(container, "resources.requests.cpu"), resize ? "2" : "1") << sub;
  }
}

// API-192
TEST(PodSubresources, AnEphemeralContainerStays) {
  const value::Value old =
      With(PodOf(kOne), "spec.ephemeralContainers",
           Yaml("[{name: e, image: i, imagePullPolicy: Always, terminationMessagePolicy: File}]"));
  const auto errors = [&](const char* containers) {
    return UpdateErrors("pods", With(old, "spec.ephemeralContainers", Yaml(containers)), old,
                        "ephemeralcontainers");
  };
  EXPECT_THAT(errors("[{name: f, image: i, imagePullPolicy: Always, terminationMessagePolicy: "
                     "File}]"),
              ElementsAre("spec.ephemeralContainers: Forbidden: existing ephemeral containers "
                          "\"e\" may not be removed\n"));
  EXPECT_THAT(errors("[{name: e, image: j, imagePullPolicy: Always, terminationMessagePolicy: "
                     "File}]"),
              ElementsAre("spec.ephemeralContainers: Forbidden: existing ephemeral containers "
                          "\"e\" may not be changed\n-\timage: \"i\"\n+\timage: \"j\"\n"));
  EXPECT_THAT(errors("[{name: e, image: i, imagePullPolicy: Always, terminationMessagePolicy: "
                     "File}, {name: c, image: i, imagePullPolicy: Always, "
                     "terminationMessagePolicy: File, ports: [{containerPort: 1, protocol: "
                     "TCP}], targetContainerName: x}]"),
              ElementsAre("spec.ephemeralContainers[1].name: Duplicate value: \"c\"",
                          "spec.ephemeralContainers[1].targetContainerName: Not found: \"x\"",
                          "spec.ephemeralContainers[1].ports: Forbidden: cannot be set for an "
                          "Ephemeral Container"));
}

// API-192
TEST(PodSubresources, AResizeChangesCpuAndMemoryAlone) {
  const value::Value old = PodOf(kOne);
  const auto errors = [&](const char* resources) {
    const value::Value container = old.Get("spec").Get("containers").at(0);
    const value::Value resized = container.Set("resources", Yaml(resources));
    return UpdateErrors("pods", With(old, "spec.containers", value::Value::Array({resized})), old,
                        "resize");
  };
  EXPECT_THAT(errors("{requests: {cpu: 2, memory: 1Gi}}"), IsEmpty());
  EXPECT_THAT(errors("{requests: {cpu: 1, ephemeral-storage: 1Gi}}"),
              ElementsAre("spec: Forbidden: only cpu and memory resources are mutable"));
  EXPECT_THAT(errors("{requests: {memory: 1Gi}}"),
              ElementsAre("spec.containers[0].resources.requests: Forbidden: resource requests "
                          "cannot be removed"));
  EXPECT_THAT(errors("{requests: {cpu: 1}, limits: {cpu: 1}}"), IsEmpty());
  EXPECT_THAT(errors("{requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}"),
              ElementsAre("spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a "
                          "result of resizing"));
}

}  // namespace
}  // namespace ksim::api
