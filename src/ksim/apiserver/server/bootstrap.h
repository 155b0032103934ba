// Bootstrap: creates the namespaces that every cluster has. The API server does so itself, as
// system:apiserver, through the pipeline that serves its clients.
//
// Source: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
#pragma once
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class Bootstrap {
 public:
  // `audit` may be null.
  Bootstrap(sim::Process& process, const api::Kinds& kinds, Resources& resources, Handler& handler,
            AuditLog* audit)
      : process_(process), kinds_(kinds), resources_(resources), handler_(handler), audit_(audit) {}

  // Creates those that the watch cache does not hold. It must be ready. A namespace that another
  // server has created meanwhile is left as it is.
  sim::Task<void> CreateSystemNamespaces();

 private:
  sim::Task<void> CreateNamespace(std::string ns);

  sim::Process& process_;
  const api::Kinds& kinds_;
  Resources& resources_;
  Handler& handler_;
  AuditLog* audit_;
};

}  // namespace ksim::apiserver
