#include "ksim/apiserver/outbound/webhook_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/admissionregistration/webhook_url.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {
namespace {

constexpr std::string_view kDeadlineExceeded = "context deadline exceeded";
constexpr std::string_view kNoHeadless = "cannot route to service with ClusterIP \"None\"";

std::string Refused(std::string_view address) {
  return fmt::format("dial tcp {}: connect: connection refused", address);
}

std::string NoSuchHost(std::string_view host) {
  return fmt::format("dial tcp: lookup {}: no such host", host);
}

// path.Join("/", path)
std::string CleanPath(std::string_view path) {
  std::string clean = "/";
  for (const char c : path) {
    if (c != '/' || clean.back() != '/') clean.push_back(c);
  }
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

bool IsAddress(std::string_view host) {
  return host.find(':') != host.npos || host.find_first_not_of("0123456789.") == host.npos;
}

// The whole seconds that are left, rounded up.
std::int64_t TimeoutSeconds(Duration timeout) {
  const Duration second = Seconds(1);
  return (timeout.ns() + second.ns() - 1) / second.ns();
}

// A service that nobody gave an address has one that follows from its name.
std::string AddressOf(const api::Object& service) {
  const std::string_view given = service.spec().Get("clusterIP").AsString();
  if (!given.empty()) return std::string(given);
  const std::uint64_t hash = sim::KeyOf(fmt::format("{}/{}", service.ns(), service.name()));
  return fmt::format("10.96.{}.{}", hash % 256, 1 + hash / 256 % 254);
}

// The service's port; null: it has none of this number.
const value::Value& FindPort(const value::Value& service_spec, int wanted) {
  static const value::Value none;
  for (const value::Value& port : service_spec.Get("ports").items())
    if (port.Get("port").AsInt() == wanted) return port;
  return none;
}

// 0: a name. Without one it is the port.
int TargetPort(const value::Value& port) {
  const value::Value& target = port.Get("targetPort");
  if (target.is_string()) return 0;
  const std::int64_t number = target.AsInt();
  return static_cast<int>(number != 0 ? number : port.Get("port").AsInt());
}

// The part of the URL before the path, and the path of the request.
struct Address {
  explicit Address(const WebhookPlace& hook) {
    if (hook.url.empty()) {
      host = fmt::format("{}.{}.svc:{}", hook.service, hook.service_namespace, hook.port);
      base = "https://" + host;
      path = CleanPath(hook.path);
      return;
    }
    const api::WebhookUrl url(hook.url);
    host = url.host;
    base = url.scheme + "://" + url.host;
    path = CleanPath(url.path);
  }
  std::string base, host, path;
};

}  // namespace

WebhookPlace WebhookPlace::Read(const value::Value& client_config) {
  WebhookPlace place;
  place.url = client_config.Get("url").AsString();
  const value::Value& service = client_config.Get("service");
  place.service = service.Get("name").AsString();
  place.service_namespace = service.Get("namespace").AsString();
  place.path = service.Get("path").AsString();
  if (service.Get("port").is_int()) place.port = static_cast<int>(service.Get("port").AsInt());
  return place;
}

// --- WebhookCall ---

WebhookCall::~WebhookCall() { sim_.CancelCall(alarm_); }

void WebhookCall::Begin(sim::Process& process, std::string url, std::string server,
                        Duration timeout) {
  url_ = std::move(url);
  server_ = std::move(server);
  begun_ = sim_.now();
  event_ = Told();
  alarm_ = process.After(timeout, sim::TimerKind::kWork, "webhook timeout",
                         [this] { Fail(kDeadlineExceeded); });
}

void WebhookCall::Answer(const WebhookAnswer& answer) {
  if (ended_) return;
  ended_ = true;
  sim_.CancelCall(alarm_);
  Answered(answer);
}

void WebhookCall::Fail(std::string_view why) {
  if (ended_) return;
  ended_ = true;
  sim_.CancelCall(alarm_);
  Failed(fmt::format("Post {}: {}", api::GoQuote(url_), why));
}

// --- WebhookClient ---

// Both ways between this server and one process that serves webhooks.
struct WebhookClient::Lane {
  Lane(sim::Network& network, const std::string& server, const std::string& webhook)
      : sim(network.simulation()),
        out(network, server, webhook, "webhooks", sim::Channel::Order::kUnordered),
        in(network, webhook, server, "webhooks", sim::Channel::Order::kUnordered) {}
  sim::Simulation& sim;
  sim::Channel out, in;
};

namespace {

// The way back of one answer: what is destroyed unanswered was a lost connection.
class WayBack {
 public:
  WayBack(sim::Simulation& sim, sim::Channel& in, std::shared_ptr<void> lane,
          std::weak_ptr<WebhookCall> call, std::uint64_t key,
          void (*deliver)(WebhookCall& call, const WebhookAnswer* answer),
          WebhookFault (*fault)(const WebhookCall& call))
      : sim_(sim),
        in_(in),
        lane_(std::move(lane)),
        call_(std::move(call)),
        key_(key),
        deliver_(deliver),
        fault_(fault) {}
  WayBack(const WayBack&) = delete;
  WayBack& operator=(const WayBack&) = delete;
  ~WayBack() {
    if (!sent_) Send(nullptr);
  }
  void Answer(WebhookAnswer&& answer) {
    if (!sent_) Send(std::make_unique<WebhookAnswer>(std::move(answer)));
  }

 private:
  void Send(std::unique_ptr<WebhookAnswer> answer) {
    sent_ = true;
    if (sim_.closed()) return;
    const auto asked = call_.lock();
    const WebhookFault fault = asked == nullptr ? WebhookFault() : fault_(*asked);
    if (fault.hangs) return;
    auto arrive = [lane = lane_, call = call_, deliver = deliver_, answer = std::move(answer)] {
      if (const auto waiting = call.lock()) deliver(*waiting, answer.get());
    };
    in_.Send(key_, std::move(arrive), fault.later);
  }

  sim::Simulation& sim_;
  sim::Channel& in_;
  std::shared_ptr<void> lane_;  // owns in_
  std::weak_ptr<WebhookCall> call_;
  std::uint64_t key_;
  void (*deliver_)(WebhookCall& call, const WebhookAnswer* answer);
  WebhookFault (*fault_)(const WebhookCall& call);
  bool sent_ = false;
};

}  // namespace

std::shared_ptr<WebhookClient::Lane> WebhookClient::LaneTo(const std::string& server) {
  std::shared_ptr<Lane>& lane = lanes_[server];
  if (lane == nullptr) lane = std::make_shared<Lane>(shared_.network, process_.name(), server);
  return lane;
}

// Where a webhook is, and the errors of a connection there.
struct WebhookClient::Route {
  Route() = default;
  WebhookTarget target;
  std::string nowhere;      // why there is no such place; "" if there is one
  std::string unreachable;  // if nobody listens
  std::string refused;      // if who listens refuses
};

// ResolveCluster, then a dial.
WebhookClient::Route WebhookClient::Resolve(const WebhookPlace& hook) const {
  Route route;
  const auto dial = [&route](std::string_view host, int port) {
    route.target.port = port;
    route.refused = Refused(fmt::format("{}:{}", host, port));
    route.unreachable = IsAddress(host) ? route.refused : NoSuchHost(host);
  };
  if (!hook.url.empty()) {
    const api::WebhookUrl url(hook.url);
    route.target.url = hook.url;
    route.target.host = url.HostName();
    dial(route.target.host, url.Port());
    return route;
  }
  CacheDelegator& services = resources_.StorageFor(*kinds_.ByResource("", "services"));
  const api::Object service = services.Suggestion(hook.service_namespace, hook.service);
  if (service.empty()) {
    route.nowhere = fmt::format("service {} not found", api::GoQuote(hook.service));
    return route;
  }
  route.target.service_namespace = hook.service_namespace;
  route.target.service = hook.service;
  route.target.host = fmt::format("{}.{}.svc", hook.service, hook.service_namespace);
  const value::Value& spec = service.spec();
  if (spec.Get("type").AsString() == "ExternalName") {
    dial(spec.Get("externalName").AsString(), hook.port);
  } else if (spec.Get("clusterIP").AsString() == "None") {
    route.nowhere = kNoHeadless;
  } else if (FindPort(spec, hook.port).is_null()) {
    route.nowhere = fmt::format("no service port {} found for service {}", hook.port,
                                api::GoQuote(hook.service));
  } else {
    route.target.target_port = TargetPort(FindPort(spec, hook.port));
    dial(AddressOf(service), hook.port);
  }
  return route;
}

void WebhookClient::Post(const std::shared_ptr<WebhookCall>& call, const WebhookPlace& place,
                         std::string body, Duration timeout, std::uint64_t key) {
  const Address address(place);
  WebhookRequest request;
  request.path = fmt::format("{}?timeout={}s", address.path, TimeoutSeconds(timeout));
  request.host = address.host;
  request.body = std::move(body);

  // Finds who serves it.
  const Route route = Resolve(place);
  request.target = route.target;
  WebhookServer* server = nullptr;
  if (route.nowhere.empty() && shared_.webhooks != nullptr)
    server = shared_.webhooks->Find(request.target, key);
  call->Begin(process_, address.base + request.path, server == nullptr ? "" : server->name(),
              timeout);
  if (server == nullptr) {
    // Nobody may be there, and nobody says so: a host that is gone.
    if (call->Fault().hangs) return;
    call->Fail(route.nowhere.empty() ? route.unreachable : route.nowhere);
    return;
  }

  // Goes there and back.
  const std::shared_ptr<Lane> lane = LaneTo(server->name());
  const auto deliver = [](WebhookCall& waiting, const WebhookAnswer* answer) {
    if (answer != nullptr) {
      waiting.Answer(*answer);
    } else {
      waiting.Fail("EOF");
    }
  };
  const auto fault = [](const WebhookCall& waiting) { return waiting.Fault(); };
  request.event = call->event();
  auto arrive = [lane, server, key, deliver, fault, refused = route.refused,
                 weak = std::weak_ptr<WebhookCall>(call), request = std::move(request)]() mutable {
    if (!server->accepting()) {
      lane->in.Send(key, [lane, weak, refused] {
        if (const auto waiting = weak.lock()) waiting->Fail(refused);
      });
      return;
    }
    const sim::Context before = lane->sim.context();
    if (sim::Process* const process = lane->sim.FindProcess(server->name())) {
      lane->sim.context().process = process;
      lane->sim.context().actor = process->actor();
    }
    lane->sim.context().cause = request.event;
    auto back = std::make_unique<WayBack>(lane->sim, lane->in, lane, weak, key, deliver, fault);
    server->Accept(std::move(request), [back = std::move(back)](WebhookAnswer answer) {
      back->Answer(std::move(answer));
    });
    lane->sim.context() = before;
  };
  lane->out.Send(key, std::move(arrive));
}

}  // namespace ksim::apiserver
