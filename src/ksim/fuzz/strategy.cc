#include "ksim/fuzz/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ksim/base/hash.h"
#include "ksim/fault/drawn_faults.h"
#include "ksim/fuzz/pruned_swarm.h"
#include "ksim/sim/mix.h"

namespace ksim::fuzz {
namespace {

using value::Value;

constexpr std::uint32_t kDefaultRate = 64;
constexpr std::uint32_t kDefaultDepth = 3;
constexpr std::uint64_t kDefaultSteps = 10'000;

class Nominal : public Strategy {
 public:
  Nominal() : Strategy("nominal") { AnswerNoMore(); }

 protected:
  std::uint32_t AnswerOpen(std::string_view, std::uint64_t, std::uint64_t, std::uint32_t) override {
    return 0;
  }
};

// A whole number of at least 1; `fallback` when there is none.
absl::StatusOr<std::uint64_t> Parameter(const StrategySpec& spec, std::string_view name,
                                        std::uint64_t fallback) {
  const Value& v = spec.params.Get(name);
  if (v.is_null()) return fallback;
  if (v.is_int() && v.AsInt() >= 1 && v.AsInt() <= 0xffffffff)
    return static_cast<std::uint64_t>(v.AsInt());
  return absl::InvalidArgumentError(
      fmt::format("{} of the strategy {} must be a whole number from 1", name, spec.name));
}

bool ParseNumber(std::string_view text, int base, std::uint64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}

// Hashes of sites in hex, of `without`.
absl::StatusOr<std::vector<std::uint64_t>> ParseWithout(const StrategySpec& spec) {
  std::vector<std::uint64_t> out;
  for (const Value& site : spec.params.Get("without").items())
    if (!ParseNumber(site.AsString(), 16, &out.emplace_back()))
      return absl::InvalidArgumentError(
          fmt::format("without of the strategy {} is no list of sites", spec.name));
  return out;
}

absl::StatusOr<std::vector<Answer>> ParseAnswers(const StrategySpec& spec) {
  std::vector<Answer> out;
  const Value& list = spec.params.Get("answers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value& item = list.at(i);
    Answer a;
    const bool good = ParseNumber(item.Get("site").AsString(), 16, &a.site) &&
                      ParseNumber(item.Get("key").AsString(), 10, &a.key) &&
                      item.Get("answer").is_int();
    if (!good)
      return absl::InvalidArgumentError(
          fmt::format("answers[{}] of the strategy {} is no {{site, key, answer}}", i, spec.name));
    a.answer = static_cast<std::uint32_t>(item.Get("answer").AsInt());
    out.push_back(a);
  }
  return out;
}

}  // namespace

std::uint32_t Strategy::Answer(std::string_view site, std::uint64_t key, std::uint32_t n) {
  if (!open_ || silent() || n < 2) return 0;
  const std::uint64_t hash = Hash64(site);
  if (!MayAnswer(site, hash)) return 0;
  if (listener_) {
    Question question;
    question.about.site = hash;
    question.about.key = key;
    question.sizes = n;
    listener_(question);
  }
  return AnswerOpen(site, hash, key, n);
}

bool Strategy::MayAnswer(std::string_view site, std::uint64_t hash) {
  const auto [it, is_new] = may_answer_.try_emplace(hash);
  if (is_new) it->second = std::find(kinds_.begin(), kinds_.end(), KindOf(site)) != kinds_.end();
  return it->second;
}

std::uint32_t Strategy::First(const sim::OrderQuestion& question) {
  return open_ ? FirstOpen(question) : 0;
}

std::string_view KindOf(std::string_view site) { return site.substr(0, site.find('/')); }

std::vector<std::string> KindsOf(const scenario::Scenario& scenario) {
  std::vector<std::string> out;
  for (std::string_view name : fault::NamesInFuzz()) {
    if (!fault::Allows(scenario.fuzz.faults, name)) continue;
    if (name == kReseed && scenario.cluster.guests.empty()) continue;
    const bool plain = name == "delay" || name == "order" || name == kReseed;
    out.push_back(plain ? std::string(name) : fmt::format("fault.{}", name));
  }
  return out;
}

bool AllLarge(std::uint64_t seed) { return Draws(seed).OneIn(4, Hash64("large")); }

Duration WindowOf(const scenario::Scenario& scenario, const StrategySpec& strategy) {
  static constexpr std::array<Duration, 3> kWindows = {Seconds(30), Minutes(2), Minutes(15)};
  if (scenario.fuzz.window) return *scenario.fuzz.window;
  Duration last;
  for (const scenario::Step& step : scenario.steps) last = std::max(last, step.at.value_or(last));
  const auto first = std::lower_bound(kWindows.begin(), kWindows.end() - 1, last);
  if (AllLarge(strategy.seed)) return kWindows.back();
  const auto n = static_cast<std::uint32_t>(kWindows.end() - first);
  return first[Draws(strategy.seed).Below(n, Hash64("window"))];
}

absl::StatusOr<std::shared_ptr<Strategy>> Make(const StrategySpec& spec,
                                               const std::vector<std::string>& kinds) {
  std::shared_ptr<Strategy> out;
  const absl::StatusOr<std::uint64_t> rate = Parameter(spec, "rate", kDefaultRate);
  const absl::StatusOr<std::uint64_t> depth = Parameter(spec, "depth", kDefaultDepth);
  const absl::StatusOr<std::uint64_t> steps = Parameter(spec, "steps", kDefaultSteps);
  absl::StatusOr<std::vector<fuzz::Answer>> answers = ParseAnswers(spec);
  if (!rate.ok()) return rate.status();
  if (!depth.ok()) return depth.status();
  if (!steps.ok()) return steps.status();
  if (!answers.ok()) return answers.status();
  if (spec.name == "nominal") out = std::make_shared<Nominal>();
  if (spec.name == "random") out = MakeRandom(spec.seed, static_cast<std::uint32_t>(*rate));
  const auto may = [&kinds](std::string_view kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  const absl::StatusOr<std::vector<std::uint64_t>> without = ParseWithout(spec);
  if (!without.ok()) return without.status();
  if (spec.name == "swarm") out = MakeSwarmWithout(spec.seed, may("order"), *without);
  if (spec.name == "pct")
    out = MakePct(spec.seed, static_cast<std::uint32_t>(*depth), *steps, may(kReseed));
  if (spec.name == "answers") out = MakeAnswers(*std::move(answers));
  if (out == nullptr)
    return absl::InvalidArgumentError(
        fmt::format("the strategy {} is not in this version of ksim", spec.name));
  out->SetKinds(kinds);
  return out;
}

value::Value ToParams(const std::vector<Answer>& answers) {
  std::vector<Value> list;
  for (const Answer& a : answers)
    list.push_back(value::Obj({{"site", Value::Of(Hex(a.site))},
                               {"key", Value::Of(std::to_string(a.key))},
                               {"answer", Value::Of(static_cast<std::int64_t>(a.answer))}}));
  return value::Obj({{"answers", Value::Array(std::move(list))}});
}

std::uint64_t Draws::Bits(std::uint64_t what, std::uint64_t key) const {
  return sim::Mix(sim::Mix(sim::Mix(seed_ ^ what) + key));
}

std::uint32_t Draws::Below(std::uint32_t n, std::uint64_t what, std::uint64_t key) const {
  return static_cast<std::uint32_t>(sim::Scale(Bits(what, key), n));
}

}  // namespace ksim::fuzz
