#include "ksim/client/event_object.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/value/timestamp.h"

namespace ksim::client {

using value::Atom;
using value::Obj;
using value::ObjectBuilder;
using value::Value;

namespace {

// Members of text, added by name, which spares their sorting.
class Texts {
 public:
  explicit Texts(std::size_t most) { members_.reserve(most); }
  Texts& Add(Atom name, std::string_view text) {
    members_.emplace_back(name, Value::String(text));
    return *this;
  }
  Texts& AddAny(Atom name, std::string_view text) { return text.empty() ? *this : Add(name, text); }
  Value Build() { return Value::Object(std::move(members_)); }

 private:
  std::vector<Value::Member> members_;
};

Value ReferenceTree(const ObjectReference& r) {
  static const Atom kApiVersion("apiVersion"), kFieldPath("fieldPath"), kKind("kind"),
      kName("name"), kNamespace("namespace"), kResourceVersion("resourceVersion"), kUid("uid");
  const std::string rv = r.resource_version == 0 ? "" : std::to_string(r.resource_version);
  return Texts(7)
      .Add(kApiVersion, r.api_version)
      .AddAny(kFieldPath, r.field_path)
      .Add(kKind, r.kind)
      .Add(kName, r.name)
      .AddAny(kNamespace, r.ns)
      .AddAny(kResourceVersion, rv)
      .AddAny(kUid, r.uid)
      .Build();
}

Value SourceTree(const EventRecord& e) {
  static const Atom kComponent("component"), kHost("host");
  return Texts(2).Add(kComponent, e.component).AddAny(kHost, e.host).Build();
}

Value Metadata(const EventRecord& e) {
  static const Atom kName("name"), kNamespace("namespace");
  return Texts(2).Add(kName, e.name).Add(kNamespace, e.ns).Build();
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
  static const Atom kApiVersion("apiVersion"), kCount("count"), kEventTime("eventTime"),
      kFirst("firstTimestamp"), kAbout("involvedObject"), kKind("kind"), kLast("lastTimestamp"),
      kMessage("message"), kMetadata("metadata"), kReason("reason"),
      kComponent("reportingComponent"), kInstance("reportingInstance"), kSource("source"),
      kType("type");
  const Value first = Value::String(value::FormatTimestamp(e.first));
  const Value last = e.last == e.first ? first : Value::String(value::FormatTimestamp(e.last));
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
