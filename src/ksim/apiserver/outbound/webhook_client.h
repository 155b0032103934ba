// WebhookClient: posts to webhooks and brings their answers back: it finds where a webhook is, goes
// over the links to its process, and gives up in time. WebhookCall: one such post.
//
// Source: apiserver pkg/util/webhook/client.go, pkg/util/proxy/proxy.go ResolveCluster; Go net/url
// Error, net OpError.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/apiserver/fault_hooks.h"
#include "ksim/apiserver/webhooks.h"
#include "ksim/base/time.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

class Resources;
struct Shared;

// The clientConfig of a webhook: a URL, or a service.
struct WebhookPlace {
  WebhookPlace() = default;
  static WebhookPlace Read(const value::Value& client_config);
  std::string url, service_namespace, service, path;
  int port = 443;
};

// One call under way. Its subclass says what the events of the trace are, and waits for the answer;
// what comes later than that falls on the floor.
class WebhookCall {
 public:
  explicit WebhookCall(sim::Simulation& sim) : sim_(sim) {}
  WebhookCall(const WebhookCall&) = delete;
  WebhookCall& operator=(const WebhookCall&) = delete;
  virtual ~WebhookCall();

  const std::string& url() const { return url_; }
  const std::string& server() const { return server_; }  // "": nobody is there
  VirtualTime begun() const { return begun_; }
  std::uint64_t event() const { return event_; }  // of the call; 0 before it

 protected:
  sim::Simulation& simulation() const { return sim_; }
  // The call begins: emits its event, and returns its number.
  virtual std::uint64_t Told() = 0;
  virtual void Answered(const WebhookAnswer& answer) = 0;
  // The request has not come through: `Post "URL": why`.
  virtual void Failed(std::string why) = 0;
  // The fault that befalls it now; none.
  virtual WebhookFault Fault() const { return {}; }

 private:
  friend class WebhookClient;
  void Begin(sim::Process& process, std::string url, std::string server, Duration timeout);
  void Answer(const WebhookAnswer& answer);
  void Fail(std::string_view why);

  sim::Simulation& sim_;
  std::string url_, server_;
  VirtualTime begun_;
  std::uint64_t event_ = 0;
  bool ended_ = false;
  sim::Simulation::SlotRef alarm_;
};

class WebhookClient {
 public:
  WebhookClient(sim::Process& process, Resources& resources, const api::Kinds& kinds,
                Shared& shared)
      : process_(process), resources_(resources), kinds_(kinds), shared_(shared) {}
  // Never waits: the answer comes later, or the call has failed at once if nobody can be reached.
  // `key`: of draws about the call.
  void Post(const std::shared_ptr<WebhookCall>& call, const WebhookPlace& place, std::string body,
            Duration timeout, std::uint64_t key);

 private:
  struct Lane;
  struct Route;
  Route Resolve(const WebhookPlace& place) const;
  std::shared_ptr<Lane> LaneTo(const std::string& server);

  sim::Process& process_;
  Resources& resources_;
  const api::Kinds& kinds_;
  Shared& shared_;
  std::map<std::string, std::shared_ptr<Lane>> lanes_;  // by process
};

}  // namespace ksim::apiserver
