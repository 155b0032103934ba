#include "ksim/controllers/podautoscaler/replica_calculator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/controllers/common/label_selector_text.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::string_view kNoPods = "no pods returned by selector while calculating replica count";
const Float64 kWhole = Float64::Of(1);  // NOLINT(ksim-static): a constant

// Quantity.AsApproximateFloat64: the digits of the canonical text, times or by a power of ten.
Float64 ApproximateFloat64(const Value& tree) {
  const absl::StatusOr<value::Quantity> q = value::Quantity::FromTree(tree);
  if (!q.ok() || q->Sign() <= 0) return Float64();
  // Tolerances are small: what is finer than a thousandth is told in u or n.
  const std::string text = q->ToString();
  std::int64_t digits = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    digits = digits * 10 + (text[i] - '0');
  const std::string_view suffix = std::string_view(text).substr(i);
  if (suffix == "m") return Float64::Of(digits) * (kWhole / Float64::Of(1'000));
  if (suffix == "u") return Float64::Of(digits) * (kWhole / Float64::Of(1'000'000));
  if (suffix == "n") return Float64::Of(digits) * (kWhole / Float64::Of(1'000'000'000));
  if (suffix.empty()) return Float64::Of(digits);
  return Float64::Of(q->MilliValue()) * (kWhole / Float64::Of(1'000));
}

// Whether a second look at the ratio, with the pods that have no metric, turns the direction.
bool Turns(Float64 before, Float64 after) {
  return (before < kWhole && after > kWhole) || (before > kWhole && after < kWhole);
}

void SetAll(const PodNames& pods, std::int64_t value, PodMetrics* metrics) {
  for (const std::string& pod : pods) metrics->insert_or_assign(pod, PodMetric(value));
}

}  // namespace

bool Tolerances::IsWithin(Float64 ratio) const {
  if (!around_one) return kWhole - scale_down <= ratio && ratio <= kWhole + scale_up;
  return ratio >= kWhole ? ratio - kWhole <= scale_up
                         : ratio < kWhole && kWhole - ratio <= scale_up;
}

Tolerances TolerancesOf(const Value& behavior, const Profile& profile) {
  Tolerances out;
  out.around_one = !profile.hpa_tolerances;
  if (!profile.hpa_tolerances) return out;
  const Value& down = behavior.Get("scaleDown").Get("tolerance");
  const Value& up = behavior.Get("scaleUp").Get("tolerance");
  if (!down.is_null()) out.scale_down = std::min(ApproximateFloat64(down), kWhole);
  if (!up.is_null()) out.scale_up = ApproximateFloat64(up);
  return out;
}

std::string ReplicaCalculator::NoPods(const Scaled& scaled) const {
  return scaled.pods.selected.empty() ? std::string(kNoPods) : std::string();
}

std::int32_t ReplicaCalculator::Replicas(Float64 wanted) const {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  if (profile_.hpa_caps_replicas && wanted > Float64::Of(kMost)) return kMost;
  return wanted.Ceil32();
}

// --- utilization ---------------------------------------------------------------------------------

ReplicaCalculator::Count ReplicaCalculator::ResourceReplicas(const Scaled& scaled,
                                                             std::string_view resource,
                                                             std::string_view container,
                                                             std::int64_t target_percent) const {
  // 1. What the pods use, and which of them count.
  Count out;
  MetricsClient::PodResult read =
      metrics_.ResourceMetric(resource, scaled.pods, container, scaled.metrics_time);
  if (!read.error.empty()) {
    out.error = fmt::format("unable to get metrics for resource {}: {}", resource, read.error);
    return out;
  }
  PodMetrics& metrics = read.metrics;
  const std::vector<api::Object>& pods = scaled.pods.selected;
  out.error = NoPods(scaled);
  if (!out.error.empty()) return out;
  const PodGroups groups = GroupPods(pods, metrics, resource, scaled.now, periods_);
  RemoveMetrics(groups.ignored, &metrics);
  RemoveMetrics(groups.unready, &metrics);
  if (metrics.empty() && profile_.hpa_says_usage) {
    out.error = "did not receive metrics for targeted pods (pods might be unready)";
    return out;
  }
  const PodRequests requests = CalculateRequests(pods, container, resource, profile_);
  out.error = requests.error;
  if (!out.error.empty()) return out;
  if (metrics.empty()) {
    out.error = "did not receive metrics for any ready pods";
    return out;
  }

  // 2. The ratio of those that count.
  const Utilization first = UtilizationOf(metrics, requests, target_percent);
  out.error = first.error;
  if (!out.error.empty()) return out;
  out.percent = first.percent;
  out.usage = first.average;
  out.replicas = scaled.spec_replicas;
  const Float64 ratio = first.ratio;
  const bool up_with_unready = !groups.unready.empty() && ratio > kWhole;
  if (!up_with_unready && groups.missing.empty()) {
    if (!scaled.tolerances.IsWithin(ratio))
      out.replicas = (ratio * Float64::Of(groups.ready)).Ceil32();
    return out;
  }

  // 3. Again, with the most careful guess about the others.
  if (ratio < kWhole) {
    const std::int64_t percent =
        profile_.hpa_falls_back_to_target ? std::max<std::int64_t>(100, target_percent) : 100;
    for (const std::string& pod : groups.missing) {
      const auto request = requests.of.find(pod);
      const std::int64_t asked = request == requests.of.end() ? 0 : request->second;
      metrics.insert_or_assign(pod, PodMetric(asked * percent / 100));
    }
  } else if (ratio > kWhole) {
    SetAll(groups.missing, 0, &metrics);
  }
  if (up_with_unready) SetAll(groups.unready, 0, &metrics);
  const Utilization second = UtilizationOf(metrics, requests, target_percent);
  out.error = second.error;
  if (!out.error.empty()) {
    out.replicas = 0;
    return out;
  }
  if (scaled.tolerances.IsWithin(second.ratio) || Turns(ratio, second.ratio)) return out;
  const std::int32_t replicas =
      (second.ratio * Float64::Of(static_cast<std::int64_t>(metrics.size()))).Ceil32();
  const bool turns = (second.ratio < kWhole && replicas > scaled.spec_replicas) ||
                     (second.ratio > kWhole && replicas < scaled.spec_replicas);
  if (!turns) out.replicas = replicas;
  return out;
}

// --- usage ---------------------------------------------------------------------------------------

ReplicaCalculator::Count ReplicaCalculator::RawResourceReplicas(const Scaled& scaled,
                                                                std::string_view resource,
                                                                std::string_view container,
                                                                std::int64_t target) const {
  MetricsClient::PodResult read =
      metrics_.ResourceMetric(resource, scaled.pods, container, scaled.metrics_time);
  if (read.error.empty())
    return PlainMetricReplicas(scaled, std::move(read.metrics), resource, target);
  Count out;
  out.error = fmt::format("unable to get metrics for resource {}: {}", resource, read.error);
  return out;
}

ReplicaCalculator::Count ReplicaCalculator::MetricReplicas(const Scaled& scaled,
                                                           const Value& metric,
                                                           std::int64_t target) const {
  const std::string_view name = metric.Get("name").AsString();
  MetricsClient::PodResult read =
      metrics_.PodsMetric(name, scaled.pods, metric.Get("selector"), scaled.metrics_time);
  if (read.error.empty()) return PlainMetricReplicas(scaled, std::move(read.metrics), "", target);
  Count out;
  out.error = fmt::format("unable to get metric {}: {}", name, read.error);
  return out;
}

ReplicaCalculator::Count ReplicaCalculator::PlainMetricReplicas(const Scaled& scaled,
                                                                PodMetrics metrics,
                                                                std::string_view resource,
                                                                std::int64_t target) const {
  Count out;
  out.error = NoPods(scaled);
  if (!out.error.empty()) return out;
  const PodGroups groups = GroupPods(scaled.pods.selected, metrics, resource, scaled.now, periods_);
  RemoveMetrics(groups.ignored, &metrics);
  RemoveMetrics(groups.unready, &metrics);
  if (metrics.empty()) {
    out.error = profile_.hpa_says_usage
                    ? "did not receive metrics for targeted pods (pods might be unready)"
                    : "did not receive metrics for any ready pods";
    return out;
  }
  const Usage first = UsageOf(metrics, target);
  const Float64 ratio = first.ratio;
  out.usage = first.average;
  out.replicas = scaled.spec_replicas;
  const bool up_with_unready = !groups.unready.empty() && ratio > kWhole;
  if (!up_with_unready && groups.missing.empty()) {
    if (!scaled.tolerances.IsWithin(ratio))
      out.replicas = (ratio * Float64::Of(groups.ready)).Ceil32();
    return out;
  }

  if (ratio < kWhole)
    SetAll(groups.missing, target, &metrics);
  else if (ratio > kWhole || !profile_.hpa_ignores_missing_at_target)
    SetAll(groups.missing, 0, &metrics);
  if (up_with_unready) SetAll(groups.unready, 0, &metrics);
  const Float64 again = UsageOf(metrics, target).ratio;
  if (scaled.tolerances.IsWithin(again) || Turns(ratio, again)) return out;
  const std::int32_t replicas =
      (again * Float64::Of(static_cast<std::int64_t>(metrics.size()))).Ceil32();
  const bool turns = (again < kWhole && replicas > scaled.spec_replicas) ||
                     (again > kWhole && replicas < scaled.spec_replicas);
  if (!turns) out.replicas = replicas;
  return out;
}

// --- objects and the world outside ---------------------------------------------------------------

// getUsageRatioReplicaCount: without replicas neither ready pods nor tolerances count.
void ReplicaCalculator::SetByRatio(const Scaled& scaled, Float64 ratio, Count* count) const {
  if (scaled.spec_replicas == 0) {
    count->replicas = ratio.Ceil32();
    return;
  }
  count->replicas = scaled.spec_replicas;
  if (scaled.tolerances.IsWithin(ratio)) return;
  const std::string none = NoPods(scaled);
  if (!none.empty()) {
    count->replicas = 0;
    count->error = fmt::format("unable to calculate ready pods: {}", none);
    return;
  }
  std::int64_t ready = 0;
  for (const api::Object& pod : scaled.pods.selected) {
    const api::PodView view(pod);
    if (view.phase() == "Running" && view.ready()) ++ready;
  }
  count->replicas = Replicas(ratio * Float64::Of(ready));
}

void ReplicaCalculator::SetPerPod(const Scaled& scaled, std::int64_t usage, std::int64_t target,
                                  bool capped, Count* count) const {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const Float64 all = Float64::Of(usage);
  const Float64 per_pod = Float64::Of(target);
  const Float64 pods = Float64::Of(scaled.status_replicas);
  const Float64 ratio = all / (per_pod * pods);
  count->replicas = scaled.status_replicas;
  // No usage of no pods is no number: the older comparison has it within the tolerance.
  const bool unordered = usage == 0 && scaled.status_replicas == 0;
  const bool outside =
      unordered ? !scaled.tolerances.around_one : !scaled.tolerances.IsWithin(ratio);
  if (outside) count->replicas = capped ? Replicas(all / per_pod) : (all / per_pod).Ceil32();
  count->usage = capped && all >= Float64::Of(kMost) ? kMost : (all / pods).Ceil();
}

std::optional<std::int64_t> ReplicaCalculator::ReadObject(const Scaled& scaled, const Value& metric,
                                                          const Value& object, Count* count) const {
  const std::string_view name = metric.Get("name").AsString();
  const MetricsClient::ValueResult read = metrics_.ObjectMetric(
      name, scaled.pods.ns, object, metric.Get("selector"), scaled.metrics_time);
  if (read.error.empty()) return read.values.front();
  count->error =
      fmt::format("unable to get metric {}: {} on {} {}/{}", name, object.Get("kind").AsString(),
                  scaled.pods.ns, object.Get("name").AsString(), read.error);
  return std::nullopt;
}

ReplicaCalculator::Count ReplicaCalculator::ObjectMetricReplicas(const Scaled& scaled,
                                                                 const Value& metric,
                                                                 const Value& object,
                                                                 std::int64_t target) const {
  Count out;
  const auto usage = ReadObject(scaled, metric, object, &out);
  if (!usage) return out;
  out.usage = *usage;
  SetByRatio(scaled, Float64::Of(out.usage) / Float64::Of(target), &out);
  return out;
}

ReplicaCalculator::Count ReplicaCalculator::ObjectPerPodMetricReplicas(const Scaled& scaled,
                                                                       const Value& metric,
                                                                       const Value& object,
                                                                       std::int64_t target) const {
  Count out;
  if (const auto usage = ReadObject(scaled, metric, object, &out))
    SetPerPod(scaled, *usage, target, false, &out);
  return out;
}

namespace {

// The sum; beyond int64 it stays at its end.
std::int64_t SumOf(const std::vector<std::int64_t>& values) {
  std::int64_t sum = 0;
  for (const std::int64_t v : values) {
    if (v > 0 && sum > std::numeric_limits<std::int64_t>::max() - v)
      return std::numeric_limits<std::int64_t>::max();
    sum += v;
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> ReplicaCalculator::ReadExternal(const Scaled& scaled,
                                                            const Value& metric,
                                                            Count* count) const {
  const std::string_view name = metric.Get("name").AsString();
  const Value& selector = metric.Get("selector");
  const MetricsClient::ValueResult read =
      metrics_.ExternalMetric(name, scaled.pods.ns, selector, scaled.metrics_time);
  if (read.error.empty()) return SumOf(read.values);
  count->error = fmt::format("unable to get external metric {}/{}/{}: {}", scaled.pods.ns, name,
                             LabelSelectorText(selector), read.error);
  return std::nullopt;
}

ReplicaCalculator::Count ReplicaCalculator::ExternalMetricReplicas(const Scaled& scaled,
                                                                   const Value& metric,
                                                                   std::int64_t target) const {
  Count out;
  const auto usage = ReadExternal(scaled, metric, &out);
  if (!usage) return out;
  out.usage = *usage;
  SetByRatio(scaled, Float64::Of(out.usage) / Float64::Of(target), &out);
  return out;
}

ReplicaCalculator::Count ReplicaCalculator::ExternalPerPodMetricReplicas(
    const Scaled& scaled, const Value& metric, std::int64_t target) const {
  Count out;
  if (const auto usage = ReadExternal(scaled, metric, &out))
    SetPerPod(scaled, *usage, target, profile_.hpa_caps_replicas, &out);
  return out;
}

}  // namespace ksim::controllers
