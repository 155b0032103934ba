// The two ends of a watch stream between etcd and a client process. Each direction is one ordered
// channel. A response that the server writes is "on the wire" (`event`), then arrives in the
// client's inbox, and then the client takes it in (`deliver`): three instants, so that something
// can happen between any two of them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/network.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"
#include "ksim/store/watch_request.h"
#include "ksim/store/watch_stream.h"

namespace ksim::store {

class Etcd;
class WatchInbox;

// A response as it travels: made once, and handed on from the server to the client.
struct WireResponse {
  explicit WireResponse(std::weak_ptr<WatchInbox> inbox) : to(std::move(inbox)) {}
  std::weak_ptr<WatchInbox> to;
  WatchResponse response;
  absl::InlinedVector<sim::PayloadRef, 1> payloads;  // of the `event`s told of it
  absl::InlinedVector<std::uint64_t, 1> events;      // their seqs
  sim::Origin origin;
};

// The client's inbox. Messages on the wire hold it weakly: a response that arrives after the client
// went away is dropped.
class WatchInbox {
 public:
  WatchInbox(sim::Simulation& sim, std::string_view client, std::uint64_t stream_id);
  std::uint64_t stream() const { return stream_; }
  // Puts it into the inbox it goes to, if that is still there.
  static void Arrive(std::unique_ptr<WireResponse> wire);
  void End() { box_.Close(); }
  bool ended() const { return box_.closed(); }
  sim::Mailbox<std::unique_ptr<WireResponse>>& box() { return box_; }
  // The cause of the taker's next actions is then the cause of the message.
  void Adopt(const sim::Origin& origin) { sim_.AdoptOrigin(origin); }
  // Emits `deliver`, which is the cause of the taker's next actions.
  void TakeIn(WireResponse& wire);

 private:
  sim::Simulation& sim_;
  sim::ActorId client_;
  std::uint64_t stream_;
  sim::Mailbox<std::unique_ptr<WireResponse>> box_;
};

// The client's end: one watch on a stream of its own. Destroying it closes the stream. Must not
// outlive the simulation, nor a task that waits in Next.
class EtcdWatch {
 public:
  EtcdWatch(Etcd& etcd, sim::Network& network, const SharedText& client, WatchRequest request);
  ~EtcdWatch();
  EtcdWatch(const EtcdWatch&) = delete;
  EtcdWatch& operator=(const EtcdWatch&) = delete;

  // The next response taken in, the first being `created`; nullopt when the connection is gone.
  // After a canceled response nothing more comes.
  sim::Task<std::optional<WatchResponse>> Next();
  // Next in three steps, for a client that waits between them: receive the response that arrived,
  // go on with its cause and background, and take it in. The watch must outlive the waiting.
  sim::Mailbox<std::unique_ptr<WireResponse>>::Receiver Arrived() {
    return inbox_->box().Receive();
  }
  void Adopt(const WireResponse& wire) { inbox_->Adopt(wire.origin); }
  void TakeIn(WireResponse& wire) { inbox_->TakeIn(wire); }
  // Asks for a progress response; the server gives none while it has something to catch up.
  void RequestProgress();
  // Asks the server to cancel; the canceled response comes in its turn.
  void Cancel();
  // The connection breaks: Next gives the responses that arrived, then nullopt; those on the wire
  // are lost.
  void Break() { inbox_->End(); }
  std::uint64_t stream() const { return inbox_->stream(); }

 private:
  template <class F>
  void SendToServer(F act);  // act(Etcd&)

  Etcd& etcd_;
  std::uint64_t key_;  // of the stream's messages to the server
  sim::Channel to_server_;
  std::shared_ptr<WatchInbox> inbox_;
};

// The server's end.
class EtcdServerStream {
 public:
  EtcdServerStream(Etcd& etcd, sim::Network& network, const SharedText& client,
                   const std::shared_ptr<WatchInbox>& inbox, const WatchRequest& request);
  // Opens the watch; emits `watch`.
  void Start();
  void Cancel() { watches_->Cancel(watch_id_); }
  void RequestProgress() { watches_->RequestProgress(); }
  void Tick() { watches_->Tick(); }
  bool wants_ticks() const { return watches_->wants_ticks(); }
  // Emits the end of the watch unless it has ended already.
  void Close(std::string_view reason);
  // The same when the running step returns; not at all if the simulation ends before.
  void CloseLater(std::string_view reason);
  // Tells the client that the connection is gone.
  void SendEnd();

 private:
  void Pump();  // puts everything queued on the wire
  void Put(WatchResponse&& response);
  void Announce(WireResponse* wire);
  void AnnounceOne(sim::PayloadRef payload, std::uint64_t object, std::uint64_t cause,
                   WireResponse* wire);
  sim::PayloadRef WatchPayload(bool open, std::string_view reason) const;
  sim::EventInfo WatchInfo() const;

  Etcd& etcd_;
  sim::Simulation& sim_;
  SharedText client_;
  std::uint64_t id_;
  std::uint64_t key_;  // of messages that are about no object
  sim::Channel to_client_;
  std::weak_ptr<WatchInbox> inbox_;
  std::unique_ptr<WatchStream> watches_;
  WatchRequest request_;
  const SharedText known_as_;  // StoreWatchPayload::known_as
  WatchId watch_id_ = 0;
  bool open_ = false;
  std::uint64_t events_ = 0, responses_ = 0;
  Revision last_revision_ = 0;
};

}  // namespace ksim::store
