#include "ksim/controllers/endpointslice/slice_reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/endpointslice/slice_packing.h"
#include "ksim/controllers/endpointslice/traffic_distribution.h"
#include "ksim/controllers/endpointutil/endpoint_hash.h"
#include "ksim/controllers/endpointutil/service_pods.h"
#include "ksim/controllers/endpointutil/trigger_times.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

constexpr std::string_view kHintsAnnotation = "service.kubernetes.io/topology-aware-hints";
constexpr std::string_view kTopologyModeAnnotation = "service.kubernetes.io/topology-mode";

// getAddressTypesForService.
std::vector<std::string> AddressTypesOf(const api::Object& service) {
  std::vector<std::string> types;
  for (const char* family : {"IPv4", "IPv6"})
    for (const Value& asked : service.spec().Get("ipFamilies").items())
      if (asked.AsString() == family && (types.empty() || types.back() != family))
        types.emplace_back(family);
  if (!types.empty()) return types;
  if (HasClusterIp(service)) {
    const bool six = IsIpv6Text(service.spec().Get("clusterIP").AsString());
    return {six ? "IPv6" : "IPv4"};
  }
  return {"IPv4", "IPv6"};
}

// If there are slices to create and to delete, those to delete become the new ones. Those of an
// earlier Service of the same name are left to the garbage collector.
void Recycle(const api::Object& service, SliceChanges* changes) {
  for (std::size_t i = 0; i < changes->erase.size() && !changes->create.empty();) {
    const SliceDraft& old = changes->erase[i];
    SliceDraft& made = changes->create.back();
    if (old.address_type() != made.address_type() || !IsOwnedBy(old.cached, service)) {
      ++i;
      continue;
    }
    made.set_name(old.name());
    changes->update.push_back(std::move(made));
    changes->create.pop_back();
    changes->erase.erase(changes->erase.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

sim::Task<std::string> SliceReconciler::Reconcile(api::Object service,
                                                  std::vector<api::Object> pods,
                                                  std::vector<api::Object> existing,
                                                  std::optional<VirtualTime> trigger) {
  const std::vector<std::string> types = AddressTypesOf(service);
  const std::string key = service.key();
  std::vector<std::string> errors;

  // 1. Slices of addresses that the Service has no more go at the end.
  absl::btree_map<std::string, std::vector<SliceDraft>> by_type;
  std::vector<api::Object> obsolete;
  for (const api::Object& slice : existing) {
    const std::string type(slice.tree().Get("addressType").AsString());
    if (std::find(types.begin(), types.end(), type) != types.end()) {
      by_type[type].emplace_back(slice);
      continue;
    }
    topology_.RemoveHints(key, type);
    obsolete.push_back(slice);
  }

  // 2. The others, one type after the other.
  for (const std::string& type : types) {
    Plan plan = PlanChanges(service, pods, by_type[type], type);
    GiveHints(service, by_type[type], type, &plan);
    const std::string error = co_await Write(service, std::move(plan.changes), trigger);
    errors.insert(errors.end(), plan.errors.begin(), plan.errors.end());
    if (!error.empty()) errors.push_back(error);
    for (const TopologyEvent& event : plan.events)
      recorder_.Event(service, event.type, event.reason, event.message);
  }

  // 3. Deletes.
  for (const api::Object& slice : obsolete) {
    const client::Client::ObjectResult gone =
        co_await client_.Delete(resource_, slice.ns(), slice.name(), api::DeleteOptions());
    if (gone.ok())
      tracker_.ExpectDeletion(slice);
    else
      errors.push_back(fmt::format("error deleting {} EndpointSlice for Service {}: {}",
                                   slice.name(), key, gone.status().message));
  }
  co_return AggregateErrors(errors);
}

// reconcileByAddressType, without the hints.
SliceReconciler::Plan SliceReconciler::PlanChanges(const api::Object& service,
                                                   const std::vector<api::Object>& pods,
                                                   const std::vector<SliceDraft>& existing,
                                                   std::string_view address_type) const {
  Plan plan;
  struct Group {
    Group() = default;
    Value ports;
    EndpointSet endpoints;
  };
  absl::btree_map<std::string, Group> desired;
  absl::btree_map<std::string, std::vector<SliceDraft>> by_ports;

  // 1. The slices that there are, by their ports.
  for (SliceDraft slice : existing) {
    if (!IsOwnedBy(slice.cached, service)) {
      plan.changes.erase.push_back(std::move(slice));
      continue;
    }
    // Upstream sorts the ports of its cache.
    const Value ports = SortedSlicePorts(slice.tree.Get("ports"), profile_);
    slice.tree = slice.tree.Set("ports", ports);
    by_ports[PortMapKeyOfCached(ports, profile_)].push_back(std::move(slice));
  }

  // 2. The endpoints that there should be, by the ports of their pods.
  for (const api::Object& pod : pods) {
    if (!BelongsInEndpoints(pod, true)) continue;
    const Value ports = PortsOf(pod, service);
    Group& group = desired[PortMapKey(ports)];
    group.ports = ports;
    const api::Object node = nodes_.Get("", pod.node_name());
    if (node.empty() && !PublishesNotReady(service)) {
      plan.errors.push_back(fmt::format("skipping Pod {} for Service {}: Node {} Not Found",
                                        pod.name(), service.key(), pod.node_name()));
      continue;
    }
    const Value endpoint = EndpointOf(pod, node, service, address_type);
    if (!endpoint.is_null()) group.endpoints.Insert(endpoint);
  }

  // 3. The changes, set of ports by set of ports.
  for (auto& [key, group] : desired)
    plan.changes.Append(
        PackSlices(service, by_ports[key], std::move(group.endpoints), address_type, group.ports));
  for (auto& [key, slices] : by_ports)
    if (!desired.contains(key))
      for (SliceDraft& slice : slices) plan.changes.erase.push_back(std::move(slice));

  // 4. A Service whose slices would all go keeps an empty one.
  std::vector<SliceDraft>& erase = plan.changes.erase;
  if (existing.size() != erase.size() || !plan.changes.create.empty()) return plan;
  SliceDraft placeholder = NewSlice(service, address_type, Value::EmptyArray());
  if (erase.size() == 1 && IsPlaceholder(erase[0], placeholder))
    erase.clear();
  else
    plan.changes.create.push_back(std::move(placeholder));
  return plan;
}

void SliceReconciler::GiveHints(const api::Object& service, const std::vector<SliceDraft>& existing,
                                std::string_view address_type, Plan* plan) {
  HintedSlices slices;
  slices.service = service.key();
  slices.address_type = std::string(address_type);
  slices.create = &plan->changes.create;
  slices.update = &plan->changes.update;
  slices.unchanged = UnchangedSlices(existing, plan->changes);
  if (HintsEnabled(service)) {
    plan->events = topology_.AddHints(&slices);
  } else {
    if (topology_.HasPopulatedHints(slices.service))
      plan->events.emplace_back(
          "Warning", "TopologyAwareHintsDisabled",
          fmt::format("Topology Aware Hints has been disabled, addressType: {}", address_type));
    topology_.RemoveHints(slices.service, slices.address_type);
    if (AsksForCloseTraffic(service, profile_))
      AddCloseHints(service, &slices);
    else
      RemoveHintsFromSlices(&slices);
  }
  if (!profile_.topology_hint_events) plan->events.clear();
}

bool SliceReconciler::HintsEnabled(const api::Object& service) const {
  static const value::Path kAnnotations{"metadata", "annotations"};
  const Value& annotations = service.Get(kAnnotations);
  const bool older = annotations.Has(kHintsAnnotation);
  if (!older && !profile_.topology_mode_annotation) return false;
  const std::string_view mode =
      annotations.Get(older ? kHintsAnnotation : kTopologyModeAnnotation).AsString();
  return mode == "Auto" || mode == "auto";
}

// podToEndpoint.
Value SliceReconciler::EndpointOf(const api::Object& pod, const api::Object& node,
                                  const api::Object& service, std::string_view address_type) const {
  std::vector<Value> addresses;
  for (const Value& ip : pod.status().Get("podIPs").items()) {
    const std::string_view text = ip.Get("ip").AsString();
    if (IsIpv6Text(text) == (address_type == "IPv6"))
      addresses.push_back(Value::Of(EndpointIp(text, profile_)));
  }
  if (addresses.empty()) return {};
  // A pod that is being deleted is never ready, whatever it says, but it may still serve.
  const bool serving = api::PodView(pod).ready();
  const bool ready = PublishesNotReady(service) || (serving && !pod.deleting());
  const std::string_view zone = node.empty() ? "" : node.Label("topology.kubernetes.io/zone");
  value::ObjectBuilder endpoint;
  endpoint.Add("addresses", Value::Array(std::move(addresses)));
  endpoint.Add("conditions", Obj({{"ready", Value::Bool(ready)},
                                  {"serving", Value::Bool(serving)},
                                  {"terminating", Value::Bool(pod.deleting())}}));
  endpoint.Add("targetRef", PodReference(pod));
  endpoint.AddIf(!pod.node_name().empty(), "nodeName", Value::Of(pod.node_name()));
  endpoint.AddIf(!zone.empty(), "zone", Value::Of(zone));
  endpoint.AddIf(HasHostnameOf(pod, service), "hostname", pod.spec().Get("hostname"));
  return endpoint.Build();
}

// getEndpointPorts, sorted as NewPortMapKey leaves them.
Value SliceReconciler::PortsOf(const api::Object& pod, const api::Object& service) const {
  std::vector<Value> ports;
  for (const Value& port : service.spec().Get("ports").items()) {
    const std::optional<std::int64_t> number = TargetPortIn(pod, port, profile_);
    if (!number) continue;
    value::ObjectBuilder made;
    made.Add("name", Value::Of(port.Get("name").AsString()));
    made.Add("port", Value::Int(*number));
    made.Add("protocol", port.Get("protocol"));
    made.AddIf(!port.Get("appProtocol").is_null(), "appProtocol", port.Get("appProtocol"));
    ports.push_back(made.Build());
  }
  return SortedSlicePorts(Value::Array(std::move(ports)), profile_);
}

sim::Task<std::string> SliceReconciler::Write(api::Object service, SliceChanges changes,
                                              std::optional<VirtualTime> trigger) {
  const Value annotation = TriggerTimeValue(trigger);
  Recycle(service, &changes);

  // 1. Creates. A Service that is being deleted gets no new slices, which the garbage collector
  // would have to race for.
  if (service.deleting()) changes.create.clear();
  for (SliceDraft& slice : changes.create) {
    slice.Annotate(kTriggerTimeAnnotation, annotation);
    const client::Client::ObjectResult created =
        co_await client_.Create(resource_, slice.ToObject());
    if (!created.ok()) {
      if (api::HasCause(created.status(), "NamespaceTerminating")) co_return "";
      co_return fmt::format("failed to create EndpointSlice for Service {}: {}", service.key(),
                            created.status().message);
    }
    tracker_.Update(*created);
  }

  // 2. Updates.
  for (SliceDraft& slice : changes.update) {
    slice.Annotate(kTriggerTimeAnnotation, annotation);
    const client::Client::ObjectResult updated =
        co_await client_.Update(resource_, slice.ToObject());
    if (!updated.ok())
      co_return fmt::format("failed to update {} EndpointSlice for Service {}: {}", slice.name(),
                            service.key(), updated.status().message);
    tracker_.Update(*updated);
  }

  // 3. Deletes.
  for (const SliceDraft& slice : changes.erase) {
    const client::Client::ObjectResult gone = co_await client_.Delete(
        resource_, slice.cached.ns(), slice.cached.name(), api::DeleteOptions());
    if (!gone.ok())
      co_return fmt::format("failed to delete {} EndpointSlice for Service {}: {}", slice.name(),
                            service.key(), gone.status().message);
    tracker_.ExpectDeletion(slice.cached);
  }
  co_return "";
}

}  // namespace ksim::controllers
