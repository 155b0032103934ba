// Exchange: one request on its way to a server and its answer on its way back. The sender sleeps
// meanwhile. Every way to end is an answer:
//
//   answered             as the server said
//   nobody accepts       code 0, ConnectionRefused, after one round trip
//   server died first    code 0, ConnectionLost, `lost`
//   nothing in time      code 0, RequestTimedOut, `lost`; an answer that comes later is dropped
//
// A sender that is killed meanwhile leaves nothing behind: its answer is dropped, and a watch that
// was opened for it is closed on the server.
#pragma once
#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/base/internal/small_pool.h"
#include "ksim/client/client.h"
#include "ksim/client/rest/watch_pipe.h"
#include "ksim/sim/mailbox.h"

namespace ksim::client {

struct Answer : Pooled {
  Answer() = default;
  explicit Answer(api::Response&& r) : response(std::move(r)) {}
  api::Response response;
  bool lost = false;
  std::uint64_t event = 0;  // seq of the `response` event
  sim::PayloadRef sent;     // RequestPayload: what it answers
  bool ok() const { return response.code >= 200 && response.code < 400; }
};

// std::unique_ptr<Answer> answer = co_await Exchange(...);
//
// Gives `request` an id, takes it and sends it; who sends it again has it from the answer. Emits
// `request`, and `response` when the wait is over, as request.actor. `timeout` of zero waits for
// ever. `pipe` is the stream of a watch, null for all else. `notices_loss_after`: how long after a
// fault has lost the request or its answer the sender finds its connection dead; zero: never. The
// answer is never null.
class Exchange {
 public:
  Exchange(Connection& connection, api::Request&& request, Duration timeout,
           const std::shared_ptr<WatchPipe>& pipe, Duration notices_loss_after = Duration());
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  bool await_ready() const { return waiter_.await_ready(); }
  void await_suspend(std::coroutine_handle<> frame) { waiter_.await_suspend(frame); }
  std::unique_ptr<Answer> await_resume();

 private:
  class Trip;       // the request's and its answer's: shared by the sender and who has the message
  class InTransit;  // the request's hold of it
  struct LetGo {
    void operator()(Trip* trip) const;
  };
  using Hold = std::unique_ptr<Trip, LetGo>;

  Hold trip_;
  sim::Arrival<std::unique_ptr<Answer>>::Waiter waiter_;
};

}  // namespace ksim::client
