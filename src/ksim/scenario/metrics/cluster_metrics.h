// ClusterMetrics: the metrics APIs of a cluster as a scenario has them (spec.cluster.metrics): what
// metrics-server and the adapters would tell at a moment of the run.
//
// metrics-server looks at each kubelet every 15 s; here the looks are at 0, 15, 30 s of the run. A
// container has a reading once it has run for 10 s at a look, which measures the time since the
// look before, or since its start.
//
// Source: metrics-server cmd/metrics-server/app/options (--metric-resolution), pkg/storage/pod.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/api/core/metrics_source.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Told to a user whose autoscalers would wait for metrics for ever.
inline constexpr std::string_view kNoMetrics =
    "no metrics in this run (spec.cluster.metrics has none): a HorizontalPodAutoscaler keeps to "
    "its bounds, and scales by no load";

class ClusterMetrics : public api::MetricsSource {
 public:
  explicit ClusterMetrics(const std::vector<MetricSpec>& specs);

  bool Serves(Api api) const override;
  std::vector<api::PodReading> ResourceUse(const Pods& pods, std::string_view resource,
                                           VirtualTime now) const override;
  std::optional<PodValues> PodMetric(const Pods& pods, std::string_view ns, std::string_view metric,
                                     const value::LabelSelector& selector,
                                     VirtualTime now) const override;
  std::optional<std::int64_t> ObjectMetric(const ObjectMetricQuery& query,
                                           const value::LabelSelector& selector,
                                           VirtualTime now) const override;
  std::vector<std::int64_t> ExternalMetric(std::string_view ns, std::string_view metric,
                                           const value::LabelSelector& selector,
                                           VirtualTime now) const override;
  VirtualTime LastChange() const override;

 private:
  struct Level {
    VirtualTime at;
    std::int64_t milli = 0;
    bool each = false;
  };
  struct Metric {
    MetricSpec spec;
    Api api = Api::kExternal;
    value::LabelSelector pods;
    value::Value labels;
    std::vector<Level> load;  // in order
  };

  static Level At(const Metric& metric, VirtualTime now);
  // The share of each of `pods`, in their order; -1: it is not one of the metric's.
  static std::vector<std::int64_t> Shares(const Metric& metric, const Pods& pods, VirtualTime now);

  std::vector<Metric> metrics_;
};

}  // namespace ksim::scenario
