// EventRecord: one Event on its way to the API, and its shapes there: core/v1 and events.k8s.io/v1.
//
// Source: client-go tools/record/event.go (makeEvent), tools/events/event_recorder.go,
// tools/reference/ref.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"
#include "ksim/value/value.h"

namespace ksim::client {

// event.go maxTriesPerEvent, defaultSleepDuration: how often, and how far apart, a sink tries.
inline constexpr int kMaxTriesPerEvent = 12;
inline constexpr Duration kRetryPause = Seconds(10);

struct ObjectReference {
  ObjectReference() = default;
  ObjectReference(const api::Object& o, std::string_view path);
  std::string api_version, kind, ns, name, uid, field_path;
  std::int64_t resource_version = 0;
};

struct EventRecord {
  EventRecord() = default;
  std::string name;
  std::string ns;  // of the event: the object's, or "default"
  ObjectReference about;
  std::optional<ObjectReference> related;  // events.k8s.io only
  std::string type, reason, message;
  std::string action;           // events.k8s.io only
  std::string component, host;  // the source
  bool names_reporter = false;  // core/v1: reportingComponent and reportingInstance are set
  VirtualTime first, last;
  int count = 1;
  sim::Origin origin;
};

struct EventSeries {
  EventSeries() = default;
  int count = 0;
  VirtualTime last_observed;
};

// `<object>.<hex nanoseconds of the calendar time>`.
std::string EventName(std::string_view object, VirtualTime at);

value::Value CoreEventTree(const EventRecord& e);
value::Value CoreEventPatch(const EventRecord& e);  // strategic: count, lastTimestamp, message
value::Value EventsV1Tree(const EventRecord& e, const std::optional<EventSeries>& series);
value::Value SeriesPatch(const EventSeries& series);

}  // namespace ksim::client
