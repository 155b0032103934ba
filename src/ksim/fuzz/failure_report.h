// Writes a failure down: DIR/<name>/ with scenario.yaml, trace.jsonl and README.md.
#pragma once
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/shrink.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/trace.h"
#include "ksim/value/value.h"

namespace ksim::fuzz {

// A scenario as a user would write it: what is as by default is left out. ParseScenarioTree of it
// gives the same scenario.
value::Value LeanTree(const scenario::Scenario& scenario);

// The directory's name of a failure.
std::string NameOf(const Failure& failure);

// FailureFiles: the content of a failure's directory.
struct FailureFiles {
  FailureFiles() = default;
  scenario::Scenario scenario;
  trace::Trace trace;
  std::string readme;
};
// The failure as it was found, before it is shrunk: runs it once more for its trace.
absl::StatusOr<FailureFiles> FilesAsFound(const scenario::Scenario& scenario,
                                          const Failure& failure);
FailureFiles FilesAsShrunk(const Failure& failure, const Shrunk& shrunk);
// scenario.yaml, as it stands in `dir`, from which guests are found.
std::string ScenarioText(const scenario::Scenario& scenario, const std::string& dir);
absl::Status WriteFiles(const std::string& dir, FailureFiles files);

absl::Status WriteFound(const std::string& dir, const scenario::Scenario& scenario,
                        const Failure& failure);
// The same directory, with what it was shrunk to.
absl::Status WriteShrunk(const std::string& dir, const Failure& failure, const Shrunk& shrunk);

// How many faults and answers the small scenario has: what the failure takes beside the workload.
std::size_t StepsLeft(const Shrunk& shrunk);
// A line about each: "dropWatch {client: kube-scheduler, resource: pods}".
std::vector<std::string> StepLines(const Shrunk& shrunk);

}  // namespace ksim::fuzz
