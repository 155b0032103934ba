#include "ksim/controllers/podautoscaler/pod_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/api/quota/pod_amounts.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {

using value::Value;

namespace {

// Whether a pod's CPU says nothing yet: it burns more while it starts than it will later.
bool IsCpuUntrusted(const api::PodView& pod, const PodMetric& metric, VirtualTime now,
                    const ReadinessPeriods& periods) {
  const Value* const condition = pod.Condition("Ready");
  const std::optional<VirtualTime> start = pod.start_time();
  if (condition == nullptr || !start) return true;
  const bool unready = condition->Get("status").AsString() == "False";
  const VirtualTime since = api::ConditionSince(pod.conditions(), "Ready").value_or(VirtualTime(0));
  if (*start + periods.cpu_initialization > now)
    return unready || metric.timestamp < since + metric.window;
  return unready && *start + periods.initial_readiness > since;
}

std::int64_t MilliOf(const Value& amount) {
  const absl::StatusOr<value::Quantity> q = value::Quantity::FromTree(amount);
  return q.ok() ? q->MilliValue() : 0;
}

bool HasPodLevelRequests(const api::Object& pod) {
  for (const Value::Member& m : pod.spec().Get("resources").Get("requests").members()) {
    const std::string_view name = m.name.text();
    if (name == "cpu" || name == "memory" || name.starts_with("hugepages-")) return true;
  }
  return false;
}

std::vector<Value> ContainersThatCount(const api::PodView& pod, const Profile& profile) {
  std::vector<Value> out;
  for (const Value& c : pod.containers().items()) out.push_back(c);
  if (!profile.hpa_counts_sidecar_requests) return out;
  for (const Value& c : pod.init_containers().items())
    if (api::PodView::IsSidecar(c)) out.push_back(c);
  return out;
}

// The request, or an error.
struct OneRequest {
  OneRequest() = default;
  std::string error;
  std::int64_t milli = 0;
};

OneRequest PodLevelRequest(const api::Object& pod, std::string_view resource) {
  OneRequest out;
  api::PodAmountOptions options;
  options.pod_level = true;
  const api::ResourceList requests = api::PodRequestList(pod.tree(), options);
  const auto found = requests.find(resource);
  if (found != requests.end())
    out.milli = found->second.MilliValue();
  else
    out.error = fmt::format("missing pod-level request for {} in Pod {}", resource, pod.name());
  return out;
}

OneRequest RequestOfContainers(const api::Object& pod, std::string_view container,
                               std::string_view resource, const Profile& profile) {
  OneRequest out;
  for (const Value& c : ContainersThatCount(api::PodView(pod), profile)) {
    const std::string_view name = c.Get("name").AsString();
    if (!container.empty() && container != name) continue;
    const Value& request = c.Get("resources").Get("requests").Get(resource);
    if (request.is_null()) {
      out.error = profile.hpa_counts_sidecar_requests
                      ? fmt::format("missing request for {} in container {} of Pod {}", resource,
                                    name, pod.name())
                      : fmt::format("missing request for {}", resource);
      return out;
    }
    out.milli += MilliOf(request);
    if (container == name) return out;
  }
  if (!container.empty() && profile.hpa_pod_level_requests)
    out.error = fmt::format("container {} not found in Pod {}", container, pod.name());
  return out;
}

}  // namespace

PodGroups GroupPods(const std::vector<api::Object>& pods, const PodMetrics& metrics,
                    std::string_view resource, VirtualTime now, const ReadinessPeriods& periods) {
  PodGroups groups;
  for (const api::Object& pod : pods) {
    const api::PodView view(pod);
    const std::string name(pod.name());
    const auto metric = metrics.find(name);
    if (pod.deleting() || view.phase() == "Failed") {
      groups.ignored.insert(name);
    } else if (view.phase() == "Pending") {
      groups.unready.insert(name);
    } else if (metric == metrics.end()) {
      groups.missing.insert(name);
    } else if (resource == "cpu" && IsCpuUntrusted(view, metric->second, now, periods)) {
      groups.unready.insert(name);
    } else {
      ++groups.ready;
    }
  }
  return groups;
}

void RemoveMetrics(const PodNames& pods, PodMetrics* metrics) {
  for (const std::string& pod : pods) metrics->erase(pod);
}

PodRequests CalculateRequests(const std::vector<api::Object>& pods, std::string_view container,
                              std::string_view resource, const Profile& profile) {
  PodRequests requests;
  for (const api::Object& pod : pods) {
    const bool of_pod =
        profile.hpa_pod_level_requests && container.empty() && HasPodLevelRequests(pod);
    OneRequest one = of_pod ? PodLevelRequest(pod, resource)
                            : RequestOfContainers(pod, container, resource, profile);
    if (!one.error.empty()) {
      requests.error = std::move(one.error);
      return requests;
    }
    requests.of[std::string(pod.name())] = one.milli;
  }
  return requests;
}

Utilization UtilizationOf(const PodMetrics& metrics, const PodRequests& requests,
                          std::int64_t target_percent) {
  Utilization out;
  std::int64_t used = 0, asked = 0, pods = 0;
  for (const auto& [pod, metric] : metrics) {
    const auto request = requests.of.find(pod);
    if (request == requests.of.end()) continue;
    used += metric.value;
    asked += request->second;
    ++pods;
  }
  // No metric may be of a pod that is known.
  if (asked == 0) {
    out.error = "no metrics returned matched known pods";
    return out;
  }
  __extension__ using Wide = __int128;
  out.percent = static_cast<std::int32_t>(Wide{used} * 100 / asked);
  out.ratio = Float64::Of(std::max(out.percent, 0)) / Float64::Of(target_percent);
  out.average = used / pods;
  return out;
}

Usage UsageOf(const PodMetrics& metrics, std::int64_t target) {
  std::int64_t used = 0;
  for (const auto& [pod, metric] : metrics) used += metric.value;
  Usage out;
  out.average = used / static_cast<std::int64_t>(metrics.size());
  out.ratio = Float64::Of(out.average) / Float64::Of(target);
  return out;
}

}  // namespace ksim::controllers
