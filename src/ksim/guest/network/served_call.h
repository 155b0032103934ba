// ServedCall: one HTTP request that an API server makes to a guest which listens: the bytes of the
// request, and the answer out of the bytes that the guest sends back.
//
// Upstream speaks HTTP/2 over TLS; a guest hears HTTP/1.1 in the clear, one connection a request
// (docs/fidelity.md).
#pragma once
#include <string>
#include <string_view>

#include "ksim/apiserver/webhooks.h"

namespace ksim::guest {

class ServedCall {
 public:
  // A reply that is destroyed uncalled is a lost connection.
  explicit ServedCall(apiserver::WebhookServer::Reply reply) : reply_(std::move(reply)) {}
  ServedCall(const ServedCall&) = delete;
  ServedCall& operator=(const ServedCall&) = delete;

  // The bytes of a request, as the guest reads them.
  static std::string TextOf(const apiserver::WebhookRequest& request);

  // Bytes of the guest's; once they are a whole answer, it is given.
  void Receive(std::string_view bytes);
  // The guest sends no more: what has no length of its own ends here.
  void End();

 private:
  // Gives the answer if it is whole.
  void Read(bool ended);

  apiserver::WebhookServer::Reply reply_;
  std::string bytes_;
  bool over_ = false;  // answered, or no HTTP
};

}  // namespace ksim::guest
