// HookClient: sends calls to webhooks and brings their answers back: it finds where a webhook is,
// goes over the links to its process, and gives up in time. Each call, and what came of it, is an
// event of the trace.
//
// Source: apiserver pkg/util/webhook/client.go, pkg/util/proxy/proxy.go ResolveCluster,
// plugin/webhook/mutating/dispatcher.go callAttrMutatingHook; Go net/url Error, net OpError.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ksim/apiserver/admission/webhook/review.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/network.h"

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

// One call under way. Whoever waits for it owns it; what comes later falls on the floor.
class HookCall {
 public:
  HookCall(const PluginContext& context, HookCallSpec spec, std::string url);
  HookCall(const HookCall&) = delete;
  HookCall& operator=(const HookCall&) = delete;
  ~HookCall();

  sim::Future<ReviewVerdict> verdict() const { return future_; }
  VirtualTime ended() const { return ended_; }  // once there is a verdict
  const HookCallSpec& spec() const { return spec_; }

 private:
  friend class HookClient;
  void Begin(std::string server, Duration timeout);
  void Answer(const WebhookAnswer& answer);
  WebhookFault Fault() const;
  // The request has not come through: `Post "URL": why`.
  void Fail(std::string_view why);
  void End(ReviewVerdict verdict);
  void Emit(std::string_view state, const ReviewVerdict& verdict);

  PluginContext context_;
  HookCallSpec spec_;
  std::string url_, server_;
  std::uint64_t event_ = 0;  // of the call
  VirtualTime begun_, ended_;
  sim::Simulation::SlotRef alarm_;
  sim::Promise<ReviewVerdict> promise_;
  sim::Future<ReviewVerdict> future_;
};

class HookClient {
 public:
  explicit HookClient(const PluginContext& context) : context_(context) {}
  // Never waits: the verdict comes later, or is there at once if nobody can be reached.
  std::shared_ptr<HookCall> Start(HookCallSpec spec);

 private:
  struct Lane;
  struct Route;
  Route Resolve(const Hook& hook) const;
  std::shared_ptr<Lane> LaneTo(const std::string& server);

  PluginContext context_;
  std::map<std::string, std::shared_ptr<Lane>> lanes_;  // by process
};

}  // namespace ksim::apiserver
