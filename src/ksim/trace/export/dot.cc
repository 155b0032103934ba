// The part of export.h for Graphviz: events, and what led to each.
#include <fmt/format.h>

#include "ksim/base/time.h"
#include "ksim/trace/event_text.h"
#include "ksim/trace/export/export.h"

namespace ksim::trace {
namespace {

using Kind = sim::EventKind;

// A label between quotes; a backslash would begin an escape. Long ones are broken into lines.
std::string DotText(std::string_view text) {
  constexpr std::size_t kLine = 50;
  std::string out;
  std::size_t column = 0;
  for (char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\r';
    if (space && column >= kLine) {
      out += "\\n";
      column = 0;
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += space ? ' ' : c;
    ++column;
  }
  return out;
}

// A node's attributes. Kinds differ by shape, too, for readers who see no colours.
std::string_view AttributesOf(Kind kind) {
  switch (kind) {
    case Kind::kCommit:
      return "shape=cylinder, fillcolor=\"#cfe8d5\"";
    case Kind::kRequest:
    case Kind::kResponse:
    case Kind::kInput:
    case Kind::kWebhook:
      return "shape=box, fillcolor=\"#d5e3f7\"";
    case Kind::kEvent:
    case Kind::kDeliver:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#f3ead0\"";
    case Kind::kReconcile:
      return "shape=component, fillcolor=\"#e6dcf5\"";
    case Kind::kFault:
    case Kind::kViolation:
      return "shape=octagon, fillcolor=\"#f8d2cf\"";
    default:
      return "shape=box, style=\"rounded,filled\", fillcolor=\"#eeeeee\"";
  }
}

// An aside is no cause of anything: the graph shows it only at the end of a chain.
bool IsAside(const Record& r) { return r.kind == Kind::kStage || r.kind == Kind::kCache; }

}  // namespace

void ExportDot(const Excerpt& excerpt, Sink sink) {
  const std::vector<Record>& events = excerpt.trace().events;
  sink(
      "digraph ksim {\n  rankdir=LR;\n"
      "  node [style=filled, fontname=\"Helvetica\", fontsize=10];\n");
  // The nearest shown event that each leads back to; 0 for none.
  std::vector<std::uint64_t> shown(events.size() + 1, 0);
  for (std::size_t i = excerpt.first(); i < excerpt.last(); ++i) {
    const Record& r = events[i];
    const std::uint64_t cause = r.cause < r.seq ? shown[r.cause] : 0;
    const bool visible = excerpt.Shows(r) && !IsAside(r);
    shown[r.seq] = visible ? r.seq : cause;
    if (!visible) continue;
    sink(fmt::format("  e{0} [label=\"#{0} {1}\\n{2}\\n{3}\", {4}];\n", r.seq,
                     FormatTime(VirtualTime(r.t)), DotText(r.actor), DotText(EventText(r)),
                     AttributesOf(r.kind)));
    if (cause == 0) continue;
    sink(fmt::format("  e{} -> e{}{};\n", cause, r.seq, cause == r.cause ? "" : " [style=dashed]"));
  }
  sink("}\n");
}

}  // namespace ksim::trace
