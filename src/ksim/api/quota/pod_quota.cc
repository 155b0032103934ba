#include "ksim/api/quota/pod_quota.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "ksim/api/quota/pod_amounts.h"
#include "ksim/api/views/qos.h"
#include "ksim/api/views/resources.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {

using value::Path;
using value::Quantity;
using value::Value;

namespace {

constexpr std::array<std::string_view, 11> kPodNames = {"count/pods",
                                                        "cpu",
                                                        "memory",
                                                        "ephemeral-storage",
                                                        "requests.cpu",
                                                        "requests.memory",
                                                        "requests.ephemeral-storage",
                                                        "limits.cpu",
                                                        "limits.memory",
                                                        "limits.ephemeral-storage",
                                                        "pods"};
// A quota of these makes every container say how much it wants.
constexpr std::array<std::string_view, 6> kMustBeSaid = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kDeviceClass = "deviceclass.resource.kubernetes.io/";

// podComputeUsageHelper.
ResourceList ComputeUsage(const ResourceList& requests, const ResourceList& limits,
                          const Profile& profile) {
  ResourceList out;
  out["pods"] = Quantity::FromInt(1);
  for (const char* name : {"cpu", "memory", "ephemeral-storage"}) {
    if (const auto it = requests.find(name); it != requests.end()) {
      out[name] = it->second;
      out[fmt::format("requests.{}", name)] = it->second;
    }
    if (const auto it = limits.find(name); it != limits.end())
      out[fmt::format("limits.{}", name)] = it->second;
  }
  for (const auto& [name, amount] : requests) {
    const bool huge = name.starts_with(kHugePages);
    if (huge) out[name] = amount;
    const bool extended = IsExtendedResource(name) ||
                          (profile.quota_device_classes && name.starts_with(kDeviceClass));
    if (huge || extended) out[fmt::format("requests.{}", name)] = amount;
  }
  return out;
}

bool UsesOtherNamespaces(const Value& term) {
  return !term.Get("namespaces").empty() || !term.Get("namespaceSelector").is_null();
}

bool UsesOtherNamespacesInAffinity(const Value& affinity) {
  for (const Value& term : affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").items())
    if (UsesOtherNamespaces(term)) return true;
  for (const Value& weighted :
       affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").items())
    if (UsesOtherNamespaces(weighted.Get("podAffinityTerm"))) return true;
  return false;
}

}  // namespace

bool IsPodQuotaName(std::string_view name) {
  if (std::find(kPodNames.begin(), kPodNames.end(), name) != kPodNames.end()) return true;
  if (name.starts_with(kHugePages) || name.starts_with("requests.hugepages-")) return true;
  // isExtendedResourceNameForQuota
  if (!name.starts_with(kRequests)) return false;
  return !IsNativeResource(name) || name.substr(kRequests.size()).starts_with(kDeviceClass);
}

bool RequirementHolds(const Value& requirement, std::string_view text) {
  const std::string_view op = requirement.Get("operator").AsString();
  if (op == "Exists") return !text.empty();
  if (op == "DoesNotExist") return text.empty();
  const auto values = requirement.Get("values").items();
  const bool among =
      !text.empty() && std::any_of(values.begin(), values.end(),
                                   [&](const Value& v) { return v.AsString() == text; });
  if (op == "In") return among;
  return op == "NotIn" && !among;
}

bool IsTerminatingPod(const Value& pod) {
  static const Path kDeadline{"spec", "activeDeadlineSeconds"};
  const Value& deadline = pod.Get(kDeadline);
  return deadline.is_int() && deadline.AsInt() >= 0;
}

bool ScopeMeansPod(const Value& scope, const Value& pod) {
  static const Path kClass{"spec", "priorityClassName"};
  static const Path kAffinity{"spec", "affinity"};
  const std::string_view name = scope.Get("scopeName").AsString();
  if (name == "Terminating") return IsTerminatingPod(pod);
  if (name == "NotTerminating") return !IsTerminatingPod(pod);
  const bool best_effort = std::string_view(ComputeQosClass(pod.Get("spec"))) == "BestEffort";
  if (name == "BestEffort") return best_effort;
  if (name == "NotBestEffort") return !best_effort;
  if (name == "PriorityClass") return RequirementHolds(scope, pod.Get(kClass).AsString());
  if (name == "CrossNamespacePodAffinity") {
    const Value& affinity = pod.Get(kAffinity);
    return UsesOtherNamespacesInAffinity(affinity.Get("podAffinity")) ||
           UsesOtherNamespacesInAffinity(affinity.Get("podAntiAffinity"));
  }
  return false;
}

std::string PodConstraints(const std::vector<std::string>& required, const Value& pod,
                           const Profile& profile) {
  if (profile.quota_pod_level_resources && HasPodLevelResources(pod)) return {};
  std::map<std::string, std::set<std::string>> missing;  // by resource: containers
  for (const char* list : {"containers", "initContainers"}) {
    for (const Value& container : pod.Get("spec").Get(list).items()) {
      const Value& resources = container.Get("resources");
      const ResourceList said = ComputeUsage(ResourceListOf(resources.Get("requests")),
                                             ResourceListOf(resources.Get("limits")), profile);
      for (const std::string_view name : kMustBeSaid) {
        const bool wanted = std::find(required.begin(), required.end(), name) != required.end();
        if (wanted && said.find(name) == said.end())
          missing[std::string(name)].emplace(container.Get("name").AsString());
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing)
    parts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  return parts.empty() ? std::string() : fmt::format("must specify {}", fmt::join(parts, "; "));
}

bool IsCharged(const Value& pod, VirtualTime now) {
  const std::string_view phase = pod.Get("status").Get("phase").AsString();
  if (phase == "Failed" || phase == "Succeeded") return false;
  const Value& metadata = pod.Get("metadata");
  const Value& grace = metadata.Get("deletionGracePeriodSeconds");
  const auto deleted = value::ParseTimestamp(metadata.Get("deletionTimestamp").AsString());
  if (!deleted.ok() || !grace.is_int()) return true;
  return now <= *deleted + Seconds(grace.AsInt());
}

ResourceList PodUsage(const Value& pod, VirtualTime now, const Profile& profile) {
  ResourceList out;
  out["count/pods"] = Quantity::FromInt(1);
  if (!IsCharged(pod, now)) return out;
  PodAmountOptions options;
  options.pod_level = profile.quota_pod_level_resources;
  return Add(std::move(out),
             ComputeUsage(PodRequestList(pod, options), PodLimitList(pod, options), profile));
}

}  // namespace ksim::api
