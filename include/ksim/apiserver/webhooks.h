// Webhooks: how API servers reach the programs that serve webhooks, of admission and of conversion.
// A layer above that runs such programs implements WebhookServer, one for each process that
// listens, and WebhookDirectory, which finds them, and puts the directory into Shared::webhooks.
//
// The API servers do the rest: they match requests with configurations, look up the service, build
// the review, keep the time-out and the failure policy, and send the call over the links
// between their process and that of the WebhookServer (latency, delay and partition as on any
// other), so that an implementation only takes a request that has arrived and answers it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"

namespace ksim::apiserver {

// The place that clientConfig names: a port of a service, which exists, or a URL.
struct WebhookTarget {
  WebhookTarget() = default;
  std::string service_namespace, service;  // "" with a URL
  int port = 443;                          // of the service or URL
  // The port at which the service's pods listen; 0: one that their containers name, or a URL.
  int target_port = 0;
  std::string host;  // "svc.ns.svc", or the host of the URL, without port
  std::string url;   // "https://example.com:8443/path"; "" with a service
};

// An HTTP request that has arrived.
struct WebhookRequest {
  WebhookRequest() = default;
  WebhookTarget target;
  std::string method = "POST";
  std::string path;         // "/validate?timeout=10s"
  std::string host;         // the header Host: "svc.ns.svc:443"
  std::string body;         // a review of admission or conversion in JSON
  std::uint64_t event = 0;  // seq of the trace event of the call: the cause of what follows
};

// The answer. Any status and body are taken: what is no good review fails the call.
struct WebhookAnswer {
  WebhookAnswer() = default;
  explicit WebhookAnswer(std::string b, int s = 200) : status(s), body(std::move(b)) {}
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

// One process that listens.
class WebhookServer {
 public:
  // Called once, at the virtual time at which the server has answered. Destroyed uncalled, the
  // connection is lost (EOF). It may be called after the API server has given up, and after either
  // process has died.
  using Reply = absl::AnyInvocable<void(WebhookAnswer)>;

  virtual ~WebhookServer() = default;
  // The process that serves, as links and faults name it.
  virtual const std::string& name() const = 0;
  // False refuses the connection: the process is dead, or does not listen yet.
  virtual bool accepting() const = 0;
  // Takes a request when it arrives. Runs as a step of the server's process if there is one of that
  // name, with `request.event` as its cause. Must not wait: it starts work and returns.
  virtual void Accept(WebhookRequest request, Reply reply) = 0;
};

class WebhookDirectory {
 public:
  virtual ~WebhookDirectory() = default;
  // The server that a connection to the target reaches now, or null: nobody listens there, and the
  // connection is refused. It lives as long as the simulation. Asked once for each call; a choice
  // among several must be a draw or a decision about `key`, which tells calls apart.
  virtual WebhookServer* Find(const WebhookTarget& target, std::uint64_t key) = 0;
};

}  // namespace ksim::apiserver
