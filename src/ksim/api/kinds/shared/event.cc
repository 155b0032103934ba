#include "ksim/api/kinds/shared/event.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "ksim/api/core/timestamps.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

void CheckEventText(const Value& text, std::string_view field, std::size_t max,
                    FieldErrorList* errors) {
  if (text.AsString().size() <= max) return;
  errors->Invalid(FieldPath(field), "", fmt::format("can have at most {} characters", max));
}

// An event with an eventTime came through the newer API, which asks for more.
void CheckTimedEvent(const Value& event, const EventFields& f, FieldErrorList* errors) {
  const FieldPath controller(f.reporter);
  const std::string_view reporter = event.Get(f.reporter).AsString();
  if (reporter.empty()) errors->Required(controller);
  errors->InvalidAll(controller, reporter, QualifiedName(reporter, errors->compat()));
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    if (event.Get(field).AsString().empty()) errors->Required(FieldPath(field));
    CheckEventText(event.Get(field), field, 128, errors);
  }
  CheckEventText(event.Get(f.message), "message", 1024, errors);
}

// A field that the core group calls `core` and events.k8s.io calls `other`.
const Value& EventField(const Object& o, std::string_view core, std::string_view other) {
  return o.tree().Has(core) ? o.tree().Get(core) : o.tree().Get(other);
}

std::string EventSource(const Object& o) {
  const auto first = [](const Value& a, const Value& b) {
    return a.AsString().empty() ? b.AsString() : a.AsString();
  };
  const Value& source = EventField(o, "source", "deprecatedSource");
  const std::string_view component =
      first(source.Get("component"), EventField(o, "reportingComponent", "reportingController"));
  const std::string_view instance = first(source.Get("host"), o.tree().Get("reportingInstance"));
  if (instance.empty()) return std::string(component);
  return fmt::format("{}, {}", component, instance);
}

std::string_view TrimmedMessage(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

EventFields::EventFields(const Value& event) {
  const bool core = event.Get("apiVersion").AsString() != "events.k8s.io/v1";
  object = core ? "involvedObject" : "regarding";
  reporter = core ? "reportingComponent" : "reportingController";
  message = core ? "message" : "note";
  first = core ? "firstTimestamp" : "deprecatedFirstTimestamp";
  last = core ? "lastTimestamp" : "deprecatedLastTimestamp";
  count = core ? "count" : "deprecatedCount";
  source = core ? "source" : "deprecatedSource";
}

void ValidateEvent(const Value& tree, FieldErrorList* errors) {
  const EventFields f(tree);
  const FieldPath involved("involvedObject");
  const std::string_view ns = tree.Get("metadata").Get("namespace").AsString();
  const std::string_view about = tree.Get(f.object).Get("namespace").AsString();
  const bool timed = !tree.Get("eventTime").is_null();
  bool matches = about.empty() ? ns.empty() || ns == "default" : ns == about;
  if (timed) matches = !about.empty() || ns == "default" || ns == "kube-system";
  if (!matches) {
    errors->Invalid(involved.Child("namespace"), about, "does not match event.namespace");
  }
  if (timed) CheckTimedEvent(tree, f, errors);
  errors->InvalidAll(FieldPath("namespace"), ns, Dns1123Subdomain(ns));
}

std::vector<std::string> EventCells(const Object& o, VirtualTime now) {
  const Value& tree = o.tree();
  std::optional<VirtualTime> first_time =
      TimeOf(EventField(o, "firstTimestamp", "deprecatedFirstTimestamp"));
  if (!first_time) first_time = TimeOf(tree.Get("eventTime"));
  const std::string first = AgeSince(first_time, now);
  const std::optional<VirtualTime> last_time =
      TimeOf(EventField(o, "lastTimestamp", "deprecatedLastTimestamp"));
  std::string last = last_time ? AgeSince(last_time, now) : first;
  std::int64_t count = EventField(o, "count", "deprecatedCount").AsInt();
  const Value& series = tree.Get("series");
  if (series.is_object()) {
    last = AgeSince(TimeOf(series.Get("lastObservedTime")), now);
    count = series.Get("count").AsInt();
  } else if (count == 0) {
    count = 1;
  }
  const Value& object = EventField(o, "involvedObject", "regarding");
  std::string target = cells::Lower(object.Get("kind").AsString());
  if (!object.Get("name").AsString().empty()) target += "/" + cells::Text(object.Get("name"));
  const Value& message = EventField(o, "message", "note");
  return {last,
          cells::Text(tree.Get("type")),
          cells::Text(tree.Get("reason")),
          target,
          cells::Text(object.Get("fieldPath")),
          EventSource(o),
          std::string(TrimmedMessage(message.AsString())),
          first,
          std::to_string(count),
          cells::Name(o)};
}

}  // namespace ksim::api
