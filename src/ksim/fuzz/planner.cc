#include "ksim/fuzz/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ksim/base/hash.h"
#include "ksim/scenario/runner.h"

namespace ksim::fuzz {
namespace {

// Answers nothing and writes down what it is asked.
class ListeningStrategy : public Strategy {
 public:
  ListeningStrategy() : Strategy("nominal") {}
  std::vector<Question> Take() { return std::move(questions_); }

 protected:
  std::uint32_t AnswerOpen(std::string_view, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    if (!asked_.insert({hash, key}).second) return 0;
    Question q;
    q.about.site = hash;
    q.about.key = key;
    q.sizes = n;
    questions_.push_back(q);
    return 0;
  }

 private:
  std::vector<Question> questions_;
  absl::flat_hash_set<std::pair<std::uint64_t, std::uint64_t>> asked_;
};

// Number and seed are one.
class BySeed : public Planner {
 public:
  BySeed(std::string strategy, value::Value params)
      : strategy_(std::move(strategy)), params_(std::move(params)) {}
  Job JobOf(std::uint64_t number) const override {
    Job job;
    job.number = job.seed = number;
    job.strategy.name = strategy_;
    job.strategy.seed = number;
    job.strategy.params = params_;
    return job;
  }

 private:
  std::string strategy_;
  value::Value params_;
};

}  // namespace

NominalRun RunNominally(const scenario::Scenario& scenario) {
  const auto listening = std::make_shared<ListeningStrategy>();
  listening->SetKinds(KindsOf(scenario));
  scenario::RunnerOptions options;
  options.world.strategy = listening;
  options.record = options.world.digest = false;
  options.fuzz.emplace();
  options.fuzz->window = scenario.fuzz.window.value_or(Minutes(15));
  options.fuzz->settle = scenario.fuzz.settle;
  options.fuzz->on_window = [listening](bool open) { listening->SetOpen(open); };
  scenario::Runner runner(scenario, std::move(options));
  NominalRun out;
  out.steps = runner.Run().kernel_steps;
  out.questions = listening->Take();
  return out;
}

absl::StatusOr<std::unique_ptr<Planner>> MakePlanner(const scenario::Scenario& scenario,
                                                     const PlannerOptions& options) {
  const auto number = [](std::uint64_t n) {
    return value::Value::Of(static_cast<std::int64_t>(n));
  };
  if (options.strategy == "swarm")
    return std::make_unique<BySeed>("swarm", value::Value::EmptyObject());
  if (options.strategy == "random")
    return std::make_unique<BySeed>("random", value::Obj({{"rate", number(options.rate)}}));
  if (options.strategy == "pct") {
    const std::uint64_t steps = RunNominally(scenario).steps;
    return std::make_unique<BySeed>(
        "pct", value::Obj({{"depth", number(options.depth)}, {"steps", number(steps)}}));
  }
  if (options.strategy == "exhaustive") return MakeExhaustive(scenario, options.bound);
  if (options.strategy == "coverage") return MakeCoverageGuided(scenario);
  return absl::InvalidArgumentError(
      fmt::format("unknown strategy \"{}\"; want swarm, random, pct, exhaustive or coverage",
                  options.strategy));
}

}  // namespace ksim::fuzz
