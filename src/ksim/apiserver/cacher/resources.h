// Resources: for each resource that the server serves, its storage, its watch cache and the
// delegator that chooses between them. They are made on first use; Start makes those of all kinds
// known then.
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

  // Has objects converted by webhooks where a definition says so. Both outlive it.
  void UseConverter(ObjectConverter& converter, const api::Kinds& kinds) {
    converter_ = &converter;
    kinds_ = &kinds;
  }
  ObjectConverter* converter() const { return converter_; }  // null: there is none
  // Starts the watch caches of all kinds known now.
  void Start(const api::Kinds& kinds);
  CacheDelegator& StorageFor(const api::ResourceInfo& r);
  // Null if the resource has no cache, or has not been used yet.
  Cacher* FindCacher(const api::ResourceInfo& r) const;
  // Returns when every cache made so far has its first list.
  sim::Task<void> WaitReady();
  // Forgets a watch that has ended.
  void Forget(const api::ResourceInfo& r, std::uint64_t stream);
  // Goes on sending to a client that reads again.
  void Resume(const api::ResourceInfo& r, std::uint64_t stream);
  // Drops the snapshots below the revision, as when a cache learns of a compaction.
  void CompactSnapshots(std::int64_t revision);

 private:
  struct Served;
  Served& Make(const api::ResourceInfo& r);
  void MakeOtherVersions(const api::ResourceInfo& r);

  sim::Process& process_;
  store::EtcdClient& client_;
  const Profile& profile_;
  api::Variants variants_;
  ObjectConverter* converter_ = nullptr;
  const api::Kinds* kinds_ = nullptr;
  LeaseManager leases_;
  std::vector<std::unique_ptr<Served>> in_order_;
  absl::flat_hash_map<const api::ResourceInfo*, Served*> by_resource_;  // look-ups only
};

}  // namespace ksim::apiserver
