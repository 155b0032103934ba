// ServiceAllocations: which addresses and node ports the Services of a cluster hold, and the choice
// of new ones.
//
// It follows what etcd commits, so that it says the same to every API server and outlives their
// restarts; upstream keeps the same in etcd, as bitmaps (up to 1.32) and IPAddresses. What a
// request has reserved and not stored yet is kept for it until the request fails, a minute at most.
//
// Sources: pkg/registry/core/service/storage/alloc.go; ipallocator/{bitmap,cidrallocator,
// ipallocator}.go; portallocator/{allocator,operation}.go.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/compat.h"
#include "ksim/api/status.h"
#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class ServiceAllocations : public std::enable_shared_from_this<ServiceAllocations> {
 public:
  // `cidr` is the range of addresses, of IPv4. Nothing is followed before the first reservation.
  ServiceAllocations(sim::Simulation& sim, std::string_view cidr);

  struct Request {
    Request() = default;
    std::string service;         // NAMESPACE/NAME
    std::uint64_t identity = 0;  // for the draws
    api::Compat compat{};
    bool dry_run = false;
  };
  // The Service with the addresses and ports that it lacks, or why it gets none. `old` is what is
  // stored, null for a new one. What is reserved is the Service's until Forget, or its next write.
  api::Result<value::Value> Allocate(const Request& request, value::Value service,
                                     const value::Value& old);
  // That of the Service default/kubernetes: the first.
  std::string KubernetesAddress() const;
  // A request about the Service has failed.
  void Forget(const std::string& service);

 private:
  struct Holder {
    Holder() = default;
    std::string service;
    std::optional<VirtualTime> pending_until;  // none: it is stored
  };
  // Numbers from `first` on. The lowest `band` of them are given to those who ask for one, and to
  // others only if nothing else is free.
  struct Pool {
    Pool() = default;
    std::int64_t first = 0, size = 0, band = 0;
    absl::btree_map<std::int64_t, Holder> held;
    bool Contains(std::int64_t n) const { return n >= first && n < first + size; }
  };
  using Numbers = absl::btree_map<std::int64_t, bool>;

  class Allocation;  // one call of Allocate

  bool IsFree(const Pool& pool, std::int64_t number, std::string_view service) const;
  void Reserve(Pool* pool, std::int64_t number, const std::string& service);
  // The first that is free from a drawn one on; nothing if all are taken.
  std::optional<std::int64_t> Next(const Pool& pool, std::string_view site,
                                   const Request& request) const;
  static std::optional<std::int64_t> ScanFrom(const ServiceAllocations& all, const Pool& pool,
                                              std::int64_t from, std::int64_t to,
                                              std::int64_t offset, const Request& request);
  void FollowCommits();
  void TakeIn(const std::string& service, const value::Value& stored);  // null: it is gone
  static void TakeInto(Pool* pool, const std::string& service, const Numbers& numbers);

  sim::Simulation& sim_;
  std::string cidr_;
  Pool addresses_, ports_;
  bool following_ = false;
};

}  // namespace ksim::apiserver
