// The kind Event of events.k8s.io/v1.
//
// Source: pkg/apis/core/validation/events.go ValidateEventCreate, ValidateEventUpdate.
#include "ksim/api/kinds/shared/event.h"

#include <fmt/format.h>

#include <string>

#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kEventsEventTypes = R"(
events.Event: action=string apiVersion=string deprecatedCount=int32 deprecatedFirstTimestamp=Time
   deprecatedLastTimestamp=Time deprecatedSource=EventSource eventTime!=MicroTime kind=string
   metadata!=ObjectMeta note=string reason=string regarding=ObjectReference
   related=*ObjectReference reportingController=string reportingInstance=string
   series=*events.EventSeries type=string
events.EventSeries: count!=int32 lastObservedTime!=MicroTime
)";

void CheckEventSeries(const Value& series, FieldErrorList* errors) {
  if (series.is_null()) return;
  if (series.Get("count").AsInt() < 2) {
    errors->Invalid(FieldPath("series.count"), "", "should be at least 2");
  }
  if (series.Get("lastObservedTime").is_null()) {
    errors->Required(FieldPath("series.lastObservedTime"));
  }
}

void CheckEventUnset(bool unset, std::string_view field, FieldErrorList* errors) {
  if (!unset) errors->Invalid(FieldPath(field), "", "needs to be unset");
}

// A core.ObjectReference as a bad value: as Go's %#v, or as JSON.
std::string EventReferenceText(const Value& ref, Compat compat) {
  constexpr const char* kFields[][2] = {{"Kind", "kind"},
                                        {"Namespace", "namespace"},
                                        {"Name", "name"},
                                        {"UID", "uid"},
                                        {"APIVersion", "apiVersion"},
                                        {"ResourceVersion", "resourceVersion"},
                                        {"FieldPath", "fieldPath"}};
  const bool json = ProfileOf(compat).bad_values_as_json;
  std::string out;
  for (const auto& [go, name] : kFields) {
    if (!out.empty()) out += json ? "," : ", ";
    out += json ? fmt::format("\"{}\":", go) : fmt::format("{}:", go);
    out += GoQuote(ref.Get(name).AsString());
  }
  return json ? "{" + out + "}" : "core.ObjectReference{" + out + "}";
}

void CheckReferenceStays(const Value& now, const Value& before, std::string_view field,
                         FieldErrorList* errors) {
  if (now == before) return;
  const std::string text =
      now.is_null() && field == "related" ? "null" : EventReferenceText(now, errors->compat());
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: field is immutable", text),
              std::string(field));
}

void CheckTextStays(const Value& now, const Value& before, std::string_view field,
                    FieldErrorList* errors) {
  if (now.AsString() == before.AsString()) return;
  errors->Invalid(FieldPath(field), now.AsString(), "field is immutable");
}

void CheckTimeStays(const Value& now, const Value& before, std::string_view field,
                    FieldErrorList* errors) {
  if (now == before) return;
  const bool json = errors->profile().bad_values_as_json;
  if (now.is_null() && !json) {
    errors->Add("FieldValueInvalid",
                "Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable",
                std::string(field));
  } else {
    errors->Invalid(FieldPath(field), now, GoShape::kTime, "field is immutable");
  }
}

// ValidateEventCreate: what events.k8s.io asks for besides.
void ValidateNewEvent(const Value& tree, FieldErrorList* errors) {
  const EventFields f(tree);
  CheckEventSeries(tree.Get("series"), errors);
  if (tree.Get("eventTime").is_null()) errors->Required(FieldPath("eventTime"));
  const std::string_view type = tree.Get("type").AsString();
  if (type != "Normal" && type != "Warning") {
    errors->Invalid(FieldPath("type"), "", fmt::format("has invalid value: {}", type));
  }
  CheckEventUnset(tree.Get(f.first).is_null(), "firstTimestamp", errors);
  CheckEventUnset(tree.Get(f.last).is_null(), "lastTimestamp", errors);
  CheckEventUnset(tree.Get(f.count).AsInt() == 0, "count", errors);
  CheckEventUnset(tree.Get(f.source).empty(), "source", errors);
}

// ValidateEventUpdate: only the series may change.
void ValidateEventUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const EventFields f(tree);
  const EventFields b(old);
  if (tree.Get("series") != old.Get("series")) CheckEventSeries(tree.Get("series"), errors);
  CheckReferenceStays(tree.Get(f.object), old.Get(b.object), "involvedObject", errors);
  CheckTextStays(tree.Get("reason"), old.Get("reason"), "reason", errors);
  CheckTextStays(tree.Get(f.message), old.Get(b.message), "message", errors);
  if (tree.Get(f.source) != old.Get(b.source) &&
      !(tree.Get(f.source).empty() && old.Get(b.source).empty())) {
    errors->Invalid(FieldPath("source"), tree.Get(f.source), GoShape::kOther, "field is immutable");
  }
  CheckTimeStays(tree.Get(f.first), old.Get(b.first), "firstTimestamp", errors);
  CheckTimeStays(tree.Get(f.last), old.Get(b.last), "lastTimestamp", errors);
  if (tree.Get(f.count).AsInt() != old.Get(b.count).AsInt()) {
    errors->Invalid(FieldPath("count"), tree.Get(f.count).AsInt(), "field is immutable");
  }
  CheckTextStays(tree.Get("reason"), old.Get("reason"), "reason", errors);
  CheckTextStays(tree.Get("type"), old.Get("type"), "type", errors);
  CheckTimeStays(tree.Get("eventTime"), old.Get("eventTime"), "eventTime", errors);
  CheckTextStays(tree.Get("action"), old.Get("action"), "action", errors);
  CheckReferenceStays(tree.Get("related"), old.Get("related"), "related", errors);
  CheckTextStays(tree.Get(f.reporter), old.Get(b.reporter), "reportingController", errors);
  CheckTextStays(tree.Get("reportingInstance"), old.Get("reportingInstance"), "reportingInstance",
                 errors);
}

}  // namespace

extern const KindSpec kEventsEventKind = {
    .group = "events.k8s.io",
    .kind = "Event",
    .resource = "events",
    .short_names = {"ev"},
    .create_on_update = true,
    .watch_cached = false,
    .core_group_in_errors = true,
    .go_types = kEventsEventTypes,
    .go_struct = "events.Event",
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
            .on_create = {kCheckObject, kCheckMeta, kCheckNewObject},
            .on_update = {kCheckObject, kCheckMetaUpdate, kCheckChange},
            .on_status_update = {},
            .object = ValidateEvent,
            .new_object = ValidateNewEvent,
            .change = ValidateEventUpdate,
        },
};

}  // namespace ksim::api
