#include "ksim/fuzz/causes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

Shrunk ShrinkRun(scenario::Scenario scenario, const Job& job, const CampaignFinding& finding,
                 const ShrinkOptions& options) {
  scenario.seed = job.seed;
  return Shrink(scenario, job.strategy, {}, finding, options);
}

std::set<std::string> KindsTaken(const Shrunk& shrunk) {
  std::set<std::string> out;
  for (const sim::Decision& d : shrunk.decisions) out.emplace(KindOf(d.site));
  return out;
}

}  // namespace

std::vector<Cause> CausesOf(scenario::Scenario scenario, const Failure& failure,
                            const ShrinkOptions& options) {
  std::vector<Cause> out(1);
  Cause& first = out.front();
  first.failure = failure;
  first.shrunk = ShrinkRun(scenario, failure.job, failure.finding, options);
  const std::set<std::string> kinds = KindsTaken(first.shrunk);
  if (!first.shrunk.wrong_step || kinds.empty()) return out;
  const auto lacks = [&kinds](const FailingRun& run) {
    return !std::includes(run.kinds.begin(), run.kinds.end(), kinds.begin(), kinds.end());
  };
  const auto run = std::find_if(failure.others.begin(), failure.others.end(), lacks);
  if (run == failure.others.end()) return out;
  ShrinkOptions half = options;
  half.runs /= 2;
  Cause other;
  other.failure = failure;
  other.failure.job = run->job;
  other.failure.number = run->number;
  other.failure.count = 1;
  other.failure.hidden = true;
  other.shrunk = ShrinkRun(std::move(scenario), run->job, failure.finding, half);
  const bool differs =
      other.shrunk.wrong_step && other.shrunk.wrong_step->what != first.shrunk.wrong_step->what;
  if (differs) out.push_back(std::move(other));
  return out;
}

}  // namespace ksim::fuzz
