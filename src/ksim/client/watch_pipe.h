// WatchPipe: one watch stream between a server and a client process. The server writes into a
// WatchSink; what it writes travels on the stream's own ordered channel, lands in the pipe's queue,
// and is taken in by the client's task, which emits `deliver` at that moment. So "on the wire",
// "arrived" and "taken in" are three different instants, and a fault can hold any of them.
//
// A server is told to wait (WatchSink::Send) only where a fault keeps the client from reading. One
// that reads has always room: what is on its way to it is not counted.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/client/fault_hooks.h"
#include "ksim/client/link.h"
#include "ksim/sim/fifo.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/network.h"

namespace ksim::client {

class WatchPipe : public std::enable_shared_from_this<WatchPipe> {
 public:
  WatchPipe(const std::shared_ptr<Link>& link, api::Endpoint& server,
            const api::ResourceInfo* resource);
  ~WatchPipe();
  WatchPipe(const WatchPipe&) = delete;
  WatchPipe& operator=(const WatchPipe&) = delete;

  // The server's end. Dropping it without a Close is a reset connection.
  std::shared_ptr<api::WatchSink> MakeSink();
  // The client's end; the stream's number comes with the server's answer. Dropping it tells the
  // server, and nothing more is taken in.
  std::unique_ptr<WatchStream> MakeStream(std::uint64_t number);
  // Sends something else in the stream's order: the answer that opens it.
  void SendInOrder(std::uint64_t key, absl::AnyInvocable<void()> deliver);

  // --- for FaultHooks ---
  // The connection is gone: what is on its way is lost, the server learns of it. `error`: see
  // FaultHooks::CutStreams. False if it was not open.
  bool Cut(const api::Status& error);
  bool open() const { return number_ != 0 && reading_ && !cut_; }
  // Takes in what arrived while the stream was held.
  void TakeHeld();

 private:
  class Sink;
  class Stream;
  struct Item {
    Item() = default;
    std::optional<api::WatchEvent> event;  // nullopt: the end
    api::StreamEnd end = api::StreamEnd::kEof;
    sim::Origin origin;  // of its arrival
    bool local = false;  // made by the client itself, never on the wire
  };
  // Null: the connection is gone.
  Link* link() const { return link_alive_.expired() ? nullptr : link_; }
  bool CanSend() const;
  bool Send(api::WatchEvent event);
  void SendEnd(api::StreamEnd how);
  void PutOnWire(std::uint64_t key, Item item);
  void Arrive();  // what was put on the wire first
  // The client does not read, and as much waits for it as there is room for.
  bool Choked() const;
  // One event less waits.
  void TakenIn(Link& link);
  Duration ExtraDelay() const {
    return faults_ == nullptr || faults_->delays.empty() ? Duration() : *faults_->delays.rbegin();
  }
  void Forget();  // takes the stream out of the faults' reach

  Link* link_;
  std::weak_ptr<Link> link_alive_;
  api::Endpoint& server_;
  const api::ResourceInfo* resource_;
  sim::Channel channel_;
  sim::Fifo<Item> on_wire_;  // the channel keeps their order
  sim::Mailbox<Item> arrived_;
  FaultHooks* hooks_;  // null: none
  sim::ActorId reader_;
  StreamFaults* faults_ = nullptr;
  std::vector<Item> held_;
  std::int64_t unread_ = 0;    // events sent and not taken in
  bool server_waits_ = false;  // until it is told that the stream is read again
  std::uint64_t number_ = 0;   // 0: not open yet
  bool reading_ = true;
  bool cut_ = false;
};

}  // namespace ksim::client
