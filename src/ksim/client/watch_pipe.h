// WatchPipe: one watch stream between a server and a client process. The server writes into a
// WatchSink; what it writes travels on the stream's own ordered channel, lands in the pipe's queue,
// and is taken in by the client's task, which emits `deliver` at that moment. So "on the wire",
// "arrived" and "taken in" are three different instants, and a fault can hold any of them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/client/link.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/network.h"

namespace ksim::client {

class WatchPipe : public std::enable_shared_from_this<WatchPipe> {
 public:
  WatchPipe(const std::shared_ptr<Link>& link, api::Endpoint& server,
            const api::ResourceInfo* resource);

  // The server's end. Dropping it without a Close is a reset connection.
  std::shared_ptr<api::WatchSink> MakeSink();
  // The client's end; the stream's number comes with the server's answer. Dropping it tells the
  // server, and nothing more is taken in.
  std::unique_ptr<WatchStream> MakeStream(std::uint64_t number);
  // Sends something else in the stream's order: the answer that opens it.
  void SendInOrder(std::uint64_t key, absl::AnyInvocable<void()> deliver);

 private:
  class Sink;
  class Stream;
  struct Arrived {
    Arrived() = default;
    std::unique_ptr<api::WatchEvent> event;  // null: the end
    api::StreamEnd end = api::StreamEnd::kEof;
    sim::Origin origin;
  };
  void Send(api::WatchEvent event);
  void SendEnd(api::StreamEnd how);
  void Arrive(Arrived item);

  std::weak_ptr<Link> link_;
  api::Endpoint& server_;
  const api::ResourceInfo* resource_;
  sim::Channel channel_;
  sim::Mailbox<Arrived> arrived_;
  bool reading_ = true;
};

}  // namespace ksim::client
