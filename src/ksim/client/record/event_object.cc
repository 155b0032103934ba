#include "ksim/client/record/event_object.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "ksim/api/core/fields.h"
#include "ksim/value/timestamp.h"

namespace ksim::client {

using value::Obj;
using value::ObjectBuilder;
using value::Value;

namespace {

// Members are added by name here, which spares their sorting.
Value ReferenceTree(const ObjectReference& r) {
  const api::FieldNames& f = api::Fields();
  const std::string rv = r.resource_version == 0 ? "" : std::to_string(r.resource_version);
  ObjectBuilder tree;
  tree.Add(f.api_version, Value::String(r.api_version));
  if (!r.field_path.empty()) tree.Add(f.field_path, Value::String(r.field_path));
  tree.Add(f.kind, Value::String(r.kind)).Add(f.name, Value::String(r.name));
  if (!r.ns.empty()) tree.Add(f.namespace_, Value::String(r.ns));
  if (!rv.empty()) tree.Add(f.resource_version, Value::String(rv));
  if (!r.uid.empty()) tree.Add(f.uid, Value::String(r.uid));
  return tree.Build();
}

Value SourceTree(const EventRecord& e) {
  ObjectBuilder tree;
  tree.Add(api::Fields().component, Value::String(e.component));
  if (!e.host.empty()) tree.Add(api::Fields().host, Value::String(e.host));
  return tree.Build();
}

Value Metadata(const EventRecord& e) {
  return Value::Object({{api::Fields().name, Value::String(e.name)},
                        {api::Fields().namespace_, Value::String(e.ns)}});
}

Value SeriesTree(const EventSeries& s) {
  return Obj({{"count", Value::Int(s.count)},
              {"lastObservedTime", value::MicroTimeValue(s.last_observed)}});
}

}  // namespace

ObjectReference::ObjectReference(const api::Object& o, std::string_view path)
    : api_version(o.api_version()),
      kind(o.kind()),
      ns(o.ns()),
      name(o.name()),
      uid(o.uid()),
      field_path(path),
      resource_version(o.resource_version()) {}

std::string EventName(std::string_view object, VirtualTime at) {
  return fmt::format(FMT_COMPILE("{}.{:x}"), object, kEpochUnixSeconds * 1'000'000'000 + at.ns());
}

Value CoreEventTree(const EventRecord& e) {
  const api::FieldNames& f = api::Fields();
  const Value first = value::TimestampValue(e.first);
  const Value last = e.last == e.first ? first : value::TimestampValue(e.last);
  return Value::Object({{f.api_version, Value::Of("v1")},
                        {f.count, Value::Int(e.count)},
                        {f.event_time, Value()},
                        {f.first_timestamp, first},
                        {f.involved_object, ReferenceTree(e.about)},
                        {f.kind, Value::Of("Event")},
                        {f.last_timestamp, last},
                        {f.message, Value::String(e.message)},
                        {f.metadata, Metadata(e)},
                        {f.reason, Value::String(e.reason)},
                        {f.reporting_component, Value::String(e.names_reporter ? e.component : "")},
                        {f.reporting_instance, Value::String(e.names_reporter ? e.host : "")},
                        {f.source, SourceTree(e)},
                        {f.type, Value::String(e.type)}});
}

Value CoreEventPatch(const EventRecord& e) {
  return Obj({{"count", Value::Int(e.count)},
              {"lastTimestamp", value::TimestampValue(e.last)},
              {"message", Value::String(e.message)}});
}

Value EventsV1Tree(const EventRecord& e, const std::optional<EventSeries>& series) {
  const std::string instance =
      e.host.empty() ? e.component : fmt::format("{}-{}", e.component, e.host);
  const api::FieldNames& f = api::Fields();
  ObjectBuilder tree;
  tree.Add(f.action, Value::String(e.action))
      .Add(f.api_version, Value::Of("events.k8s.io/v1"))
      .Add(f.deprecated_first_timestamp, Value())
      .Add(f.deprecated_last_timestamp, Value())
      .Add(f.deprecated_source, Value::EmptyObject())
      .Add(f.event_time, value::MicroTimeValue(e.first))
      .Add(f.kind, Value::Of("Event"))
      .Add(f.metadata, Metadata(e))
      .Add(f.note, Value::String(e.message))
      .Add(f.reason, Value::String(e.reason))
      .Add(f.regarding, ReferenceTree(e.about));
  if (e.related) tree.Add(f.related, ReferenceTree(*e.related));
  tree.Add(f.reporting_controller, Value::String(e.component))
      .Add(f.reporting_instance, Value::String(instance));
  if (series) tree.Add(f.series, SeriesTree(*series));
  tree.Add(f.type, Value::String(e.type));
  return tree.Build();
}

Value SeriesPatch(const EventSeries& series) { return Obj({{"series", SeriesTree(series)}}); }

}  // namespace ksim::client
