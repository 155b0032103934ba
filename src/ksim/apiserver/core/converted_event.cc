#include "ksim/apiserver/core/converted_event.h"

#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

using api::WatchEventType;

std::optional<WatchEventType> TypeFor(const CacheEvent& event, const Predicate& predicate) {
  const bool now = event.type != WatchEventType::kDeleted && predicate.Matches(event.object);
  const bool before = !event.previous.empty() && predicate.Matches(event.previous);
  if (now) return before ? WatchEventType::kModified : WatchEventType::kAdded;
  if (before) return WatchEventType::kDeleted;
  return std::nullopt;
}

const ConvertedEvent::Body& ConvertedEvent::Convert(const Predicate& predicate) {
  const std::optional<WatchEventType> type = TypeFor(event_, predicate);
  if (!type) return nothing_;
  const bool left = *type == WatchEventType::kDeleted;
  Body& body = left ? deleted_ : *type == WatchEventType::kAdded ? added_ : modified_;
  if (body == nullptr)
    body =
        std::make_shared<EventBody>(resource_, *type, left ? LastMatchingState() : event_.object);
  return body;
}

api::Object ConvertedEvent::LastMatchingState() const {
  if (delete_rv_ == api::Variants::DeleteRV::kObjectRV && event_.type == WatchEventType::kDeleted) {
    KSIM_PROBE("variant/event.deleteRV");
    return event_.previous;
  }
  return event_.previous.WithResourceVersion(event_.revision);
}

}  // namespace ksim::apiserver
