// Loopback: the LoopbackClient of one incarnation of a server.
#pragma once
#include "ksim/apiserver/audit.h"
#include "ksim/apiserver/core/loopback_client.h"
#include "ksim/apiserver/handlers/handler.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class Loopback final : public LoopbackClient {
 public:
  // `audit` may be null.
  Loopback(sim::Process& process, Handler& handler, AuditLog* audit)
      : process_(process), handler_(handler), audit_(audit) {}
  sim::Task<api::Response> Do(api::Request request) override;

 private:
  sim::Process& process_;
  Handler& handler_;
  AuditLog* audit_;
};

}  // namespace ksim::apiserver
