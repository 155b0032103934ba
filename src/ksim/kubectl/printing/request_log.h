// -v: requests and responses as kubectl's levels print them: 6 each request with its code, 7 its
// headers, 8 those of the answer and the bodies (cut), 9 the curl line instead of the request's
// headers, 10 the bodies whole.
//
// Source: client-go transport/round_trippers.go NewDebuggingRoundTripper, rest/request.go
// truncateBody.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "ksim/sim/bus.h"

namespace ksim::client {
struct ResponsePayload;
}

namespace ksim::kubectl {

class RequestLog {
 public:
  explicit RequestLog(int level) : level_(level) {}

  // In the order of the run; events of other kinds are ignored.
  void Take(const sim::Event& e);
  const std::string& text() const { return text_; }

 private:
  void TakeRequest(const sim::Event& e);
  void TakeResponse(const sim::Event& e);
  void Headers(const sim::Event& e, const client::ResponsePayload& p);
  void Line(const sim::Event& e, const std::string& line);

  int level_;
  std::map<std::uint64_t, sim::PayloadRef> sent_;  // requests without an answer, by id
  std::string text_;
};

}  // namespace ksim::kubectl
