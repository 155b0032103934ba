#include "ksim/apiserver/watch_stream.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/events.h"

namespace ksim::apiserver {

using api::WatchEventType;
using value::Obj;
using value::Value;

WatchStream::WatchStream(sim::Simulation& sim, const std::string& server, std::uint64_t id,
                         const api::Request& request, std::string selectors, Reply reply,
                         std::shared_ptr<api::WatchSink> sink)
    : sim_(sim),
      actor_(sim::ActorId::Of(server)),
      id_(id),
      cause_(request.event),
      resource_(request.resource),
      opened_(sim::MakePayload<WatchPayload>(id, server, request, std::move(selectors), true, 0,
                                             std::string())),
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

void WatchStream::Send(WatchEventType type, const api::Object& object, std::uint64_t object_hash,
                       std::uint64_t cause) {
  api::WatchEvent event;
  event.type = type;
  event.object = object;
  Put(std::move(event), object_hash, object.resource_version(), cause);
}

void WatchStream::SendBookmark(std::int64_t revision, bool initial_end) {
  Value metadata = Value::EmptyObject();
  if (initial_end)
    metadata = Obj({{"annotations", Obj({{"k8s.io/initial-events-end", Value::Of("true")}})}});
  api::WatchEvent event;
  event.type = WatchEventType::kBookmark;
  event.object = api::Object::FromTree(Obj({{"apiVersion", Value::Of(resource_->api_version())},
                                            {"kind", Value::Of(resource_->kind)},
                                            {"metadata", metadata}}),
                                       revision);
  event.initial_end = initial_end;
  Put(std::move(event), 0, revision, cause_);
}

void WatchStream::SendError(const api::Status& status) {
  Put(api::WatchEvent::OfError(status), 0, 0, cause_);
}

void WatchStream::Put(api::WatchEvent event, std::uint64_t object_hash, std::int64_t revision,
                      std::uint64_t cause) {
  if (closed_ || !accepted_) return;
  event.n = ++sent_;
  last_revision_ = std::max(last_revision_, revision);
  sim::EventInfo info{sim::EventKind::kEvent, object_hash, revision};
  event.event =
      sim_.EmitAs(actor_, cause, info, sim::MakePayload<EventPayload>(id_, resource_, event));
  // What travels to the client is caused by the event just told.
  const std::uint64_t before = std::exchange(sim_.context().cause, event.event);
  sink_->Send(std::move(event));
  sim_.context().cause = before;
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
