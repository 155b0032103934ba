#include "ksim/apiserver/watch_stream.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver {

WatchStream::WatchStream(sim::Simulation& sim, const std::string& server, std::uint64_t id,
                         const api::Request& request, std::string selectors, Reply reply,
                         std::shared_ptr<api::WatchSink> sink)
    : sim_(sim),
      actor_(sim::ActorId::Of(server)),
      id_(id),
      cause_(request.event),
      resource_(request.resource),
      opened_(sim::MakePayload<WatchPayload>(id, actor_, request, std::move(selectors))),
      reply_(std::move(reply)),
      sink_(std::move(sink)),
      ended_(sim) {}

void WatchStream::Accept(api::Response::From from) {
  if (accepted_ || closed_) return;
  accepted_ = true;
  EmitState(true, "");
  api::Response response;
  response.from = from;
  response.stream = id_;
  std::exchange(reply_, nullptr)(std::move(response));
}

void WatchStream::Refuse(const api::Status& status) {
  if (accepted_ || closed_) return;
  closed_ = true;
  api::Response response;
  response.code = status.code;
  response.status = status;
  std::exchange(reply_, nullptr)(std::move(response));
  ended_.Notify();
}

bool WatchStream::Send(const std::shared_ptr<const EventBody>& body, std::uint64_t object_hash,
                       std::uint64_t cause) {
  api::WatchEvent event;
  event.type = body->type;
  event.object = body->object;
  event.initial_end = body->initial_end;
  return Put(std::move(event), body, object_hash, cause);
}

void WatchStream::SendError(const api::Status& status) {
  Put(api::WatchEvent::OfError(status),
      std::make_shared<EventBody>(*resource_, api::WatchEventType::kError, api::Object()), 0,
      cause_);
}

bool WatchStream::Put(api::WatchEvent event, const std::shared_ptr<const EventBody>& body,
                      std::uint64_t object_hash, std::uint64_t cause) {
  if (closed_ || !accepted_) return true;
  event.n = ++sent_;
  const std::int64_t revision = body->rv();
  last_revision_ = std::max(last_revision_, revision);
  const sim::EventInfo info{sim::EventKind::kEvent, object_hash, revision};
  event.event =
      sim_.EmitAs(actor_, cause, info, sim::MakePayload<EventPayload>(id_, event.n, body));
  // What travels to the client is caused by the event just told.
  const std::uint64_t before = std::exchange(sim_.context().cause, event.event);
  const bool more = sink_->Send(std::move(event));
  sim_.context().cause = before;
  return more;
}

void WatchStream::Close(api::StreamEnd how, std::string_view reason) {
  if (closed_) return;
  closed_ = true;
  if (accepted_) {
    EmitState(false, reason);
    sink_->Close(how);
  }
  sink_.reset();
  ended_.Notify();
}

sim::Task<void> WatchStream::WaitClosed(Duration timeout) {
  const VirtualTime deadline = sim_.now() + timeout;
  while (!closed_ && sim_.now() < deadline) {
    co_await ended_.WaitFor(deadline - sim_.now(), sim::TimerKind::kPeriodic);
  }
}

void WatchStream::EmitState(bool open, std::string_view reason) {
  sim::PayloadRef payload = opened_;
  if (!open)
    payload = sim::MakePayload<WatchPayload>(opened_.As<WatchPayload>(), last_revision_, reason);
  sim_.EmitAs(actor_, open ? cause_ : sim_.context().cause, sim::EventInfo{sim::EventKind::kWatch},
              std::move(payload));
}

}  // namespace ksim::apiserver
