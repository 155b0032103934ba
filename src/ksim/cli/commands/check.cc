// ksim check: the oracles over a recorded trace, a watch that kubectl printed, or an audit log.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/time.h"
#include "ksim/check/audit/audit_log.h"
#include "ksim/check/audit/judge_audit.h"
#include "ksim/check/kubectl_output.h"
#include "ksim/check/verdict.h"
#include "ksim/check/watch_json.h"
#include "ksim/check/watch_table.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/invariants/invariant_file.h"

namespace ksim::cli {
namespace {

using check::Finding;
using check::Verdict;
using value::Value;

struct CheckFlags {
  std::string trace, list, invariants, format = "auto";
  CommonFlags common;
};

void AddCheckFlags(FlagSet& set, CheckFlags& flags) {
  set.Add("TRACE", &flags.trace, "A trace, a kubectl watch or an audit log; - is standard input")
      .Required();
  set.Add("--format", &flags.format,
          "A trace, a watch that kubectl printed, the audit log of an API server; auto looks how "
          "the file begins")
      .Type("FORMAT")
      .OneOf({"auto", "trace", "watch-json", "watch-table", "audit"});
  set.Add("--invariants", &flags.invariants,
          "Judges these too, in the place of the trace's own of the same name")
      .Type("FILE");
  set.Add("--list", &flags.list, "With watch-json: the list before the watch").Type("FILE");
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
}

// --- printing verdicts ---

Value VerdictsTree(const std::vector<Verdict>& verdicts) {
  static constexpr std::string_view kStates[] = {"ok", "violated", "notJudged"};
  std::vector<Value> oracles;
  for (const Verdict& v : verdicts) {
    std::vector<Value> violations;
    for (const Finding& f : v.findings) {
      violations.push_back(trace::ToTree(f.violation));
      if (!f.who.empty()) violations.back() = violations.back().Set("who", Value::Of(f.who));
    }
    value::ObjectBuilder one;
    one.Add("oracle", Value::Of(v.oracle));
    one.Add("guarantee",
            Value::Of(v.guarantee == check::Guarantee::kSafety ? "safety" : "liveness"));
    one.Add("result", Value::Of(kStates[static_cast<int>(v.state)]));
    one.AddIf(!v.why.empty(), "why", Value::Of(v.why));
    std::vector<Value> notes;
    for (const std::string& note : v.notes) notes.push_back(Value::Of(note));
    if (!notes.empty()) one.Add("notes", Value::Array(std::move(notes)));
    one.Add("violations", Value::Array(std::move(violations)));
    std::vector<Value> remarks;
    for (const check::Remark& r : v.remarks)
      remarks.push_back(value::Obj({{"message", Value::Of(r.message)},
                                    {"first", Value::Of(static_cast<std::int64_t>(r.first))}}));
    one.Add("remarks", Value::Array(std::move(remarks)));
    oracles.push_back(one.Build());
  }
  return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                     {"kind", Value::Of("CheckResult")},
                     {"oracles", Value::Array(std::move(oracles))}});
}

void PrintViolated(Io& io, const Verdict& v, const trace::Trace* trace, std::string_view log) {
  const std::string more =
      v.findings.size() < 2 ? "" : fmt::format(" (and {} more)", v.findings.size() - 1);
  const Finding& f = v.findings.front();
  io.Out(fmt::format("{:<20} {}: {}{}\n", v.oracle, Paint(io.out_color(), "1;31", "violated"),
                     f.violation.message, more));
  const std::uint64_t first = f.violation.first;
  if (trace != nullptr && first != 0 && first <= trace->events.size())
    io.Out(fmt::format("{:<20} first: {}\n", "", EventLine(trace->events[first - 1])));
  if (!log.empty()) io.Out(fmt::format("{:<20} at: {}:{}\n", "", log, first));
}

// `trace`: the one that was judged; null for a watch that kubectl printed, and for a log. `log`:
// the file of that, of which findings name a line.
void PrintVerdicts(Io& io, const CommonFlags& flags, const std::vector<Verdict>& verdicts,
                   const trace::Trace* trace, std::string_view log = "") {
  if (flags.output != "text") {
    io.Out(kubectl::TreeText(VerdictsTree(verdicts), flags.output));
    return;
  }
  for (const Verdict& v : verdicts) {
    if (v.state == Verdict::State::kOk && !flags.quiet)
      io.Out(fmt::format("{:<20} ok\n", v.oracle));
    if (v.state == Verdict::State::kNotJudged && !flags.quiet)
      io.Out(fmt::format("{:<20} not judged: {}\n", v.oracle, v.why));
    if (v.state == Verdict::State::kViolated) PrintViolated(io, v, trace, log);
    for (const std::string& note : v.notes)
      io.Err(fmt::format("{} {}\n", Paint(io.err_color(), "1;35", "warning:"), note));
    for (const check::Remark& r : v.remarks)
      io.Out(fmt::format("{:<20} {}: {}\n", v.oracle, Paint(io.out_color(), "1;36", "note"),
                         r.message));
  }
}

int CodeOfVerdicts(const std::vector<Verdict>& verdicts) {
  std::vector<int> codes;
  bool judged = false;
  for (const Verdict& v : verdicts) {
    judged = judged || v.state != Verdict::State::kNotJudged;
    if (v.state != Verdict::State::kViolated) continue;
    codes.push_back(v.guarantee == check::Guarantee::kSafety ? kViolation : kLiveness);
  }
  if (!judged) return kNothing;
  return codes.empty() ? kOk : Worst(codes);
}

// --- a watch that kubectl printed ---

std::optional<std::string> ReadTextOrPrintError(Io& io, const std::string& path) {
  absl::StatusOr<std::string> text = os::ReadFile(path);
  if (text.ok()) return *std::move(text);
  io.Err(fmt::format("{}: error: cannot read it: {}\n", path, Message(text.status())));
  return std::nullopt;
}

// Prints what is wrong with the text of a file, at its line.
int PrintTextError(Io& io, const std::string& path, std::string_view text,
                   const absl::Status& wrong) {
  Diagnostic d = DiagnosticAtPlace(path, Message(wrong));
  for (int line = 1; line < d.span.line && !text.empty(); ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  d.source_line = text.substr(0, text.find_first_of("\r\n"));
  io.Err(Render(d, io.err_color()));
  return kInvalid;
}

// The list before the watch: null if none was given; nullopt if it cannot be read.
std::optional<Value> ReadListBeforeWatch(Io& io, const std::string& path) {
  if (path.empty()) return Value();
  const std::optional<std::string> text = ReadTextOrPrintError(io, path);
  if (!text) return std::nullopt;
  const absl::StatusOr<Value> list = check::ParseJsonList(*text);
  if (list.ok()) return *list;
  PrintTextError(io, path, *text, list.status());
  return std::nullopt;
}

int CheckWatchJson(Io& io, const CheckFlags& flags) {
  const std::optional<std::string> text = ReadTextOrPrintError(io, flags.trace);
  if (!text) return kInvalid;
  const auto events = check::ParseJsonStream(*text);
  if (!events.ok()) return PrintTextError(io, flags.trace, *text, events.status());
  const std::optional<Value> list = ReadListBeforeWatch(io, flags.list);
  if (!list) return kInvalid;
  const auto verdicts = check::JudgeWatchJson(*events, *list);
  if (!verdicts.ok()) return PrintTextError(io, flags.trace, *text, verdicts.status());
  PrintVerdicts(io, flags.common, *verdicts, nullptr);
  if (events->missing.empty()) return CodeOfVerdicts(*verdicts);
  io.Err(fmt::format("{}: warning: {}\n", flags.trace, events->missing));
  return Worst({CodeOfVerdicts(*verdicts), kUndecided});
}

int CheckWatchTable(Io& io, const CheckFlags& flags) {
  const std::optional<std::string> text = ReadTextOrPrintError(io, flags.trace);
  if (!text) return kInvalid;
  const std::vector<Verdict> verdicts = check::JudgeWatchTable(*text);
  PrintVerdicts(io, flags.common, verdicts, nullptr);
  return CodeOfVerdicts(verdicts);
}

// --- the audit log of an API server ---

int CheckAuditLog(Io& io, const CheckFlags& flags) {
  const std::optional<std::string> text = ReadTextOrPrintError(io, flags.trace);
  if (!text) return kInvalid;
  const auto judged = check::JudgeAuditLog(*text);
  if (!judged.ok()) return PrintTextError(io, flags.trace, *text, judged.status());
  PrintVerdicts(io, flags.common, judged->verdicts, nullptr, flags.trace);
  if (judged->missing.empty()) return CodeOfVerdicts(judged->verdicts);
  io.Err(fmt::format("{}: warning: {}\n", flags.trace, judged->missing));
  return Worst({CodeOfVerdicts(judged->verdicts), kUndecided});
}

// The format that is given or, with auto, that of the file. Standard input is a trace.
std::string FormatOf(const CheckFlags& flags) {
  if (flags.format != "auto") return flags.format;
  if (!flags.list.empty()) return "watch-json";
  const absl::StatusOr<std::string> text =
      flags.trace == "-" ? std::string() : os::ReadFile(flags.trace);
  if (!text.ok()) return "trace";
  if (check::IsAuditLog(*text)) return "audit";
  switch (check::KubectlOutputOf(*text)) {
    case check::KubectlOutput::kJson:
      return "watch-json";
    case check::KubectlOutput::kTable:
      return "watch-table";
    case check::KubectlOutput::kNone:
      return "trace";
  }
  return "trace";
}

int RunCheck(Io& io, const CheckFlags& flags) {
  io.SetColor(flags.common.color);
  const std::string format = FormatOf(flags);
  if (format == "watch-json") return CheckWatchJson(io, flags);
  if (format == "watch-table") return CheckWatchTable(io, flags);
  if (format == "audit" && flags.list.empty()) return CheckAuditLog(io, flags);
  if (!flags.list.empty()) {
    io.Err("error: --list goes with --format watch-json\n");
    return kInvalid;
  }
  const std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.trace);
  if (!trace) return kInvalid;
  scenario::InvariantFile added;
  if (!flags.invariants.empty())
    added = scenario::ReadInvariantFile(flags.invariants, trace->header.scenario);
  if (!added.errors.empty()) {
    io.Err(Render(added.errors, io.err_color()));
    return kInvalid;
  }
  const auto checker = check::CheckTrace(*trace, {"*"}, added.invariants);
  if (!checker.ok()) {
    io.Err(fmt::format("{}: error: {}\n", flags.trace, Message(checker.status())));
    return kInvalid;
  }
  const std::vector<Verdict> verdicts = check::VerdictsOf(**checker, *trace);
  PrintVerdicts(io, flags.common, verdicts, &*trace);
  const int code = CodeOfVerdicts(verdicts);
  return trace->end ? code : Worst({code, kUndecided});
}

}  // namespace

Command CheckCommand() {
  return {
      .name = "check",
      .summary = "judge a recorded trace by the guarantees",
      .usage = "ksim check TRACE [flags]",
      .description =
          "One line for each oracle: ok, violated, or not judged and why. `ksim explain oracles`\n"
          "says what each promises. TRACE may also be what\n"
          "`kubectl get pods -w --output-watch-events -o json` printed, and --list what\n"
          "`kubectl get pods -o json` had printed before; with less than these flags, or of a\n"
          "table, less can be judged, and it says which flag would tell more. The trace's own\n"
          "invariants are judged again, and those of --invariants FILE, which begins with\n"
          "`invariants:` or is a scenario; `ksim explain scenario.spec.invariants` says how they\n"
          "are written.\n"
          "\n"
          "TRACE may be an audit log too (events of audit.k8s.io/v1), one that\n"
          "ksim run --audit-log wrote or a real kube-apiserver's. It is judged by what requests\n"
          "and answers show: updates from a resourceVersion that was not the newest, versions\n"
          "that go back, uids, Leases that change hands too soon and, as hot.loop, clients that\n"
          "write the same again and again. Most of it needs the level RequestResponse.",
      .examples =
          {{"What a run's trace shows",
            "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl; ksim check "
            "/tmp/run.jsonl"},
           {"What one's own invariants say of a trace that is there",
            "ksim run scenarios/deployment.yaml -q --trace /tmp/run.jsonl; ksim check "
            "/tmp/run.jsonl --invariants scenarios/invariants.yaml"},
           {"For a program", "ksim check /tmp/run.jsonl -o json"},
           {"What the requests alone show",
            "ksim run scenarios/replicaset.yaml -q --audit-log /tmp/audit.log --audit-level "
            "RequestResponse; ksim check /tmp/audit.log"}},
      .invoke = &Invoke<CheckFlags, AddCheckFlags, RunCheck>};
}

}  // namespace ksim::cli
