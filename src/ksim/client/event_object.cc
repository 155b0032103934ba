#include "ksim/client/event_object.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "ksim/value/timestamp.h"

namespace ksim::client {

using value::Obj;
using value::ObjectBuilder;
using value::Value;

namespace {

// Members are added by name here, which spares their sorting.
Value ReferenceTree(const ObjectReference& r) {
  const std::string rv = r.resource_version == 0 ? "" : std::to_string(r.resource_version);
  return ObjectBuilder()
      .Add("apiVersion", Value::String(r.api_version))
      .AddIf(!r.field_path.empty(), "fieldPath", Value::String(r.field_path))
      .Add("kind", Value::String(r.kind))
      .Add("name", Value::String(r.name))
      .AddIf(!r.ns.empty(), "namespace", Value::String(r.ns))
      .AddIf(!rv.empty(), "resourceVersion", Value::String(rv))
      .AddIf(!r.uid.empty(), "uid", Value::String(r.uid))
      .Build();
}

Value Metadata(const EventRecord& e) {
  return Obj({{"name", Value::String(e.name)}, {"namespace", Value::String(e.ns)}});
}

Value SeriesTree(const EventSeries& s) {
  return Obj({{"count", Value::Int(s.count)},
              {"lastObservedTime", Value::String(value::FormatMicroTime(s.last_observed))}});
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
  Value source = ObjectBuilder()
                     .Add("component", Value::String(e.component))
                     .AddIf(!e.host.empty(), "host", Value::String(e.host))
                     .Build();
  return ObjectBuilder()
      .Add("apiVersion", Value::Of("v1"))
      .Add("count", Value::Int(e.count))
      .Add("eventTime", Value())
      .Add("firstTimestamp", Value::String(value::FormatTimestamp(e.first)))
      .Add("involvedObject", ReferenceTree(e.about))
      .Add("kind", Value::Of("Event"))
      .Add("lastTimestamp", Value::String(value::FormatTimestamp(e.last)))
      .Add("message", Value::String(e.message))
      .Add("metadata", Metadata(e))
      .Add("reason", Value::String(e.reason))
      .Add("reportingComponent", Value::String(e.names_reporter ? e.component : ""))
      .Add("reportingInstance", Value::String(e.names_reporter ? e.host : ""))
      .Add("source", std::move(source))
      .Add("type", Value::String(e.type))
      .Build();
}

Value CoreEventPatch(const EventRecord& e) {
  return Obj({{"count", Value::Int(e.count)},
              {"lastTimestamp", Value::String(value::FormatTimestamp(e.last))},
              {"message", Value::String(e.message)}});
}

Value EventsV1Tree(const EventRecord& e, const std::optional<EventSeries>& series) {
  const std::string instance =
      e.host.empty() ? e.component : fmt::format("{}-{}", e.component, e.host);
  ObjectBuilder tree;
  tree.Add("apiVersion", Value::Of("events.k8s.io/v1"))
      .Add("kind", Value::Of("Event"))
      .Add("metadata", Metadata(e))
      .Add("eventTime", Value::String(value::FormatMicroTime(e.first)))
      .Add("reportingController", Value::String(e.component))
      .Add("reportingInstance", Value::String(instance))
      .Add("action", Value::String(e.action))
      .Add("reason", Value::String(e.reason))
      .Add("regarding", ReferenceTree(e.about))
      .AddIf(e.related.has_value(), "related", e.related ? ReferenceTree(*e.related) : Value())
      .Add("note", Value::String(e.message))
      .Add("type", Value::String(e.type))
      .Add("deprecatedSource", value::Value::EmptyObject())
      .Add("deprecatedFirstTimestamp", Value())
      .Add("deprecatedLastTimestamp", Value());
  if (series) tree.Add("series", SeriesTree(*series));
  return tree.Build();
}

Value SeriesPatch(const EventSeries& series) { return Obj({{"series", SeriesTree(series)}}); }

}  // namespace ksim::client
