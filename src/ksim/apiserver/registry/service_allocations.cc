#include "ksim/apiserver/registry/service_allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/core/service_fields.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/base/check.h"
#include "ksim/store/events.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kFirstNodePort = 30000;
constexpr std::int64_t kNodePorts = 2768;
constexpr Duration kReservedFor = Minutes(1);  // no request takes longer
// Its address is kept for it, whether or not the servers make it.
constexpr std::string_view kKubernetes = "default/kubernetes";

std::int64_t NumberOf(const api::ParsedIp& ip) {
  std::int64_t number = 0;
  for (std::size_t i = 12; i < 16; ++i) number = number << 8 | ip.bytes[i];
  return number;
}

std::string AddressOf(std::int64_t number) {
  return fmt::format("{}.{}.{}.{}", number >> 24 & 255, number >> 16 & 255, number >> 8 & 255,
                     number & 255);
}

// Nothing of what is no address of IPv4.
std::optional<std::int64_t> NumberOfText(std::string_view text) {
  const std::optional<api::ParsedIp> ip = api::ParseIp(text);
  if (!ip || !ip->Maps4()) return std::nullopt;
  return NumberOf(*ip);
}

}  // namespace

ServiceAllocations::ServiceAllocations(sim::Simulation& sim, std::string_view cidr)
    : sim_(sim), cidr_(cidr) {
  const std::optional<api::ParsedCidr> range = api::ParseCidr(cidr);
  KSIM_CHECK(range && range->address.Maps4() && range->bits < 31, "a range of Services");
  const std::int64_t all = std::int64_t{1} << (32 - range->bits);
  // Neither the network's own address nor that for all.
  addresses_.first = NumberOf(range->address) + 1;
  addresses_.size = all - 2;
  addresses_.band =
      all <= 16 ? 0 : std::min<std::int64_t>(std::max<std::int64_t>(all / 16, 16), 256);
  addresses_.held[addresses_.first].service = kKubernetes;
  ports_.first = kFirstNodePort;
  ports_.size = kNodePorts;
  ports_.band = 86;  // min(max(16, size / 32), 128)
}

std::string ServiceAllocations::KubernetesAddress() const { return AddressOf(addresses_.first); }

bool ServiceAllocations::IsFree(const Pool& pool, std::int64_t number,
                                std::string_view service) const {
  const auto it = pool.held.find(number);
  if (it == pool.held.end() || it->second.service == service) return true;
  return it->second.pending_until && *it->second.pending_until < sim_.now();
}

void ServiceAllocations::Reserve(Pool* pool, std::int64_t number, const std::string& service) {
  Holder& holder = pool->held[number];
  if (holder.service == service && !holder.pending_until) return;  // it is stored
  holder.service = service;
  holder.pending_until = sim_.now() + kReservedFor;
}

void ServiceAllocations::Forget(const std::string& service) {
  for (Pool* pool : {&addresses_, &ports_})
    absl::erase_if(pool->held, [&service](const auto& held) {
      return held.second.pending_until && held.second.service == service;
    });
}

std::optional<std::int64_t> ServiceAllocations::ScanFrom(const ServiceAllocations& all,
                                                         const Pool& pool, std::int64_t from,
                                                         std::int64_t to, std::int64_t offset,
                                                         const Request& request) {
  for (std::int64_t i = 0; i < to - from; ++i) {
    const std::int64_t number = from + (offset + i) % (to - from);
    const auto it = pool.held.find(number);
    if (it == pool.held.end() ||
        (it->second.service != request.service && all.IsFree(pool, number, request.service)))
      return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ServiceAllocations::Next(const Pool& pool, std::string_view site,
                                                     const Request& request) const {
  sim::Decisions& decisions = sim_.decisions();
  const sim::SiteId id = decisions.Site(site);
  const bool band =
      &pool == &addresses_ || api::ProfileOf(request.compat).node_ports_have_static_band;
  const std::int64_t low = band ? pool.band : 0;
  const std::int64_t begin = pool.first + low, end = pool.first + pool.size;
  const std::int64_t offset =
      decisions.Draw(id, request.identity, static_cast<std::uint32_t>(end - begin));
  std::optional<std::int64_t> found = ScanFrom(*this, pool, begin, end, offset, request);
  if (!found && low > 0) found = ScanFrom(*this, pool, pool.first, begin, offset, request);
  return found;
}

// --- what etcd commits -------------------------------------------------------------------------

void ServiceAllocations::FollowCommits() {
  if (std::exchange(following_, true)) return;
  sim_.bus().Subscribe(sim::Bus::Stage::kTrigger, {sim::EventKind::kCommit},
                       [weak = weak_from_this()](const sim::Event& event) {
                         const std::shared_ptr<ServiceAllocations> all = weak.lock();
                         if (all == nullptr) return;
                         const auto& commit = event.payload.As<store::CommitPayload>();
                         if (!commit.parts() || commit.parts()->resource != "services") return;
                         const std::string service =
                             fmt::format("{}/{}", commit.parts()->ns, commit.parts()->name);
                         const bool gone = commit.op == store::CommitOp::kDelete;
                         all->TakeIn(service, gone ? Value() : commit.kv.value());
                       });
}

void ServiceAllocations::TakeIn(const std::string& service, const Value& stored) {
  Numbers addresses, ports;
  for (const Value& ip : stored.Get("spec").Get("clusterIPs").items()) {
    const std::optional<std::int64_t> number = NumberOfText(ip.AsString());
    if (number) addresses[*number] = true;
  }
  for (const Value& port : stored.Get("spec").Get("ports").items())
    if (port.Get("nodePort").AsInt() != 0) ports[port.Get("nodePort").AsInt()] = true;
  const std::int64_t health = stored.Get("spec").Get("healthCheckNodePort").AsInt();
  if (health != 0) ports[health] = true;
  TakeInto(&addresses_, service, addresses);
  TakeInto(&ports_, service, ports);
}

void ServiceAllocations::TakeInto(Pool* pool, const std::string& service, const Numbers& numbers) {
  absl::erase_if(pool->held, [&](const auto& held) {
    return held.second.service == service && !held.second.pending_until &&
           !numbers.contains(held.first);
  });
  for (const auto& [number, stored] : numbers) {
    Holder& holder = pool->held[number];
    holder.service = service;
    holder.pending_until.reset();
  }
}

// --- one Service -------------------------------------------------------------------------------

class ServiceAllocations::Allocation {
 public:
  Allocation(ServiceAllocations* all, const Request& request, const Value& old)
      : all_(*all), request_(request), old_(old.Get("spec")) {}

  api::Result<Value> Run(Value service) {
    spec_ = service.Get("spec");
    CheckFamilies();
    if (failed_.ok()) GiveAddresses();
    if (failed_.ok()) GiveNodePorts();
    if (failed_.ok()) GiveHealthPort();
    if (!failed_.ok()) return failed_;
    return spec_.SameTree(service.Get("spec")) ? service : service.Set("spec", spec_);
  }

 private:
  std::string Name() const { return request_.service.substr(request_.service.find('/') + 1); }

  void Refuse(api::FieldErrorList errors) {
    failed_ = api::Invalid("", "Service", Name(), errors.Take());
  }

  // initIPFamilyFields: the cluster has one family, IPv4.
  void CheckFamilies() {
    if (!api::NeedsClusterIp(spec_)) return;
    if (api::IsHeadlessService(spec_) && spec_.Get("selector").empty()) return;
    const api::FieldPath path("spec");
    const api::FieldPath policy = path.Child("ipFamilyPolicy");
    const api::FieldPath addresses = path.Child("clusterIPs"), families = path.Child("ipFamilies");
    const std::string_view asked = spec_.Get("ipFamilyPolicy").AsString();
    api::FieldErrorList errors(request_.compat);
    if (asked == "RequireDualStack")
      errors.Invalid(policy, asked, "this cluster is not configured for dual-stack services");
    const Value& ips = spec_.Get("clusterIPs");
    for (std::size_t i = 0; i < spec_.Get("ipFamilies").size(); ++i) {
      const std::string_view family = spec_.Get("ipFamilies").at(i).AsString();
      if (family != "IPv6") continue;
      if (api::IsIpv6(ips.at(i).AsString()))
        errors.Invalid(addresses.Index(i), ips, api::GoShape::kStringSlice,
                       "IPv6 is not configured on this cluster");
      else
        errors.Invalid(families.Index(i), family, "not configured on this cluster");
    }
    if (!errors.empty()) Refuse(std::move(errors));
  }

  // An update keeps what there is: the first address cannot change.
  void GiveAddresses() {
    if (!api::NeedsClusterIp(spec_) || api::IsHeadlessService(spec_)) return;
    if (!old_.is_null() && api::NeedsClusterIp(old_) && !old_.Get("clusterIPs").empty()) return;
    const std::string_view asked = spec_.Get("clusterIP").AsString();
    const std::string address = asked.empty() ? AnyAddress() : Address(asked);
    if (address.empty()) return;
    spec_ = spec_.Set("clusterIP", Value::Of(address))
                .Set("clusterIPs", value::Arr({Value::Of(address)}));
  }

  std::string AnyAddress() {
    if (request_.dry_run) return AddressOf(all_.addresses_.first - 1);
    const std::optional<std::int64_t> number = all_.Next(all_.addresses_, "clusterIP", request_);
    if (!number) {
      failed_ = api::InternalError(fmt::format(
          "failed to allocate a serviceIP{}: range is full",
          Profile().services_have_many_ranges ? fmt::format(" for Service \"{}\"", Name()) : ""));
      return "";
    }
    all_.Reserve(&all_.addresses_, *number, request_.service);
    return AddressOf(*number);
  }

  // A text that is no address is left to validation.
  std::string Address(std::string_view asked) {
    const std::optional<std::int64_t> number = NumberOfText(asked);
    if (!api::IsIp(asked)) return "";
    const Pool& pool = all_.addresses_;
    std::string why;
    if (!number || !pool.Contains(*number))
      why = Profile().services_have_many_ranges
                ? "the provided network does not match the current range"
                : fmt::format(
                      "the provided IP ({}) is not in the valid range. The range of valid "
                      "IPs is {}",
                      asked, all_.cidr_);
    else if (!all_.IsFree(pool, *number, request_.service))
      why = "provided IP is already allocated";
    if (!why.empty()) {
      const api::FieldPath path("spec");
      api::FieldErrorList errors(request_.compat);
      errors.Invalid(path.Child("clusterIPs"), spec_.Get("clusterIPs"), api::GoShape::kStringSlice,
                     fmt::format("failed to allocate IP {}: {}", asked, why));
      Refuse(std::move(errors));
      return "";
    }
    if (!request_.dry_run) all_.Reserve(&all_.addresses_, *number, request_.service);
    return std::string(asked);
  }

  const api::Profile& Profile() const { return api::ProfileOf(request_.compat); }

  // initNodePorts, updateNodePorts.
  void GiveNodePorts() {
    if (!api::NeedsNodePorts(spec_)) return;
    const bool gives = spec_.Get("type").AsString() == "NodePort" ||
                       spec_.Get("allocateLoadBalancerNodePorts").AsBool();
    std::vector<Value> ports(spec_.Get("ports").items().begin(), spec_.Get("ports").items().end());
    absl::btree_map<std::int64_t, std::int64_t> by_port;  // of a new Service: the same for both
    for (std::size_t i = 0; i < ports.size() && failed_.ok(); ++i) {
      const std::int64_t port = ports[i].Get("port").AsInt();
      std::int64_t number = ports[i].Get("nodePort").AsInt();
      if (number == 0 && !gives) continue;
      if (number == 0 && old_.is_null()) number = Requested(port, ports, by_port);
      const bool chosen = number == 0;
      if (chosen)
        number = AnyPort();
      else if (!Has(number))
        TakePort(number, i);
      if (!failed_.ok()) return;
      taken_[number] = true;
      by_port.try_emplace(port, number);
      ports[i] = ports[i].Set("nodePort", Value::Int(number));
    }
    spec_ = spec_.Set("ports", Value::Array(std::move(ports)));
  }

  // findRequestedNodePort: ports of one number but two protocols have one node port.
  static std::int64_t Requested(std::int64_t port, const std::vector<Value>& ports,
                                const absl::btree_map<std::int64_t, std::int64_t>& by_port) {
    const auto known = by_port.find(port);
    if (known != by_port.end()) return known->second;
    for (const Value& other : ports)
      if (other.Get("port").AsInt() == port && other.Get("nodePort").AsInt() != 0)
        return other.Get("nodePort").AsInt();
    return 0;
  }

  // The Service has the port already, stored or by this request.
  bool Has(std::int64_t number) const {
    if (taken_.contains(number)) return true;
    for (const Value& port : old_.Get("ports").items())
      if (port.Get("nodePort").AsInt() == number) return true;
    return false;
  }

  std::string WhyNot(std::int64_t number) const {
    if (!all_.ports_.Contains(number))
      return "provided port is not in the valid range. The range of valid ports is 30000-32767";
    return all_.IsFree(all_.ports_, number, request_.service) && !taken_.contains(number)
               ? ""
               : "provided port is already allocated";
  }

  void TakePort(std::int64_t number, std::size_t i) {
    const std::string why = WhyNot(number);
    if (why.empty()) return ReservePort(number);
    const api::FieldPath path("spec");
    const api::FieldPath ports = path.Child("ports");
    const api::FieldPath port = ports.Index(i);
    api::FieldErrorList errors(request_.compat);
    errors.Invalid(port.Child("nodePort"), number, why);
    Refuse(std::move(errors));
  }

  void ReservePort(std::int64_t number) {
    if (!request_.dry_run) all_.Reserve(&all_.ports_, number, request_.service);
  }

  // A dry run tells a port that nobody has.
  std::int64_t AnyPort() {
    if (request_.dry_run)
      return taken_.empty() ? kFirstNodePort + kNodePorts + 1 : taken_.rbegin()->first + 1;
    const std::optional<std::int64_t> number = all_.Next(all_.ports_, "nodePort", request_);
    if (!number) {
      failed_ = api::InternalError("failed to allocate a nodePort: range is full");
      return 0;
    }
    ReservePort(*number);
    return *number;
  }

  void GiveHealthPort() {
    if (!api::NeedsHealthPort(spec_) || api::NeedsHealthPort(old_)) return;
    const std::int64_t asked = spec_.Get("healthCheckNodePort").AsInt();
    const std::string why = asked == 0 ? "" : WhyNot(asked);
    if (!why.empty()) {
      failed_ = api::InternalError(
          fmt::format("failed to allocate requested HealthCheck NodePort {}: {}", asked, why));
      return;
    }
    const std::int64_t number = asked == 0 ? AnyPort() : asked;
    if (!failed_.ok()) return;
    ReservePort(number);
    spec_ = spec_.Set("healthCheckNodePort", Value::Int(number));
  }

  ServiceAllocations& all_;
  const Request& request_;
  const Value old_;
  Value spec_;
  Numbers taken_;  // ports of this request
  api::Status failed_;
};

api::Result<Value> ServiceAllocations::Allocate(const Request& request, Value service,
                                                const Value& old) {
  FollowCommits();
  Forget(request.service);  // what an earlier attempt of the request reserved
  api::Result<Value> allocated = Allocation(this, request, old).Run(std::move(service));
  if (!allocated.ok()) Forget(request.service);
  return allocated;
}

}  // namespace ksim::apiserver
