// Registry: carries out a verb on the objects of one resource, between admission and storage.
//
// Sources: apiserver pkg/registry/generic/registry/store.go, pkg/registry/rest (create.go,
// update.go, delete.go); pkg/registry/core/pod/storage, pkg/registry/core/namespace/storage.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/delegator.h"
#include "ksim/apiserver/core/definition_listener.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/registry/updated_object.h"

namespace ksim::apiserver {

class ServiceAllocations;

// The parts that all registries of a server share.
struct RegistryContext {
  RegistryContext(sim::Simulation& s, api::Kinds& k, api::Identities& i, api::Compat c,
                  AdmissionChain& a, Duration ttl)
      : sim(s),
        kinds(k),
        identities(i),
        compat(c),
        profile(apiserver::ProfileOf(c)),
        admission(a),
        event_ttl(ttl) {}
  sim::Simulation& sim;
  api::Kinds& kinds;
  api::Identities& identities;
  api::Compat compat;  // for the rules of the types (api/)
  const Profile& profile;
  AdmissionChain& admission;
  Duration event_ttl;
  LoopbackClient* loopback = nullptr;         // set before the first request
  ServiceAllocations* services = nullptr;     // set before the first request
  DefinitionListener* definitions = nullptr;  // set before the first request
};

struct UpdateResult {
  UpdateResult() = default;
  UpdateResult(api::Object o, bool c) : object(std::move(o)), created(c) {}
  api::Object object;
  bool created = false;
};

struct DeleteResult {
  DeleteResult() = default;
  api::Object object;  // as it is or was
  bool gone = false;   // false: only marked for deletion, or nothing to do
};

class Registry {
 public:
  static constexpr int kNameAttempts = 8;

  Registry(const RegistryContext& context, CacheDelegator& storage)
      : context_(context), storage_(storage) {}

  // `tree` is decoded, defaulted and admitted. API-61 to API-72.
  sim::Task<api::Result<api::Object>> Create(RequestContext& rc, value::Value tree);
  // API-75 to API-87. Mutating admission runs in it, on every attempt.
  sim::Task<api::Result<UpdateResult>> Update(RequestContext& rc, UpdatedObject& updated);
  // API-96 to API-105, API-110, API-111. `options` have passed validation.
  sim::Task<api::Result<DeleteResult>> Delete(RequestContext& rc, SharedText ns, SharedText name,
                                              api::DeleteOptions options);
  // POST pods/x/binding. API-112 to API-114.
  sim::Task<api::Status> Bind(RequestContext& rc, value::Value binding);
  // POST pods/x/eviction. CTRL-PDB-03, CTRL-PDB-04.
  sim::Task<api::Status> Evict(RequestContext& rc, value::Value eviction);

  CacheDelegator& storage() { return storage_; }
  // The identity of an object about to be created: recorded when it is.
  std::uint64_t IdentityFor(const value::Value& tree) const;
  std::int64_t TtlSeconds() const;  // time to live of objects; 0: for ever

 private:
  friend class UpdateTransform;
  sim::Task<api::Result<api::Object>> CreateOnce(RequestContext& rc, value::Value tree);
  api::Result<value::Value> PrepareNew(RequestContext& rc, value::Value tree);
  void NoteStored(const api::Object& stored) const;
  void NoteDeleted(const api::Object& deleted) const;
  // A Service with its addresses and ports; anything else as it is. `old` is null for a new one.
  api::Result<value::Value> AllocateForService(RequestContext& rc, value::Value tree,
                                               const value::Value& old);
  // The request has failed: what it reserved is free.
  void ForgetAllocations(std::string_view ns, std::string_view name) const;
  // Asks the validating plugins about an object that is about to be created.
  sim::Task<api::Status> AskAboutNew(RequestContext& rc, value::Value tree);
  sim::Task<api::Status> ExplainExisting(api::Status status, SharedText ns, SharedText name);
  // The first of two steps in which namespaces and definitions go.
  sim::Task<api::Result<DeleteResult>> Terminate(RequestContext& rc, SharedText name,
                                                 api::DeleteOptions options, api::Object found);
  // Deletes the pod of an eviction that no budget protects in its state. Not ok: it stays. The pod
  // in `guarded`, if it is one that budgets are asked about: then nothing was deleted.
  sim::Task<api::Status> EvictUnguarded(RequestContext& rc, const api::DeleteOptions& given,
                                        api::Object* guarded);
  // Asks the budget of a running pod, then deletes it.
  sim::Task<api::Status> EvictGuarded(RequestContext& rc, api::DeleteOptions given,
                                      api::Object pod);
  sim::Task<api::Status> TakeFromBudget(RequestContext& rc, api::Object budget);
  sim::Task<void> PauseEviction(RequestContext& rc);
  // Deletes the pod of an eviction, with the condition DisruptionTarget.
  sim::Task<api::Status> MarkAndDelete(RequestContext& rc, api::DeleteOptions options);
  // The Endpoints of a Service that is gone, whoever made them: another of its name must not begin
  // with them (pkg/registry/core/service/storage/storage.go afterDelete). A failure is not told.
  sim::Task<void> DeleteEndpointsOf(RequestContext& rc, std::string ns, std::string name);
  sim::Task<api::Result<DeleteResult>> DeleteFound(RequestContext& rc, api::DeleteOptions options,
                                                   api::Object found);

  const RegistryContext& context_;
  CacheDelegator& storage_;
};

}  // namespace ksim::apiserver
