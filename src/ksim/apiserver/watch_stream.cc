#include "ksim/apiserver/watch_stream.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver {

WatchStream::WatchStream(sim::Simulation& sim, const std::string& server, std::uint64_t id,
                         const api::Request& request, std::string_view selectors, Reply reply,
                         std::shared_ptr<api::WatchSink> sink)
    : sim_(sim),
      id_(id),
      sink_(std::move(sink)),
      actor_(sim::ActorId::Of(server)),
      cause_(request.event),
      reply_(std::make_unique<Reply>(std::move(reply))),
      ended_(sim),
      asked_(request, selectors) {}

void WatchStream::Accept(api::Response::From from) {
  if (accepted_ || closed_) return;
  accepted_ = true;
  sim_.EmitAs(actor_, cause_, sim::EventInfo{sim::EventKind::kWatch},
              sim::MakePayload<WatchPayload>(id_, actor_, asked_));
  api::Response response;
  response.from = from;
  response.stream = id_;
  Answer(std::move(response));
}

void WatchStream::Refuse(const api::Status& status) {
  if (accepted_ || closed_) return;
  closed_ = true;
  api::Response response;
  response.code = status.code;
  response.status = status;
  Answer(std::move(response));
  ended_.Notify();
}

void WatchStream::Answer(api::Response response) {
  (*std::exchange(reply_, nullptr))(std::move(response));
}

bool WatchStream::Send(const std::shared_ptr<const EventBody>& body, std::uint64_t object_hash,
                       std::uint64_t cause) {
  if (closed_ || !accepted_) return true;
  const std::uint64_t n = ++sent_;
  const std::int64_t revision = body->rv();
  last_revision_ = std::max(last_revision_, revision);
  const sim::EventInfo info{sim::EventKind::kEvent, object_hash, revision};
  api::WatchEvent event;
  event.type = body->type;
  event.object = body->object;
  event.error = body->error;
  event.initial_end = body->initial_end;
  event.n = n;
  event.event = sim_.EmitAs(actor_, cause, info, sim::MakePayload<EventPayload>(id_, n, body));
  // What travels to the client is caused by the event just told.
  const std::uint64_t before = std::exchange(sim_.context().cause, event.event);
  const bool more = sink_->Send(std::move(event));
  sim_.context().cause = before;
  return more;
}

void WatchStream::SendError(const api::Status& status) {
  Send(std::make_shared<EventBody>(resource(), status), 0, cause_);
}

void WatchStream::Close(api::StreamEnd how, std::string_view reason) {
  if (closed_) return;
  closed_ = true;
  if (accepted_) {
    sim_.EmitAs(actor_, sim_.context().cause, sim::EventInfo{sim::EventKind::kWatch},
                sim::MakePayload<WatchPayload>(id_, actor_, asked_, last_revision_, reason));
    sink_->Close(how);
  }
  sink_.reset();
  ended_.Notify();
}

}  // namespace ksim::apiserver
