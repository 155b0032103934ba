// Fuzz: a campaign from within a program or a test, as `fuzz` makes it on the command line: many
// runs with drawn faults in worker processes; each distinct failure is shrunk.
//
//   absl::StatusOr<ksim::FuzzResult> found = ksim::Fuzz("shop", WebsiteRegistry());
//   for (const ksim::FuzzFinding& f : found->findings) std::puts(f.explanation.c_str());
//
// With GoogleTest: ksim/testing.h.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/registry.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/trace.h"

namespace ksim {

// A scenario of the registry by its name, or the text of a scenario file. InvalidArgument, with
// every problem at its place, for what `run` would refuse.
absl::StatusOr<scenario::Scenario> ReadScenario(std::string_view name_or_text,
                                                const Registry& registry);

struct FuzzOptions {
  FuzzOptions() = default;
  std::uint64_t first_seed = 1, last_seed = 100;
  std::string strategy = "swarm";      // random, pct, exhaustive, coverage
  int jobs = 0;                        // worker processes; 0: one for each processor
  std::uint64_t shrink_runs = 500;     // most runs to shrink one failure; 0: it is not shrunk
  Duration run_timeout = Seconds(60);  // of one run, real time
};

struct FuzzFinding {
  FuzzFinding() = default;
  std::string oracle, place, message;
  std::uint64_t seed = 0;   // the first that showed it
  std::uint64_t count = 0;  // how many did
  bool shrunk = false;
  bool runs_alone =
      false;             // the scenario fails by itself; else only a replay of the trace shows it
  std::string scenario;  // the text of a scenario file
  trace::Trace trace;    // of it
  std::string explanation;  // Markdown: what broke, what it takes, how to see it again
};

struct FuzzResult {
  FuzzResult() = default;
  std::uint64_t runs = 0;
  std::vector<FuzzFinding> findings;   // in the order of being found
  std::vector<std::string> undecided;  // seeds that gave no verdict, steps that fail anyway
  bool clean() const { return findings.empty() && undecided.empty(); }
};

// InvalidArgument for an unknown strategy or a scenario that cannot be read.
absl::StatusOr<FuzzResult> Fuzz(const scenario::Scenario& scenario,
                                const FuzzOptions& options = FuzzOptions());
absl::StatusOr<FuzzResult> Fuzz(std::string_view name_or_text, const Registry& registry,
                                const FuzzOptions& options = FuzzOptions());

// Writes DIR/scenario.yaml, DIR/trace.jsonl and DIR/README.md, as the command line does.
absl::Status WriteFinding(const FuzzFinding& finding, const std::string& dir);

}  // namespace ksim
