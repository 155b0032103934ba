// MetricsSource: what the metrics APIs of a cluster tell: how much CPU and memory the containers of
// pods use (metrics.k8s.io, of metrics-server), metrics of pods and of other objects
// (custom.metrics.k8s.io), and metrics of the world outside (external.metrics.k8s.io). A scenario
// says what they have (spec.cluster.metrics).
//
// Source: k8s.io/metrics pkg/apis; metrics-server pkg/storage.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/selector.h"

namespace ksim::api {

// One pod's metrics as metrics-server has them.
struct PodReading {
  PodReading() = default;
  std::string pod;
  VirtualTime timestamp;  // the end of the time that was measured
  Duration window;        // how long it was
  // Each container with its use of the resource, in thousandths; nullopt: it does not tell.
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> containers;
};

class MetricsSource {
 public:
  enum class Api : std::uint8_t { kResource, kCustom, kExternal };
  // The pods of one namespace, all of them and as they are, by name.
  using Pods = std::vector<Object>;

  virtual ~MetricsSource() = default;
  // Whether the cluster serves the API at all.
  virtual bool Serves(Api api) const = 0;

  // Those of `pods` that have been running long enough to be measured.
  virtual std::vector<PodReading> ResourceUse(const Pods& pods, std::string_view resource,
                                              VirtualTime now) const = 0;
  // A metric of each pod that has it, by the pod's name, in thousandths. nullopt: nobody has heard
  // of such a metric.
  using PodValues = std::vector<std::pair<std::string, std::int64_t>>;
  virtual std::optional<PodValues> PodMetric(const Pods& pods, std::string_view ns,
                                             std::string_view metric,
                                             const value::LabelSelector& selector,
                                             VirtualTime now) const = 0;
  // A metric of one object; of a namespace, `name` is its own.
  struct ObjectMetricQuery {
    std::string_view ns, kind, name, metric;
  };
  virtual std::optional<std::int64_t> ObjectMetric(const ObjectMetricQuery& query,
                                                   const value::LabelSelector& selector,
                                                   VirtualTime now) const = 0;
  // The values of an external metric whose labels match.
  virtual std::vector<std::int64_t> ExternalMetric(std::string_view ns, std::string_view metric,
                                                   const value::LabelSelector& selector,
                                                   VirtualTime now) const = 0;
  // When what it tells changes for the last time by itself.
  virtual VirtualTime LastChange() const = 0;
};

}  // namespace ksim::api
