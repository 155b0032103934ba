#include "ksim/fuzz/summary.h"

#include <algorithm>

#include "ksim/sim/probe.h"

namespace ksim::fuzz {
namespace {

using value::Value;

Value Number(std::uint64_t n) { return Value::Of(static_cast<std::int64_t>(n)); }
std::uint64_t Count(const Value& v) { return static_cast<std::uint64_t>(v.AsInt()); }

template <class T>
Value Names(const T& names) {
  std::vector<Value> out;
  for (const auto& n : names) out.push_back(Value::Of(std::string_view(n)));
  return Value::Array(std::move(out));
}

Value SeedList(const std::vector<std::uint64_t>& numbers) {
  std::vector<Value> out;
  for (std::uint64_t n : numbers) out.push_back(Number(n));
  return Value::Array(std::move(out));
}

// Whole numbers only: a rate is for reading, not for comparing.
Value PerSecond(std::uint64_t n, std::int64_t wall_ns) {
  if (wall_ns <= 0) return Value::Of(0);
  return Number(static_cast<std::uint64_t>(static_cast<unsigned __int128>(n) * 1'000'000'000u /
                                           static_cast<std::uint64_t>(wall_ns)));
}

Value ToTree(const FailureLine& f) {
  return value::Obj({{"oracle", Value::Of(f.oracle)},
                     {"place", Value::Of(f.place)},
                     {"seed", Number(f.seed)},
                     {"message", Value::Of(f.message)},
                     {"count", Number(f.count)},
                     {"code", Value::Of(f.code)},
                     {"dir", Value::Of(f.dir)},
                     {"steps", f.steps < 0 ? Value() : Value::Of(f.steps)},
                     {"seeds", Value::Of(f.seeds)},
                     {"show", Value::Of(f.show)}});
}

FailureLine ParseFailure(const Value& v) {
  const auto text = [&v](std::string_view field) { return std::string(v.Get(field).AsString()); };
  FailureLine f;
  f.oracle = text("oracle");
  f.place = text("place");
  f.message = text("message");
  f.dir = text("dir");
  f.seeds = text("seeds");
  f.show = text("show");
  f.seed = Count(v.Get("seed"));
  f.count = Count(v.Get("count"));
  f.code = static_cast<int>(v.Get("code").AsInt());
  f.steps = v.Get("steps").is_int() ? v.Get("steps").AsInt() : -1;
  return f;
}

void MergeFailure(const FailureLine& f, std::vector<FailureLine>* all) {
  const auto same = std::find_if(all->begin(), all->end(), [&f](const FailureLine& other) {
    return other.oracle == f.oracle && other.place == f.place;
  });
  if (same == all->end()) {
    all->push_back(f);
    return;
  }
  const std::uint64_t count = same->count + f.count;
  if (f.seed < same->seed) *same = f;
  same->count = count;
}

}  // namespace

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

int Summary::Code() const {
  static constexpr int kWorst[] = {kCrashed, kNotDeterministic, kSafety, kLiveness};
  for (int code : kWorst)
    if (std::any_of(failures.begin(), failures.end(),
                    [code](const FailureLine& f) { return f.code == code; }))
      return code;
  return undecided.empty() ? kFine : kUndecided;
}

Value ToTree(const Summary& s) {
  std::vector<Value> failures;
  value::ObjectBuilder faults;
  for (const auto& [kind, n] : s.faults) faults.Add(kind, Number(n));
  for (const FailureLine& f : s.failures) failures.push_back(ToTree(f));
  return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                     {"kind", Value::Of("FuzzResult")},
                     {"scenario", Value::Of(s.scenario)},
                     {"strategy", Value::Of(s.strategy)},
                     {"firstSeed", Number(s.first)},
                     {"lastSeed", Number(s.last)},
                     {"runs", Number(s.runs)},
                     {"runsPerSecond", PerSecond(s.runs, s.wall_ns)},
                     {"events", Number(s.events)},
                     {"eventsPerSecond", PerSecond(s.events, s.wall_ns)},
                     {"wallNs", Value::Of(s.wall_ns)},
                     {"rechecked", Number(s.rechecked)},
                     {"undecided", Number(s.undecided.size())},
                     {"undecidedSeeds", SeedList(s.undecided)},
                     {"interrupted", Value::Of(s.interrupted)},
                     {"exitCode", Value::Of(s.Code())},
                     {"faults", faults.Build()},
                     {"failures", Value::Array(std::move(failures))},
                     {"neverFired", Names(s.NeverFired())},
                     {"probesReached", Names(s.probes)},
                     {"probesNeverReached", Names(s.ProbesNeverReached())}});
}

absl::StatusOr<Summary> ParseSummary(const Value& tree) {
  if (tree.Get("kind").AsString() != "FuzzResult")
    return absl::InvalidArgumentError("no result of ksim fuzz");
  Summary s;
  s.scenario = std::string(tree.Get("scenario").AsString());
  s.strategy = std::string(tree.Get("strategy").AsString());
  s.first = Count(tree.Get("firstSeed"));
  s.last = Count(tree.Get("lastSeed"));
  s.runs = Count(tree.Get("runs"));
  s.events = Count(tree.Get("events"));
  s.wall_ns = tree.Get("wallNs").AsInt();
  s.rechecked = Count(tree.Get("rechecked"));
  for (const Value& seed : tree.Get("undecidedSeeds").items()) s.undecided.push_back(Count(seed));
  s.interrupted = tree.Get("interrupted").AsBool();
  for (const Value::Member& m : tree.Get("faults").members())
    s.faults[std::string(m.name.text())] = Count(m.value);
  for (const Value& f : tree.Get("failures").items()) s.failures.push_back(ParseFailure(f));
  for (const Value& p : tree.Get("probesReached").items())
    s.probes.insert(std::string(p.AsString()));
  return s;
}

Summary Merged(const std::vector<Summary>& shards) {
  Summary out;
  for (const Summary& s : shards) {
    if (out.runs == 0) {
      out.scenario = s.scenario;
      out.strategy = s.strategy;
    }
    if (s.runs > 0 && (out.runs == 0 || s.first < out.first)) out.first = s.first;
    out.last = std::max(out.last, s.last);
    out.runs += s.runs;
    out.events += s.events;
    out.wall_ns = std::max(out.wall_ns, s.wall_ns);
    out.rechecked += s.rechecked;
    out.undecided.insert(out.undecided.end(), s.undecided.begin(), s.undecided.end());
    out.interrupted |= s.interrupted;
    for (const auto& [kind, n] : s.faults) out.faults[kind] += n;
    out.probes.insert(s.probes.begin(), s.probes.end());
    for (const FailureLine& f : s.failures) MergeFailure(f, &out.failures);
  }
  std::sort(out.undecided.begin(), out.undecided.end());
  std::stable_sort(out.failures.begin(), out.failures.end(),
                   [](const FailureLine& a, const FailureLine& b) { return a.seed < b.seed; });
  return out;
}

}  // namespace ksim::fuzz
