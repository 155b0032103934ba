#include "ksim/kubectl/printing/event_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/timestamps.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/printing/cell_text.h"
#include "ksim/kubectl/printing/table.h"

namespace ksim::kubectl {
namespace {

using api::AgeSince;
using api::Object;
using api::TimeOf;
using value::Value;

// The field by its name in either API group: the event was written with one of them.
const Value& Either(const Value& tree, std::string_view core, std::string_view other) {
  return tree.Has(core) ? tree.Get(core) : tree.Get(other);
}

std::optional<VirtualTime> FirstSeen(const Value& tree) {
  const std::optional<VirtualTime> event_time = TimeOf(tree.Get("eventTime"));
  return event_time ? event_time
                    : TimeOf(Either(tree, "firstTimestamp", "deprecatedFirstTimestamp"));
}

std::optional<VirtualTime> LastSeen(const Value& tree) {
  const Value& series = tree.Get("series");
  if (series.is_object()) return TimeOf(series.Get("lastObservedTime"));
  const auto last = TimeOf(Either(tree, "lastTimestamp", "deprecatedLastTimestamp"));
  return last ? last : TimeOf(tree.Get("eventTime"));
}

// "5s", or "5s (x3 over 2m)" for an event that was recorded several times.
std::string Interval(const Value& tree, VirtualTime now) {
  const std::string first = AgeSince(FirstSeen(tree), now);
  const Value& series = tree.Get("series");
  const std::int64_t count = series.is_object() ? series.Get("count").AsInt()
                                                : Either(tree, "count", "deprecatedCount").AsInt();
  if (!series.is_object() && count <= 1) return first;
  return fmt::format("{} (x{} over {})", AgeSince(LastSeen(tree), now), count, first);
}

std::string TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

}  // namespace

std::vector<Object> EventsAbout(const ClusterView& cluster, const EventSubject& subject) {
  const auto wanted = [](const std::string& want, const Value& is) {
    return want.empty() || is.AsString() == want;
  };
  std::vector<Object> out;
  for (Object& e : cluster.List("events", subject.ns)) {
    const Value& is =
        e.tree().Has("regarding") ? e.tree().Get("regarding") : e.tree().Get("involvedObject");
    if (subject.of_namespace && is.Get("namespace").AsString() != subject.ns) continue;
    if (wanted(subject.api_version, is.Get("apiVersion")) && wanted(subject.kind, is.Get("kind")) &&
        wanted(subject.name, is.Get("name")) && wanted(subject.uid, is.Get("uid")))
      out.push_back(std::move(e));
  }
  return out;
}

void SortByLastSeen(std::vector<Object>* events) {
  std::stable_sort(events->begin(), events->end(), [](const Object& a, const Object& b) {
    return LastSeen(a.tree()).value_or(VirtualTime()) < LastSeen(b.tree()).value_or(VirtualTime());
  });
}

std::vector<EventRow> RowsOfEvents(std::vector<Object> events, VirtualTime now) {
  // SortableEvents looks at lastTimestamp alone: those that have none come first.
  std::stable_sort(events.begin(), events.end(), [](const Object& a, const Object& b) {
    const auto last = [](const Object& o) {
      const Value& time = Either(o.tree(), "lastTimestamp", "deprecatedLastTimestamp");
      return TimeOf(time).value_or(VirtualTime());
    };
    return last(a) < last(b);
  });
  std::vector<EventRow> out;
  for (const Object& event : events) {
    const Value& tree = event.tree();
    EventRow row;
    row.type = std::string(tree.Get("type").AsString());
    row.reason = std::string(tree.Get("reason").AsString());
    row.age = Interval(tree, now);
    row.from = std::string(Either(tree, "source", "deprecatedSource").Get("component").AsString());
    if (row.from.empty())
      row.from = std::string(Either(tree, "reportingComponent", "reportingController").AsString());
    row.message = TrimSpace(Either(tree, "message", "note").AsString());
    const Value& about = Either(tree, "involvedObject", "regarding");
    if (const std::string_view path = about.Get("fieldPath").AsString(); !path.empty())
      row.message = fmt::format("{}: {}", path, row.message);
    out.push_back(std::move(row));
  }
  return out;
}

std::string RenderEvents(std::vector<Object> events, VirtualTime now, bool with_namespace,
                         bool no_headers) {
  if (events.empty()) return "";
  SortByLastSeen(&events);
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"});
  for (const Object& event : events) {
    const Value& tree = event.tree();
    const Value& about = Either(tree, "involvedObject", "regarding");
    lines.push_back({Interval(tree, now), EscapeTerminal(tree.Get("type").AsString()),
                     EscapeTerminal(tree.Get("reason").AsString()),
                     EscapeTerminal(fmt::format("{}/{}", about.Get("kind").AsString(),
                                                about.Get("name").AsString())),
                     EscapeTerminal(TrimSpace(Either(tree, "message", "note").AsString()))});
  }
  if (with_namespace) {
    lines[0].insert(lines[0].begin(), "NAMESPACE");
    for (std::size_t i = 0; i < events.size(); ++i)
      lines[i + 1].insert(lines[i + 1].begin(), std::string(events[i].ns()));
  }
  if (no_headers) lines.erase(lines.begin());
  return AlignColumns(lines);
}

}  // namespace ksim::kubectl
