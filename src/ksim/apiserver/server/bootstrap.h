// Bootstrap: creates the namespaces that every cluster has. The API server does so itself, as
// system:apiserver, through the pipeline that serves its clients.
//
// Source: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
#pragma once
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class Bootstrap {
 public:
  Bootstrap(const api::Kinds& kinds, Resources& resources, LoopbackClient& server)
      : kinds_(kinds), resources_(resources), server_(server) {}

  // Creates those that the watch cache does not hold. It must be ready. A namespace that another
  // server has created meanwhile is left as it is.
  sim::Task<void> CreateSystemNamespaces();

 private:
  sim::Task<void> CreateNamespace(std::string ns);

  const api::Kinds& kinds_;
  Resources& resources_;
  LoopbackClient& server_;
};

}  // namespace ksim::apiserver
