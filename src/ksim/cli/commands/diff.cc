// ksim diff: two traces compared by meaning.
#include "ksim/trace/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Diff;
using trace::Difference;
using trace::ObjectDifference;
using trace::Trace;
using value::Value;

constexpr std::size_t kMostListed = 20;

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
  std::string text = value::ToJson(r.Get(field));
  return text.size() > 160 ? text.substr(0, 157) + "..." : text;
}

void PrintDifference(Io& io, const Trace& a, const Trace& b, const Difference& d) {
  const bool color = io.out_color();
  if (d.left) io.Out(Paint(color, "31", "- " + SideLine(a, d.left)) + "\n");
  if (d.right) io.Out(Paint(color, "32", "+ " + SideLine(b, d.right)) + "\n");
  if (!d.left || !d.right) return;
  for (const std::string& field : d.fields)
    io.Out(fmt::format("    {}: {} -> {}\n", field, DiffFieldText(a, *d.left, field),
                       DiffFieldText(b, *d.right, field)));
}

void PrintCauseChain(Io& io, const Trace& trace, const char* side,
                     const std::optional<std::size_t>& event) {
  if (!event) return;
  io.Out(fmt::format("why in {}:\n", side));
  for (std::size_t i : trace::CauseChain(trace, *event))
    io.Out(fmt::format("    {}\n", EventLine(trace.events[i])));
}

void PrintFurtherDifferences(Io& io, const DiffFlags& flags, const Trace& a, const Trace& b,
                             const Diff& diff) {
  std::size_t follow = 0, listed = 0, hidden = 0;
  std::map<std::string, std::vector<const Difference*>> by_object;
  for (std::size_t i = 1; i < diff.differences.size(); ++i) {
    const Difference& d = diff.differences[i];
    if (d.follows && !flags.all) {
      ++follow;
    } else if (!flags.all && listed >= kMostListed) {
      ++hidden;
    } else {
      ++listed;
      by_object[flags.by == "object" ? d.object : ""].push_back(&d);
    }
  }
  if (listed > 0) io.Out("also:\n");
  for (const auto& [object, list] : by_object) {
    if (flags.by == "object") io.Out(fmt::format("{}\n", object.empty() ? "(no object)" : object));
    for (const Difference* d : list) PrintDifference(io, a, b, *d);
  }
  if (hidden > 0) io.Out(fmt::format("{} more; --all lists them\n", hidden));
  if (follow > 0) io.Out(fmt::format("{} more follow from these; --all lists them\n", follow));
}

void PrintChangedObjects(Io& io, const Diff& diff) {
  if (diff.objects.empty()) {
    io.Out("the final objects are the same\n");
    return;
  }
  io.Out("in the end:\n");
  for (const ObjectDifference& o : diff.objects) {
    if (o.kind == ObjectDifference::Kind::kOnlyLeft) io.Out(fmt::format("- {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kOnlyRight) io.Out(fmt::format("+ {}\n", o.object));
    if (o.kind == ObjectDifference::Kind::kChanged) io.Out(fmt::format("! {}\n", o.object));
    for (const std::string& change : o.changes) io.Out(fmt::format("    {}\n", change));
  }
}

void PrintPairedNames(Io& io, const Diff& diff) {
  if (diff.paired.empty()) return;
  io.Out("names that were paired:\n");
  for (const auto& [identity, names] : diff.paired)
    io.Out(fmt::format("    {} = {}\n", names.first, names.second));
}

void PrintDiff(Io& io, const DiffFlags& flags, const Trace& a, const Trace& b, const Diff& diff) {
  if (diff.equal) {
    io.Out(diff.by_digest ? "equal: the digests are the same\n"
                          : fmt::format("equal in meaning: {} events\n", a.events.size()));
    PrintPairedNames(io, diff);
    return;
  }
  if (diff.last_common)
    io.Out(fmt::format("last common event: {}\n", EventLine(a.events[diff.last_common->first])));
  if (!diff.differences.empty()) {
    io.Out("first difference:\n");
    PrintDifference(io, a, b, diff.differences.front());
    PrintCauseChain(io, a, "A", diff.differences.front().left);
    PrintCauseChain(io, b, "B", diff.differences.front().right);
  }
  if (flags.first) return;
  PrintFurtherDifferences(io, flags, a, b, diff);
  PrintChangedObjects(io, diff);
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

Value DifferencesTree(const DiffFlags& flags, const Trace& a, const Trace& b, const Diff& diff) {
  std::vector<Value> out;
  for (const Difference& d : diff.differences) {
    if (d.follows && !flags.all) continue;
    std::vector<Value> fields;
    for (const std::string& f : d.fields) fields.push_back(Value::Of(f));
    value::ObjectBuilder one;
    one.Add("object", Value::Of(d.object)).Add("follows", Value::Of(d.follows));
    one.Add("fields", Value::Array(std::move(fields)));
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
    std::vector<Value> changes;
    for (const std::string& c : o.changes) changes.push_back(Value::Of(c));
    out.push_back(value::Obj({{"object", Value::Of(o.object)},
                              {"kind", Value::Of(kKinds[static_cast<int>(o.kind)])},
                              {"changes", Value::Array(std::move(changes))}}));
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
  out.Add("equal", Value::Of(diff.equal)).Add("byDigest", Value::Of(diff.by_digest));
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
          "Events match by actor, kind, verb and object; generated names by owner and order. "
          "Times,\n"
          "numbers handed out and hashes are not compared; revisions and uids through one-to-one "
          "maps.",
      .examples = {{"What two seeds change",
                    "ksim run scenarios/replicaset.yaml -q --trace /tmp/a.jsonl; "
                    "ksim run scenarios/replicaset.yaml -q --seed 2 --trace /tmp/b.jsonl; "
                    "ksim diff /tmp/a.jsonl /tmp/b.jsonl"},
                   {"Only the first difference", "ksim diff /tmp/a.jsonl /tmp/b.jsonl --first"}},
      .invoke = &Invoke<DiffFlags, AddDiffFlags, RunDiff>};
}

}  // namespace ksim::cli
