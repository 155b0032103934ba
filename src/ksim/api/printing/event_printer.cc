// Events as `kubectl events` and `kubectl describe` print them. Source: kubectl
// pkg/cmd/events/{events,event_printer}.go, pkg/util/event/sorted_event_list.go.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/timestamps.h"
#include "ksim/api/printing/pod_printer.h"
#include "ksim/api/printing/printers.h"

namespace ksim::api {
namespace {

using value::Value;

// Of either API group, whichever the event was written with.
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

// "5s", or "5s (x3 over 2m)" of one that came several times.
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

void SortByLastSeen(std::vector<Object>* events) {
  std::stable_sort(events->begin(), events->end(), [](const Object& a, const Object& b) {
    return LastSeen(a.tree()).value_or(VirtualTime()) < LastSeen(b.tree()).value_or(VirtualTime());
  });
}

std::vector<EventCells> CellsOfEvents(std::vector<Object> events, VirtualTime now) {
  // SortableEvents looks at lastTimestamp alone: those that have none come first.
  std::stable_sort(events.begin(), events.end(), [](const Object& a, const Object& b) {
    const auto last = [](const Object& o) {
      const Value& time = Either(o.tree(), "lastTimestamp", "deprecatedLastTimestamp");
      return TimeOf(time).value_or(VirtualTime());
    };
    return last(a) < last(b);
  });
  std::vector<EventCells> out;
  for (const Object& event : events) {
    const Value& tree = event.tree();
    EventCells cells;
    cells.type = std::string(tree.Get("type").AsString());
    cells.reason = std::string(tree.Get("reason").AsString());
    cells.age = Interval(tree, now);
    cells.from =
        std::string(Either(tree, "source", "deprecatedSource").Get("component").AsString());
    if (cells.from.empty())
      cells.from =
          std::string(Either(tree, "reportingComponent", "reportingController").AsString());
    cells.message = TrimSpace(Either(tree, "message", "note").AsString());
    const Value& about = Either(tree, "involvedObject", "regarding");
    if (const std::string_view path = about.Get("fieldPath").AsString(); !path.empty())
      cells.message = fmt::format("{}: {}", path, cells.message);
    out.push_back(std::move(cells));
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

}  // namespace ksim::api
