// HookCall: one call of an admission webhook, and HookClient, which begins it. Each call, and what
// came of it, is an event of the trace.
//
// Source: apiserver plugin/webhook/mutating/dispatcher.go callAttrMutatingHook.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ksim/apiserver/admission/webhook/review.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/apiserver/outbound/webhook_client.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/mailbox.h"

namespace ksim::apiserver {

// The call as its sender makes it.
struct HookCallSpec {
  HookCallSpec() = default;
  const Hook* hook = nullptr;  // outlives the call
  bool mutating = false;
  int round = 0;
  std::string version, uid;  // of the review
  std::string body;
  std::uint64_t request = 0;  // the API request, and the event that it is
  std::uint64_t cause = 0;
  std::uint64_t key = 0;  // of draws about it
  VirtualTime deadline;   // of the API request
};

// One call under way. Whoever waits for it owns it.
class HookCall final : public WebhookCall {
 public:
  HookCall(const PluginContext& context, HookCallSpec spec);

  sim::Future<ReviewVerdict> verdict() const { return future_; }
  VirtualTime ended() const { return ended_; }  // once there is a verdict
  const HookCallSpec& spec() const { return spec_; }

 private:
  std::uint64_t Told() override;
  void Answered(const WebhookAnswer& answer) override;
  void Failed(std::string why) override;
  WebhookFault Fault() const override;
  void End(ReviewVerdict verdict);
  std::uint64_t Emit(std::string_view state, const ReviewVerdict& verdict);

  PluginContext context_;
  HookCallSpec spec_;
  VirtualTime ended_;
  sim::Promise<ReviewVerdict> promise_;
  sim::Future<ReviewVerdict> future_;
};

class HookClient {
 public:
  explicit HookClient(const PluginContext& context)
      : context_(context),
        client_(context.process, context.resources, context.kinds, context.shared) {}
  // Never waits: the verdict comes later, or is there at once if nobody can be reached.
  std::shared_ptr<HookCall> Start(HookCallSpec spec);

 private:
  PluginContext context_;
  WebhookClient client_;
};

}  // namespace ksim::apiserver
