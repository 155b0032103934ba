// Resources: for each resource that the server serves, its storage, its watch cache and who decides
// between them. Made on first use; those of the kinds known at the start are made then.
#pragma once
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/kinds.h"
#include "ksim/api/variants.h"
#include "ksim/apiserver/cacher/delegator.h"
#include "ksim/sim/process.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

class Resources {
 public:
  Resources(sim::Process& process, store::EtcdClient& client, const Profile& profile,
            const api::Variants& variants);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  // Starts the watch caches of all kinds known now.
  void Start(const api::Kinds& kinds);
  CacheDelegator& Of(const api::ResourceInfo& r);
  // Null if the resource has no cache, or has not been asked for.
  Cacher* FindCacher(const api::ResourceInfo& r) const;
  // Returns when every cache made so far has its first list.
  sim::Task<void> WaitReady();
  // A watch ended: whoever serves it lets go.
  void Forget(const api::ResourceInfo& r, std::uint64_t stream);
  // The client of a watch reads again.
  void Resume(const api::ResourceInfo& r, std::uint64_t stream);
  // Snapshots below are dropped, as when a cache learns of a compaction.
  void CompactSnapshots(std::int64_t revision);

 private:
  struct Served;
  Served& Make(const api::ResourceInfo& r);

  sim::Process& process_;
  store::EtcdClient& client_;
  const Profile& profile_;
  api::Variants variants_;
  LeaseManager leases_;
  std::vector<std::unique_ptr<Served>> in_order_;
  absl::flat_hash_map<const api::ResourceInfo*, Served*> by_resource_;  // look-ups only
};

}  // namespace ksim::apiserver
