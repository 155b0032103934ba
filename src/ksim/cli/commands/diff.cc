// ksim diff: two traces compared by meaning.
#include "ksim/trace/diff.h"

#include <optional>
#include <string>

#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_differences.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using trace::Diff;
using trace::Trace;

struct DiffFlags {
  std::string a, b;
  DifferenceListing listing;
  trace::DiffOptions options;
  CommonFlags common;
};

void AddDiffFlags(FlagSet& set, DiffFlags& flags) {
  set.Add("A", &flags.a, "A trace").Required();
  set.Add("B", &flags.b, "Another").Required();
  set.Add("--first", &flags.listing.first, "Only the first difference");
  set.Add("--all", &flags.listing.all, "Also what follows from another difference");
  set.Add("--strict", &flags.options.strict, "Compares everything: times, numbers, names");
  set.Add("--by", &flags.listing.by, "object: differences by object")
      .Type("KEY")
      .OneOf({"object", "time"});
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
}

int RunDiff(Io& io, const DiffFlags& flags) {
  io.SetColor(flags.common.color);
  const std::optional<Trace> a = ReadTraceOrPrintError(io, flags.a);
  const std::optional<Trace> b = ReadTraceOrPrintError(io, flags.b);
  if (!a || !b) return kInvalid;
  const Diff diff = trace::Compare(*a, *b, flags.options);
  if (flags.common.output != "text")
    io.Out(kubectl::TreeText(DiffTree(flags.listing, *a, *b, diff), flags.common.output));
  else if (!flags.common.quiet)
    PrintDiff(io, flags.listing, *a, *b, diff);
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
