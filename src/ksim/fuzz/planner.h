// Planner: which run belongs to which number of --seeds. For most strategies number and seed are
// the same thing; exhaustive campaigns count through sets of answers, coverage-guided ones learn
// from what earlier batches found.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

class Planner {
 public:
  virtual ~Planner() = default;
  virtual Job JobOf(std::uint64_t number) const = 0;
  // How many runs there are at all; numbers go from 1.
  virtual std::uint64_t size() const { return ~std::uint64_t{0}; }
  // The outcomes of a batch, in order. Acts on the jobs of later batches.
  virtual void Learn(const std::vector<RunOutcome>&) {}
};

// A question that a run asked.
struct Question {
  Question() = default;
  Answer about;             // answer: 0
  std::uint32_t sizes = 0;  // answers 1 .. sizes-1
};
// The questions of the nominal run in its fault window, in order, each once; and its steps.
struct NominalRun {
  NominalRun() = default;
  std::vector<Question> questions;
  std::uint64_t steps = 0;
};
NominalRun RunNominally(const scenario::Scenario& scenario);

struct PlannerOptions {
  PlannerOptions() = default;
  std::string strategy = "swarm";  // swarm random pct exhaustive coverage
  std::uint32_t depth = 3;         // pct
  std::uint32_t rate = 64;         // random
  std::uint32_t bound = 2;         // exhaustive: most answers that are not 0
};
// InvalidArgument for an unknown strategy.
absl::StatusOr<std::unique_ptr<Planner>> MakePlanner(const scenario::Scenario& scenario,
                                                     const PlannerOptions& options);

std::unique_ptr<Planner> MakeExhaustive(const scenario::Scenario& scenario, std::uint32_t bound);
std::unique_ptr<Planner> MakeCoverageGuided(const scenario::Scenario& scenario);

}  // namespace ksim::fuzz
