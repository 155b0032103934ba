// WebhookConverter: has the objects of custom kinds converted by the webhook that their definition
// names: one review for each object. Each call, and what came of it, is an event of the trace.
//
// Source: apiextensions-apiserver pkg/apiserver/conversion/{converter,webhook_converter}.go.
#pragma once
#include <string>

#include "ksim/apiserver/core/object_converter.h"
#include "ksim/apiserver/outbound/webhook_client.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {

class WebhookConverter final : public ObjectConverter {
 public:
  // rest.Config.Timeout of webhook.ClientManager.HookClient.
  static constexpr Duration kTimeout = Seconds(30);

  WebhookConverter(sim::Process& process, Resources& resources, Shared& shared)
      : process_(process), shared_(shared), client_(process, resources, shared.kinds, shared) {}

  sim::Task<api::Result<value::Value>> Convert(const api::ResourceInfo& kind, value::Value tree,
                                               std::string version) override;

 private:
  sim::Process& process_;
  Shared& shared_;
  WebhookClient client_;
};

}  // namespace ksim::apiserver
