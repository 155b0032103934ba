#include "ksim/cli/fuzz_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/help.h"
#include "ksim/cli/scenario_flags.h"

namespace ksim::cli {
namespace {

constexpr std::uint64_t kSeedsByDefault = 1000;
constexpr Duration kUsualTimeout = Seconds(60);

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

// "60s", "1000runs", "5Mevents": a number of runs or events may have k, M or G behind it, and a
// blank before the unit.
bool ParseBudget(std::string_view text, fuzz::CampaignOptions* o) {
  if (const absl::StatusOr<Duration> time = ParseDuration(text); time.ok() && *time > Duration()) {
    o->time = *time;
    return true;
  }
  const auto take = [&text](std::string_view end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
  };
  std::uint64_t* const most = take("runs")     ? &o->most_runs
                              : take("events") ? &o->most_events
                                               : nullptr;
  if (most == nullptr) return false;
  take(" ");
  const std::uint64_t unit = take("k")   ? 1000
                             : take("M") ? 1'000'000
                             : take("G") ? 1'000'000'000
                                         : 1;
  if (!ParseNumber(text, most) || *most == 0 || *most > ~std::uint64_t{0} / unit) return false;
  *most *= unit;
  return true;
}

bool ParseShard(std::string_view text, fuzz::Shard* shard) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && ParseNumber(text.substr(0, slash), &shard->index) &&
         ParseNumber(text.substr(slash + 1), &shard->count) && shard->count >= 1 &&
         shard->index <= shard->count;
}

// False, and the complaint printed, for a text that is no positive duration.
bool ParseFuzzDuration(Io& io, const char* flag, const std::string& text, Duration* out) {
  const absl::StatusOr<Duration> d = ParseDuration(text);
  if (d.ok() && *d > Duration()) {
    *out = *d;
    return true;
  }
  PrintFuzzError(io, flag, fmt::format("\"{}\" is no duration; write 60s, 10m or 1h30m", text));
  return false;
}

}  // namespace

void AddFuzzFlags(FlagSet& set, FuzzFlags& flags) {
  set.Add("FILE", &flags.files, "A Scenario or manifests; or `merge` and directories").Type("FILE");
  set.Add("--seeds", &flags.seeds,
          "Which seeds: A..B; default 1..1000, with --time or --budget without end")
      .Type("A..B");
  set.Add("--jobs", &flags.jobs, "Worker processes; default one for each processor")
      .Type("N")
      .Range(1, 1024);
  set.Add("--time", &flags.time, "Stops after so much real time").Type("DURATION");
  set.Add("--budget", &flags.budget,
          "Stops after so much: 60s of real time, 1000runs, or 5Mevents of the simulation")
      .Type("AMOUNT");
  set.Add("--strategy", &flags.plan.strategy,
          "swarm, random, pct, exhaustive, exhaustive-full, coverage or causal; default swarm")
      .Type("NAME");
  set.Add("--depth", &flags.plan.depth, "pct: order decisions a bug takes; default 3")
      .Type("D")
      .Range(1, 100);
  set.Add("--rate", &flags.plan.rate, "random: one question in N is a fault; default 64")
      .Type("N")
      .Range(1, 1'000'000);
  set.Add("--bound", &flags.plan.bound, "exhaustive: most faults at once; default 2")
      .Type("B")
      .Range(1, 8);
  set.Add("--corpus", &flags.corpus,
          "coverage: begins with the inputs of this directory, and keeps its new ones there")
      .Type("DIR")
      .NotEmpty("directory");
  set.Add("--shard", &flags.shard, "This machine's part: seeds that are I modulo N").Type("I/N");
  set.Add("--out", &flags.out, "Where failures are written; default ksim-fuzz").Type("DIR");
  set.Add("--known", &flags.known,
          "Failures that scenarios of this directory show are told and do not count")
      .Type("DIR")
      .NotEmpty("directory");
  set.Add("--junit", &flags.junit, "Writes a JUnit report").Type("FILE").NotEmpty("file");
  set.Add("--check-determinism", &flags.recheck, "Does this share of the runs twice; default 1%")
      .Type("P%");
  set.Add("--shrink-runs", &flags.shrink_runs,
          "Most runs to shrink one failure; default 2000, 0: shrinks none")
      .Type("N")
      .Range(0, 1'000'000'000);
  set.Add("--staleness", &flags.staleness,
          "No campaign: how late each client may hear of each resource before the scenario fails");
  set.Add("--run-timeout", &flags.run_timeout, "Real time of one run; default 60s")
      .Type("DURATION");
  set.Add("--strict", &flags.strict,
          "Warnings are errors: steps that fail under faults, expectations that say little");
  AddSetFlag(set, &flags.set, "Sets a field of the scenario; may be repeated");
  AddOutputFlag(set, flags.common, {"text", "json", "yaml"});
  AddColorFlag(set, flags.common);
  AddQuietFlag(set, flags.common);
  AddBisectFlag(set, flags.common);
  set.NoteGiven(&flags.given);
}

std::optional<CampaignPlan> ParseCampaignPlan(Io& io, const FuzzFlags& flags) {
  CampaignPlan plan;
  fuzz::CampaignOptions& o = plan.options;
  const auto refuse = [&io](std::string_view flag, const std::string& message) {
    PrintFuzzError(io, flag, message);
    return std::nullopt;
  };
  o.plan = flags.plan;
  o.first = 1;
  const bool bounded = flags.given.contains("time") || flags.given.contains("budget");
  o.last = bounded ? ~std::uint64_t{0} - 1 : kSeedsByDefault;
  if (flags.out.empty()) return refuse("--out", "\"\" is no directory");
  if (flags.given.contains("seeds") && !ParseSeeds(flags.seeds, &o.first, &o.last))
    return refuse("--seeds",
                  fmt::format("\"{}\" is no range of seeds; write 1..1000", flags.seeds));
  if (flags.given.contains("shard") && !ParseShard(flags.shard, &o.shard))
    return refuse("--shard", fmt::format("\"{}\" is no shard; write 1/4", flags.shard));
  if (!ParsePercent(flags.recheck, &o.recheck_permille))
    return refuse("--check-determinism",
                  fmt::format("\"{}\" is no share; write 5%", flags.recheck));
  if (flags.given.contains("time")) {
    Duration time;
    if (!ParseFuzzDuration(io, "--time", flags.time, &time)) return std::nullopt;
    o.time = time;
  }
  if (flags.given.contains("budget")) {
    const bool timed = o.time.has_value();
    if (!ParseBudget(flags.budget, &o))
      return refuse("--budget", fmt::format("\"{}\" is no budget; write 60s, 1000runs or 5Mevents",
                                            flags.budget));
    if (timed && o.most_runs + o.most_events == 0)
      return refuse("--budget", "--time says how long already");
    o.coverage = true;
  }
  if (!flags.corpus.empty() && flags.plan.strategy != "coverage")
    return refuse("--corpus",
                  fmt::format("the strategy {} keeps no inputs; write --strategy coverage",
                              flags.plan.strategy));
  if (!ParseFuzzDuration(io, "--run-timeout", flags.run_timeout, &plan.timeout))
    return std::nullopt;
  return plan;
}

std::string CommandForRun(const Program& program, const FuzzFlags& flags, const CampaignPlan& plan,
                          std::uint64_t number, int code) {
  const std::string& strategy = flags.plan.strategy;
  std::string out =
      fmt::format("{} fuzz {} --seeds ", program.command, ShellQuote(flags.files.front()));
  // The strategy learns from the runs before.
  const std::uint64_t first = plan.options.first;
  if (number == 0) number = first;  // a run of --corpus, which come first
  if (strategy == "coverage" && number != first) out += fmt::format("{}..", first);
  out += fmt::format("{} --strategy {}", number, strategy);
  if (strategy == "coverage" && flags.given.contains("shard"))
    out += " --shard " + ShellQuote(flags.shard);
  if (!flags.corpus.empty()) out += " --corpus " + ShellQuote(flags.corpus);
  const fuzz::PlannerOptions usual;
  if (strategy == "pct" && flags.plan.depth != usual.depth)
    out += fmt::format(" --depth {}", flags.plan.depth);
  if (strategy == "random" && flags.plan.rate != usual.rate)
    out += fmt::format(" --rate {}", flags.plan.rate);
  if (fuzz::IsExhaustive(strategy) && flags.plan.bound != usual.bound)
    out += fmt::format(" --bound {}", flags.plan.bound);
  for (const std::string& set : flags.set) out += " --set " + ShellQuote(set);
  if (plan.timeout != kUsualTimeout) out += " --run-timeout " + ShellQuote(flags.run_timeout);
  if (code == kDiverged) out += " --check-determinism 100%";
  return out;
}

int PrintFuzzError(Io& io, std::string_view what, std::string_view message) {
  io.Err(fmt::format("{}: error: {}\n", what, message));
  return kInvalid;
}

}  // namespace ksim::cli
