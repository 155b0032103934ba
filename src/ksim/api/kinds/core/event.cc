// The kind Event of v1.
//
// kinds/shared/event.h has what it shares with the Event of events.k8s.io.
#include "ksim/api/kinds/shared/event.h"

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

namespace {

constexpr std::string_view kEventTypes = R"(
Event: action=string apiVersion=string count=int32 eventTime=MicroTime firstTimestamp=Time
   involvedObject!=ObjectReference kind=string lastTimestamp=Time message=string
   metadata!=ObjectMeta reason=string related=*ObjectReference reportingComponent!=string
   reportingInstance!=string series=*EventSeries source=EventSource type=string
EventSeries: count=int32 lastObservedTime=MicroTime
EventSource: component=string host=string
)";

NameProblems EventNameProblems(std::string_view name, Compat) {
  // ValidateEventCreate does not check the name, for compatibility. rest.BeforeCreate asks that
  // every name fits into a path.
  return PathSegmentName(name);
}

}  // namespace

extern const KindSpec kEventKind = {
    .kind = "Event",
    .resource = "events",
    .short_names = {"ev"},
    .create_on_update = true,
    .watch_cached = false,
    .go_types = kEventTypes,
    .columns = {{"Last Seen"},
                {"Type"},
                {"Reason"},
                {"Object"},
                {"Subobject", kWide},
                {"Source", kWide},
                {"Message"},
                {"First Seen", kWide},
                {"Count", kWide},
                {"Name", kWide}},
    .cells = EventCells,
    .validation =
        {
            .on_create = {kCheckObject},
            .on_update = {kCheckObject},
            .on_status_update = {},
            .object = ValidateEvent,
            .name = EventNameProblems,
        },
};

}  // namespace ksim::api
