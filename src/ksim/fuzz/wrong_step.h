// WrongStep: where a failing run and one that passes part: the first step of a controller that went
// another way, what it had been told, what was true, and what it wrote.
//
// A safety oracle is broken by the step that did it. Where something never comes it is the first
// step that only the run that passes has, or that writes something else there; steps that have to
// do with the objects of the finding go before others; if none of those differs, the first write
// that failed and was never done again. Leases, Events, reads and what users do are
// no such steps.
#pragma once
#include <optional>
#include <string>

#include "ksim/fuzz/run_outcome.h"
#include "ksim/trace/trace.h"

namespace ksim::fuzz {

struct WrongStep {
  WrongStep() = default;
  // Without names and times: "replicaset creates pods", "sample does not create pods". Failures of
  // one cause have it in common.
  std::string what;
  std::string text;  // Markdown: a paragraph and lists
};

// Nothing if no step of a controller differs.
std::optional<WrongStep> FindWrongStep(const trace::Trace& failing, const trace::Trace& passing,
                                       const CampaignFinding& finding);

}  // namespace ksim::fuzz
