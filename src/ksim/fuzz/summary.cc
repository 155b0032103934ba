#include "ksim/fuzz/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/base/status.h"
#include "ksim/registry.h"
#include "ksim/scenario/load.h"
#include "ksim/sim/probe.h"
#include "ksim/value/json.h"

namespace ksim::fuzz {
namespace {

using Json = nlohmann::json;
using value::Value;

std::uint64_t Count(const Value& v) { return static_cast<std::uint64_t>(v.AsInt()); }

// Whole numbers only: a rate is for reading, not for comparing.
std::uint64_t PerSecond(std::uint64_t n, std::int64_t wall_ns) {
  if (wall_ns <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(n) * 1'000'000'000u /
                                    static_cast<std::uint64_t>(wall_ns));
}

Json JsonOf(const FailureLine& f) {
  Json out = {{"oracle", f.oracle}, {"place", f.place},
              {"seed", f.seed},     {"message", f.message},
              {"count", f.count},   {"code", f.code},
              {"dir", f.dir},       {"steps", f.steps < 0 ? Json() : Json(f.steps)},
              {"seeds", f.seeds},   {"show", f.show}};
  if (!f.by.empty()) out["by"] = f.by;
  if (!f.wrong_step.empty()) out["wrongStep"] = f.wrong_step;
  if (!f.same_cause.empty()) out["sameCauseAs"] = f.same_cause;
  if (!f.known.empty()) out["known"] = f.known;
  return out;
}

Json JsonOf(const StepLine& s) {
  return {
      {"step", s.number}, {"what", s.what}, {"runs", s.runs}, {"seed", s.seed}, {"error", s.error}};
}

Json JsonOf(const ExpectationLine& e) {
  return {{"expectation", e.number}, {"what", e.what}, {"why", e.why}};
}

Json JsonOf(const scenario::NotSimulated& n) {
  return {{"subject", n.subject}, {"controller", n.controller}, {"message", n.message},
          {"file", n.file},       {"line", n.span.line},        {"column", n.span.column}};
}

Json JsonOf(const Part& p) {
  return {{"firstSeed", p.first},
          {"lastSeed", p.last},
          {"shard", p.shard.index},
          {"of", p.shard.count}};
}

template <class T>
Json ListOf(const std::vector<T>& items) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(JsonOf(item));
  return out;
}

// Reads the fields of one object; the first that is not as it was written is what is wrong.
class Fields {
 public:
  Fields(const Value& tree, std::string where) : tree_(tree), where_(std::move(where)) {
    if (!tree.is_object()) Wrong("", "no object");
  }
  std::string Text(std::string_view name) {
    const Value& v = tree_.Get(name);
    if (!v.is_string()) Wrong(name, "no text");
    return std::string(v.AsString());
  }
  std::uint64_t Count(std::string_view name) {
    const Value& v = tree_.Get(name);
    if (!v.is_int() || v.AsInt() < 0) Wrong(name, "no count");
    return fuzz::Count(v);
  }
  const Value& List(std::string_view name) {
    const Value& v = tree_.Get(name);
    if (!v.is_array()) Wrong(name, "no list");
    return v;
  }
  const Value& Object(std::string_view name) {
    const Value& v = tree_.Get(name);
    if (!v.is_object()) Wrong(name, "no object");
    return v;
  }
  void Wrong(std::string_view name, std::string_view what) {
    if (!status_.ok()) return;
    const std::string_view between = where_.empty() || name.empty() ? "" : ".";
    status_ = absl::InvalidArgumentError(
        fmt::format("no result of ksim fuzz: {}{}{} is {}", where_, between, name, what));
  }
  const absl::Status& status() const { return status_; }

 private:
  const Value& tree_;
  std::string where_;
  absl::Status status_;
};

// Below it the failure's files are looked for, in whatever directory it now is.
bool IsDirectoryName(std::string_view name) { return !name.empty() && name != "." && name != ".."; }

absl::StatusOr<FailureLine> ParseFailure(const Value& v, std::size_t i) {
  Fields fields(v, fmt::format("failures[{}]", i));
  FailureLine f;
  f.oracle = fields.Text("oracle");
  f.place = fields.Text("place");
  f.message = fields.Text("message");
  f.dir = fields.Text("dir");
  f.seeds = fields.Text("seeds");
  f.show = fields.Text("show");
  const auto optional = [&v](std::string_view name) {
    return std::string(v.Get(name).is_string() ? v.Get(name).AsString() : "");
  };
  f.by = optional("by");
  f.wrong_step = optional("wrongStep");
  f.same_cause = optional("sameCauseAs");
  f.known = optional("known");
  f.seed = fields.Count("seed");
  f.count = fields.Count("count");
  f.code = static_cast<int>(fields.Count("code"));
  f.steps = v.Get("steps").is_int() ? v.Get("steps").AsInt() : -1;
  if (!f.dir.empty() && !IsDirectoryName(DirectoryName(f.dir)))
    fields.Wrong("dir", "no directory of a failure");
  RETURN_IF_ERROR(fields.status());
  return f;
}

absl::StatusOr<StepLine> ParseFailedStep(const Value& v, std::size_t i) {
  Fields fields(v, fmt::format("failedSteps[{}]", i));
  StepLine s;
  s.number = static_cast<std::int64_t>(fields.Count("step"));
  s.what = fields.Text("what");
  s.runs = fields.Count("runs");
  s.seed = fields.Count("seed");
  s.error = fields.Text("error");
  RETURN_IF_ERROR(fields.status());
  return s;
}

absl::StatusOr<ExpectationLine> ParseExpectationLine(const Value& v, std::size_t) {
  Fields fields(v, "expectation");
  ExpectationLine e;
  e.number = static_cast<std::int64_t>(fields.Count("expectation"));
  e.what = fields.Text("what");
  e.why = fields.Text("why");
  RETURN_IF_ERROR(fields.status());
  return e;
}

absl::StatusOr<Part> ParsePart(const Value& v, std::size_t i) {
  constexpr std::uint64_t kMostShards = 1'000'000;
  Fields fields(v, fmt::format("parts[{}]", i));
  Part p;
  p.first = fields.Count("firstSeed");
  p.last = fields.Count("lastSeed");
  p.shard.index = fields.Count("shard");
  p.shard.count = fields.Count("of");
  if (p.shard.count < 1 || p.shard.count > kMostShards) fields.Wrong("of", "no number of shards");
  RETURN_IF_ERROR(fields.status());
  return p;
}

template <class T>
absl::Status ParseList(Fields& fields, std::string_view name,
                       absl::StatusOr<T> (*parse)(const Value&, std::size_t), std::vector<T>* out) {
  const Value& list = fields.List(name);
  RETURN_IF_ERROR(fields.status());
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(T one, parse(list.at(i), i));
    out->push_back(std::move(one));
  }
  return absl::OkStatus();
}

// A seed that both did; 0: there is none. What is in both shards repeats after as many seeds as the
// least common multiple of their counts, so one shard's seeds are tried for that long.
std::uint64_t InBoth(const Part& a, const Part& b) {
  const std::uint64_t last = std::min(a.last, b.last);
  const std::uint64_t tries = b.shard.count / std::gcd(a.shard.count, b.shard.count);
  std::uint64_t seed = std::max({a.first, b.first, std::uint64_t{1}});
  while (seed <= last && !a.shard.Has(seed)) ++seed;
  for (std::uint64_t i = 0; i < tries && seed <= last; ++i, seed += a.shard.count)
    if (b.shard.Has(seed)) return seed;
  return 0;
}

std::uint64_t InBoth(const Summary& a, const Summary& b) {
  for (const Part& p : a.parts)
    for (const Part& q : b.parts)
      if (const std::uint64_t seed = InBoth(p, q); seed != 0) return seed;
  return 0;
}

std::string Difference(const Summary& a, const Summary& b) {
  if (a.scenario != b.scenario)
    return fmt::format("is of the scenario {}, and not of {}", b.scenario, a.scenario);
  if (a.strategy != b.strategy)
    return fmt::format("is of the strategy {}, and not of {}", b.strategy, a.strategy);
  if (a.campaign != b.campaign) return "is of another scenario, or had other flags";
  return "";
}

// With its directory as whoever stands beside the file finds it, if it is there.
FailureLine Beside(FailureLine f) {
  if (f.dir.empty() || f.dir == f.shard_dir) return f;
  const bool runs = ShowsByRun(f);
  const std::string program = f.show.substr(0, f.show.find(runs ? " run " : " replay "));
  f.dir = DirectoryName(f.dir);
  f.show = runs ? fmt::format("{} run {}/scenario.yaml", program, f.dir)
                : fmt::format("{} replay {}/trace.jsonl", program, f.dir);
  return f;
}

}  // namespace

void MarkSameCauses(Summary* summary) {
  std::map<std::string, std::string> first;  // wrong step -> directory
  for (FailureLine& f : summary->failures) {
    if (f.wrong_step.empty() || f.dir.empty() || !f.known.empty()) continue;
    const auto [it, added] = first.emplace(f.wrong_step, f.dir);
    if (!added) f.same_cause = DirectoryName(it->second);
  }
}

namespace {

void MergeFailure(const FailureLine& f, std::vector<FailureLine>* all) {
  const auto same = std::find_if(all->begin(), all->end(), [&f](const FailureLine& other) {
    return other.oracle == f.oracle && other.place == f.place && other.by == f.by;
  });
  if (same == all->end()) {
    all->push_back(f);
    return;
  }
  const std::uint64_t count = same->count + f.count;
  if (f.seed < same->seed) *same = f;
  same->count = count;
}

void MergeFailedStep(const StepLine& step, std::vector<StepLine>* all) {
  const auto same = std::find_if(all->begin(), all->end(), [&step](const StepLine& other) {
    return other.number == step.number;
  });
  if (same == all->end()) return all->push_back(step);
  const std::uint64_t runs = same->runs + step.runs;
  if (step.seed < same->seed) *same = step;
  same->runs = runs;
}

// Vacuous are those that no shard had anything for.
void KeepCommon(const std::vector<ExpectationLine>& others, std::vector<ExpectationLine>* all) {
  std::erase_if(*all, [&others](const ExpectationLine& e) {
    return std::none_of(others.begin(), others.end(),
                        [&e](const ExpectationLine& o) { return o.number == e.number; });
  });
}

Json JsonOf(const Summary& s) {
  Json out = {{"apiVersion", "ksim.dev/v1"},
              {"kind", "FuzzResult"},
              {"scenario", s.scenario},
              {"strategy", s.strategy},
              {"campaign", s.campaign},
              {"firstSeed", s.first},
              {"lastSeed", s.last},
              {"parts", ListOf(s.parts)},
              {"runs", s.runs},
              {"runsPerSecond", PerSecond(s.runs, s.wall_ns)},
              {"events", s.events},
              {"eventsPerSecond", PerSecond(s.events, s.wall_ns)},
              {"wallNs", s.wall_ns},
              {"rechecked", s.rechecked},
              {"undecided", s.undecided.size()},
              {"undecidedSeeds", s.undecided},
              {"interrupted", s.interrupted},
              {"exitCode", s.Code()},
              {"faults", Json::object_t(s.faults.begin(), s.faults.end())},
              {"failures", ListOf(s.failures)},
              {"judgedRuns", s.judged},
              {"failedSteps", ListOf(s.failed_steps)},
              {"vacuous", ListOf(s.vacuous)},
              {"notLasting", ListOf(s.not_lasting)},
              {"notSimulated", ListOf(s.not_simulated)},
              {"neverFired", s.NeverFired()},
              {"probesReached", s.probes},
              {"probesNeverReached", s.ProbesNeverReached()}};
  if (!s.vacuous_invariants.empty()) out["vacuousInvariants"] = ListOf(s.vacuous_invariants);
  if (s.pairs > 0) out["pairsCovered"] = s.pairs;
  if (!s.budget.empty()) out["budget"] = s.budget;
  if (s.equivalent > 0) out["equivalent"] = s.equivalent;
  if (!s.silent_known.empty()) out["silentKnown"] = s.silent_known;
  return out;
}

// Bytes of a message that are no UTF-8 become U+FFFD.
std::string TextOf(const Json& json) {
  return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool ShowsByRun(const FailureLine& failure) {
  return failure.show.find(" run ") < failure.show.find(" replay ");
}

std::string DirectoryName(std::string_view dir) {
  while (dir.size() > 1 && dir.ends_with('/')) dir.remove_suffix(1);
  return std::string(dir.substr(dir.rfind('/') + 1));
}

std::string CampaignOf(const scenario::Scenario& scenario, const PlannerOptions& plan) {
  std::string all = value::ToJson(ToTree(scenario));
  all += fmt::format(" {}", plan.strategy);
  if (plan.strategy == "pct") all += fmt::format(" {}", plan.depth);
  if (plan.strategy == "random") all += fmt::format(" {}", plan.rate);
  if (IsExhaustive(plan.strategy)) all += fmt::format(" {}", plan.bound);
  const Registry* const program = scenario.cluster.program.get();
  if (program != nullptr && program->ChangesRuns()) all += " " + program->hash();
  return Hex(Hash64(all));
}

std::vector<std::string> Summary::NeverFired() const {
  std::vector<std::string> out;
  for (const auto& [kind, n] : faults)
    if (n == 0) out.push_back(kind);
  return out;
}

std::vector<std::string> Summary::ProbesNeverReached() const {
  std::vector<std::string> out;
  for (const sim::ProbeCount& p : sim::Probes())
    if (!probes.contains(std::string(p.name))) out.emplace_back(p.name);
  return out;
}

bool Summary::JudgedNothing() const { return runs > 0 && judged == 0; }

std::size_t Summary::NewFailures() const {
  return static_cast<std::size_t>(std::count_if(
      failures.begin(), failures.end(), [](const FailureLine& f) { return f.known.empty(); }));
}

int Summary::Code() const {
  static constexpr int kWorst[] = {kCrashed, kNotDeterministic, kSafety, kLiveness};
  for (int code : kWorst)
    if (std::any_of(failures.begin(), failures.end(),
                    [code](const FailureLine& f) { return f.code == code && f.known.empty(); }))
      return code;
  const bool clean = failed_steps.empty() && vacuous.empty() && vacuous_invariants.empty() &&
                     not_lasting.empty() && not_simulated.empty() && silent_known.empty();
  if (strict && !clean) return kSafety;
  if (!undecided.empty()) return kUndecided;
  return JudgedNothing() ? kNothingJudged : kFine;
}

std::string ToJson(const Summary& s) { return TextOf(JsonOf(s)); }

std::string ForFile(const Summary& s) {
  Summary beside = s;
  for (FailureLine& f : beside.failures) f = Beside(std::move(f));
  Json json = JsonOf(beside);
  if (s.repeatable) {
    for (const char* measured : {"runsPerSecond", "eventsPerSecond", "wallNs"})
      json.erase(measured);
  }
  return TextOf(json);
}

absl::StatusOr<Summary> ParseSummary(const Value& tree) {
  if (tree.Get("kind").AsString() != "FuzzResult")
    return absl::InvalidArgumentError("no result of ksim fuzz");
  Fields fields(tree, "");
  Summary s;
  s.scenario = fields.Text("scenario");
  s.strategy = fields.Text("strategy");
  s.campaign = fields.Text("campaign");
  s.first = fields.Count("firstSeed");
  s.last = fields.Count("lastSeed");
  s.runs = fields.Count("runs");
  s.events = fields.Count("events");
  s.repeatable = !tree.Has("wallNs");
  s.wall_ns = tree.Get("wallNs").AsInt();
  s.rechecked = fields.Count("rechecked");
  if (tree.Has("pairsCovered")) s.pairs = fields.Count("pairsCovered");
  if (tree.Has("budget")) s.budget = fields.Text("budget");
  if (tree.Has("equivalent")) s.equivalent = fields.Count("equivalent");
  for (const Value& seed : fields.List("undecidedSeeds").items())
    s.undecided.push_back(Count(seed));
  s.interrupted = tree.Get("interrupted").AsBool();
  for (const Value::Member& m : fields.Object("faults").members())
    s.faults[std::string(m.name.text())] = Count(m.value);
  for (const Value& p : fields.List("probesReached").items())
    s.probes.insert(std::string(p.AsString()));
  s.judged = fields.Count("judgedRuns");
  RETURN_IF_ERROR(ParseList(fields, "failures", ParseFailure, &s.failures));
  RETURN_IF_ERROR(ParseList(fields, "failedSteps", ParseFailedStep, &s.failed_steps));
  RETURN_IF_ERROR(ParseList(fields, "vacuous", ParseExpectationLine, &s.vacuous));
  if (tree.Has("vacuousInvariants"))
    RETURN_IF_ERROR(
        ParseList(fields, "vacuousInvariants", ParseExpectationLine, &s.vacuous_invariants));
  RETURN_IF_ERROR(ParseList(fields, "notLasting", ParseExpectationLine, &s.not_lasting));
  RETURN_IF_ERROR(ParseList(fields, "parts", ParsePart, &s.parts));
  return s;
}

absl::Status CheckShards(const std::vector<Summary>& shards,
                         const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < shards.size(); ++i) {
    const std::string difference = Difference(shards[0], shards[i]);
    if (!difference.empty())
      return absl::InvalidArgumentError(fmt::format(
          "{} {} as {} is: they are no shards of one campaign", names[i], difference, names[0]));
    for (std::size_t j = 0; j < i; ++j)
      if (const std::uint64_t seed = InBoth(shards[j], shards[i]); seed != 0)
        return absl::InvalidArgumentError(fmt::format(
            "{} and {} both did seed {}: it would count twice", names[j], names[i], seed));
  }
  return absl::OkStatus();
}

Summary Merged(const std::vector<Summary>& shards) {
  Summary out;
  out.repeatable = true;
  for (const Summary& s : shards) {
    out.scenario = s.scenario;
    out.strategy = s.strategy;
    out.campaign = s.campaign;
    out.parts.insert(out.parts.end(), s.parts.begin(), s.parts.end());
    out.repeatable &= s.repeatable;
    if (s.runs > 0 && (out.runs == 0 || s.first < out.first)) out.first = s.first;
    out.last = std::max(out.last, s.last);
    out.runs += s.runs;
    out.events += s.events;
    out.wall_ns = std::max(out.wall_ns, s.wall_ns);
    out.rechecked += s.rechecked;
    out.equivalent += s.equivalent;
    out.pairs = std::max(out.pairs, s.pairs);
    out.budget = s.budget;
    out.undecided.insert(out.undecided.end(), s.undecided.begin(), s.undecided.end());
    out.interrupted |= s.interrupted;
    if (&s == &shards.front()) {
      out.vacuous = s.vacuous;
      out.vacuous_invariants = s.vacuous_invariants;
      out.not_lasting = s.not_lasting;
    }
    KeepCommon(s.vacuous, &out.vacuous);
    KeepCommon(s.vacuous_invariants, &out.vacuous_invariants);
    out.judged += s.judged;
    for (const StepLine& step : s.failed_steps) MergeFailedStep(step, &out.failed_steps);
    for (const auto& [kind, n] : s.faults) out.faults[kind] += n;
    out.probes.insert(s.probes.begin(), s.probes.end());
    for (FailureLine f : s.failures) {
      f.shard_dir = f.dir;
      MergeFailure(f, &out.failures);
    }
  }
  std::sort(out.undecided.begin(), out.undecided.end());
  std::stable_sort(out.failures.begin(), out.failures.end(),
                   [](const FailureLine& a, const FailureLine& b) { return a.seed < b.seed; });
  return out;
}

}  // namespace ksim::fuzz
