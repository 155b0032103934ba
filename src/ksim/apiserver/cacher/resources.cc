#include "ksim/apiserver/cacher/resources.h"

#include <utility>
#include <vector>

#include "ksim/api/core/kind_service.h"

namespace ksim::apiserver {

struct Resources::Served {
  Served(sim::Process& process, store::EtcdClient& client, LeaseManager& leases,
         const api::ResourceInfo& r, const Profile& profile, const api::Variants& variants,
         ObjectConverter* converter)
      : storage(client, leases, r, profile, converter),
        cacher(r.watch_cached ? std::make_unique<Cacher>(process, storage, profile, variants)
                              : nullptr),
        delegator(storage, cacher.get(), profile) {}
  Storage storage;
  std::unique_ptr<Cacher> cacher;  // null: not cached
  CacheDelegator delegator;
};

Resources::Resources(sim::Process& process, store::EtcdClient& client, const Profile& profile,
                     const api::Variants& variants)
    : process_(process),
      client_(client),
      profile_(profile),
      variants_(variants),
      leases_(process.simulation(), client) {}

Resources::~Resources() = default;

void Resources::Start(const api::Kinds& kinds) {
  for (const api::ResourceInfo* r : kinds.all())
    if (api::IsCachedFromStart(*r)) StorageFor(*r);
}

Resources::Served& Resources::Make(const api::ResourceInfo& r) {
  in_order_.push_back(
      std::make_unique<Served>(process_, client_, leases_, r, profile_, variants_, converter_));
  Served& served = *in_order_.back();
  if (served.cacher != nullptr) served.cacher->Start();
  return served;
}

CacheDelegator& Resources::StorageFor(const api::ResourceInfo& r) {
  const auto found = by_resource_.find(&r);
  if (found != by_resource_.end()) return found->second->delegator;
  Served& served = Make(r);
  by_resource_[&r] = &served;
  if (kinds_ != nullptr && IsConvertedByWebhook(r)) MakeOtherVersions(r);
  return served.delegator;
}

// getOrCreateServingInfoFor: the first request for a custom kind begins the caches of all its
// versions, each of which asks the webhook about each object. Nobody else hears of those caches.
void Resources::MakeOtherVersions(const api::ResourceInfo& r) {
  for (const api::ResourceInfo* other : kinds_->all()) {
    if (other->group == r.group && other->resource == r.resource && other != &r) StorageFor(*other);
  }
}

Cacher* Resources::FindCacher(const api::ResourceInfo& r) const {
  const auto found = by_resource_.find(&r);
  return found == by_resource_.end() ? nullptr : found->second->cacher.get();
}

sim::Task<void> Resources::WaitReady() {
  for (std::size_t i = 0; i < in_order_.size(); ++i) {
    Cacher* const cacher = in_order_[i]->cacher.get();
    if (cacher != nullptr && !cacher->ready().ready()) co_await cacher->ready().Wait();
  }
}

void Resources::Forget(const api::ResourceInfo& r, std::uint64_t stream) {
  if (Cacher* cacher = FindCacher(r)) cacher->Forget(stream);
}

void Resources::Resume(const api::ResourceInfo& r, std::uint64_t stream) {
  if (Cacher* cacher = FindCacher(r)) cacher->Resume(stream);
}

void Resources::CompactSnapshots(std::int64_t revision) {
  for (const std::unique_ptr<Served>& served : in_order_) {
    if (served->cacher != nullptr) served->cacher->cache().CompactSnapshots(revision);
  }
}

}  // namespace ksim::apiserver
