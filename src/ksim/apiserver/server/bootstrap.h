// Bootstrap: creates the namespaces that every cluster has, and the roles and bindings of one with
// RBAC. The API server does so itself, as system:apiserver, through the pipeline that serves its
// clients.
//
// Sources: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go;
// pkg/registry/rbac/rest/storage_rbac.go PostStartHook.
#pragma once
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class Bootstrap {
 public:
  Bootstrap(const api::Kinds& kinds, Resources& resources, LoopbackClient& server,
            const Profile& profile)
      : kinds_(kinds), resources_(resources), server_(server), profile_(profile) {}

  // Creates those that the watch cache does not hold. It must be ready. A namespace that another
  // server has created meanwhile is left as it is.
  sim::Task<void> CreateSystemNamespaces();
  // Creates the roles and bindings that the watch caches do not hold (API-251). One that is there
  // is left as it is (docs/fidelity.md).
  sim::Task<void> CreatePolicy();

 private:
  sim::Task<void> CreateNamespace(std::string ns);
  // Unless the watch cache holds it.
  sim::Task<void> Create(value::Value object);

  const api::Kinds& kinds_;
  Resources& resources_;
  LoopbackClient& server_;
  const Profile& profile_;
};

}  // namespace ksim::apiserver
