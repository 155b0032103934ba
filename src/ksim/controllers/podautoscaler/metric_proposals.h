// The counts that the metrics of an autoscaler's spec propose, and what they come to together.
//
// Source: pkg/controller/podautoscaler/horizontal.go (computeReplicasForMetrics,
// computeReplicasForMetric, computeStatusFor...).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/podautoscaler/replica_calculator.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// One metric's proposal.
struct MetricProposal {
  MetricProposal() = default;
  std::string error;  // "" = none
  // An error's: the reason of its Event and of the condition, and the text of the Event.
  std::string reason, cause;
  std::int32_t replicas = 0;
  std::string metric;   // as conditions and Events name it
  value::Value status;  // a MetricStatus; of an error one without a type
};
MetricProposal ProposeByMetric(const ReplicaCalculator& calculator,
                               const ReplicaCalculator::Scaled& scaled, const value::Value& spec,
                               const Profile& profile);

// All metrics together.
struct MetricsProposal {
  MetricsProposal() = default;
  // Nothing is scaled by these metrics: all have failed, or some have and the others would scale
  // down.
  bool failed = false;
  std::string error;  // "" = none; without `failed`: the metrics that work decide
  std::int32_t replicas = 0;
  std::string metric;
  value::Value statuses;                 // a list, one for each metric
  std::vector<MetricProposal> failures;  // the first says why
};
MetricsProposal ProposeByMetrics(const ReplicaCalculator& calculator,
                                 const ReplicaCalculator::Scaled& scaled,
                                 const value::Value& metrics, const Profile& profile);

}  // namespace ksim::controllers
