#include "ksim/cli/trace_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "ksim/trace/event_line.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Diff;
using trace::Difference;
using trace::EventLine;
using trace::ObjectDifference;
using trace::Trace;
using value::Value;

constexpr std::size_t kMostListed = 20;
constexpr std::size_t kMostLines = 8;  // of what the first or the last lines say

// --- for people ---

std::string SideLine(const Trace& trace, const std::optional<std::size_t>& event) {
  return event ? EventLine(trace.events[*event]) : "(not there)";
}

std::string DiffFieldText(const Trace& trace, std::size_t event, const std::string& field) {
  const trace::Record& r = trace.events[event];
  if (field == "seq") return fmt::format("{}", r.seq);
  if (field == "t") return fmt::format("{}", r.t);
  if (field == "cause") return fmt::format("{}", r.cause);
  if (field == "actor") return r.actor;
  if (field == "kind") return std::string(trace::KindName(r.kind));
  std::string text = value::ToJson(r.Get(field));
  return text.size() > 160 ? text.substr(0, 157) + "..." : text;
}

void PrintDifference(Io& io, const Trace& a, const Trace& b, const Difference& d) {
  const bool color = io.out_color();
  if (d.left) io.Out(Paint(color, "31", "- " + SideLine(a, d.left)) + "\n");
  if (d.right) io.Out(Paint(color, "32", "+ " + SideLine(b, d.right)) + "\n");
  if (!d.left || !d.right) return;
  for (const std::string& change : d.changes) io.Out(fmt::format("    {}\n", change));
  for (const std::string& field : d.fields)
    if (field != "changed" || d.changes.empty())
      io.Out(fmt::format("    {}: {} -> {}\n", field, DiffFieldText(a, *d.left, field),
                         DiffFieldText(b, *d.right, field)));
}

// The events that led to the first difference. B's end where they are those of A.
void PrintCauses(Io& io, const Trace& a, const Trace& b, const Diff& diff) {
  const Difference& first = diff.differences.front();
  if (first.left) {
    io.Out("why in A:\n");
    for (std::size_t i : trace::CauseChain(a, *first.left))
      io.Out(fmt::format("    {}\n", EventLine(a.events[i])));
  }
  if (!first.right) return;
  io.Out("why in B:\n");
  for (std::size_t i : trace::CauseChain(b, *first.right)) {
    const bool common = first.left && diff.last_common && diff.last_common->second == i;
    io.Out(fmt::format("    {}{}\n", EventLine(b.events[i]), common ? ", as in A" : ""));
    if (common) return;
  }
}

// The differences after the first, grouped by what a reader wants to know of them.
class FurtherDifferences {
 public:
  FurtherDifferences(const DifferenceListing& listing, const Diff& diff) {
    for (std::size_t i = 1; i < diff.differences.size(); ++i) {
      const Difference& d = diff.differences[i];
      if (listing.all)
        Take(listing, d);
      else if (d.follows)
        ++follow_;
      else if (d.start_up && !diff.exact)
        ++start_up_;
      else if (d.told && !diff.exact)
        ++told_;
      else if (listed_ < kMostListed)
        Take(listing, d);
      else
        ++hidden_;
    }
  }

  void Print(Io& io, const DifferenceListing& listing, const Trace& a, const Trace& b) const {
    if (listed_ > 0) io.Out("also:\n");
    for (const auto& [object, list] : by_object_) {
      if (listing.by == "object")
        io.Out(fmt::format("{}\n", object.empty() ? "(no object)" : object));
      for (const Difference* d : list) PrintDifference(io, a, b, *d);
    }
    std::vector<std::string> rest;
    const auto add = [&rest](std::size_t n, const char* what) {
      if (n > 0) rest.push_back(fmt::format("{} {}", n, what));
    };
    add(hidden_, "more");
    add(follow_, "that follow from others");
    add(told_, "in what was read and heard");
    add(start_up_, "of the start-up");
    if (!rest.empty())
      io.Out(fmt::format("not listed: {}{}\n", fmt::join(rest, ", "), listing.all_by));
  }

 private:
  void Take(const DifferenceListing& listing, const Difference& d) {
    ++listed_;
    by_object_[listing.by == "object" ? d.object : ""].push_back(&d);
  }

  std::map<std::string, std::vector<const Difference*>> by_object_;
  std::size_t listed_ = 0, hidden_ = 0, follow_ = 0, told_ = 0, start_up_ = 0;
};

bool IsOfAnEvent(std::string_view identity) {
  return identity.find(">events#") != std::string_view::npos;
}

void PrintPairedNames(Io& io, const Diff& diff) {
  bool begun = false;
  for (const auto& [identity, names] : diff.paired) {
    if (IsOfAnEvent(identity)) continue;
    if (!begun) io.Out("names that were paired:\n");
    begun = true;
    io.Out(fmt::format("    {} = {}\n", names.first, names.second));
  }
}

void PrintSomeLines(Io& io, const DifferenceListing& listing,
                    const std::vector<std::string>& lines) {
  const std::size_t most = listing.all ? lines.size() : kMostLines;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i)
    io.Out(fmt::format("    {}\n", lines[i]));
  if (lines.size() > most)
    io.Out(fmt::format("    {} more{}\n", lines.size() - most, listing.all_by));
}

// Prints which runs the two are, and what their last lines claim.
void PrintFirstAndLastLines(Io& io, const DifferenceListing& listing, const Diff& diff) {
  if (!diff.headers.empty()) {
    io.Out("the runs, from A to B:\n");
    PrintSomeLines(io, listing, diff.headers);
  }
  if (!diff.claims.empty()) {
    io.Out("what the traces say of themselves:\n");
    PrintSomeLines(io, listing, diff.claims);
  }
}

void PrintFirstDifference(Io& io, const Trace& a, const Trace& b, const Diff& diff) {
  if (diff.last_common)
    io.Out(fmt::format("last common event: {}\n", EventLine(a.events[diff.last_common->first])));
  if (diff.differences.empty()) return;
  io.Out("first difference:\n");
  PrintDifference(io, a, b, diff.differences.front());
  PrintCauses(io, a, b, diff);
}

// --- for programs ---

Value EventTree(const trace::Record& r) {
  const absl::StatusOr<Value> v = value::ParseJson(trace::ToJsonLine(r));
  return v.ok() ? *v : Value();
}

// The events that led to this one, the nearest first; none for an event that is not there.
Value CausesTree(const Trace& trace, const std::optional<std::size_t>& event) {
  std::vector<Value> out;
  if (event)
    for (std::size_t i : trace::CauseChain(trace, *event))
      if (i != *event) out.push_back(EventTree(trace.events[i]));
  return Value::Array(std::move(out));
}

Value TextsTree(const std::vector<std::string>& texts) {
  std::vector<Value> out;
  for (const std::string& text : texts) out.push_back(Value::Of(text));
  return Value::Array(std::move(out));
}

Value DifferencesTree(const DifferenceListing& listing, const Trace& a, const Trace& b,
                      const Diff& diff) {
  std::vector<Value> out;
  for (const Difference& d : diff.differences) {
    if (d.follows && !listing.all) continue;
    value::ObjectBuilder one;
    one.Add("object", Value::Of(d.object)).Add("follows", Value::Of(d.follows));
    one.Add("told", Value::Of(d.told)).Add("startUp", Value::Of(d.start_up));
    one.Add("fields", TextsTree(d.fields)).Add("changes", TextsTree(d.changes));
    if (d.left) one.Add("left", EventTree(a.events[*d.left]));
    if (d.right) one.Add("right", EventTree(b.events[*d.right]));
    if (out.empty())
      one.Add("causes",
              value::Obj({{"left", CausesTree(a, d.left)}, {"right", CausesTree(b, d.right)}}));
    out.push_back(one.Build());
    if (listing.first) break;
  }
  return Value::Array(std::move(out));
}

Value ChangedObjectsTree(const Diff& diff) {
  static constexpr std::string_view kKinds[] = {"onlyLeft", "onlyRight", "changed"};
  std::vector<Value> out;
  for (const ObjectDifference& o : diff.objects) {
    out.push_back(value::Obj({{"object", Value::Of(o.object)},
                              {"kind", Value::Of(kKinds[static_cast<int>(o.kind)])},
                              {"changes", TextsTree(o.changes)}}));
  }
  return Value::Array(std::move(out));
}

Value PairedNamesTree(const Diff& diff) {
  std::vector<Value> out;
  for (const auto& [identity, names] : diff.paired)
    out.push_back(value::Obj({{"identity", Value::Of(identity)},
                              {"left", Value::Of(names.first)},
                              {"right", Value::Of(names.second)}}));
  return Value::Array(std::move(out));
}

}  // namespace

void PrintChangedObjects(Io& io, const DifferenceListing& listing, const Diff& diff) {
  if (diff.objects.empty()) {
    io.Out("in the end the objects are the same\n");
    return;
  }
  io.Out("in the end:\n");
  std::size_t events = 0;
  for (const ObjectDifference& o : diff.objects) {
    if (!listing.all && IsOfAnEvent(o.object)) {
      ++events;
      continue;
    }
    if (o.kind == ObjectDifference::Kind::kOnlyLeft) io.Out(fmt::format("- {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kOnlyRight) io.Out(fmt::format("+ {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kChanged) io.Out(fmt::format("! {}\n", o.object));
    for (const std::string& change : o.changes) io.Out(fmt::format("    {}\n", change));
  }
  if (events > 0) io.Out(fmt::format("    {} Events{}\n", events, listing.all_by));
}

std::size_t PrintWhatWasDone(Io& io, const DifferenceListing& listing, const Trace& a,
                             const Trace& b, const Diff& diff) {
  std::size_t causes = 0, follow = 0;
  for (const Difference& d : diff.differences) {
    if (d.told || d.start_up) continue;
    ++(d.follows ? follow : causes);
    if (d.follows || (causes > kMostListed && !listing.all)) continue;
    if (causes == 1) io.Out("done otherwise:\n");
    PrintDifference(io, a, b, d);
  }
  if (causes > kMostListed && !listing.all)
    io.Out(fmt::format("    {} more{}\n", causes - kMostListed, listing.all_by));
  if (follow > 0) io.Out(fmt::format("    {} that follow from these\n", follow));
  return causes;
}

void PrintDiff(Io& io, const DifferenceListing& listing, const Trace& a, const Trace& b,
               const Diff& diff) {
  if (!listing.first) PrintFirstAndLastLines(io, listing, diff);
  if (diff.equal) {
    io.Out(fmt::format("equal{}: {} events\n", diff.exact ? "" : " in meaning", a.events.size()));
    PrintPairedNames(io, diff);
    return;
  }
  if (listing.first) {
    PrintFirstDifference(io, a, b, diff);
    return;
  }
  PrintChangedObjects(io, listing, diff);
  PrintFirstDifference(io, a, b, diff);
  FurtherDifferences(listing, diff).Print(io, listing, a, b);
  PrintPairedNames(io, diff);
}

Value DiffTree(const DifferenceListing& listing, const Trace& a, const Trace& b, const Diff& diff) {
  const auto follow = std::count_if(diff.differences.begin(), diff.differences.end(),
                                    [](const Difference& d) { return d.follows; });
  value::ObjectBuilder out;
  out.Add("apiVersion", Value::Of("ksim.dev/v1")).Add("kind", Value::Of("TraceDiff"));
  out.Add("equal", Value::Of(diff.equal)).Add("exact", Value::Of(diff.exact));
  out.Add("headers", TextsTree(diff.headers)).Add("claims", TextsTree(diff.claims));
  if (diff.last_common) out.Add("lastCommon", EventTree(a.events[diff.last_common->first]));
  out.Add("differences", DifferencesTree(listing, a, b, diff));
  out.Add("following", Value::Of(static_cast<std::int64_t>(follow)));
  out.Add("objects", ChangedObjectsTree(diff)).Add("paired", PairedNamesTree(diff));
  return out.Build();
}

}  // namespace ksim::cli
