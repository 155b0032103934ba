// Storage: one resource's objects in etcd. Objects are stored as trees without resourceVersion
// under api::StorageKey; their resource version is the key's mod revision (API-01, API-03). Every
// error comes back as the Status that the API answers with.
//
// Source: apiserver pkg/storage/etcd3/store.go, pkg/storage/errors,
// pkg/registry/generic/registry/dryrun.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/list_query.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/core/write_context.h"
#include "ksim/apiserver/etcd3/lease_manager.h"
#include "ksim/sim/task.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

// Makes the new state of an object from the one found (empty: there is none). May be applied
// several times, to ever newer states. A Status that is not ok ends the update.
class Transform {
 public:
  virtual ~Transform() = default;
  // Called before each Apply with the same state. What has to be waited for until then; mostly
  // nothing, which is an empty task.
  virtual sim::Task<void> Prepare(const api::Object& /*existing*/) { return sim::Task<void>(); }
  // The new tree, without resourceVersion.
  virtual api::Result<value::Value> Apply(const api::Object& existing) = 0;
};

// Judges an object that is about to be deleted; asked again for a newer state.
class DeletionCheck {
 public:
  virtual ~DeletionCheck() = default;
  virtual api::Status Check(const api::Object& existing) = 0;
};

class Storage {
 public:
  Storage(store::EtcdClient& client, LeaseManager& leases, const api::ResourceInfo& resource,
          const Profile& profile);

  const api::ResourceInfo& resource() const { return resource_; }
  store::EtcdClient& client() { return client_; }
  SharedText Key(std::string_view ns, std::string_view name) const;
  // The key of an object by its "ns/name" or "name".
  std::string KeyOf(std::string_view object_key) const;
  // Begins every key of the collection, and ends in '/'; and the first key behind them all.
  const SharedText& root() const { return root_; }
  const SharedText& root_end() const { return root_end_; }
  // A stored version as this resource presents it.
  api::Object Decode(const store::KeyValue& kv) const;

  // The newest state. 404; 504 if storage has not reached `min_revision` (API-34).
  sim::Task<api::Result<api::Object>> Get(SharedText ns, SharedText name,
                                          std::int64_t min_revision);
  // The store's revision, read linearizably.
  sim::Task<api::Result<std::int64_t>> CurrentRevision();
  // A list served from storage: at the newest state, or at the query's exact revision.
  sim::Task<api::Result<ListResult>> List(const ListQuery& query);
  // 409 AlreadyExists if the key is there; 500 if the object carries a resource version (API-06).
  sim::Task<api::Result<api::Object>> Create(api::Object object, WriteContext context);
  // Read, check, transform, compare-and-swap, again while others get in between (API-09, API-10). A
  // result equal to what is stored writes nothing (API-11). `suggestion` (may be empty) is a
  // possibly stale state to begin with. With `may_be_missing` a missing object is transformed from
  // nothing; else it is 404.
  sim::Task<api::Result<api::Object>> GuaranteedUpdate(SharedText ns, SharedText name,
                                                       const Preconditions& preconditions,
                                                       bool may_be_missing, Transform& transform,
                                                       api::Object suggestion,
                                                       WriteContext context);
  // Returns the object as it last was, at the deletion's revision (API-08). `check` may be null.
  sim::Task<api::Result<api::Object>> Delete(SharedText ns, SharedText name,
                                             const Preconditions& preconditions,
                                             DeletionCheck* check, api::Object suggestion,
                                             WriteContext context);

  // 409 if the object, which may be empty, is not the one that is meant.
  api::Status CheckPreconditions(const Preconditions& p, const api::Object& object,
                                 std::string_view ns, std::string_view name) const;

  api::GroupResource group_resource() const {
    return api::GroupResource(resource_.group, resource_.resource);
  }

 private:
  struct State;  // an object as found, and whether it is known to be the newest
  sim::Task<api::Result<State>> ReadState(SharedText key, SharedText name, bool may_be_missing);
  // Puts on a lease what shall live no longer than that.
  sim::Task<api::Status> Lend(std::int64_t ttl_seconds, store::PutRequest& put);
  api::Result<State> StateAfterConflict(const store::TxnResponse& response, std::string_view name,
                                        bool may_be_missing) const;
  // A write sent to etcd unless it is abandoned.
  sim::Task<absl::StatusOr<store::TxnResponse>> Commit(store::TxnRequest&& txn,
                                                       const WriteContext& context);
  api::Status ListError(const absl::Status& error, const ListQuery& query) const;

  store::EtcdClient& client_;
  LeaseManager& leases_;
  const api::ResourceInfo& resource_;
  const Profile& profile_;
  SharedText root_, root_end_;
};

// A failure of etcd that no API status stands for (API-23: 500 with an empty reason).
api::Status StorageError(const absl::Status& error);

}  // namespace ksim::apiserver
