// KubernetesService: the Service kubernetes of the namespace default, which leads to the API
// servers. Each server makes it at its start unless it is there, and adds its own address to the
// Endpoints and the EndpointSlice behind it, as system:apiserver, through the pipeline that serves
// its clients.
//
// Sources: pkg/controlplane/controller/kubernetesservice/controller.go UpdateKubernetesService;
// pkg/controlplane/reconcilers/{lease,endpointsadapter}.go. The leases by which upstream's servers
// find out that one of them is gone are not kept (docs/fidelity.md).
#pragma once
#include <string>
#include <utility>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class KubernetesService {
 public:
  // `address` is that of this server.
  KubernetesService(const api::Kinds& kinds, LoopbackClient& server, std::string cluster_ip,
                    std::string address)
      : kinds_(kinds),
        server_(server),
        cluster_ip_(std::move(cluster_ip)),
        address_(std::move(address)) {}

  sim::Task<void> Make();

 private:
  // Creates the object, or adds the server's address to the one that is there. Servers that start
  // together meet conflicts, and read again.
  sim::Task<void> AddTo(value::Value fresh);
  sim::Task<api::Response> Send(api::Verb verb, value::Value object);
  value::Value Service() const;
  value::Value Endpoints() const;
  value::Value Slice() const;
  // The object with the server's address among its addresses, sorted.
  value::Value WithAddress(const value::Value& object) const;

  const api::Kinds& kinds_;
  LoopbackClient& server_;
  std::string cluster_ip_, address_;
};

}  // namespace ksim::apiserver
