// MetricsClient: asks the metrics APIs, and says in upstream's words what is not there.
//
// Sources: pkg/controller/podautoscaler/metrics/client.go; k8s.io/metrics
// pkg/client/custom_metrics; custom-metrics-apiserver pkg/provider/errors.go for the answers of an
// adapter that does not know a metric.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/metrics_source.h"
#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/podautoscaler/pod_metrics.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// The pods that a scaled object's selector selects, among all of its namespace.
struct ScaledPods {
  ScaledPods() = default;
  std::string ns;
  std::vector<api::Object> all;       // of the namespace
  std::vector<api::Object> selected;  // by the selector of the scale
};

class MetricsClient {
 public:
  // Null: the cluster serves no metrics API. `source` outlives it.
  MetricsClient(const Profile& profile, const api::MetricsSource* source)
      : profile_(profile), source_(source) {}

  struct PodResult {
    PodResult() = default;
    std::string error;  // "" = none
    PodMetrics metrics;
  };
  // `container`: "" is the whole pod.
  PodResult ResourceMetric(std::string_view resource, const ScaledPods& pods,
                           std::string_view container, VirtualTime now) const;
  // GetRawMetric. A selector of a metric is a metav1.LabelSelector, or null.
  PodResult PodsMetric(std::string_view metric, const ScaledPods& pods,
                       const value::Value& selector, VirtualTime now) const;

  struct ValueResult {
    ValueResult() = default;
    std::string error;
    std::vector<std::int64_t> values;  // thousandths
  };
  // One value. `object` is a CrossVersionObjectReference.
  ValueResult ObjectMetric(std::string_view metric, std::string_view ns, const value::Value& object,
                           const value::Value& selector, VirtualTime now) const;
  ValueResult ExternalMetric(std::string_view metric, std::string_view ns,
                             const value::Value& selector, VirtualTime now) const;

 private:
  bool Serves(api::MetricsSource::Api api) const {
    return source_ != nullptr && source_->Serves(api);
  }

  const Profile& profile_;
  const api::MetricsSource* source_;
};

// LabelSelectorAsSelector, whose error is "" here: the server has looked at the selector. Of no
// selector upstream sends none.
value::LabelSelector MetricSelector(const value::Value& selector);

}  // namespace ksim::controllers
