// WatchPipe: one watch stream between a server and a client process. The server writes into a
// WatchSink; what it writes travels on the stream's own ordered channel, arrives, and is taken in
// by the client's task, which emits `deliver` at that moment. So "on the wire", "arrived" and
// "taken in" are three different instants, and a fault can hold any of them. One queue holds all
// three: the channel keeps order, so that what has arrived is always in front of what has not.
//
// A server is told to wait (WatchSink::Send) only where a fault keeps the client from reading, or
// the client says that it does not. One that reads has always room: what is on its way to it is not
// counted.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/client/rest/link.h"
#include "ksim/sim/internal/fifo.h"
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
  // The client leaves unread what arrives, or reads again.
  void SetPaused(bool paused) { paused_ = paused; }
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
    enum class Kind : std::uint8_t {
      kEvent,
      kLocalEvent,  // made by the client itself, never on the wire
      kEnd
    };
    explicit Item(api::WatchEvent&& e, Kind k = Kind::kEvent) : event(std::move(e)), kind(k) {}
    explicit Item(api::StreamEnd how) : kind(Kind::kEnd), end(how) {}
    api::WatchEvent event;  // unless it is the end
    sim::Origin origin;     // of its arrival
    Kind kind;
    api::StreamEnd end = api::StreamEnd::kEof;
  };
  // Null: the connection is gone.
  Link* link() const { return link_alive_.expired() ? nullptr : link_; }
  bool CanSend() const;
  bool Send(api::WatchEvent&& event);
  void SendEnd(api::StreamEnd how);
  std::uint64_t DeliveryKey(const api::WatchEvent& event);
  void PutOnWire(std::uint64_t key, Item&& item);
  void Arrive();  // the oldest that is on the wire
  void Wake() { to_take_in_.Notify(); }
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
  std::uint64_t streams_key_;  // Link::StreamsKey
  sim::Channel channel_;
  sim::Fifo<Item> items_;    // those that have arrived, that arrived and are held, on the wire
  std::size_t arrived_ = 0;  // how many of them have arrived and may be taken in
  std::size_t held_ = 0;     // how many have arrived behind these while a fault holds the stream
  sim::Signal to_take_in_;
  FaultHooks* hooks_;  // null: none
  sim::ActorId reader_;
  StreamFaults* faults_ = nullptr;
  std::int64_t unread_ = 0;    // events sent and not taken in
  bool server_waits_ = false;  // until it is told that the stream is read again
  std::uint64_t number_ = 0;   // 0: not open yet
  bool paused_ = false;        // the client says so
  bool reading_ = true;
  bool cut_ = false;
};

}  // namespace ksim::client
