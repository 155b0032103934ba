#include "ksim/kubelet/admission.h"

#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

api::Object Parse(std::string_view json) { return api::Object::FromTree(*value::ParseJson(json)); }

const char* kNode = R"({"metadata":{"name":"n1","labels":{"disk":"ssd"}},
  "status":{"allocatable":{"cpu":"1","memory":"1Gi","pods":"2"}}})";

api::Object Asking(std::string_view requests, std::string_view spec = "") {
  return Parse(std::string(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",
    "ports":[{"hostPort":80}],"resources":{"requests":{)") +
               std::string(requests) + "}}}]" + std::string(spec) + "}}");
}

const Profile& kNew = ProfileOf(api::Compat::k1_36);

// KUBELET-08
TEST(Admission, RefusesWhatTheNodeCannotRun) {
  struct Row {
    const char* about;
    const char* requests;
    const char* spec;
    const char* reason;
  };
  const Row table[] = {{"fits", R"("cpu":"400m")", "", ""},
                       {"cpu", R"("cpu":"600m")", "", "OutOfcpu"},
                       {"memory", R"("memory":"2Gi")", "", "OutOfmemory"},
                       {"selector", "", R"(,"nodeSelector":{"disk":"hdd"})", "NodeAffinity"}};
  const std::vector<api::Object> others{
      Parse(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"500m"}}}]}})")};
  for (const Row& row : table) {
    SCOPED_TRACE(row.about);
    const auto refusal = Admit(Asking(row.requests, row.spec), others, Parse(kNode), kNew);
    EXPECT_EQ(refusal ? refusal->reason : "", row.reason);
  }
}

// KUBELET-08: admission counts devices and huge pages too; an extended resource that the node does
// not have may be a cluster-level one.
TEST(Admission, CountsWhatElseThereIs) {
  const api::Object node = Parse(R"({"status":{"allocatable":{"pods":"9","example.com/gpu":"2",
      "hugepages-2Mi":"4Mi"}}})");
  const std::vector<api::Object> others{
      Parse(R"({"spec":{"containers":[{"resources":{"requests":{"example.com/gpu":"1"}}}]}})")};
  struct Row {
    const char* requests;
    const char* message;
  };
  const Row table[] = {
      {R"("example.com/gpu":"1")", ""},
      {R"("example.com/gpu":"2")",
       "Node didn't have enough resource: example.com/gpu, requested: 2, used: 1, capacity: 2"},
      {R"("example.com/fpga":"5")", ""},
      {R"("hugepages-2Mi":"4Mi")", ""},
      {R"("hugepages-2Mi":"6Mi")",
       "Node didn't have enough resource: hugepages-2Mi, requested: 6291456, used: 0, capacity: "
       "4194304"},
      {R"("hugepages-1Gi":"1Gi")",
       "Node didn't have enough resource: hugepages-1Gi, requested: 1073741824, used: 0, "
       "capacity: 0"}};
  for (const Row& row : table) {
    const auto refusal = Admit(Asking(row.requests), others, node, kNew);
    EXPECT_EQ(refusal ? refusal->message : "", row.message) << row.requests;
  }
  EXPECT_EQ(Admit(Asking(R"("example.com/gpu":"2")"), others, node, kNew)->reason,
            "OutOfexample.com/gpu");
}

// KUBELET-08
TEST(Admission, CountsPodsAndPortsAndMindsNoExecuteOnly) {
  const api::Object node = Parse(kNode);
  const api::Object pod = Asking("");
  EXPECT_EQ(Admit(pod, {Parse("{}"), Parse("{}")}, node, kNew)->reason, "OutOfpods");
  EXPECT_EQ(Admit(pod, {pod}, node, kNew)->reason, "NodePorts");
  const auto tainted = [](const char* effect) {
    return Parse(std::string(R"({"spec":{"taints":[{"key":"k","effect":")") + effect +
                 R"("}]},"status":{"allocatable":{"pods":"2"}}})");
  };
  EXPECT_FALSE(Admit(pod, {}, tainted("NoSchedule"), kNew).has_value());
  EXPECT_EQ(Admit(pod, {}, tainted("NoExecute"), kNew)->reason, "TaintToleration");
  EXPECT_EQ(Admit(pod, {}, tainted("NoExecute"), kNew)->message,
            "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate");
}

// A sidecar's ports count from 1.36 on, as for the scheduler.
TEST(Admission, ASidecarHoldsItsPortsInNewVersions) {
  const api::Object node = Parse(R"({"status":{"allocatable":{"pods":"9"}}})");
  const char* const ports = R"("ports":[{"hostPort":80,"protocol":"TCP"}])";
  const api::Object held = Parse(std::string(R"({"spec":{"initContainers":[{"name":"s",)") +
                                 R"("restartPolicy":"Always",)" + ports + "}]}}");
  const api::Object pod = Parse(std::string(R"({"spec":{"containers":[{)") + ports + "}]}}");
  EXPECT_EQ(Admit(pod, {held}, node, kNew)->reason, "NodePorts");
  EXPECT_FALSE(Admit(pod, {held}, node, ProfileOf(api::Compat::k1_30)).has_value());
}

// KUBELET-08: the wording changed with 1.26.
TEST(Admission, ARefusedPodIsFailed) {
  const Refusal refusal("OutOfcpu", "Node didn't have enough resource: cpu");
  const auto status =
      RefusedStatus(Parse("{}"), refusal, ProfileOf(api::Compat::k1_30), VirtualTime());
  EXPECT_EQ(value::ToJson(status),
            R"({"message":"Pod was rejected: Node didn't have enough resource: cpu",)"
            R"("phase":"Failed","reason":"OutOfcpu","startTime":"2025-01-01T00:00:00Z"})");
  EXPECT_EQ(RefusedStatus(Parse("{}"), refusal, ProfileOf(api::Compat::k1_25), VirtualTime())
                .Get("message")
                .AsString(),
            "Pod Node didn't have enough resource: cpu");
}

}  // namespace
}  // namespace ksim::kubelet
