#include "ksim/apiserver/core/served_watch.h"

#include <algorithm>
#include <utility>

namespace ksim::apiserver {

ServedWatch::ServedWatch(WatchHost& host, std::uint64_t id, const api::Request& request,
                         std::string_view selectors, Reply reply,
                         std::shared_ptr<api::WatchSink> sink)
    : host_(host),
      id_(id),
      sink_(std::move(sink)),
      background_(host.sim.context().background),
      unawaited_(host.sim.context().unawaited),
      cause_(request.event),
      reply_(std::make_unique<Reply>(std::move(reply))),
      parameters_(request, selectors) {}

void ServedWatch::Accept(api::Response::From from) {
  if (accepted_ || closed_) return;
  accepted_ = true;
  host_.sim.EmitAs(host_.actor, cause_, sim::EventInfo{sim::EventKind::kWatch},
                   sim::MakePayload<WatchPayload>(id_, host_.actor, parameters_));
  api::Response response;
  response.from = from;
  response.stream = id_;
  Answer(std::move(response));
}

void ServedWatch::Refuse(const api::Status& status) {
  if (accepted_ || closed_) return;
  closed_ = true;
  api::Response response;
  response.code = status.code;
  response.status = status;
  Answer(std::move(response));
}

void ServedWatch::AdoptRequestContext() {
  sim::Context& context = host_.sim.context();
  context.cause = cause_;
  context.background = background_;
  context.unawaited = unawaited_;
}

void ServedWatch::Answer(api::Response response) {
  (*std::exchange(reply_, nullptr))(std::move(response));
}

bool ServedWatch::KeepsBack(const EventBody& body) const {
  if (body.type != api::WatchEventType::kBookmark || body.initial_end) return false;
  return host_.drop_bookmark != nullptr && *host_.drop_bookmark &&
         (*host_.drop_bookmark)(client(), resource());
}

bool ServedWatch::Send(const std::shared_ptr<const EventBody>& body, std::uint64_t object_hash,
                       std::uint64_t cause) {
  if (closed_ || !accepted_ || KeepsBack(*body)) return true;
  sim::Simulation& sim = host_.sim;
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
  event.event = sim.EmitAs(host_.actor, cause, info, sim::MakePayload<EventPayload>(id_, n, body));
  // The message to the client is caused by the event just emitted.
  const std::uint64_t before = std::exchange(sim.context().cause, event.event);
  const bool more = sink_->Send(std::move(event));
  sim.context().cause = before;
  return more;
}

void ServedWatch::SendError(const api::Status& status, std::uint64_t cause) {
  Send(std::make_shared<EventBody>(resource(), status), 0, cause == 0 ? cause_ : cause);
}

void ServedWatch::Close(api::StreamEnd how, std::string_view reason) {
  if (closed_) return;
  closed_ = true;
  if (accepted_ && !host_.sim.closed()) {
    host_.sim.EmitAs(
        host_.actor, host_.sim.context().cause, sim::EventInfo{sim::EventKind::kWatch},
        sim::MakePayload<WatchPayload>(id_, host_.actor, parameters_, last_revision_, reason));
    sink_->Close(how);
  }
  sink_.reset();
  if (deadline_ != VirtualTime()) host_.OnClosed(*this);
}

}  // namespace ksim::apiserver
