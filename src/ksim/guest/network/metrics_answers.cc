#include "ksim/guest/network/metrics_answers.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/paths.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/value/json.h"
#include "ksim/value/quantity.h"
#include "ksim/value/selector.h"
#include "ksim/value/timestamp.h"

namespace ksim::guest {

namespace http = apiserver::http;
using value::Obj;
using value::Value;
using MetricsApi = api::MetricsSource::Api;

namespace {

struct Asked {
  http::Url url;
  http::RequestInfo info;
};

// A list in a namespace of the group; nullopt: something else.
std::optional<Asked> ListOf(const http::HttpRequest& request, std::string_view group) {
  std::optional<http::Url> url = http::ParseTarget(request.target);
  if (!url) return std::nullopt;
  Asked asked;
  asked.info = http::ReadRequestInfo(request.method, *url);
  asked.url = *std::move(url);
  const http::RequestInfo& info = asked.info;
  const bool lists = info.verb == "list" && info.api_group == group &&
                     info.api_version == "v1beta1" && !info.ns.empty();
  if (!lists) return std::nullopt;
  return asked;
}

http::HttpResponse JsonResponse(const Value& tree) {
  http::HttpResponse response;
  response.code = 200;
  response.headers.Add("Content-Type", "application/json");
  response.body = value::ToJson(tree);
  return response;
}

Value ListTree(std::string_view kind, std::string_view api_version, std::vector<Value> items) {
  return Obj({{"kind", Value::Of(kind)},
              {"apiVersion", Value::Of(api_version)},
              {"metadata", Value::EmptyObject()},
              {"items", Value::Array(std::move(items))}});
}

value::LabelSelector SelectorOf(std::string_view text) {
  const absl::StatusOr<value::LabelSelector> selector = value::LabelSelector::Parse(text);
  return selector.ok() ? *selector : value::LabelSelector::Nothing();
}

Value Milli(std::int64_t milli) { return value::Quantity::FromMilli(milli).ToTree(); }

// The use of both resources by one pod.
Value PodTree(const api::Object& pod, const api::PodReading& cpu, const api::PodReading& memory) {
  std::vector<Value> containers;
  for (std::size_t i = 0; i < cpu.containers.size(); ++i)
    containers.push_back(
        Obj({{"name", Value::Of(cpu.containers[i].first)},
             {"usage", Obj({{"cpu", Milli(cpu.containers[i].second.value_or(0))},
                            {"memory", Milli(memory.containers[i].second.value_or(0))}})}}));
  return Obj({{"metadata", Obj({{"name", Value::Of(pod.name())},
                                {"namespace", Value::Of(pod.ns())},
                                {"creationTimestamp", Value()}})},
              {"timestamp", value::TimestampValue(cpu.timestamp)},
              {"window", Value::Of(FormatDuration(cpu.window))},
              {"containers", Value::Array(std::move(containers))}});
}

}  // namespace

std::optional<PodMetricsRequest> AsPodList(const http::HttpRequest& request,
                                           const api::MetricsSource& metrics) {
  const std::optional<Asked> asked = ListOf(request, "metrics.k8s.io");
  if (!asked || asked->info.resource != "pods" || !metrics.Serves(MetricsApi::kResource))
    return std::nullopt;
  PodMetricsRequest out;
  out.pods = request;
  out.pods.target = fmt::format("/api/v1/namespaces/{}/pods", asked->info.ns);
  out.pods.headers.Set("Accept", "application/json");
  out.pods.headers.Remove("Accept-Encoding");
  out.selector = asked->url.query.Get("labelSelector");
  return out;
}

http::HttpResponse PodMetricsOf(const http::HttpResponse& pods, const std::string& selector,
                                const api::MetricsSource& metrics, VirtualTime now) {
  const absl::StatusOr<Value> list = value::ParseJson(pods.body);
  if (pods.code != 200 || !list.ok()) return pods;
  std::vector<api::Object> all;
  std::map<std::string_view, const api::Object*> by_name;
  for (const Value& tree : list->Get("items").items()) all.push_back(api::Object::FromTree(tree));
  for (const api::Object& pod : all) by_name[pod.name()] = &pod;
  const value::LabelSelector wanted = SelectorOf(selector);
  const std::vector<api::PodReading> cpu = metrics.ResourceUse(all, "cpu", now);
  const std::vector<api::PodReading> memory = metrics.ResourceUse(all, "memory", now);
  std::vector<Value> items;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    const api::Object& pod = *by_name[cpu[i].pod];
    if (wanted.Matches(pod.labels())) items.push_back(PodTree(pod, cpu[i], memory[i]));
  }
  return JsonResponse(ListTree("PodMetricsList", "metrics.k8s.io/v1beta1", std::move(items)));
}

std::optional<http::HttpResponse> ServeMetrics(const http::HttpRequest& request,
                                               const api::MetricsSource* metrics, VirtualTime now) {
  const auto serves = [metrics](MetricsApi api) {
    return metrics != nullptr && metrics->Serves(api);
  };
  const bool of_pods = ListOf(request, "metrics.k8s.io").has_value();
  const std::optional<Asked> asked = ListOf(request, "external.metrics.k8s.io");
  if ((of_pods && !serves(MetricsApi::kResource)) || (asked && !serves(MetricsApi::kExternal)))
    return http::PlainText(404, "404 page not found");
  if (!asked) return std::nullopt;
  const std::string& name = asked->info.resource;
  std::vector<Value> items;
  for (const std::int64_t milli : metrics->ExternalMetric(
           asked->info.ns, name, SelectorOf(asked->url.query.Get("labelSelector")), now))
    items.push_back(Obj({{"metricName", Value::Of(name)},
                         {"metricLabels", Value::EmptyObject()},
                         {"timestamp", value::TimestampValue(now)},
                         {"value", Milli(milli)}}));
  return JsonResponse(
      ListTree("ExternalMetricValueList", "external.metrics.k8s.io/v1beta1", std::move(items)));
}

}  // namespace ksim::guest
