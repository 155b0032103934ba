#include "ksim/cli/story/story_events.h"

#include <string_view>
#include <typeinfo>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/base/check.h"
#include "ksim/client/core/payloads.h"
#include "ksim/store/events.h"
#include "ksim/trace/render.h"

namespace ksim::cli {
namespace {

using Kind = sim::EventKind;

// The payload if it is exactly a T.
template <class T>
const T* PayloadIf(const sim::Event& e) {
  const sim::Payload& payload = *e.payload.get();
  return typeid(payload) == typeid(T) ? &e.payload.As<T>() : nullptr;
}

// Writes of them get a line only if they are the user's.
bool IsHeartbeat(std::string_view resource) { return resource == "leases" || resource == "events"; }
bool IsUsers(sim::ActorId by) { return by.name().starts_with("kubectl"); }

// Nobody is shown being told of them.
bool IsToldInSilence(std::string_view resource) {
  return IsHeartbeat(resource) || resource == "nodes";
}

bool KeepsCommit(const store::CommitPayload& p) {
  return !p.parts() || !IsHeartbeat(p.parts()->resource) || IsUsers(p.by);
}

}  // namespace

void StoryEvents::Take(const sim::Event& e) {
  const std::uint64_t distance = e.cause == 0 ? 0 : e.seq - e.cause;
  KSIM_CHECK(distance <= ~std::uint32_t{0});
  distances_.push_back(static_cast<std::uint32_t>(distance));
  if (Keeps(e)) kept_.push_back(e);
}

bool StoryEvents::Keeps(const sim::Event& e) {
  switch (e.kind) {
    case Kind::kRequest:
      return !IsHeartbeat(e.payload.As<client::RequestPayload>().request.resource->known_as()) ||
             IsUsers(e.actor);
    case Kind::kResponse: {
      const int code = e.payload.As<client::ResponsePayload>().code;
      return code == 0 || code >= 400;
    }
    case Kind::kCommit:
      return KeepsCommit(e.payload.As<store::CommitPayload>());
    case Kind::kWatch:
      TakeWatch(e);
      return true;
    case Kind::kEvent:
      return KeepsWatchEvent(e);
    case Kind::kDeliver:
      TakeDelivery(e);
      return false;
    case Kind::kHandler:
      return !IsHeartbeat(e.payload.As<client::HandlerPayload>().resource->known_as());
    case Kind::kStage:
    case Kind::kReconcile:
    case Kind::kCompact:
    case Kind::kCache:
    case Kind::kInput:
      return false;
    default:
      return true;
  }
}

void StoryEvents::TakeWatch(const sim::Event& e) {
  const auto* watch = PayloadIf<apiserver::WatchPayload>(e);
  if (watch == nullptr) return;
  const StreamKey key(watch->server.name_hash(), watch->stream);
  if (watch->open)
    open_[key] = {e.time, watch->client.name().starts_with("kubelet/")};
  else
    open_.erase(key);
}

bool StoryEvents::KeepsWatchEvent(const sim::Event& e) {
  if (const auto* event = PayloadIf<store::StoreEventPayload>(e)) {
    const auto parts = event->parts();
    return parts && !IsToldInSilence(parts->resource);
  }
  const auto& event = e.payload.As<apiserver::EventPayload>();
  const auto open = open_.find(StreamKey(e.actor.name_hash(), event.stream));
  const bool at_once = open != open_.end() && open->second.opened == e.time;
  if (event.body->type == api::WatchEventType::kBookmark) {
    if (open != open_.end() && open->second.kubelets)
      bookmarks_of_kubelets_.insert(event.body->rv());
    return false;
  }
  // A watch that a fault made begin again is shown catching up, whatever it is about.
  return at_once || !IsToldInSilence(event.body->resource->known_as());
}

void StoryEvents::TakeDelivery(const sim::Event& e) {
  const auto* p = PayloadIf<client::DeliverPayload>(e);
  if (p == nullptr || p->type == api::WatchEventType::kBookmark) return;
  if (p->resource != nullptr && IsToldInSilence(p->resource->known_as())) return;
  delivered_.emplace_back(static_cast<std::int64_t>(p->stream), static_cast<std::int64_t>(p->n));
}

std::vector<trace::Record> StoryEvents::Records() const {
  std::vector<trace::Record> records;
  records.reserve(kept_.size());
  for (const sim::Event& e : kept_) records.push_back(trace::Render(e, trace::RenderOptions()));
  return records;
}

}  // namespace ksim::cli
