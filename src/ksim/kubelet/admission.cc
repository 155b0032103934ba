#include "ksim/kubelet/admission.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/views/host_ports.h"
#include "ksim/api/views/node_selector.h"
#include "ksim/api/views/resources.h"
#include "ksim/api/views/taints.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

namespace {

using api::Resources;

std::optional<Refusal> OutOf(std::string_view resource, std::int64_t wanted, std::int64_t used,
                             std::int64_t capacity) {
  if (wanted == 0 || used + wanted <= capacity) return std::nullopt;
  return Refusal(fmt::format("OutOf{}", resource),
                 fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, "
                             "capacity: {}",
                             resource, wanted, used, capacity));
}

const std::int64_t* Find(const absl::btree_map<std::string, std::int64_t>& amounts,
                         const std::string& name) {
  const auto it = amounts.find(name);
  return it == amounts.end() ? nullptr : &it->second;
}

// Source: pkg/kubelet/lifecycle/predicate.go Admit; noderesources fitsRequest.
std::optional<Refusal> CheckResources(const api::Object& pod,
                                      const std::vector<api::Object>& others,
                                      const api::Object& node) {
  const Resources have = Resources::FromList(node.status().Get("allocatable"));
  const Resources wanted = api::PodRequests(pod, /*nonzero=*/false);
  Resources used;
  for (const api::Object& other : others) used += api::PodRequests(other, /*nonzero=*/false);
  const auto count = static_cast<std::int64_t>(others.size());
  if (count + 1 > have.pods) return OutOf("pods", 1, count, have.pods);
  if (auto r = OutOf("cpu", wanted.milli_cpu, used.milli_cpu, have.milli_cpu)) return r;
  if (auto r = OutOf("memory", wanted.memory, used.memory, have.memory)) return r;
  if (auto r = OutOf("ephemeral-storage", wanted.ephemeral_storage, used.ephemeral_storage,
                     have.ephemeral_storage))
    return r;
  for (const auto& [name, amount] : wanted.scalars) {
    const std::int64_t* capacity = Find(have.scalars, name);
    // A device that no node has may be the cluster's (removeMissingExtendedResources).
    if (capacity == nullptr && api::IsExtendedResource(name)) continue;
    const std::int64_t* held = Find(used.scalars, name);
    if (auto r =
            OutOf(name, amount, held == nullptr ? 0 : *held, capacity == nullptr ? 0 : *capacity))
      return r;
  }
  return std::nullopt;
}

// rejectPodAdmissionBasedOnOSSelector (which asks the pod's label, not its selector) and
// rejectPodAdmissionBasedOnOSField.
std::optional<Refusal> CheckOs(const api::Object& pod) {
  constexpr const char* kLabel = "kubernetes.io/os";
  if (pod.labels().Has(kLabel) && pod.Label(kLabel) != "linux") {
    return Refusal("PodOSSelectorNodeLabelDoesNotMatch",
                   "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label");
  }
  const value::Value& os = pod.spec().Get("os");
  if (!os.is_null() && os.Get("name").AsString() != "linux")
    return Refusal("PodOSNotSupported",
                   "Failed to admit pod as the OS field doesn't match node OS");
  return std::nullopt;
}

bool PortsTaken(const api::Object& pod, const std::vector<api::Object>& others,
                api::Compat compat) {
  const std::vector<api::HostPort> wanted = api::HeldHostPorts(pod, compat);
  return std::any_of(others.begin(), others.end(), [&](const api::Object& other) {
    const std::vector<api::HostPort> held = api::HeldHostPorts(other, compat);
    return std::any_of(wanted.begin(), wanted.end(), [&](const api::HostPort& w) {
      return std::any_of(held.begin(), held.end(),
                         [&](const api::HostPort& h) { return api::PortsConflict(w, h); });
    });
  });
}

}  // namespace

std::optional<Refusal> Admit(const api::Object& pod, const std::vector<api::Object>& others,
                             const api::Object& node, const Profile& profile) {
  if (node.empty()) return std::nullopt;
  if (auto refusal = CheckOs(pod)) return refusal;
  if (auto refusal = CheckResources(pod, others, node)) return refusal;
  if (!api::MatchesRequiredNodeAffinity(pod, node)) {
    return Refusal("NodeAffinity",
                   "Predicate NodeAffinity failed: node(s) didn't match Pod's node "
                   "affinity/selector");
  }
  if (PortsTaken(pod, others, profile.compat)) {
    return Refusal("NodePorts",
                   "Predicate NodePorts failed: node(s) didn't have free ports for the "
                   "requested pod ports");
  }
  // The kubelet checks NoExecute taints only: NoSchedule is the scheduler's affair.
  const value::Value* taint = api::FirstUntolerated(node.spec().Get("taints"),
                                                    pod.spec().Get("tolerations"), {"NoExecute"});
  if (taint != nullptr) {
    return Refusal("TaintToleration",
                   "Predicate TaintToleration failed: node(s) had taints that the pod didn't "
                   "tolerate");
  }
  return std::nullopt;
}

value::Value RefusedStatus(const api::Object& pod, const Refusal& refusal, const Profile& profile,
                           VirtualTime now) {
  const char* prefix = profile.rejection_says_rejected ? "Pod was rejected: " : "Pod ";
  const value::Value& since = pod.status().Get("startTime");
  const value::Value& qos = pod.status().Get("qosClass");
  value::ObjectBuilder status;
  status.Add("phase", value::Value::Of("Failed"))
      .Add("reason", value::Value::String(refusal.reason))
      .Add("message", value::Value::String(prefix + refusal.message))
      .Add("startTime", since.is_null() ? value::TimestampValue(now) : since);
  status.AddIf(!qos.is_null(), "qosClass", qos);
  status.AddIf(profile.observed_generation && pod.generation() != 0, "observedGeneration",
               value::Value::Int(pod.generation()));
  return status.Build();
}

}  // namespace ksim::kubelet
