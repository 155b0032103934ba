#include "ksim/controllers/endpoint/endpoints_content.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/slice_draft.h"
#include "ksim/controllers/endpointutil/subsets.h"
#include "ksim/controllers/endpointutil/trigger_times.h"

namespace ksim::controllers {

using value::Obj;
using value::Path;
using value::Value;

namespace {

constexpr std::string_view kManagedByLabel = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kEndpointController = "endpoint-controller";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";

bool WantsIpv6(const api::Object& service, const api::Object& pod) {
  const Value& families = service.spec().Get("ipFamilies");
  if (!families.empty()) return families.at(0).AsString() == "IPv6";
  return IsIpv6Text(HasClusterIp(service) ? service.spec().Get("clusterIP").AsString()
                                          : api::PodView(pod).pod_ip());
}

// The pod's first address of the Service's family; null if it has none.
Value AddressOf(const api::Object& service, const api::Object& pod, const Profile& profile) {
  const bool six = WantsIpv6(service, pod);
  for (const Value& ip : pod.status().Get("podIPs").items()) {
    const std::string_view text = ip.Get("ip").AsString();
    if (IsIpv6Text(text) != six) continue;
    value::ObjectBuilder address;
    address.Add("ip", Value::Of(EndpointIp(text, profile)));
    address.Add("nodeName", Value::Of(pod.node_name()));
    address.Add("targetRef", PodReference(pod));
    address.AddIf(HasHostnameOf(pod, service), "hostname", pod.spec().Get("hostname"));
    return address.Build();
  }
  return {};
}

Value PortOf(const Value& service_port, std::int64_t number) {
  const Value& name = service_port.Get("name");
  const Value& app = service_port.Get("appProtocol");
  value::ObjectBuilder port;
  port.AddIf(!name.AsString().empty(), "name", name);
  port.Add("port", Value::Int(number)).Add("protocol", service_port.Get("protocol"));
  port.AddIf(!app.is_null(), "appProtocol", app);
  return port.Build();
}

std::int64_t CountAddresses(const Value& subsets, const char* list) {
  std::int64_t count = 0;
  for (const Value& subset : subsets.items())
    count += static_cast<std::int64_t>(subset.Get(list).size());
  return count;
}

bool IsOverCapacity(const Value& subsets) {
  return CountAddresses(subsets, "addresses") + CountAddresses(subsets, "notReadyAddresses") >
         kMaxEndpointsCapacity;
}

Value First(const Value& list, std::int64_t count) {
  std::vector<Value> kept(list.items().begin(), list.items().end());
  kept.resize(std::min<std::size_t>(kept.size(), static_cast<std::size_t>(count)));
  return Value::Array(std::move(kept));
}

Value WithoutHeadlessLabel(const Value& labels) { return labels.Erase(kHeadlessLabel); }

bool SameLabels(const Value& a, const Value& b) { return (a.empty() && b.empty()) || a == b; }

bool LabelsAreRight(const Value& current, const Value& service, const Profile& profile) {
  if (!profile.labels_managed_endpoints) return SameLabels(WithoutHeadlessLabel(current), service);
  if (current.Get(kManagedByLabel).AsString() != kEndpointController) return false;
  return SameLabels(WithoutHeadlessLabel(current).Erase(kManagedByLabel), service);
}

}  // namespace

Value SubsetsOf(const api::Object& service, const std::vector<api::Object>& pods,
                const Profile& profile) {
  const Value& ports = service.spec().Get("ports");
  const bool headless = service.spec().Get("clusterIP").AsString() == "None";
  std::vector<Value> subsets;
  for (const api::Object& pod : pods) {
    if (!BelongsInEndpoints(pod, PublishesNotReady(service))) continue;
    const Value address = AddressOf(service, pod, profile);
    if (address.is_null()) continue;
    const bool ready = PublishesNotReady(service) || api::PodView(pod).ready();
    const Value list = value::Arr({address});
    const char* name = ready ? "addresses" : "notReadyAddresses";
    if (ports.empty() && headless) subsets.push_back(Obj({{name, list}}));
    for (const Value& port : ports.items()) {
      const std::optional<std::int64_t> number = TargetPortIn(pod, port, profile);
      if (number)
        subsets.push_back(Obj({{name, list}, {"ports", value::Arr({PortOf(port, *number)})}}));
    }
  }
  return RepackSubsets(Value::Array(std::move(subsets)), profile);
}

Value TruncateSubsets(const Value& subsets) {
  if (!IsOverCapacity(subsets)) return subsets;
  const std::int64_t ready = CountAddresses(subsets, "addresses");
  const bool cut_ready = ready > kMaxEndpointsCapacity;
  const char* cut = cut_ready ? "addresses" : "notReadyAddresses";
  const std::int64_t room = cut_ready ? kMaxEndpointsCapacity : kMaxEndpointsCapacity - ready;
  const std::int64_t total = cut_ready ? ready : CountAddresses(subsets, cut);
  std::int64_t left = room;
  std::vector<Value> kept;
  for (const Value& subset : subsets.items()) {
    // Its share, rounded up, so that the last subsets may get less.
    const auto size = static_cast<std::int64_t>(subset.Get(cut).size());
    const std::int64_t share = std::min((size * room + total - 1) / total, left);
    const Value list = First(subset.Get(cut), share);
    left -= static_cast<std::int64_t>(list.size());
    Value shorter = list.empty() ? subset.Erase(cut) : subset.Set(cut, list);
    if (cut_ready) shorter = shorter.Erase("notReadyAddresses");
    kept.push_back(std::move(shorter));
  }
  return Value::Array(std::move(kept));
}

bool EndpointsAreRight(const api::Object& current, const api::Object& service, const Value& subsets,
                       const Profile& profile) {
  const Value& had = current.tree().Get("subsets");
  const bool same =
      SameSubsets(had, subsets) ||
      (profile.repacks_current_endpoints && SameSubsets(RepackSubsets(had, profile), subsets));
  static const Path kAnnotation{"metadata", "annotations", kOverCapacity};
  return same && LabelsAreRight(current.labels(), service.labels(), profile) &&
         !IsOverCapacity(had) && current.tree().Find(kAnnotation) == nullptr;
}

api::Object NewEndpoints(const api::Object& current, const api::Object& service,
                         const Value& subsets, std::optional<VirtualTime> trigger,
                         const Profile& profile) {
  static const Path kLabels{"metadata", "labels"};
  static const Path kTrigger{"metadata", "annotations", kTriggerTimeAnnotation};
  static const Path kCapacity{"metadata", "annotations", kOverCapacity};
  Value tree = current.tree();
  if (current.empty())
    tree =
        Obj({{"apiVersion", Value::Of("v1")},
             {"kind", Value::Of("Endpoints")},
             {"metadata",
              Obj({{"name", Value::Of(service.name())}, {"namespace", Value::Of(service.ns())}})}});

  // 1. The subsets, as many of them as there is room for.
  const Value kept = TruncateSubsets(subsets);
  tree = kept.empty() ? tree.Erase("subsets") : tree.Set("subsets", kept);
  tree =
      kept.SameTree(subsets) ? tree.Erase(kCapacity) : tree.Set(kCapacity, Value::Of("truncated"));

  // 2. When the change came about.
  const Value time = TriggerTimeValue(trigger);
  tree = time.is_null() ? tree.Erase(kTrigger) : tree.Set(kTrigger, time);

  // 3. The labels of the Service, and the controller's own.
  Value labels = service.labels().is_null() ? Value::EmptyObject() : service.labels();
  labels = HasClusterIp(service) ? WithoutHeadlessLabel(labels)
                                 : labels.Set(kHeadlessLabel, Value::Of(""));
  if (profile.labels_managed_endpoints)
    labels = labels.Set(kManagedByLabel, Value::Of(kEndpointController));
  tree = labels.empty() ? tree.Erase(kLabels) : tree.Set(kLabels, labels);
  return api::Object::FromTree(std::move(tree), current.resource_version());
}

}  // namespace ksim::controllers
