// The metrics APIs as guests ask for them: pods of metrics.k8s.io, which are made of a list of the
// pods, and metrics of external.metrics.k8s.io. A guest is not served custom.metrics.k8s.io.
//
// Source: k8s.io/metrics pkg/apis/metrics/v1beta1/types.go, pkg/apis/external_metrics/v1beta1.
#pragma once
#include <optional>
#include <string>

#include "ksim/api/core/metrics_source.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/base/time.h"

namespace ksim::guest {

// A list of pods in the place of their metrics.
struct PodMetricsRequest {
  PodMetricsRequest() = default;
  apiserver::http::HttpRequest pods;  // all of the namespace
  std::string selector;               // those that are asked for
};
// nullopt for a request about something else.
std::optional<PodMetricsRequest> AsPodList(const apiserver::http::HttpRequest& request,
                                           const api::MetricsSource& metrics);
// The answer, made of that to the list.
apiserver::http::HttpResponse PodMetricsOf(const apiserver::http::HttpResponse& pods,
                                           const std::string& selector,
                                           const api::MetricsSource& metrics, VirtualTime now);

// External metrics, and 404 for an API that is not served (null: none is), as no group of that name
// is there. nullopt for a request about something else.
std::optional<apiserver::http::HttpResponse> ServeMetrics(
    const apiserver::http::HttpRequest& request, const api::MetricsSource* metrics,
    VirtualTime now);

}  // namespace ksim::guest
