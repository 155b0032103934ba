// ksim diff: two traces compared by meaning.
#include "ksim/trace/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Diff;
using trace::Difference;
using trace::ObjectDifference;
using trace::Trace;
using value::Value;

constexpr std::size_t kMostListed = 20;
constexpr std::size_t kMostLines = 8;  // of what the first or the last lines say

struct DiffFlags {
  std::string a, b, by;
  bool first = false, all = false;
  trace::DiffOptions options;
  CommonFlags common;
};

void AddDiffFlags(FlagSet& set, DiffFlags& flags) {
  set.Add("A", &flags.a, "A trace").Required();
  set.Add("B", &flags.b, "Another").Required();
  set.Add("--first", &flags.first, "Only the first difference");
  set.Add("--all", &flags.all, "Also what follows from another difference");
  set.Add("--strict", &flags.options.strict, "Compares everything: times, numbers, names");
  set.Add("--by", &flags.by, "object: differences by object").Type("KEY").OneOf({"object", "time"});
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
}

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
  FurtherDifferences(const DiffFlags& flags, const Diff& diff) {
    for (std::size_t i = 1; i < diff.differences.size(); ++i) {
      const Difference& d = diff.differences[i];
      if (flags.all)
        Take(flags, d);
      else if (d.follows)
        ++follow_;
      else if (d.start_up && !diff.exact)
        ++start_up_;
      else if (d.told && !diff.exact)
        ++told_;
      else if (listed_ < kMostListed)
        Take(flags, d);
      else
        ++hidden_;
    }
  }

  void Print(Io& io, const DiffFlags& flags, const Trace& a, const Trace& b) const {
    if (listed_ > 0) io.Out("also:\n");
    for (const auto& [object, list] : by_object_) {
      if (flags.by == "object")
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
      io.Out(fmt::format("not listed: {}; --all lists them\n", fmt::join(rest, ", ")));
  }

 private:
  void Take(const DiffFlags& flags, const Difference& d) {
    ++listed_;
    by_object_[flags.by == "object" ? d.object : ""].push_back(&d);
  }

  std::map<std::string, std::vector<const Difference*>> by_object_;
  std::size_t listed_ = 0, hidden_ = 0, follow_ = 0, told_ = 0, start_up_ = 0;
};

bool IsOfAnEvent(std::string_view identity) {
  return identity.find(">events#") != std::string_view::npos;
}

// Each object after the other; Events, which say again what happened to others, only by number.
void PrintChangedObjects(Io& io, const DiffFlags& flags, const Diff& diff) {
  if (diff.objects.empty()) {
    io.Out("in the end the objects are the same\n");
    return;
  }
  io.Out("in the end:\n");
  std::size_t events = 0;
  for (const ObjectDifference& o : diff.objects) {
    if (!flags.all && IsOfAnEvent(o.object)) {
      ++events;
      continue;
    }
    if (o.kind == ObjectDifference::Kind::kOnlyLeft) io.Out(fmt::format("- {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kOnlyRight) io.Out(fmt::format("+ {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kChanged) io.Out(fmt::format("! {}\n", o.object));
    for (const std::string& change : o.changes) io.Out(fmt::format("    {}\n", change));
  }
  if (events > 0) io.Out(fmt::format("    {} Events; --all lists them\n", events));
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

void PrintSomeLines(Io& io, const DiffFlags& flags, const std::vector<std::string>& lines) {
  const std::size_t most = flags.all ? lines.size() : kMostLines;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i)
    io.Out(fmt::format("    {}\n", lines[i]));
  if (lines.size() > most)
    io.Out(fmt::format("    {} more; --all lists them\n", lines.size() - most));
}

// Prints which runs the two are, and what their last lines claim.
void PrintFirstAndLastLines(Io& io, const DiffFlags& flags, const Diff& diff) {
  if (!diff.headers.empty()) {
    io.Out("the runs, from A to B:\n");
    PrintSomeLines(io, flags, diff.headers);
  }
  if (!diff.claims.empty()) {
    io.Out("what the traces say of themselves:\n");
    PrintSomeLines(io, flags, diff.claims);
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

void PrintDiff(Io& io, const DiffFlags& flags, const Trace& a, const Trace& b, const Diff& diff) {
  if (!flags.first) PrintFirstAndLastLines(io, flags, diff);
  if (diff.equal) {
    io.Out(fmt::format("equal{}: {} events\n", diff.exact ? "" : " in meaning", a.events.size()));
    PrintPairedNames(io, diff);
    return;
  }
  if (flags.first) {
    PrintFirstDifference(io, a, b, diff);
    return;
  }
  PrintChangedObjects(io, flags, diff);
  PrintFirstDifference(io, a, b, diff);
  FurtherDifferences(flags, diff).Print(io, flags, a, b);
  PrintPairedNames(io, diff);
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

Value DifferencesTree(const DiffFlags& flags, const Trace& a, const Trace& b, const Diff& diff) {
  std::vector<Value> out;
  for (const Difference& d : diff.differences) {
    if (d.follows && !flags.all) continue;
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
    if (flags.first) break;
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

Value DiffTree(const DiffFlags& flags, const Trace& a, const Trace& b, const Diff& diff) {
  const auto follow = std::count_if(diff.differences.begin(), diff.differences.end(),
                                    [](const Difference& d) { return d.follows; });
  value::ObjectBuilder out;
  out.Add("apiVersion", Value::Of("ksim.dev/v1")).Add("kind", Value::Of("TraceDiff"));
  out.Add("equal", Value::Of(diff.equal)).Add("exact", Value::Of(diff.exact));
  out.Add("headers", TextsTree(diff.headers)).Add("claims", TextsTree(diff.claims));
  if (diff.last_common) out.Add("lastCommon", EventTree(a.events[diff.last_common->first]));
  out.Add("differences", DifferencesTree(flags, a, b, diff));
  out.Add("following", Value::Of(static_cast<std::int64_t>(follow)));
  out.Add("objects", ChangedObjectsTree(diff)).Add("paired", PairedNamesTree(diff));
  return out.Build();
}

int RunDiff(Io& io, const DiffFlags& flags) {
  io.SetColor(flags.common.color);
  const std::optional<Trace> a = ReadTraceOrPrintError(io, flags.a);
  const std::optional<Trace> b = ReadTraceOrPrintError(io, flags.b);
  if (!a || !b) return kInvalid;
  const Diff diff = trace::Compare(*a, *b, flags.options);
  if (flags.common.output != "text")
    io.Out(kubectl::TreeText(DiffTree(flags, *a, *b, diff), flags.common.output));
  else if (!flags.common.quiet)
    PrintDiff(io, flags, *a, *b, diff);
  if (!diff.equal) return kViolation;
  return a->end && b->end ? kOk : kUndecided;
}

}  // namespace

Command DiffCommand() {
  return {
      .name = "diff",
      .summary = "compare two traces by meaning",
      .usage = "ksim diff A B [flags]",
      .description =
          "Two traces that say they are one run (the same first line) are compared to the letter. "
          "In\n"
          "others events match by actor, kind, verb and object, generated names by owner and "
          "order;\n"
          "names, uids and revisions are equal when they stand for the same, and times, numbers "
          "of\n"
          "requests and hashes are not compared. First comes what became of the objects, then the "
          "first\n"
          "difference with its causes; what follows from it, the start-up and what was only heard\n"
          "otherwise are counted.",
      .examples = {{"What two seeds change",
                    "ksim run scenarios/replicaset.yaml -q --trace /tmp/a.jsonl; "
                    "ksim run scenarios/replicaset.yaml -q --seed 2 --trace /tmp/b.jsonl; "
                    "ksim diff /tmp/a.jsonl /tmp/b.jsonl"},
                   {"Only the first difference", "ksim diff /tmp/a.jsonl /tmp/b.jsonl --first"}},
      .invoke = &Invoke<DiffFlags, AddDiffFlags, RunDiff>};
}

}  // namespace ksim::cli
