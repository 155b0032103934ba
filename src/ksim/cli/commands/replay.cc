// ksim replay: runs again what a trace says, and compares event by event.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/runner.h"
#include "ksim/serve/input.h"
#include "ksim/serve/served_cluster.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/state.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Record;
using trace::Trace;

// The event or the time at which --until stops.
struct Until {
  std::uint64_t seq = ~std::uint64_t{0};
  std::int64_t time = INT64_MAX;
};

bool ParseUntil(const std::string& text, Until* until) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  const absl::StatusOr<trace::Moment> moment =
      trace::ParseMoment(digits && !text.empty() && text.size() < 18 ? "seq:" + text : text);
  if (!moment.ok() || moment->kind == trace::Moment::Kind::kRevision) return false;
  if (moment->kind == trace::Moment::Kind::kSeq)
    until->seq = static_cast<std::uint64_t>(moment->value);
  if (moment->kind == trace::Moment::Kind::kTime) until->time = moment->value;
  return true;
}

// True if the trace was written with --trace-objects.
bool HasObjects(const Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(), [](const Record& r) {
    return r.kind == sim::EventKind::kCommit && !r.Get("object").is_null();
  });
}

constexpr std::string_view kHeaderHash = "header";
constexpr std::string_view kServed = "serve";  // the mode
constexpr std::size_t kLongestValue = 160;     // of a value that differs

struct ReplayFlags {
  std::string path, until;
  bool force = false;
  CommonFlags common;
  GivenFlags given;
};

void AddReplayFlags(FlagSet& set, ReplayFlags& flags) {
  set.Add("TRACE", &flags.path, "A trace; - is standard input").Required();
  set.Add("--until", &flags.until, "Stops after an event's number or a time").Type("STEP|TIME");
  set.Add("--force", &flags.force, "Also traces of another version; then a difference is code 1");
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
  set.NoteGiven(&flags.given);
}

bool IsOtherFormat(const Trace& trace) { return trace.header.version != trace::kTraceVersion; }
bool IsOtherVersion(const Trace& trace) {
  return IsOtherFormat(trace) || trace.header.ksim_version != Version();
}

// The exit code of a difference: another version may differ.
int DifferenceCode(const Trace& recorded) {
  return IsOtherVersion(recorded) ? kViolation : kDiverged;
}

bool CheckVersion(Io& io, const ReplayFlags& flags, const Trace& trace) {
  if (!IsOtherVersion(trace) || flags.force) return true;
  const std::string difference =
      IsOtherFormat(trace)
          ? fmt::format("a trace of format {}, this ksim reads format {}", trace.header.version,
                        trace::kTraceVersion)
          : fmt::format("made by {}, this is {}", trace.header.ksim_version, Version());
  io.Err(fmt::format("{}: error: {}; --force compares anyway\n", flags.path, difference));
  return false;
}

// The number of recorded events to replay.
std::size_t EventsUntil(const Trace& recorded, const Until& until) {
  std::size_t n = 0;
  while (n < recorded.events.size() && recorded.events[n].seq <= until.seq &&
         recorded.events[n].t <= until.time)
    ++n;
  return n;
}

std::string ValueText(const std::optional<value::Value>& v) {
  if (!v) return "nothing";
  const std::string text = value::ToJson(*v);
  return text.size() > kLongestValue ? text.substr(0, kLongestValue) + "..." : text;
}

int PrintLineDifference(Io& io, const Trace& trace, const char* which, const value::Value& recorded,
                        const value::Value& now) {
  io.Err(fmt::format("{} replay diverged in the {} line\n", Paint(io.err_color(), "1;31", "error:"),
                     which));
  for (const value::Change& c : value::Diff(recorded, now))
    io.Err(fmt::format("  {}: recorded {}, now {}\n", c.path.ToString(), ValueText(c.before),
                       ValueText(c.after)));
  return DifferenceCode(trace);
}

// A line that this program wrote, which is JSON.
value::Value ParsedLine(const std::string& line) { return value::ParseJson(line).value(); }

// Compares the first and the last line, whose fields no event repeats.
int CompareLines(Io& io, const Trace& recorded, const Trace& now, bool whole) {
  const bool other_version = IsOtherVersion(recorded);
  if (!other_version) {
    const value::Value first = ParsedLine(trace::ToJsonLine(now.header));
    if (recorded.first_line != first)
      return PrintLineDifference(io, recorded, "first", recorded.first_line, first);
  }
  if (!whole) return kOk;
  value::Value last = ParsedLine(trace::ToJsonLine(*now.end));
  const value::Value& hash = recorded.last_line.Get(kHeaderHash);
  if (!hash.is_null()) last = last.Set(kHeaderHash, hash);
  if (recorded.last_line != last)
    return PrintLineDifference(io, recorded, "last", recorded.last_line, last);
  if (hash.is_null() || other_version) return kOk;
  if (hash.AsString() == trace::HashOfHeader(recorded.first_line)) return kOk;
  io.Err(fmt::format("{} the first line was altered since the trace was written\n",
                     Paint(io.err_color(), "1;31", "error:")));
  return kDiverged;
}

int PrintDivergence(Io& io, const Trace& recorded, const Trace& now, const trace::Divergence& d) {
  const auto line = [&d](const Trace& trace) -> std::string {
    return d.index < trace.events.size() ? EventLine(trace.events[d.index])
                                         : "the end of the trace";
  };
  const Trace& has = d.index < recorded.events.size() ? recorded : now;
  const Record& at = has.events[d.index];
  io.Err(fmt::format("{} replay diverged at event {} ({})\n  recorded {}\n  now      {}\n",
                     Paint(io.err_color(), "1;31", "error:"), d.index + 1,
                     FormatTime(VirtualTime(at.t)), d.left.empty() ? line(recorded) : d.left,
                     d.right.empty() ? line(now) : d.right));
  io.Err(fmt::format("  that is  {}\n", EventLine(at)));
  for (std::size_t cause : trace::CauseChain(has, d.index))
    if (cause != d.index) io.Err(fmt::format("  after    {}\n", EventLine(has.events[cause])));
  return DifferenceCode(recorded);
}

// Compares the first `wanted` events, or everything.
int CompareTraces(Io& io, const ReplayFlags& flags, const Trace& recorded, const Trace& now,
                  std::size_t wanted, bool whole) {
  const auto first = [](const std::vector<Record>& events, std::size_t n) {
    return std::span(events).first(std::min(n, events.size()));
  };
  const std::size_t of_now = whole ? now.events.size() : wanted;
  const std::optional<trace::Divergence> d =
      trace::FirstDivergence(first(recorded.events, wanted), first(now.events, of_now));
  if (d) return PrintDivergence(io, recorded, now, *d);
  if (const int code = CompareLines(io, recorded, now, whole); code != kOk) return code;
  const std::string digest = whole ? fmt::format(", digest {}", recorded.end->digest) : "";
  if (!flags.common.quiet)
    io.Out(fmt::format("replayed {} of {} events: same as recorded{}\n", wanted,
                       recorded.events.size(), digest));
  const bool complete = recorded.missing.empty() || (recorded.end && IsOtherVersion(recorded));
  return complete ? kOk : kUndecided;
}

// The time up to which a served cluster was served, as far as its trace tells.
VirtualTime EndOf(const Trace& recorded) {
  if (recorded.end) return VirtualTime(recorded.end->time);
  return VirtualTime(recorded.events.empty() ? 0 : recorded.events.back().t);
}

int ReplayAndCompare(Io& io, const ReplayFlags& flags, const Trace& recorded,
                     const scenario::Scenario& scenario, const Until& until) {
  const std::size_t wanted = EventsUntil(recorded, until);
  // ScenarioOf has seen that there are such options.
  scenario::RunnerOptions options = *fuzz::OptionsOf(scenario, recorded.header);
  const bool whole =
      wanted == recorded.events.size() && recorded.end && recorded.end->result != "interrupted";
  options.stop = [whole, wanted](const sim::Event& e) {
    return interrupted != 0 || (!whole && e.seq >= wanted);
  };
  trace::RenderOptions render;
  render.objects = HasObjects(recorded);
  std::optional<Trace> now;
  if (recorded.header.mode == kServed) {
    const auto inputs = serve::InputsOf(recorded);
    if (!inputs.ok()) {
      io.Err(fmt::format("{}: error: {}\n", flags.path, Message(inputs.status())));
      return kInvalid;
    }
    serve::ServedCluster cluster(scenario, std::move(options));
    const InterruptibleScope stoppable;
    if (whole || wanted > 0) serve::ReplayInputs(cluster, *inputs, EndOf(recorded));
    now = cluster.runner().MakeTrace(render);
  } else {
    scenario::Runner runner(scenario, std::move(options));
    const InterruptibleScope stoppable;
    if (whole || wanted > 0) runner.Run();
    now = runner.MakeTrace(render);
  }
  if (interrupted != 0) return InterruptedCode();
  return CompareTraces(io, flags, recorded, *now, wanted, whole);
}

int RunReplay(Io& io, const ReplayFlags& flags) {
  io.SetColor(flags.common.color);
  Until until;
  if (flags.given.contains("until") && !ParseUntil(flags.until, &until)) {
    io.Err(fmt::format("--until: error: \"{}\" is neither an event's number nor a time\n",
                       flags.until));
    return kInvalid;
  }
  const std::optional<Trace> recorded = ReadTraceOrPrintError(io, flags.path, true);
  if (!recorded) return kInvalid;
  if (!CheckVersion(io, flags, *recorded)) return kInvalid;
  const std::optional<scenario::Scenario> scenario = ScenarioOf(io, *recorded, flags.path);
  if (!scenario) return kInvalid;
  std::vector<Diagnostic> missing = scenario::NotInThisVersion(*scenario, flags.path);
  for (Diagnostic& d : missing) d.severity = Diagnostic::Severity::kError;
  if (!missing.empty()) {
    io.Err(Render(missing, io.err_color()));
    return kInvalid;
  }
  return ReplayAndCompare(io, flags, *recorded, *scenario, until);
}

}  // namespace

Command ReplayCommand() {
  return {.name = "replay",
          .summary = "run a trace's scenario again and compare event by event",
          .usage = "ksim replay TRACE [flags]",
          .description = "",
          .examples = {{"Prove that a run repeats",
                        "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.ktrace && "
                        "ksim replay /tmp/run.ktrace"},
                       {"Only its first second", "ksim replay /tmp/run.ktrace --until 1s"}},
          .invoke = &Invoke<ReplayFlags, AddReplayFlags, RunReplay>};
}

}  // namespace ksim::cli
