#include "ksim/fuzz/campaign_expectations.h"

#include <algorithm>
#include <utility>

#include "ksim/scenario/runner.h"

namespace ksim::fuzz {

scenario::Scenario WithLastingExpectations(scenario::Scenario scenario) {
  if (std::all_of(scenario.expect.begin(), scenario.expect.end(),
                  [](const scenario::Expectation& e) { return e.at_every_commit(); }))
    return scenario;
  scenario::Scenario plain = scenario;
  plain.faults.clear();
  plain.checks.clear();
  scenario::RunnerOptions options;
  options.record = options.world.digest = false;
  scenario::Runner runner(plain, std::move(options));
  const std::vector<bool> passed = runner.Run().passed_through;
  std::vector<scenario::Expectation> lasting;
  for (std::size_t i = 0; i < scenario.expect.size(); ++i)
    if (i >= passed.size() || !passed[i]) lasting.push_back(std::move(scenario.expect[i]));
  scenario.expect = std::move(lasting);
  return scenario;
}

}  // namespace ksim::fuzz
