// WatchStream: the server's end of one client's watch: numbers what goes out, tells the bus, hands
// it to the sink, and ends exactly once.
//
// Source: apiserver pkg/endpoints/handlers/watch.go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/events.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

class WatchStream {
 public:
  using Reply = absl::AnyInvocable<void(api::Response)>;
  WatchStream(sim::Simulation& sim, const std::string& server, std::uint64_t id,
              const api::Request& request, std::string selectors, Reply reply,
              std::shared_ptr<api::WatchSink> sink);
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  std::uint64_t id() const { return id_; }
  const api::ResourceInfo& resource() const { return *resource_; }
  std::uint64_t cause() const { return cause_; }  // the request
  bool accepted() const { return accepted_; }
  bool closed() const { return closed_; }

  // Answers the request: with 200, from where on events may be sent; or with a refusal, which ends
  // the stream.
  void Accept(api::Response::From from);
  void Refuse(const api::Status& status);

  // `object_hash` is api::ObjectHash, `cause` the seq that led to it. After Close nothing is sent.
  // False: the client does not read; the next should wait until it does.
  bool Send(const std::shared_ptr<const EventBody>& body, std::uint64_t object_hash,
            std::uint64_t cause);
  void SendError(const api::Status& status);
  // A second call does nothing. `reason` is for the trace, a literal: timeout, client, error,
  // reinit, server, slow, overwritten.
  void Close(api::StreamEnd how, std::string_view reason);
  // Returns when closed, at the latest after `timeout`.
  sim::Task<void> WaitClosed(Duration timeout);

 private:
  bool Put(api::WatchEvent event, const std::shared_ptr<const EventBody>& body,
           std::uint64_t object_hash, std::uint64_t cause);
  void EmitState(bool open, std::string_view reason);

  sim::Simulation& sim_;
  sim::ActorId actor_;
  std::uint64_t id_;
  std::uint64_t cause_;
  const api::ResourceInfo* resource_;
  sim::PayloadRef opened_;  // what the trace is told: thousands of streams wait, so no more
  Reply reply_;
  std::shared_ptr<api::WatchSink> sink_;
  sim::Signal ended_;
  bool accepted_ = false;
  bool closed_ = false;
  std::uint64_t sent_ = 0;
  std::int64_t last_revision_ = 0;
};

}  // namespace ksim::apiserver
