#include "ksim/scenario/guest_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace ksim::scenario {
namespace {

// Where controller-runtime's webhook server listens (pkg/webhook/server.go DefaultPort): the place
// of a targetPort by name, which is a container's.
constexpr std::int32_t kUsualPort = 9443;

bool Has(const std::vector<std::int32_t>& ports, std::int32_t port) {
  return std::find(ports.begin(), ports.end(), port) != ports.end();
}

// The port at which a connection arrives; nullopt: nobody listens there.
std::optional<std::int32_t> PortOf(const apiserver::WebhookTarget& target,
                                   const std::vector<std::int32_t>& ports) {
  const std::int32_t wanted = target.service.empty() ? target.port : target.target_port;
  if (wanted != 0) return Has(ports, wanted) ? std::optional(wanted) : std::nullopt;
  if (Has(ports, kUsualPort)) return kUsualPort;
  return ports.size() == 1 ? std::optional(ports.front()) : std::nullopt;
}

// "default/hooks" of hooks.default, hooks.default.svc and hooks.default.svc.cluster.local; "" of
// what is no name of a service.
std::string ServiceOfHost(std::string_view host) {
  const std::size_t dot = host.find('.');
  if (dot == host.npos) return "";
  const std::string_view rest = host.substr(dot + 1);
  const std::size_t end = std::min(rest.find('.'), rest.size());
  const std::string_view tail = rest.substr(end);
  if (!tail.empty() && tail != ".svc" && tail != ".svc.cluster.local") return "";
  return fmt::format("{}/{}", rest.substr(0, end), host.substr(0, dot));
}

std::string ServiceOf(const apiserver::WebhookTarget& target) {
  return target.service.empty() ? ServiceOfHost(target.host)
                                : fmt::format("{}/{}", target.service_namespace, target.service);
}

std::vector<std::string> ServicesOf(const GuestSpec& guest) {
  std::vector<std::string> services = guest.services;
  services.push_back(fmt::format("{}/{}", guest.ns, guest.name));
  return services;
}

}  // namespace

bool LeadsTo(const GuestSpec& guest, const apiserver::WebhookTarget& target) {
  const std::vector<std::string> services = ServicesOf(guest);
  if (std::find(services.begin(), services.end(), ServiceOf(target)) != services.end()) return true;
  // The guest itself, or one of its replicas.
  return target.service.empty() &&
         (target.host == guest.name || target.host.starts_with(guest.name + "-"));
}

void GuestServices::Add(const GuestSpec& guest, std::vector<Replica> replicas) {
  Group group;
  group.name = guest.name;
  group.services = ServicesOf(guest);
  group.replicas = std::move(replicas);
  groups_.push_back(std::move(group));
}

std::vector<const GuestServices::Replica*> GuestServices::ReplicasOf(
    const apiserver::WebhookTarget& target) const {
  const std::string service = ServiceOf(target);
  std::vector<const Replica*> found;
  for (const Group& group : groups_) {
    const bool all =
        std::find(group.services.begin(), group.services.end(), service) != group.services.end() ||
        (target.service.empty() && target.host == group.name);
    for (const Replica& replica : group.replicas)
      if (all || (target.service.empty() && target.host == replica.name)) found.push_back(&replica);
  }
  return found;
}

apiserver::WebhookServer* GuestServices::Find(const apiserver::WebhookTarget& target,
                                              std::uint64_t key) {
  const std::vector<const Replica*> replicas = ReplicasOf(target);
  if (replicas.empty()) return others_ == nullptr ? nullptr : others_->Find(target, key);
  std::vector<std::pair<const Replica*, std::int32_t>> listening;
  for (const Replica* replica : replicas)
    if (const std::optional<std::int32_t> port = PortOf(target, replica->ports()))
      listening.emplace_back(replica, *port);
  // The first refuses.
  const std::int32_t wanted = target.service.empty() ? target.port : target.target_port;
  if (listening.empty()) return &replicas.front()->server(wanted);
  std::size_t pick = 0;
  if (listening.size() > 1)
    pick = decisions_.Draw(decisions_.Site("webhook/" + target.host), key,
                           static_cast<std::uint32_t>(listening.size()));
  return &listening[pick].first->server(listening[pick].second);
}

}  // namespace ksim::scenario
