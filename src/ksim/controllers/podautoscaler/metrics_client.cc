#include "ksim/controllers/podautoscaler/metrics_client.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "ksim/api/kinds.h"

namespace ksim::controllers {

using value::Value;
using Api = api::MetricsSource::Api;

namespace {

constexpr std::string_view kNoCustomApi =
    "unable to fetch metrics from custom metrics API: no custom metrics API "
    "(custom.metrics.k8s.io) registered";

// The pods that the selector does not select. A metric of a pod that nobody knows any more stays.
std::set<std::string_view> NotSelected(const ScaledPods& pods) {
  std::set<std::string_view> names;
  for (const api::Object& pod : pods.all) names.insert(pod.name());
  for (const api::Object& pod : pods.selected) names.erase(pod.name());
  return names;
}

// Adds the reading of one pod; false if its metrics lack the container.
bool AddContainer(const api::PodReading& reading, std::string_view container, PodMetrics* metrics) {
  for (const auto& [name, used] : reading.containers) {
    if (name != container) continue;
    if (used)
      metrics->insert_or_assign(reading.pod, PodMetric(*used, reading.timestamp, reading.window));
    return true;
  }
  return false;
}

// The sum of all containers, if each of them tells.
void AddWholePod(const api::PodReading& reading, PodMetrics* metrics) {
  std::int64_t sum = 0;
  for (const auto& [name, used] : reading.containers) {
    if (!used) return;
    sum += *used;
  }
  if (!reading.containers.empty())
    metrics->insert_or_assign(reading.pod, PodMetric(sum, reading.timestamp, reading.window));
}

// The resource of a kind as an adapter's errors name it: services, ingresses.networking.k8s.io.
std::string ResourceName(const Value& object) {
  const std::string_view group = api::GroupOf(object.Get("apiVersion").AsString());
  const std::string plural = api::GuessPlural(object.Get("kind").AsString());
  return group.empty() ? plural : fmt::format("{}.{}", plural, group);
}

}  // namespace

value::LabelSelector MetricSelector(const Value& selector) {
  if (selector.is_null()) return value::LabelSelector::Everything();
  const auto parsed = value::LabelSelector::FromObject(selector);
  return parsed.ok() ? *parsed : value::LabelSelector::Everything();
}

MetricsClient::PodResult MetricsClient::ResourceMetric(std::string_view resource,
                                                       const ScaledPods& pods,
                                                       std::string_view container,
                                                       VirtualTime now) const {
  PodResult out;
  if (!Serves(Api::kResource)) {
    out.error =
        "unable to fetch metrics from resource metrics API: the server could not find the "
        "requested resource (get pods.metrics.k8s.io)";
    return out;
  }
  const std::set<std::string_view> others = NotSelected(pods);
  bool any = false;
  for (const api::PodReading& reading : source_->ResourceUse(pods.all, resource, now)) {
    if (others.contains(reading.pod)) continue;
    any = true;
    if (container.empty()) {
      AddWholePod(reading, &out.metrics);
    } else if (!AddContainer(reading, container, &out.metrics) &&
               !profile_.hpa_container_metrics_may_miss) {
      out.metrics.clear();
      out.error = fmt::format(
          "failed to get container metrics: container {} not present in metrics for pod {}/{}",
          container, pods.ns, reading.pod);
      return out;
    }
  }
  if (!any) out.error = "no metrics returned from resource metrics API";
  return out;
}

MetricsClient::PodResult MetricsClient::PodsMetric(std::string_view metric, const ScaledPods& pods,
                                                   const Value& selector, VirtualTime now) const {
  PodResult out;
  if (!Serves(Api::kCustom)) {
    out.error = kNoCustomApi;
    return out;
  }
  const auto values = source_->PodMetric(pods.all, pods.ns, metric, MetricSelector(selector), now);
  if (!values) {
    out.error = fmt::format(
        "unable to fetch metrics from custom metrics API: the server could not find the metric {} "
        "for pods",
        metric);
    return out;
  }
  // metricServerDefaultMetricWindow; only the CPU of a pod asks for it.
  constexpr Duration kDefaultWindow = Minutes(1);
  const std::set<std::string_view> others = NotSelected(pods);
  for (const auto& [pod, amount] : *values)
    if (!others.contains(pod))
      out.metrics.insert_or_assign(pod, PodMetric(amount, now, kDefaultWindow));
  if (out.metrics.empty()) out.error = "no metrics returned from custom metrics API";
  return out;
}

MetricsClient::ValueResult MetricsClient::ObjectMetric(std::string_view metric, std::string_view ns,
                                                       const Value& object, const Value& selector,
                                                       VirtualTime now) const {
  ValueResult out;
  if (!Serves(Api::kCustom)) {
    out.error = kNoCustomApi;
    return out;
  }
  api::MetricsSource::ObjectMetricQuery query;
  query.ns = ns;
  query.kind = object.Get("kind").AsString();
  query.metric = metric;
  // The autoscaler's own namespace is meant, whatever the reference says.
  const bool of_namespace =
      query.kind == "Namespace" && api::GroupOf(object.Get("apiVersion").AsString()).empty();
  query.name = of_namespace ? ns : object.Get("name").AsString();
  const std::optional<std::int64_t> found =
      source_->ObjectMetric(query, MetricSelector(selector), now);
  if (found)
    out.values.push_back(*found);
  else
    out.error = fmt::format(
        "unable to fetch metrics from custom metrics API: the server could not find the metric {} "
        "for {} {}",
        metric, ResourceName(object), query.name);
  return out;
}

MetricsClient::ValueResult MetricsClient::ExternalMetric(std::string_view metric,
                                                         std::string_view ns, const Value& selector,
                                                         VirtualTime now) const {
  ValueResult out;
  if (!Serves(Api::kExternal)) {
    out.error = fmt::format(
        "unable to fetch metrics from external metrics API: the server could not find the "
        "requested resource (get {}.external.metrics.k8s.io)",
        metric);
    return out;
  }
  out.values = source_->ExternalMetric(ns, metric, MetricSelector(selector), now);
  if (out.values.empty()) out.error = "no metrics returned from external metrics API";
  return out;
}

}  // namespace ksim::controllers
