#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "ksim/base/os.h"
#include "ksim/base/output_file.h"
#include "ksim/base/status.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/failure_files.h"
#include "ksim/cli/fuzz_report.h"
#include "ksim/cli/help.h"
#include "ksim/cli/signals.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/campaign_expectations.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/shrink.h"
#include "ksim/fuzz/summary.h"
#include "ksim/kubectl/printing/tree_text.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/load.h"
#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using fuzz::Failure;
using fuzz::FailureLine;
using fuzz::Summary;
using fuzz::Tally;
using scenario::Scenario;

constexpr std::uint64_t kSeedsByDefault = 1000;
// To shrink more than this takes hours and helps nobody; all are written.
constexpr std::size_t kMostShrunk = 50;

bool ParseNumber(std::string_view text, std::uint64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

// "A..B" or "A".
bool ParseSeeds(std::string_view text, std::uint64_t* first, std::uint64_t* last) {
  const std::size_t dots = text.find("..");
  if (!ParseNumber(text.substr(0, dots), first)) return false;
  *last = *first;
  if (dots != std::string_view::npos && !ParseNumber(text.substr(dots + 2), last)) return false;
  return *first >= 1 && *first <= *last && *last < ~std::uint64_t{0};
}

// "5%" or "0.5%", in thousandths.
bool ParsePercent(std::string_view text, std::uint32_t* permille) {
  if (!text.ends_with('%')) return false;
  text.remove_suffix(1);
  const std::size_t dot = text.find('.');
  std::uint64_t whole = 0, tenth = 0;
  if (!ParseNumber(text.substr(0, dot), &whole) || whole > 100) return false;
  if (dot != std::string_view::npos &&
      (text.size() != dot + 2 || !ParseNumber(text.substr(dot + 1), &tenth)))
    return false;
  *permille = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole * 10 + tenth, 1000));
  return true;
}

bool ParseShard(std::string_view text, fuzz::Shard* shard) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && ParseNumber(text.substr(0, slash), &shard->index) &&
         ParseNumber(text.substr(slash + 1), &shard->count) && shard->count >= 1 &&
         shard->index <= shard->count;
}

class FuzzCommand : public Command {
 public:
  std::string_view name() const override { return "fuzz"; }
  std::string_view summary() const override {
    return "many runs with faults; what breaks is shrunk and written down";
  }
  std::string_view usage() const override {
    return "ksim fuzz FILE [flags]\n       ksim fuzz merge DIR... [flags]";
  }
  std::string_view description() const override {
    return "Each seed is a run of its own: faults come for a while, then everything heals, and "
           "the\n"
           "run must converge. Each distinct failure (oracle and place) is shrunk and written to\n"
           "DIR/NAME/: scenario.yaml, trace.jsonl, README.md. What an earlier campaign left in "
           "DIR\n"
           "is replaced. `merge` puts the DIRs of the shards of one campaign together.";
  }
  std::vector<Example> examples() const override {
    return {{"The first hundred seeds, two at a time",
             "ksim fuzz scenarios/replicaset.yaml --seeds 1..100 --jobs 2 --out /tmp/ksim-fuzz"},
            {"The second of four machines",
             "ksim fuzz scenarios/replicaset.yaml --seeds 1..40 --shard 2/4 --out /tmp/shard-2"},
            {"Every single fault, one after the other",
             "ksim fuzz scenarios/replicaset.yaml --strategy exhaustive --seeds 1..50 "
             "--shrink-runs 0 --out /tmp/ksim-fuzz"}};
  }

  void Define(CLI::App& app) override {
    app.add_option("FILE", files_, "A Scenario or manifests; or `merge` and directories")
        ->type_name("FILE");
    seeds_flag_ = app.add_option("--seeds", seeds_,
                                 "Which seeds: A..B; default 1..1000, with --time without end")
                      ->type_name("A..B");
    app.add_option("--jobs", jobs_, "Worker processes; default one for each processor")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    time_flag_ = app.add_option("--time", time_, "Stops after so much real time");
    time_flag_->type_name("DURATION");
    app.add_option("--strategy", plan_.strategy,
                   "swarm, random, pct, exhaustive or coverage; default swarm")
        ->type_name("NAME");
    app.add_option("--depth", plan_.depth, "pct: order decisions a bug takes; default 3")
        ->type_name("D")
        ->check(CLI::Range(1, 100));
    app.add_option("--rate", plan_.rate, "random: one question in N is a fault; default 64")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--bound", plan_.bound, "exhaustive: most faults at once; default 2")
        ->type_name("B")
        ->check(CLI::Range(1, 8));
    shard_flag_ =
        app.add_option("--shard", shard_, "This machine's part: seeds that are I modulo N")
            ->type_name("I/N");
    out_flag_ = app.add_option("--out", out_, "Where failures are written; default ksim-fuzz")
                    ->type_name("DIR");
    app.add_option("--junit", junit_, "Writes a JUnit report")
        ->type_name("FILE")
        ->check(NotEmpty("file"));
    app.add_option("--check-determinism", recheck_, "Does this share of the runs twice; default 1%")
        ->type_name("P%");
    app.add_option("--shrink-runs", shrink_runs_,
                   "Most runs to shrink one failure; default 2000, 0: shrinks none")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000'000));
    app.add_option("--run-timeout", run_timeout_, "Real time of one run; default 60s")
        ->type_name("DURATION");
    app.add_option("--set", flags_.set, "Sets a field of the scenario; may be repeated")
        ->type_name("PATH=VALUE")
        ->take_all()
        ->expected(1);
    common_.DefineOutput(app, {"text", "json", "yaml"}, "text");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
    app.add_flag("--bisect", common_.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    started_ = os::MonotonicNow();
    if (Merges()) return Merge(io);
    if (files_.size() != 1) return Wrong(io, "FILE", "ksim fuzz takes one scenario");
    fuzz::CampaignOptions options;
    if (!ReadFlags(io, &options)) return kInvalid;
    std::optional<Scenario> scenario = LoadOne(io);
    if (!scenario || !CanWrite(io)) return kInvalid;
    return RunCampaign(io, fuzz::OnlyLasting(*std::move(scenario)), std::move(options));
  }

 private:
  // Also if it was given as "".
  static bool Given(const CLI::Option* flag) { return flag->count() > 0; }
  bool OutGiven() const { return Given(out_flag_); }
  bool Merges() const { return !files_.empty() && files_.front() == "merge"; }

  static int Wrong(Io& io, const std::string& what, const std::string& message) {
    io.Err(fmt::format("{}: error: {}\n", what, message));
    return kInvalid;
  }

  bool ReadDuration(Io& io, const char* flag, const std::string& text, Duration* out) {
    const absl::StatusOr<Duration> d = ParseDuration(text);
    if (d.ok() && *d > Duration()) {
      *out = *d;
      return true;
    }
    Wrong(io, flag, fmt::format("\"{}\" is no duration; write 60s, 10m or 1h30m", text));
    return false;
  }

  bool ReadFlags(Io& io, fuzz::CampaignOptions* o) {
    o->plan = plan_;
    o->first = 1;
    o->last = Given(time_flag_) ? ~std::uint64_t{0} - 1 : kSeedsByDefault;
    if (out_.empty()) return Wrong(io, "--out", "\"\" is no directory") == kOk;
    if (Given(seeds_flag_) && !ParseSeeds(seeds_, &o->first, &o->last))
      return Wrong(io, "--seeds",
                   fmt::format("\"{}\" is no range of seeds; write 1..1000", seeds_)) == kOk;
    if (Given(shard_flag_) && !ParseShard(shard_, &o->shard))
      return Wrong(io, "--shard", fmt::format("\"{}\" is no shard; write 1/4", shard_)) == kOk;
    if (!ParsePercent(recheck_, &o->recheck_permille))
      return Wrong(io, "--check-determinism",
                   fmt::format("\"{}\" is no share; write 5%", recheck_)) == kOk;
    if (Given(time_flag_)) {
      Duration time;
      if (!ReadDuration(io, "--time", time_, &time)) return false;
      o->time = time;
    }
    first_ = o->first;
    part_.shard = o->shard;
    return ReadDuration(io, "--run-timeout", run_timeout_, &timeout_);
  }

  std::optional<Scenario> LoadOne(Io& io) {
    scenario::LoadOptions options;
    options.set = flags_.set;
    scenario::Loaded loaded = scenario::Load(files_, options);
    std::vector<Diagnostic> errors = loaded.errors;
    if (errors.empty() && loaded.scenarios.size() != 1) {
      Wrong(io, files_.front(), "holds no scenario, or more than one");
      return std::nullopt;
    }
    if (errors.empty()) {
      errors = scenario::NotInThisVersion(loaded.scenarios[0], loaded.files[0]);
      for (Diagnostic& d : errors) d.severity = Diagnostic::Severity::kError;
    }
    if (errors.empty()) errors = scenario::DryRun(loaded.scenarios[0]);
    if (!common_.quiet) io.Err(Render(loaded.warnings, io.err_color()));
    if (errors.empty()) return std::move(loaded.scenarios[0]);
    io.Err(Render(errors, io.err_color()));
    return std::nullopt;
  }

  // Before a campaign of hours finds that its findings have no place.
  bool CanWrite(Io& io) const {
    absl::Status status = OutGiven() ? os::MakeDirectories(out_) : absl::OkStatus();
    if (status.ok() && OutGiven()) status = os::CheckWritable(out_ + "/campaign.json");
    if (!status.ok())
      return Wrong(io, out_, "cannot write it: " + std::string(Message(status))) == kOk;
    if (!junit_.empty()) status = os::CheckWritable(junit_);
    if (status.ok()) return true;
    return Wrong(io, junit_, "cannot write it: " + std::string(Message(status))) == kOk;
  }

  int RunCampaign(Io& io, const Scenario& scenario, fuzz::CampaignOptions options) {
    const int jobs = jobs_ > 0 ? jobs_ : os::ProcessorCount();
    io.Flush();
    const Stoppable until_all_is_written;
    absl::StatusOr<std::unique_ptr<fuzz::Executor>> executor =
        fuzz::MakeWorkers(scenario, timeout_, jobs);
    if (!executor.ok()) return Wrong(io, "--jobs", std::string(Message(executor.status())));
    const bool shows = os::IsTerminal(STDERR_FILENO) && !common_.quiet;
    options.interrupted = [] { return interrupted != 0; };
    options.on_batch = [&](const Tally& t) {
      if (shows) io.Err("\r\x1b[K" + ProgressLine(t, Wall()));
    };
    options.on_failure = [&](const Failure& f) { Found(io, scenario, f); };
    const bool counted = options.plan.strategy != "exhaustive";
    absl::StatusOr<fuzz::Campaign> campaign =
        fuzz::Campaign::Make(scenario, **executor, std::move(options));
    if (!campaign.ok()) return Wrong(io, "--strategy", std::string(Message(campaign.status())));
    const Tally tally = campaign->Go();
    const std::int64_t wall = Wall();
    executor->reset();
    if (shows) io.Err("\r\x1b[K");
    if (tally.runs == 0 && !tally.interrupted) {
      io.Err("error: no seed to run\n");
      return kNothing;
    }
    Summary summary = Summarise(scenario, tally, wall);
    ShrinkAll(io, scenario, tally, &summary);
    const int code = Report(io, summary);
    if (counted && tally.out_of_time && common_.output == "text")
      io.Out(fmt::format("the same runs: --seeds {}..{}\n", tally.first, tally.last));
    return code;
  }

  std::int64_t Wall() const { return (os::MonotonicNow() - started_).ns(); }

  std::string DirOf(const Failure& f) const { return out_ + "/" + fuzz::NameOf(f); }

  static bool HasRun(const Failure& f) {
    return f.code == fuzz::kSafety || f.code == fuzz::kLiveness;
  }

  // At once, so that nothing is lost when the campaign is ended.
  void Found(Io& io, const Scenario& scenario, const Failure& f) {
    if (!HasRun(f)) return;
    const auto write = [&](const std::string& dir) { return fuzz::WriteFound(dir, scenario, f); };
    if (WriteOrTell(io, DirOf(f), write)) written_.push_back(f.finding.Key());
  }

  template <class Write>
  bool WriteOrTell(Io& io, const std::string& dir, const Write& write) {
    const absl::Status status = WriteWhole(dir, write);
    if (status.ok()) return true;
    io.Err(CannotWrite(dir, status));
    cannot_write_ = true;
    return false;
  }

  bool Written(const Failure& f) const {
    return std::find(written_.begin(), written_.end(), f.finding.Key()) != written_.end();
  }

  Summary Summarise(const Scenario& scenario, const Tally& t, std::int64_t wall) const {
    Summary s;
    s.scenario = scenario.name;
    s.strategy = plan_.strategy;
    s.campaign = fuzz::CampaignOf(scenario, plan_);
    s.first = t.first;
    s.last = t.last;
    s.parts.push_back(part_);
    s.parts.back().first = t.first;
    s.parts.back().last = t.last;
    s.repeatable = !Given(time_flag_) && !t.interrupted;
    s.runs = t.runs;
    s.events = t.events;
    s.rechecked = t.rechecked;
    s.undecided = t.undecided;
    s.timeout = run_timeout_;
    s.show_undecided = ShowSeed(t.undecided.empty() ? 0 : t.undecided.front(), kUndecided);
    s.wall_ns = wall;
    for (const auto& [kind, n] : t.faults) s.faults[FaultName(kind)] = n;
    s.probes = t.probes;
    s.interrupted = t.interrupted;
    for (const Failure& f : t.failures) {
      FailureLine line;
      line.oracle = f.finding.oracle;
      line.place = f.finding.place;
      line.message = f.finding.message;
      line.seed = f.number;
      line.count = f.count;
      line.code = f.code;
      line.steps = static_cast<std::int64_t>(f.decisions.size());
      if (Written(f)) line.dir = DirOf(f);
      line.show = line.dir.empty() ? ShowSeed(f.number, f.code)
                                   : "ksim replay " + ShellQuote(line.dir + "/trace.jsonl");
      s.failures.push_back(std::move(line));
    }
    return s;
  }

  // With every flag that the run of this number hangs on.
  std::string ShowSeed(std::uint64_t number, int code) const {
    const std::string& strategy = plan_.strategy;
    std::string out = fmt::format("ksim fuzz {} --seeds ", ShellQuote(files_.front()));
    // It learns from the runs before.
    if (strategy == "coverage" && number != first_) out += fmt::format("{}..", first_);
    out += fmt::format("{} --strategy {}", number, strategy);
    if (strategy == "coverage" && Given(shard_flag_)) out += " --shard " + ShellQuote(shard_);
    const fuzz::PlannerOptions usual;
    if (strategy == "pct" && plan_.depth != usual.depth)
      out += fmt::format(" --depth {}", plan_.depth);
    if (strategy == "random" && plan_.rate != usual.rate)
      out += fmt::format(" --rate {}", plan_.rate);
    if (strategy == "exhaustive" && plan_.bound != usual.bound)
      out += fmt::format(" --bound {}", plan_.bound);
    for (const std::string& set : flags_.set) out += " --set " + ShellQuote(set);
    if (timeout_ != kUsualTimeout) out += " --run-timeout " + ShellQuote(run_timeout_);
    if (code == kDiverged) out += " --check-determinism 100%";
    return out;
  }

  // The name that `spec.fuzz.faults` has for a kind of decision: fault.crash is crash.
  static std::string FaultName(std::string_view kind) {
    constexpr std::string_view kFault = "fault.";
    return std::string(kind.substr(kind.starts_with(kFault) ? kFault.size() : 0));
  }

  void ShrinkAll(Io& io, const Scenario& scenario, const Tally& tally, Summary* summary) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < tally.failures.size() && shrink_runs_ > 0; ++i) {
      const Failure& f = tally.failures[i];
      if (interrupted != 0) return;
      if (!HasRun(f) || !Written(f)) continue;
      if (++tried > kMostShrunk) continue;
      Shrink(io, scenario, f, &summary->failures[i]);
    }
    if (tried > kMostShrunk)
      io.Err(fmt::format("warning: {} of {} failures were shrunk; ksim shrink does it for one\n",
                         kMostShrunk, tried));
  }

  void Shrink(Io& io, Scenario scenario, const Failure& f, FailureLine* line) {
    scenario.seed = f.job.seed;
    fuzz::ShrinkOptions options;
    options.runs = shrink_runs_;
    options.timeout = timeout_;
    options.interrupted = [] { return interrupted != 0; };
    const fuzz::Shrunk shrunk = fuzz::Shrink(scenario, f.job.strategy, {}, f.finding, options);
    if (!shrunk.reproduced) return;
    const auto write = [&](const std::string& dir) { return fuzz::WriteShrunk(dir, f, shrunk); };
    if (!WriteOrTell(io, line->dir, write)) return;
    line->steps = static_cast<std::int64_t>(fuzz::StepsLeft(shrunk));
    if (shrunk.seeds_tried > 0)
      line->seeds = fmt::format("{}/{}", shrunk.seeds_failing, shrunk.seeds_tried);
    if (shrunk.runs_alone) line->show = "ksim run " + ShellQuote(line->dir + "/scenario.yaml");
  }

  // Tables, files, and the exit code.
  int Report(Io& io, const Summary& summary) {
    if (common_.output != "text")
      io.Out(kubectl::TreeText(fuzz::ToTree(summary), common_.output));
    else
      io.Out(CampaignText(summary, io.out_color(), common_.quiet));
    std::vector<int> codes{summary.Code()};
    if (summary.interrupted) codes.push_back(interrupted == 15 ? kTerminated : kInterrupted);
    if (!summary.failures.empty() || OutGiven()) {
      const absl::Status status = WriteCampaign(out_, summary, !Merges() || OutGiven());
      if (!status.ok()) NotWritten(io, out_ + "/campaign.json", status, &codes);
    }
    if (!junit_.empty()) {
      const absl::Status status = os::WriteFile(junit_, JUnitXml(CampaignCases(summary)));
      if (!status.ok()) NotWritten(io, junit_, status, &codes);
    }
    if (cannot_write_) codes.push_back(kUndecided);
    return summary.Code() == fuzz::kCrashed ? fuzz::kCrashed : Worst(codes);
  }

  static void NotWritten(Io& io, const std::string& path, const absl::Status& status,
                         std::vector<int>* codes) {
    io.Err(CannotWrite(path, status));
    codes->push_back(kUndecided);
  }

  // The campaign.json of each directory, as one; the failures' directories are copied to --out.
  int Merge(Io& io) {
    if (out_.empty()) return Wrong(io, "--out", "\"\" is no directory");
    std::vector<Summary> shards;
    const std::vector<std::string> dirs(files_.begin() + 1, files_.end());
    for (const std::string& dir : dirs) {
      absl::StatusOr<Summary> summary = ReadCampaign(dir + "/campaign.json");
      if (!summary.ok())
        return Wrong(io, dir + "/campaign.json", std::string(Message(summary.status())));
      // It may have been moved from where it was written.
      for (FailureLine& f : summary->failures)
        if (!f.dir.empty()) NowIn(dir + "/" + fuzz::DirectoryName(f.dir), &f);
      shards.push_back(*std::move(summary));
    }
    if (shards.empty()) return Wrong(io, "merge", "takes the directories of the shards");
    const absl::Status together = fuzz::CheckShards(shards, dirs);
    if (!together.ok()) return Wrong(io, "merge", std::string(Message(together)));
    Summary merged = fuzz::Merged(shards);
    if (!CanWrite(io)) return kInvalid;
    if (OutGiven()) {
      for (FailureLine& f : merged.failures)
        if (!f.dir.empty()) CopyFailure(io, &f);
    }
    return Report(io, merged);
  }

  void CopyFailure(Io& io, FailureLine* f) {
    const std::string to = out_ + "/" + fuzz::DirectoryName(f->dir);
    const auto copy = [f](const std::string& dir) { return CopyFiles(f->dir, dir); };
    if (WriteOrTell(io, to, copy)) NowIn(to, f);
  }

  static constexpr Duration kUsualTimeout = Seconds(60);
  std::vector<std::string> files_;
  ScenarioFlags flags_;
  CommonFlags common_;
  fuzz::PlannerOptions plan_;
  CLI::Option *seeds_flag_ = nullptr, *time_flag_ = nullptr, *shard_flag_ = nullptr,
              *out_flag_ = nullptr;
  std::string seeds_, time_, shard_, junit_;
  std::string out_ = "ksim-fuzz";
  std::string recheck_ = "1%";
  std::string run_timeout_ = "60s";
  std::uint64_t shrink_runs_ = 2000;
  int jobs_ = 0;
  Duration timeout_ = kUsualTimeout;
  std::uint64_t first_ = 1;  // of --seeds
  fuzz::Part part_;
  Duration started_;
  std::vector<std::string> written_;  // keys of failures that have a directory
  bool cannot_write_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeFuzz() { return std::make_unique<FuzzCommand>(); }

}  // namespace ksim::cli
