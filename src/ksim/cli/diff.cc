#include "ksim/trace/diff.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "ksim/cli/command.h"
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

class DiffCommand : public Command {
 public:
  std::string_view name() const override { return "diff"; }
  std::string_view summary() const override { return "compare two traces by meaning"; }
  std::string_view usage() const override { return "ksim diff A B [flags]"; }
  std::string_view description() const override {
    return "Events match by actor, kind, verb and object; generated names by owner and order. "
           "Times,\n"
           "numbers handed out and hashes are not compared; revisions and uids through one-to-one "
           "maps.";
  }
  std::vector<Example> examples() const override {
    return {{"What two seeds change",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/a.jsonl; "
             "ksim run scenarios/replicaset.yaml -q --seed 2 --trace /tmp/b.jsonl; "
             "ksim diff /tmp/a.jsonl /tmp/b.jsonl"},
            {"Only the first difference", "ksim diff /tmp/a.jsonl /tmp/b.jsonl --first"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("A", a_, "A trace")->required();
    app.add_option("B", b_, "Another")->required();
    app.add_flag("--first", first_, "Only the first difference");
    app.add_flag("--all", all_, "Also what follows from another difference");
    app.add_flag("--strict", options_.strict, "Compares everything: times, numbers, names");
    app.add_option("--by", by_, "object: differences by object")
        ->type_name("KEY")
        ->check(OneOf({"object", "time"}));
    common_.DefineOutput(app, {"text", "json", "yaml"}, "text");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
    app.add_flag("--bisect", common_.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    const std::optional<Trace> a = ReadTraceOrTell(io, a_);
    const std::optional<Trace> b = ReadTraceOrTell(io, b_);
    if (!a || !b) return kInvalid;
    const Diff diff = trace::Compare(*a, *b, options_);
    if (common_.output != "text")
      io.Out(kubectl::TreeText(JsonOf(*a, *b, diff), common_.output));
    else if (!common_.quiet)
      Print(io, *a, *b, diff);
    if (!diff.equal) return kViolation;
    return a->end && b->end ? kOk : kUndecided;
  }

 private:
  static std::string SideLine(const Trace& trace, const std::optional<std::size_t>& event) {
    return event ? EventLine(trace.events[*event]) : "(not there)";
  }

  void PrintDifference(Io& io, const Trace& a, const Trace& b, const Difference& d) {
    const bool color = io.out_color();
    if (d.left) io.Out(Paint(color, "31", "- " + SideLine(a, d.left)) + "\n");
    if (d.right) io.Out(Paint(color, "32", "+ " + SideLine(b, d.right)) + "\n");
    if (!d.left || !d.right) return;
    for (const std::string& field : d.fields)
      io.Out(fmt::format("    {}: {} -> {}\n", field, FieldText(a, *d.left, field),
                         FieldText(b, *d.right, field)));
  }

  static std::string FieldText(const Trace& trace, std::size_t event, const std::string& field) {
    const trace::Record& r = trace.events[event];
    if (field == "seq") return fmt::format("{}", r.seq);
    if (field == "t") return fmt::format("{}", r.t);
    if (field == "cause") return fmt::format("{}", r.cause);
    std::string text = value::ToJson(r.Get(field));
    return text.size() > 160 ? text.substr(0, 157) + "..." : text;
  }

  void PrintCauses(Io& io, const Trace& trace, const char* side,
                   const std::optional<std::size_t>& event) {
    if (!event) return;
    io.Out(fmt::format("why in {}:\n", side));
    for (std::size_t i : trace::CauseChain(trace, *event))
      io.Out(fmt::format("    {}\n", EventLine(trace.events[i])));
  }

  void Print(Io& io, const Trace& a, const Trace& b, const Diff& diff) {
    if (diff.equal) {
      io.Out(diff.by_digest ? "equal: the digests are the same\n"
                            : fmt::format("equal in meaning: {} events\n", a.events.size()));
      PrintPairs(io, diff);
      return;
    }
    if (diff.last_common)
      io.Out(fmt::format("last common event: {}\n", EventLine(a.events[diff.last_common->first])));
    if (!diff.differences.empty()) {
      io.Out("first difference:\n");
      PrintDifference(io, a, b, diff.differences.front());
      PrintCauses(io, a, "A", diff.differences.front().left);
      PrintCauses(io, b, "B", diff.differences.front().right);
    }
    if (first_) return;
    PrintMore(io, a, b, diff);
    PrintObjects(io, diff);
    PrintPairs(io, diff);
  }

  void PrintMore(Io& io, const Trace& a, const Trace& b, const Diff& diff) {
    std::size_t follow = 0, listed = 0, hidden = 0;
    std::map<std::string, std::vector<const Difference*>> by_object;
    for (std::size_t i = 1; i < diff.differences.size(); ++i) {
      const Difference& d = diff.differences[i];
      if (d.follows && !all_) {
        ++follow;
      } else if (!all_ && listed >= kMostListed) {
        ++hidden;
      } else {
        ++listed;
        by_object[by_ == "object" ? d.object : ""].push_back(&d);
      }
    }
    if (listed > 0) io.Out("also:\n");
    for (const auto& [object, list] : by_object) {
      if (by_ == "object") io.Out(fmt::format("{}\n", object.empty() ? "(no object)" : object));
      for (const Difference* d : list) PrintDifference(io, a, b, *d);
    }
    if (hidden > 0) io.Out(fmt::format("{} more; --all lists them\n", hidden));
    if (follow > 0) io.Out(fmt::format("{} more follow from these; --all lists them\n", follow));
  }

  static void PrintObjects(Io& io, const Diff& diff) {
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

  static void PrintPairs(Io& io, const Diff& diff) {
    if (diff.paired.empty()) return;
    io.Out("names that were paired:\n");
    for (const auto& [identity, names] : diff.paired)
      io.Out(fmt::format("    {} = {}\n", names.first, names.second));
  }

  Value JsonOf(const Trace& a, const Trace& b, const Diff& diff) const {
    const auto follow = std::count_if(diff.differences.begin(), diff.differences.end(),
                                      [](const Difference& d) { return d.follows; });
    value::ObjectBuilder out;
    out.Add("apiVersion", Value::Of("ksim.dev/v1")).Add("kind", Value::Of("TraceDiff"));
    out.Add("equal", Value::Of(diff.equal)).Add("byDigest", Value::Of(diff.by_digest));
    if (diff.last_common) out.Add("lastCommon", EventJson(a.events[diff.last_common->first]));
    out.Add("differences", DifferencesJson(a, b, diff));
    out.Add("following", Value::Of(static_cast<std::int64_t>(follow)));
    out.Add("objects", ObjectsJson(diff)).Add("paired", PairsJson(diff));
    return out.Build();
  }

  Value DifferencesJson(const Trace& a, const Trace& b, const Diff& diff) const {
    std::vector<Value> out;
    for (const Difference& d : diff.differences) {
      if (d.follows && !all_) continue;
      std::vector<Value> fields;
      for (const std::string& f : d.fields) fields.push_back(Value::Of(f));
      value::ObjectBuilder one;
      one.Add("object", Value::Of(d.object)).Add("follows", Value::Of(d.follows));
      one.Add("fields", Value::Array(std::move(fields)));
      if (d.left) one.Add("left", EventJson(a.events[*d.left]));
      if (d.right) one.Add("right", EventJson(b.events[*d.right]));
      if (out.empty())
        one.Add("causes",
                value::Obj({{"left", CausesJson(a, d.left)}, {"right", CausesJson(b, d.right)}}));
      out.push_back(one.Build());
      if (first_) break;
    }
    return Value::Array(std::move(out));
  }

  // What led to the event, the nearest first; nothing of an event that is not there.
  static Value CausesJson(const Trace& trace, const std::optional<std::size_t>& event) {
    std::vector<Value> out;
    if (event)
      for (std::size_t i : trace::CauseChain(trace, *event))
        if (i != *event) out.push_back(EventJson(trace.events[i]));
    return Value::Array(std::move(out));
  }

  static Value ObjectsJson(const Diff& diff) {
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

  static Value PairsJson(const Diff& diff) {
    std::vector<Value> out;
    for (const auto& [identity, names] : diff.paired)
      out.push_back(value::Obj({{"identity", Value::Of(identity)},
                                {"left", Value::Of(names.first)},
                                {"right", Value::Of(names.second)}}));
    return Value::Array(std::move(out));
  }

  static Value EventJson(const trace::Record& r) {
    const absl::StatusOr<Value> v = value::ParseJson(trace::ToJsonLine(r));
    return v.ok() ? *v : Value();
  }

  std::string a_, b_, by_;
  bool first_ = false, all_ = false;
  trace::DiffOptions options_;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeDiff() { return std::make_unique<DiffCommand>(); }

}  // namespace ksim::cli
