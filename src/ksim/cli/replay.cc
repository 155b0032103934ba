#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/signals.h"
#include "ksim/cli/trace_input.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/state.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using trace::Record;
using trace::Trace;

// Where --until stops: at an event or a time.
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

// Whether the trace was written with --trace-objects.
bool HasObjects(const Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(), [](const Record& r) {
    return r.kind == sim::EventKind::kCommit && !r.Get("object").is_null();
  });
}

class ReplayCommand : public Command {
 public:
  std::string_view name() const override { return "replay"; }
  std::string_view summary() const override {
    return "run a trace's scenario again and compare event by event";
  }
  std::string_view usage() const override { return "ksim replay TRACE [flags]"; }
  std::vector<Example> examples() const override {
    return {{"Prove that a run repeats",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.ktrace && "
             "ksim replay /tmp/run.ktrace"},
            {"Only its first second", "ksim replay /tmp/run.ktrace --until 1s"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("TRACE", path_, "A trace; - is standard input")->required();
    until_flag_ = app.add_option("--until", until_, "Stops after an event's number or a time")
                      ->type_name("STEP|TIME");
    app.add_flag("--force", force_, "Also traces of another version; then a difference is code 1");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
    app.add_flag("--bisect", common_.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    Until until;
    if (until_flag_->count() > 0 && !ParseUntil(until_, &until)) {
      io.Err(
          fmt::format("--until: error: \"{}\" is neither an event's number nor a time\n", until_));
      return kInvalid;
    }
    std::optional<Trace> recorded = ReadTraceOrTell(io, path_, true);
    if (!recorded) return kInvalid;
    if (!CheckVersion(io, *recorded)) return kInvalid;
    const std::optional<scenario::Scenario> scenario = ScenarioOf(io, *recorded, path_);
    if (!scenario) return kInvalid;
    std::vector<Diagnostic> missing = scenario::NotInThisVersion(*scenario, path_);
    for (Diagnostic& d : missing) d.severity = Diagnostic::Severity::kError;
    if (!missing.empty()) {
      io.Err(Render(missing, io.err_color()));
      return kInvalid;
    }
    return Compare(io, *recorded, *scenario, until);
  }

 private:
  bool CheckVersion(Io& io, const Trace& trace) {
    const bool other_format = trace.header.version != trace::kTraceVersion;
    other_version_ = other_format || trace.header.ksim_version != Version();
    if (!other_version_ || force_) return true;
    const std::string difference =
        other_format ? fmt::format("a trace of format {}, this ksim reads format {}",
                                   trace.header.version, trace::kTraceVersion)
                     : fmt::format("made by {}, this is {}", trace.header.ksim_version, Version());
    io.Err(fmt::format("{}: error: {}; --force compares anyway\n", path_, difference));
    return false;
  }

  int Compare(Io& io, const Trace& recorded, const scenario::Scenario& scenario,
              const Until& until) {
    const std::size_t wanted = HowMany(recorded, until);
    // ScenarioOf has seen that there are such options.
    scenario::RunnerOptions options = *fuzz::OptionsOf(scenario, recorded.header);
    const bool whole =
        wanted == recorded.events.size() && recorded.end && recorded.end->result != "interrupted";
    options.stop = [whole, wanted](const sim::Event& e) {
      return interrupted != 0 || (!whole && e.seq >= wanted);
    };
    scenario::Runner runner(scenario, std::move(options));
    {
      const Stoppable stoppable;
      if (whole || wanted > 0) runner.Run();
    }
    if (interrupted != 0) return InterruptedCode();
    trace::RenderOptions render;
    render.objects = HasObjects(recorded);
    const Trace now = runner.MakeTrace(render);
    return Verdict(io, recorded, now, wanted, whole);
  }

  static std::size_t HowMany(const Trace& recorded, const Until& until) {
    std::size_t n = 0;
    while (n < recorded.events.size() && recorded.events[n].seq <= until.seq &&
           recorded.events[n].t <= until.time)
      ++n;
    return n;
  }

  int Verdict(Io& io, const Trace& recorded, const Trace& now, std::size_t wanted, bool whole) {
    const auto first = [](const std::vector<Record>& events, std::size_t n) {
      return std::vector<Record>(
          events.begin(), events.begin() + static_cast<std::ptrdiff_t>(std::min(n, events.size())));
    };
    const std::size_t of_now = whole ? now.events.size() : wanted;
    const std::optional<trace::Divergence> d =
        trace::FirstDivergence(first(recorded.events, wanted), first(now.events, of_now));
    if (d) return Diverged(io, recorded, now, *d);
    if (const int code = CompareLines(io, recorded, now, whole); code != kOk) return code;
    const std::string digest = whole ? fmt::format(", digest {}", recorded.end->digest) : "";
    if (!common_.quiet)
      io.Out(fmt::format("replayed {} of {} events: same as recorded{}\n", wanted,
                         recorded.events.size(), digest));
    return recorded.missing.empty() || (recorded.end && other_version_) ? kOk : kUndecided;
  }

  // The first and the last line. What stands there has no event that could differ.
  int CompareLines(Io& io, const Trace& recorded, const Trace& now, bool whole) {
    if (!other_version_) {
      const value::Value first = Parsed(trace::ToJsonLine(now.header));
      if (recorded.first_line != first) return LineDiffers(io, "first", recorded.first_line, first);
    }
    if (!whole) return kOk;
    value::Value last = Parsed(trace::ToJsonLine(*now.end));
    const value::Value& hash = recorded.last_line.Get(kHeaderHash);
    if (!hash.is_null()) last = last.Set(kHeaderHash, hash);
    if (recorded.last_line != last) return LineDiffers(io, "last", recorded.last_line, last);
    if (hash.is_null() || other_version_) return kOk;
    if (hash.AsString() == trace::HashOfHeader(recorded.first_line)) return kOk;
    io.Err(fmt::format("{} the first line was altered since the trace was written\n",
                       Paint(io.err_color(), "1;31", "error:")));
    return kDiverged;
  }

  // What this program wrote is JSON.
  static value::Value Parsed(const std::string& line) { return value::ParseJson(line).value(); }

  int LineDiffers(Io& io, const char* which, const value::Value& recorded,
                  const value::Value& now) {
    io.Err(fmt::format("{} replay diverged in the {} line\n",
                       Paint(io.err_color(), "1;31", "error:"), which));
    for (const value::Change& c : value::Diff(recorded, now))
      io.Err(fmt::format("  {}: recorded {}, now {}\n", c.path.ToString(), Text(c.before),
                         Text(c.after)));
    return other_version_ ? kViolation : kDiverged;
  }

  static std::string Text(const std::optional<value::Value>& v) {
    if (!v) return "nothing";
    const std::string text = value::ToJson(*v);
    return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
  }

  int Diverged(Io& io, const Trace& recorded, const Trace& now, const trace::Divergence& d) {
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
    return other_version_ ? kViolation : kDiverged;
  }

  static constexpr std::string_view kHeaderHash = "header";
  static constexpr std::size_t kLongest = 160;  // of a value that differs
  std::string path_;
  std::string until_;
  const CLI::Option* until_flag_ = nullptr;
  bool force_ = false;
  bool other_version_ = false;
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeReplay() { return std::make_unique<ReplayCommand>(); }

}  // namespace ksim::cli
