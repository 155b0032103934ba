#include "ksim/fuzz/known_findings.h"

#include <memory>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/fuzz/run.h"

namespace ksim::fuzz {

void KnownFindings::Add(const std::string& path, const scenario::Scenario& scenario,
                        const std::function<bool()>& stop) {
  RunSetup setup;
  setup.stop = stop;
  const absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(scenario, std::move(setup));
  KSIM_CHECK(run.ok()) << Message(run.status());
  const RunOutcome outcome = (*run)->Execute();
  for (const CampaignFinding& f : outcome.findings) path_by_key_.emplace(f.Key(), path);
  if (outcome.findings.empty() && outcome.code != kUndecided) silent_.push_back(path);
}

std::string KnownFindings::PathOf(const CampaignFinding& finding) const {
  const auto it = path_by_key_.find(finding.Key());
  return it == path_by_key_.end() ? "" : it->second;
}

}  // namespace ksim::fuzz
