#include "ksim/client/record/event_object.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "ksim/value/timestamp.h"

namespace ksim::client {

using value::Atom;
using value::Obj;
using value::ObjectBuilder;
using value::Value;

namespace {

// Members are added by name here, which spares their sorting.
Value ReferenceTree(const ObjectReference& r) {
  static const Atom kApiVersion("apiVersion"), kFieldPath("fieldPath"), kKind("kind"),
      kName("name"), kNamespace("namespace"), kResourceVersion("resourceVersion"), kUid("uid");
  const std::string rv = r.resource_version == 0 ? "" : std::to_string(r.resource_version);
  ObjectBuilder tree;
  tree.Add(kApiVersion, Value::String(r.api_version));
  if (!r.field_path.empty()) tree.Add(kFieldPath, Value::String(r.field_path));
  tree.Add(kKind, Value::String(r.kind)).Add(kName, Value::String(r.name));
  if (!r.ns.empty()) tree.Add(kNamespace, Value::String(r.ns));
  if (!rv.empty()) tree.Add(kResourceVersion, Value::String(rv));
  if (!r.uid.empty()) tree.Add(kUid, Value::String(r.uid));
  return tree.Build();
}

Value SourceTree(const EventRecord& e) {
  static const Atom kComponent("component"), kHost("host");
  ObjectBuilder tree;
  tree.Add(kComponent, Value::String(e.component));
  if (!e.host.empty()) tree.Add(kHost, Value::String(e.host));
  return tree.Build();
}

Value Metadata(const EventRecord& e) {
  static const Atom kName("name"), kNamespace("namespace");
  return Value::Object({{kName, Value::String(e.name)}, {kNamespace, Value::String(e.ns)}});
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
  static const Atom kApiVersion("apiVersion"), kCount("count"), kEventTime("eventTime"),
      kFirst("firstTimestamp"), kAbout("involvedObject"), kKind("kind"), kLast("lastTimestamp"),
      kMessage("message"), kMetadata("metadata"), kReason("reason"),
      kComponent("reportingComponent"), kInstance("reportingInstance"), kSource("source"),
      kType("type");
  const Value first = value::TimestampValue(e.first);
  const Value last = e.last == e.first ? first : value::TimestampValue(e.last);
  return Value::Object({{kApiVersion, Value::Of("v1")},
                        {kCount, Value::Int(e.count)},
                        {kEventTime, Value()},
                        {kFirst, first},
                        {kAbout, ReferenceTree(e.about)},
                        {kKind, Value::Of("Event")},
                        {kLast, last},
                        {kMessage, Value::String(e.message)},
                        {kMetadata, Metadata(e)},
                        {kReason, Value::String(e.reason)},
                        {kComponent, Value::String(e.names_reporter ? e.component : "")},
                        {kInstance, Value::String(e.names_reporter ? e.host : "")},
                        {kSource, SourceTree(e)},
                        {kType, Value::String(e.type)}});
}

Value CoreEventPatch(const EventRecord& e) {
  return Obj({{"count", Value::Int(e.count)},
              {"lastTimestamp", value::TimestampValue(e.last)},
              {"message", Value::String(e.message)}});
}

Value EventsV1Tree(const EventRecord& e, const std::optional<EventSeries>& series) {
  const std::string instance =
      e.host.empty() ? e.component : fmt::format("{}-{}", e.component, e.host);
  static const Atom kAction("action"), kApiVersion("apiVersion"),
      kDeprecatedFirst("deprecatedFirstTimestamp"), kDeprecatedLast("deprecatedLastTimestamp"),
      kDeprecatedSource("deprecatedSource"), kEventTime("eventTime"), kKind("kind"),
      kMetadata("metadata"), kNote("note"), kReason("reason"), kRegarding("regarding"),
      kRelated("related"), kController("reportingController"), kInstance("reportingInstance"),
      kSeries("series"), kType("type");
  ObjectBuilder tree;
  tree.Add(kAction, Value::String(e.action))
      .Add(kApiVersion, Value::Of("events.k8s.io/v1"))
      .Add(kDeprecatedFirst, Value())
      .Add(kDeprecatedLast, Value())
      .Add(kDeprecatedSource, Value::EmptyObject())
      .Add(kEventTime, value::MicroTimeValue(e.first))
      .Add(kKind, Value::Of("Event"))
      .Add(kMetadata, Metadata(e))
      .Add(kNote, Value::String(e.message))
      .Add(kReason, Value::String(e.reason))
      .Add(kRegarding, ReferenceTree(e.about));
  if (e.related) tree.Add(kRelated, ReferenceTree(*e.related));
  tree.Add(kController, Value::String(e.component)).Add(kInstance, Value::String(instance));
  if (series) tree.Add(kSeries, SeriesTree(*series));
  tree.Add(kType, Value::String(e.type));
  return tree.Build();
}

Value SeriesPatch(const EventSeries& series) { return Obj({{"series", SeriesTree(series)}}); }

}  // namespace ksim::client
