// CacheDelegator: decides for each read whether the watch cache or etcd answers it, by the rules of
// the profile. Etcd answers all reads of a resource without a watch cache (Events).
//
// Source: apiserver pkg/storage/cacher/delegator.go, delegator/interface.go (1.36), cacher.go
// shouldDelegateList (1.25, 1.30).
#pragma once
#include <memory>
#include <string>

#include "ksim/apiserver/cacher/cacher.h"
#include "ksim/apiserver/etcd3/storage.h"

namespace ksim::apiserver {

class CacheDelegator {
 public:
  // `cacher` may be null.
  CacheDelegator(Storage& storage, Cacher* cacher, const Profile& profile)
      : storage_(storage), cacher_(cacher), profile_(profile) {}

  Storage& storage() { return storage_; }
  Cacher* cacher() { return cacher_; }

  struct Found {
    Found() = default;
    Found(api::Object o, api::Response::From f) : object(std::move(o)), from(f) {}
    api::Object object;
    api::Response::From from = api::Response::From::kStore;
  };
  // `resource_version` as the client sent it (API-31 to API-34).
  sim::Task<api::Result<Found>> Get(SharedText ns, SharedText name, SharedText resource_version);
  sim::Task<api::Result<ListResult>> List(const ListQuery& query);
  // The object as the cache holds it, with which an update or delete begins; empty if it does not.
  api::Object Suggestion(std::string_view ns, std::string_view name) const;

 private:
  // Storage answers whatever state the cache is in.
  bool ShouldDelegate(const ListQuery& query) const;
  // Storage answers because the cache is not ready.
  bool ShouldDelegateUnready(const ListQuery& query) const;
  sim::Task<api::Result<ListResult>> ListFromCache(const ListQuery& query);

  Storage& storage_;
  Cacher* cacher_;
  const Profile& profile_;
};

}  // namespace ksim::apiserver
