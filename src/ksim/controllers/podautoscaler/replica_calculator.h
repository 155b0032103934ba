// ReplicaCalculator: how many replicas a metric asks for.
//
// Source: pkg/controller/podautoscaler/replica_calculator.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/base/float64.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/podautoscaler/metrics_client.h"
#include "ksim/controllers/podautoscaler/pod_metrics.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// How far a ratio of usage and target may be from 1 before anything is scaled.
struct Tolerances {
  Float64 scale_down = Float64::Tenths(1);  // --horizontal-pod-autoscaler-tolerance
  Float64 scale_up = Float64::Tenths(1);
  // Up to 1.32: |1 - ratio| <= tolerance, which is not the same in doubles.
  bool around_one = false;
  bool IsWithin(Float64 ratio) const;
};

// The tolerances of spec.behavior, a quantity each, where the version knows them.
Tolerances TolerancesOf(const value::Value& behavior, const Profile& profile);

class ReplicaCalculator {
 public:
  ReplicaCalculator(const Profile& profile, const api::MetricsSource* source,
                    ReadinessPeriods periods = ReadinessPeriods())
      : profile_(profile), metrics_(profile, source), periods_(periods) {}

  // A count, and what has been measured.
  struct Count {
    Count() = default;
    std::string error;  // "" = none
    std::int32_t replicas = 0;
    std::int32_t percent = 0;  // only of ResourceReplicas
    std::int64_t usage = 0;    // thousandths; of pods: the average
  };
  // The object that is scaled, as it is.
  struct Scaled {
    Scaled() = default;
    ScaledPods pods;
    std::int32_t spec_replicas = 0;
    std::int32_t status_replicas = 0;
    Tolerances tolerances;
    VirtualTime now;           // of the process
    VirtualTime metrics_time;  // of the run, by which the metrics APIs go
  };

  // Targets are in thousandths, but of a utilization: in percent.
  Count ResourceReplicas(const Scaled& scaled, std::string_view resource,
                         std::string_view container, std::int64_t target_percent) const;
  Count RawResourceReplicas(const Scaled& scaled, std::string_view resource,
                            std::string_view container, std::int64_t target) const;
  Count MetricReplicas(const Scaled& scaled, const value::Value& metric, std::int64_t target) const;
  Count ObjectMetricReplicas(const Scaled& scaled, const value::Value& metric,
                             const value::Value& object, std::int64_t target) const;
  Count ObjectPerPodMetricReplicas(const Scaled& scaled, const value::Value& metric,
                                   const value::Value& object, std::int64_t target) const;
  Count ExternalMetricReplicas(const Scaled& scaled, const value::Value& metric,
                               std::int64_t target) const;
  Count ExternalPerPodMetricReplicas(const Scaled& scaled, const value::Value& metric,
                                     std::int64_t target) const;

 private:
  // calcPlainMetricReplicas.
  Count PlainMetricReplicas(const Scaled& scaled, PodMetrics metrics, std::string_view resource,
                            std::int64_t target) const;
  // The metric's value; none, and the error in `count`, when it cannot be read.
  std::optional<std::int64_t> ReadObject(const Scaled& scaled, const value::Value& metric,
                                         const value::Value& object, Count* count) const;
  std::optional<std::int64_t> ReadExternal(const Scaled& scaled, const value::Value& metric,
                                           Count* count) const;
  std::string NoPods(const Scaled& scaled) const;
  void SetByRatio(const Scaled& scaled, Float64 ratio, Count* count) const;
  void SetPerPod(const Scaled& scaled, std::int64_t usage, std::int64_t target, bool capped,
                 Count* count) const;
  std::int32_t Replicas(Float64 wanted) const;

  const Profile& profile_;
  MetricsClient metrics_;
  ReadinessPeriods periods_;
};

}  // namespace ksim::controllers
