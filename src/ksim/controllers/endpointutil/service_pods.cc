#include "ksim/controllers/endpointutil/service_pods.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/controllers/common/label_index.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

// podEndpointsChanged: the deletion timestamps are compared by their addresses there, so that a pod
// that is being deleted counts as changed each time.
bool EndpointsChanged(const api::Object& old_pod, const api::Object& new_pod) {
  if (old_pod.deleting() || new_pod.deleting()) return true;
  if (api::PodView(old_pod).ready() != api::PodView(new_pod).ready()) return true;
  const Value& old_ips = old_pod.status().Get("podIPs");
  const Value& new_ips = new_pod.status().Get("podIPs");
  if (old_ips.size() != new_ips.size()) return true;
  for (std::size_t i = 0; i < old_ips.size(); ++i)
    if (old_ips.at(i).Get("ip") != new_ips.at(i).Get("ip")) return true;
  return false;
}

bool MembershipChanged(const api::Object& old_pod, const api::Object& new_pod) {
  if (old_pod.labels() != new_pod.labels()) return true;
  for (const char* field : {"hostname", "subdomain"})
    if (old_pod.spec().Get(field) != new_pod.spec().Get(field)) return true;
  return false;
}

std::optional<std::int64_t> NamedPort(const Value& containers, const Value& service_port) {
  for (const Value& container : containers.items())
    for (const Value& port : container.Get("ports").items())
      if (port.Get("name") == service_port.Get("targetPort") &&
          port.Get("protocol") == service_port.Get("protocol"))
        return port.Get("containerPort").AsInt();
  return std::nullopt;
}

}  // namespace

bool HasSelector(const api::Object& service) { return !service.spec().Get("selector").empty(); }

bool IsExternalName(const api::Object& service) {
  return service.spec().Get("type").AsString() == "ExternalName";
}

bool HasClusterIp(const api::Object& service) {
  const std::string_view ip = service.spec().Get("clusterIP").AsString();
  return !ip.empty() && ip != "None";
}

bool PublishesNotReady(const api::Object& service) {
  return service.spec().Get("publishNotReadyAddresses").AsBool();
}

std::vector<api::Object> PodsOf(const api::Object& service, const client::Lister& pods) {
  return ListSelected(pods, service.ns(),
                      value::LabelSelector::FromSet(service.spec().Get("selector")));
}

std::vector<std::string> ServicesOf(const api::Object& pod, const client::Lister& services) {
  std::vector<std::string> keys;
  for (const api::Object& service : ListSelecting(services, pod.ns(), pod.labels()))
    keys.push_back(service.key());
  return keys;
}

std::vector<std::string> ServicesOfChange(const api::Object& old_pod, const api::Object& new_pod,
                                          const client::Lister& services) {
  if (old_pod.resource_version() == new_pod.resource_version()) return {};
  const bool changed = EndpointsChanged(old_pod, new_pod);
  if (!MembershipChanged(old_pod, new_pod))
    return changed ? ServicesOf(new_pod, services) : std::vector<std::string>();
  // Both lists are in key order.
  const std::vector<std::string> before = ServicesOf(old_pod, services);
  const std::vector<std::string> after = ServicesOf(new_pod, services);
  std::vector<std::string> keys;
  if (changed)
    std::set_union(before.begin(), before.end(), after.begin(), after.end(),
                   std::back_inserter(keys));
  else
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::back_inserter(keys));
  return keys;
}

bool BelongsInEndpoints(const api::Object& pod, bool include_terminating) {
  const api::PodView view(pod);
  if (view.terminal()) return false;
  if (view.pod_ip().empty() && pod.status().Get("podIPs").empty()) return false;
  return include_terminating || !pod.deleting();
}

bool HasHostnameOf(const api::Object& pod, const api::Object& service) {
  return !pod.spec().Get("hostname").AsString().empty() &&
         pod.spec().Get("subdomain").AsString() == service.name() && pod.ns() == service.ns();
}

std::optional<std::int64_t> TargetPortIn(const api::Object& pod, const Value& service_port,
                                         const Profile& profile) {
  const Value& target = service_port.Get("targetPort");
  if (!target.is_string()) return target.AsInt();
  const std::optional<std::int64_t> port = NamedPort(pod.spec().Get("containers"), service_port);
  if (port || !profile.finds_ports_of_sidecars) return port;
  std::vector<Value> sidecars;
  for (const Value& container : pod.spec().Get("initContainers").items())
    if (api::PodView::IsSidecar(container)) sidecars.push_back(container);
  return NamedPort(Value::Array(std::move(sidecars)), service_port);
}

bool IsIpv6Text(std::string_view ip) {
  const std::optional<api::ParsedIp> parsed = api::ParseIp(ip);
  return parsed && !parsed->Maps4();
}

std::string EndpointIp(std::string_view ip, const Profile& profile) {
  if (!profile.canonical_endpoint_ips) return std::string(ip);
  const std::optional<api::ParsedIp> parsed = api::ParseIp(ip);
  return parsed ? parsed->ToString() : "<nil>";
}

Value PodReference(const api::Object& pod) {
  return Obj({{"kind", Value::Of("Pod")},
              {"namespace", Value::Of(pod.ns())},
              {"name", Value::Of(pod.name())},
              {"uid", Value::Of(pod.uid())}});
}

}  // namespace ksim::controllers
