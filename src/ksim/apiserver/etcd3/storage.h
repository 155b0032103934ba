// Storage: the objects of one resource in etcd. An object is stored as a tree without
// resourceVersion under api::StorageKey; its resource version is the key's mod revision (API-01,
// API-03). Every error is returned as the Status that the API answers with.
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
#include "ksim/apiserver/core/object_converter.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/core/write_context.h"
#include "ksim/apiserver/etcd3/lease_manager.h"
#include "ksim/sim/task.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

// Transforms the state of an object that was found (empty: there is none) into a new one. It may be
// applied several times, to ever newer states. A Status that is not ok ends the update.
class Transform {
 public:
  virtual ~Transform() = default;
  // Runs before each Apply, with the same state, the steps that have to wait. Mostly there are
  // none: then it returns an empty task.
  virtual sim::Task<void> Prepare(const api::Object& /*existing*/) { return sim::Task<void>(); }
  // The new tree, without resourceVersion.
  virtual api::Result<value::Value> Apply(const api::Object& existing) = 0;
};

// Checks an object before it is deleted; called again for a newer state.
class DeletionCheck {
 public:
  virtual ~DeletionCheck() = default;
  // Runs before each Check, with the same state, the steps that have to wait (Transform::Prepare).
  virtual sim::Task<void> Prepare(const api::Object& /*existing*/) { return sim::Task<void>(); }
  virtual api::Status Check(const api::Object& existing) = 0;
};

class Storage {
 public:
  // `converter` may be null: then no object is of a kind that a webhook converts.
  Storage(store::EtcdClient& client, LeaseManager& leases, const api::ResourceInfo& resource,
          const Profile& profile, ObjectConverter* converter = nullptr);

  const api::ResourceInfo& resource() const { return resource_; }
  store::EtcdClient& client() { return client_; }
  SharedText Key(std::string_view ns, std::string_view name) const;
  // The key of an object by its "ns/name" or "name".
  std::string KeyOf(std::string_view object_key) const;
  // The prefix of every key of the collection, which ends in '/'; and the first key behind them
  // all.
  const SharedText& root() const { return root_; }
  const SharedText& root_end() const { return root_end_; }
  // Converts a stored version to an object of this resource: at once, or where a webhook has to be
  // asked (AsksWebhook), by asking it.
  api::Object Decode(const store::KeyValue& kv) const;
  bool AsksWebhook(const store::KeyValue& kv) const {
    return converter_ != nullptr && AsksToServe(resource_, kv.value());
  }
  sim::Task<api::Result<api::Object>> DecodeByWebhook(store::KeyValue kv);

  // The newest state. 404; 504 if storage has not reached `min_revision` (API-34).
  sim::Task<api::Result<api::Object>> Get(SharedText ns, SharedText name,
                                          std::int64_t min_revision);
  // The store's revision, read linearizably.
  sim::Task<api::Result<std::int64_t>> CurrentRevision();
  // A list served from storage: at the newest state, or at the query's exact revision.
  sim::Task<api::Result<ListResult>> List(const ListQuery& query);
  // 409 AlreadyExists if the key is there; 500 if the object carries a resource version (API-06).
  sim::Task<api::Result<api::Object>> Create(api::Object object, WriteContext context);
  // Reads, checks, transforms and compares-and-swaps; does it again when another client has written
  // in between (API-09, API-10). A result equal to the stored object writes nothing (API-11).
  // `suggestion` (may be empty) is a possibly stale state to begin with. With `may_be_missing` a
  // missing object is transformed from nothing; else it is 404.
  sim::Task<api::Result<api::Object>> GuaranteedUpdate(SharedText ns, SharedText name,
                                                       const Preconditions& preconditions,
                                                       bool may_be_missing, Transform& transform,
                                                       api::Object suggestion,
                                                       WriteContext context);
  // Returns the object's last state, at the deletion's revision (API-08). `check` may be null.
  sim::Task<api::Result<api::Object>> Delete(SharedText ns, SharedText name,
                                             const Preconditions& preconditions,
                                             DeletionCheck* check, api::Object suggestion,
                                             WriteContext context);

  // 409 if the object, which may be empty, does not meet the preconditions.
  api::Status CheckPreconditions(const Preconditions& p, const api::Object& object,
                                 std::string_view ns, std::string_view name) const;

  api::GroupResource group_resource() const {
    return api::GroupResource(resource_.group, resource_.resource);
  }

 private:
  struct State;  // an object as found, and whether it is known to be the newest
  sim::Task<api::Result<State>> ReadState(SharedText key, SharedText name, bool may_be_missing);
  // Attaches a lease to a put, so that the object expires.
  sim::Task<api::Status> AttachLease(std::int64_t ttl_seconds, store::PutRequest& put);
  sim::Task<api::Result<State>> StateByWebhook(store::KeyValue kv);
  sim::Task<api::Result<State>> StateAfterConflict(const store::TxnResponse& response,
                                                   SharedText name, bool may_be_missing);
  bool AsksWebhookToStore(const value::Value& tree) const {
    return converter_ != nullptr && AsksToStore(resource_, tree);
  }
  // The answer to a write for which a webhook has been asked: what was stored, read back by it.
  sim::Task<api::Result<api::Object>> ReadBackByWebhook(value::Value stored, std::int64_t revision);
  // Sends a write to etcd, unless its request has been abandoned.
  sim::Task<absl::StatusOr<store::TxnResponse>> Commit(store::TxnRequest&& txn,
                                                       const WriteContext& context);
  api::Status ListError(const absl::Status& error, const ListQuery& query) const;

  store::EtcdClient& client_;
  LeaseManager& leases_;
  const api::ResourceInfo& resource_;
  const Profile& profile_;
  ObjectConverter* converter_;
  SharedText root_, root_end_;
};

// The status of an etcd failure that has none of its own (API-23: 500 with an empty reason).
api::Status StorageError(const absl::Status& error);

}  // namespace ksim::apiserver
