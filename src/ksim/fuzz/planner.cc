#include "ksim/fuzz/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "ksim/api/core/verbs.h"
#include "ksim/base/hash.h"
#include "ksim/client/core/payloads.h"
#include "ksim/scenario/runner.h"

namespace ksim::fuzz {
namespace {

// The events of a run that led a component to write: those between one write and the next.
class CausesOfWrites {
 public:
  explicit CausesOfWrites(sim::Bus& bus) {
    bus.Subscribe(sim::Bus::Stage::kDigest, [this](const sim::Event& e) { OnEvent(e); });
  }
  std::uint64_t last() const { return causes_.size() - 1; }
  bool LedToWrite(std::uint64_t seq) const { return led_[seq]; }

 private:
  void OnEvent(const sim::Event& e) {
    causes_.push_back(e.cause);
    led_.push_back(false);
    if (e.kind != sim::EventKind::kRequest || e.background) return;
    const api::Request& q = e.payload.As<client::RequestPayload>().request;
    if (api::IsRead(q.verb) || q.resource == nullptr || q.client == "kubectl") return;
    if (q.resource->known_as() == "leases" || q.resource->known_as() == "events") return;
    for (std::uint64_t seq = e.seq; seq != 0 && !led_[seq]; seq = causes_[seq]) led_[seq] = true;
  }

  std::vector<std::uint64_t> causes_{0};  // by seq
  std::vector<bool> led_{false};
};

// Answers nothing and writes down what it is asked.
class ListeningStrategy : public Strategy {
 public:
  ListeningStrategy() : Strategy("nominal") {}
  // Notes where each question is asked, too.
  void SetCauses(const CausesOfWrites* causes) { causes_ = causes; }
  std::vector<Question> Take() { return std::move(questions_); }
  std::vector<QuestionPlace> TakePlaces() {
    for (std::size_t i = 0; i < places_.size(); ++i)
      places_[i].led_to_write = causes_->LedToWrite(asked_at_[i]);
    return std::move(places_);
  }

 protected:
  std::uint32_t AnswerOpen(std::string_view site, std::uint64_t hash, std::uint64_t key,
                           std::uint32_t n) override {
    if (!asked_.insert({hash, key}).second) return 0;
    Question q;
    q.about.site = hash;
    q.about.key = key;
    q.sizes = n;
    questions_.push_back(q);
    if (causes_ == nullptr) return 0;
    places_.emplace_back().site = site;
    asked_at_.push_back(causes_->last());
    return 0;
  }

 private:
  const CausesOfWrites* causes_ = nullptr;
  std::vector<Question> questions_;
  std::vector<QuestionPlace> places_;
  std::vector<std::uint64_t> asked_at_;  // the event before each of them
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

NominalRun RunNominally(const scenario::Scenario& scenario, bool places) {
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
  std::optional<CausesOfWrites> causes;
  if (places) listening->SetCauses(&causes.emplace(runner.world().sim().bus()));
  NominalRun out;
  out.steps = runner.Run().kernel_steps;
  out.questions = listening->Take();
  if (places) out.places = listening->TakePlaces();
  return out;
}

bool IsExhaustive(std::string_view strategy) {
  return strategy == "exhaustive" || strategy == "exhaustive-full";
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
  if (IsExhaustive(options.strategy))
    return MakeExhaustive(scenario, options.bound, options.strategy == "exhaustive");
  if (options.strategy == "causal") return MakeCausal(scenario);
  if (options.strategy == "coverage") return MakeCoverageGuided(scenario, options.corpus);
  return absl::InvalidArgumentError(
      fmt::format("unknown strategy \"{}\"; want swarm, random, pct, exhaustive, "
                  "exhaustive-full, coverage or causal",
                  options.strategy));
}

}  // namespace ksim::fuzz
