// Planner: which run belongs to which number of --seeds. For most strategies number and seed are
// the same thing; exhaustive campaigns count through sets of answers, coverage-guided ones learn
// from what earlier batches found.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

class Corpus;

class Planner {
 public:
  virtual ~Planner() = default;
  virtual Job JobOf(std::uint64_t number) const = 0;
  // How many runs there are at all; numbers go from 1.
  virtual std::uint64_t size() const { return ~std::uint64_t{0}; }
  // Runs before all numbers, which have the number 0: inputs of an earlier campaign. Learned from
  // as a batch.
  virtual std::vector<Job> Opening() const { return {}; }
  // Whether the run would do the same as another of these numbers, as far as is known by now: then
  // it need not be done.
  virtual bool Skips(std::uint64_t) const { return false; }
  // Whether all runs before this one should have been learned from: a batch ends before it.
  virtual bool BeginsBatch(std::uint64_t) const { return false; }
  // The outcomes of a batch, in order. Acts on the jobs of later batches.
  virtual void Learn(const std::vector<RunOutcome>&) {}
};

// Where the nominal run asked it.
struct QuestionPlace {
  QuestionPlace() = default;
  std::string site;
  bool led_to_write = false;  // the event it was asked at led a component to write
};
// The questions of the nominal run in its fault window, in order, each once; and its steps.
struct NominalRun {
  NominalRun() = default;
  std::vector<Question> questions;
  std::vector<QuestionPlace> places;  // of each question, if they were asked for
  std::uint64_t steps = 0;
};
NominalRun RunNominally(const scenario::Scenario& scenario, bool places = false);

struct PlannerOptions {
  PlannerOptions() = default;
  std::string strategy = "swarm";  // swarm random pct exhaustive exhaustive-full coverage causal
  std::uint32_t depth = 3;         // pct
  std::uint32_t rate = 64;         // random
  Corpus* corpus = nullptr;        // coverage: where it begins, and puts what it keeps
  std::uint32_t bound = 2;         // exhaustive(-full): most answers that are not 0
};
// Whether its seeds count through sets of answers.
bool IsExhaustive(std::string_view strategy);
// InvalidArgument for an unknown strategy.
absl::StatusOr<std::unique_ptr<Planner>> MakePlanner(const scenario::Scenario& scenario,
                                                     const PlannerOptions& options);

// Counts through sets of answers; `reduced`: without those that would do the same as another.
std::unique_ptr<Planner> MakeExhaustive(const scenario::Scenario& scenario, std::uint32_t bound,
                                        bool reduced);
std::unique_ptr<Planner> MakeCausal(const scenario::Scenario& scenario);
// `corpus` may be null.
std::unique_ptr<Planner> MakeCoverageGuided(const scenario::Scenario& scenario, Corpus* corpus);

}  // namespace ksim::fuzz
