// ksim::Fuzz of include/ksim/fuzz.h: campaigns for programs that embed ksim.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/fuzz.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/causes.h"
#include "ksim/fuzz/failure_report.h"
#include "ksim/fuzz/rehearsal.h"
#include "ksim/fuzz/shrink.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/load.h"

namespace ksim {
namespace {

using fuzz::Failure;
using scenario::Scenario;

constexpr std::uint32_t kRecheckPermille = 10;  // as `fuzz` does without a flag

bool HasTrace(const Failure& f) { return f.code == fuzz::kSafety || f.code == fuzz::kLiveness; }

FuzzFinding FindingOf(const Failure& failure) {
  FuzzFinding out;
  out.oracle = failure.finding.oracle;
  out.place = failure.finding.place;
  out.message = out.explanation = failure.finding.message;
  out.seed = failure.number;
  out.count = failure.count;
  return out;
}

void TakeFiles(fuzz::FailureFiles files, FuzzFinding* finding) {
  finding->scenario = fuzz::ScenarioText(files.scenario, "");
  finding->explanation = std::move(files.readme);
  finding->trace = std::move(files.trace);
}

FuzzFinding ShrunkFinding(const fuzz::Cause& cause) {
  FuzzFinding out = FindingOf(cause.failure);
  TakeFiles(fuzz::FilesAsShrunk(cause.failure, cause.shrunk), &out);
  out.message = cause.shrunk.finding.message;
  out.shrunk = true;
  out.runs_alone = cause.shrunk.runs_alone;
  return out;
}

// The failure shrunk, with another cause that it hid; or as it was found, if it is not to be shrunk
// or does not come again.
void Explain(Scenario scenario, const Failure& failure, const FuzzOptions& options,
             std::vector<FuzzFinding>* findings) {
  FuzzFinding as_found = FindingOf(failure);
  if (HasTrace(failure) && options.shrink_runs > 0) {
    fuzz::ShrinkOptions shrink;
    shrink.runs = options.shrink_runs;
    shrink.timeout = options.run_timeout;
    const std::vector<fuzz::Cause> causes = fuzz::CausesOf(scenario, failure, shrink);
    for (const fuzz::Cause& cause : causes)
      if (cause.shrunk.reproduced) findings->push_back(ShrunkFinding(cause));
    if (causes.front().shrunk.reproduced) return;
  }
  if (HasTrace(failure)) {
    scenario.seed = failure.job.seed;
    absl::StatusOr<fuzz::FailureFiles> files = fuzz::FilesAsFound(scenario, failure);
    if (files.ok()) TakeFiles(*std::move(files), &as_found);
  }
  findings->push_back(std::move(as_found));
}

fuzz::CampaignOptions CampaignOptionsOf(const FuzzOptions& options) {
  fuzz::CampaignOptions out;
  out.plan.strategy = options.strategy;
  out.first = options.first_seed;
  out.last = options.last_seed;
  out.recheck_permille = kRecheckPermille;
  return out;
}

}  // namespace

absl::StatusOr<Scenario> ReadScenario(std::string_view name_or_text, const Registry& registry) {
  const std::vector<std::string> problems = registry.Problems();
  if (!problems.empty()) return absl::InvalidArgumentError(problems.front());
  const std::string text(name_or_text);
  scenario::LoadOptions options;
  options.program = std::make_shared<const Registry>(registry);
  std::string file = text;
  if (registry.FindScenario(text) == nullptr) {
    file = "scenario";
    options.read = [&text](const std::string& path) -> absl::StatusOr<std::string> {
      if (path == "scenario") return text;
      return os::ReadFile(path);
    };
  }
  scenario::Loaded loaded = scenario::Load({file}, options);
  for (std::size_t i = 0; loaded.errors.empty() && i < loaded.scenarios.size(); ++i)
    loaded.errors = scenario::DryRun(loaded.scenarios[i]);
  if (!loaded.errors.empty()) return absl::InvalidArgumentError(Render(loaded.errors, false));
  if (loaded.scenarios.size() != 1)
    return absl::InvalidArgumentError(fmt::format("{} holds no scenario, or more than one", file));
  RETURN_IF_ERROR(scenario::PrepareGuests(loaded.scenarios.front().cluster));
  return std::move(loaded.scenarios.front());
}

absl::StatusOr<FuzzResult> Fuzz(const Scenario& given, const FuzzOptions& options) {
  const fuzz::Rehearsal rehearsal = fuzz::Rehearse(given);
  const Scenario scenario = fuzz::ForCampaign(given, rehearsal);
  const int jobs = options.jobs > 0 ? options.jobs : os::ProcessorCount();
  ASSIGN_OR_RETURN(const std::unique_ptr<fuzz::Executor> executor,
                   fuzz::MakeWorkers(scenario, options.run_timeout, jobs));
  ASSIGN_OR_RETURN(fuzz::Campaign campaign,
                   fuzz::Campaign::Make(scenario, *executor, CampaignOptionsOf(options)));
  const fuzz::Tally tally = campaign.Execute();
  FuzzResult out;
  out.runs = tally.runs;
  for (const scenario::StepFailure& f : rehearsal.failed_steps)
    out.undecided.push_back(
        fmt::format("step {} fails also without drawn faults: {}", f.number, f.error));
  for (const std::uint64_t seed : tally.undecided)
    out.undecided.push_back(fmt::format("seed {} gave no verdict within {}", seed,
                                        FormatDuration(options.run_timeout)));
  if (tally.runs > 0 && tally.judged == 0)
    out.undecided.push_back("in no run was there anything to judge but that objects were made");
  for (const Failure& f : tally.failures) Explain(scenario, f, options, &out.findings);
  return out;
}

absl::StatusOr<FuzzResult> Fuzz(std::string_view name_or_text, const Registry& registry,
                                const FuzzOptions& options) {
  ASSIGN_OR_RETURN(const Scenario scenario, ReadScenario(name_or_text, registry));
  return Fuzz(scenario, options);
}

absl::Status WriteFinding(const FuzzFinding& finding, const std::string& dir) {
  if (finding.scenario.empty()) return absl::FailedPreconditionError("the finding has no scenario");
  RETURN_IF_ERROR(os::MakeDirectories(dir));
  RETURN_IF_ERROR(os::WriteFile(dir + "/scenario.yaml", finding.scenario));
  RETURN_IF_ERROR(trace::WriteTrace(finding.trace, dir + "/trace.jsonl"));
  return os::WriteFile(dir + "/README.md", finding.explanation);
}

}  // namespace ksim
