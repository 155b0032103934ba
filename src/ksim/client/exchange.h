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
#include <cstdint>
#include <memory>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/client/watch_pipe.h"
#include "ksim/sim/task.h"

namespace ksim::client {

struct Answer {
  Answer() = default;
  explicit Answer(api::Response&& r) : response(std::move(r)) {}
  api::Response response;
  bool lost = false;
  std::uint64_t event = 0;  // seq of the `response` event
  sim::PayloadRef sent;     // RequestPayload: what it answers
  bool ok() const { return response.code >= 200 && response.code < 400; }
};

// Gives `request` an id and takes it; who sends it again has it from the answer. Emits `request`
// and `response` as request.actor. `timeout` of zero waits for ever. `pipe` is the stream of a
// watch, null for all else. Never null.
sim::Task<std::unique_ptr<Answer>> Exchange(Connection& connection, api::Request&& request,
                                            Duration timeout, std::shared_ptr<WatchPipe> pipe);

}  // namespace ksim::client
