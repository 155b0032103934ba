#include "ksim/apiserver/server/kubernetes_service.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ksim::apiserver {
namespace {

using value::Arr;
using value::Obj;
using value::Path;
using value::Value;

constexpr int kAddressTries = 10;  // more servers than start together
constexpr int kServicePort = 443, kServerPort = 6443;

Value OfName(const char* api_version, const char* kind, Value labels) {
  return Obj({{"apiVersion", Value::Of(api_version)},
              {"kind", Value::Of(kind)},
              {"metadata", Obj({{"name", Value::Of("kubernetes")},
                                {"namespace", Value::Of("default")},
                                {"labels", std::move(labels)}})}});
}

Value HttpsPort(int number) {
  return Obj(
      {{"name", Value::Of("https")}, {"port", Value::Of(number)}, {"protocol", Value::Of("TCP")}});
}

bool IsSlice(const Value& object) { return object.Get("kind").AsString() == "EndpointSlice"; }

}  // namespace

sim::Task<void> KubernetesService::Make() {
  co_await Send(api::Verb::kCreate, Service());  // 409: it is there
  co_await AddTo(Endpoints());
  co_await AddTo(Slice());
}

sim::Task<void> KubernetesService::AddTo(Value fresh) {
  for (int i = 0; i < kAddressTries; ++i) {
    const api::Response found = co_await Send(api::Verb::kGet, fresh);
    if (found.code >= 400) {
      const api::Response created = co_await Send(api::Verb::kCreate, fresh);
      if (created.code < 400) co_return;
      continue;
    }
    const Value stored = found.object.ToTree();
    const Value wanted = WithAddress(stored);
    if (wanted == stored) co_return;
    const api::Response updated = co_await Send(api::Verb::kUpdate, wanted);
    if (updated.code < 400) co_return;
  }
}

sim::Task<api::Response> KubernetesService::Send(api::Verb verb, Value object) {
  api::Request request;
  request.verb = verb;
  request.resource =
      kinds_.ByKind(object.Get("apiVersion").AsString(), object.Get("kind").AsString());
  request.ns = "default";
  if (verb != api::Verb::kCreate) request.name = "kubernetes";
  if (verb != api::Verb::kGet) request.body = std::move(object);
  return server_.Do(std::move(request));
}

Value KubernetesService::Service() const {
  const Value labels =
      Obj({{"component", Value::Of("apiserver")}, {"provider", Value::Of("kubernetes")}});
  const Value port = HttpsPort(kServicePort).Set("targetPort", Value::Of(kServerPort));
  return OfName("v1", "Service", labels)
      .Set("spec", Obj({{"clusterIP", Value::Of(cluster_ip_)},
                        {"ipFamilyPolicy", Value::Of("SingleStack")},
                        {"ports", Arr({port})},
                        {"sessionAffinity", Value::Of("None")},
                        {"type", Value::Of("ClusterIP")}}));
}

// The label keeps the endpointslicemirroring controller away.
Value KubernetesService::Endpoints() const {
  const Value labels = Obj({{"endpointslice.kubernetes.io/skip-mirror", Value::Of("true")}});
  const Value subset = Obj({{"ports", Arr({HttpsPort(kServerPort)})}});
  return WithAddress(OfName("v1", "Endpoints", labels).Set("subsets", Arr({subset})));
}

Value KubernetesService::Slice() const {
  const Value labels = Obj({{"kubernetes.io/service-name", Value::Of("kubernetes")}});
  return WithAddress(OfName("discovery.k8s.io/v1", "EndpointSlice", labels)
                         .Set("addressType", Value::Of("IPv4"))
                         .Set("ports", Arr({HttpsPort(kServerPort)})));
}

Value KubernetesService::WithAddress(const Value& object) const {
  static const Path kAddresses{"subsets", value::PathStep::Index(0), "addresses"};
  static const Path kEndpoints{"endpoints"};
  const bool slice = IsSlice(object);
  const Path& path = slice ? kEndpoints : kAddresses;
  Value mine = Obj({{"ip", Value::Of(address_)}});
  if (slice)
    mine = Obj({{"addresses", Arr({Value::Of(address_)})},
                {"conditions", Obj({{"ready", Value::Bool(true)}})}});
  const auto text_of = [slice](const Value& one) {
    return slice ? one.Get("addresses").at(0).AsString() : one.Get("ip").AsString();
  };
  std::vector<Value> all(object.Get(path).items().begin(), object.Get(path).items().end());
  const bool there = std::any_of(all.begin(), all.end(),
                                 [&](const Value& one) { return text_of(one) == address_; });
  if (there) return object;
  all.push_back(std::move(mine));
  std::sort(all.begin(), all.end(),
            [&](const Value& a, const Value& b) { return text_of(a) < text_of(b); });
  return object.Set(path, Value::Array(std::move(all)));
}

}  // namespace ksim::apiserver
