// The metrics of pods, and what replica counts are worked out of: which pods are ready, which are
// not yet, which have no metric; what they ask for; how what they use relates to a target.
//
// Sources: pkg/controller/podautoscaler/replica_calculator.go (groupPods, calculateRequests),
// metrics/utilization.go.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/float64.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"

namespace ksim::controllers {

struct PodMetric {
  PodMetric() = default;
  explicit PodMetric(std::int64_t v) : value(v) {}
  PodMetric(std::int64_t v, VirtualTime t, Duration w) : value(v), timestamp(t), window(w) {}
  std::int64_t value = 0;  // thousandths
  VirtualTime timestamp;
  Duration window;
};
using PodMetrics = std::map<std::string, PodMetric, std::less<>>;  // by the pod's name
using PodNames = std::set<std::string, std::less<>>;

// --horizontal-pod-autoscaler-cpu-initialization-period, --...-initial-readiness-delay.
inline constexpr Duration kCpuInitializationPeriod = Minutes(5);
inline constexpr Duration kInitialReadinessDelay = Seconds(30);

struct PodGroups {
  PodGroups() = default;
  std::int64_t ready = 0;
  PodNames unready;  // pending, or their CPU is not to be trusted yet
  PodNames missing;  // no metric
  PodNames ignored;  // failed or being deleted
};
struct ReadinessPeriods {
  Duration cpu_initialization = kCpuInitializationPeriod;
  Duration initial_readiness = kInitialReadinessDelay;
};
PodGroups GroupPods(const std::vector<api::Object>& pods, const PodMetrics& metrics,
                    std::string_view resource, VirtualTime now,
                    const ReadinessPeriods& periods = ReadinessPeriods());

void RemoveMetrics(const PodNames& pods, PodMetrics* metrics);

// The amounts that pods ask for, in thousandths; of one container unless its name is "".
struct PodRequests {
  PodRequests() = default;
  std::string error;  // "" = none
  std::map<std::string, std::int64_t, std::less<>> of;
};
PodRequests CalculateRequests(const std::vector<api::Object>& pods, std::string_view container,
                              std::string_view resource, const Profile& profile);

// GetResourceUtilizationRatio.
struct Utilization {
  Utilization() = default;
  std::string error;
  Float64 ratio;             // of the target
  std::int32_t percent = 0;  // of the requests
  std::int64_t average = 0;
};
Utilization UtilizationOf(const PodMetrics& metrics, const PodRequests& requests,
                          std::int64_t target_percent);

// GetMetricUsageRatio. There is at least one metric.
struct Usage {
  Float64 ratio;
  std::int64_t average = 0;
};
Usage UsageOf(const PodMetrics& metrics, std::int64_t target);

}  // namespace ksim::controllers
