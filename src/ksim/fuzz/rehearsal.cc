#include "ksim/fuzz/rehearsal.h"

#include <algorithm>
#include <utility>

#include "ksim/fuzz/booted_runs.h"
#include "ksim/scenario/runner.h"

namespace ksim::fuzz {
namespace {

constexpr std::uint64_t kEventsBetweenQuestions = 1024;

scenario::RunReport RunWithoutDrawnFaults(scenario::Scenario scenario,
                                          const std::function<bool()>& stop) {
  scenario.checks.clear();
  scenario::RunnerOptions options;
  options.record = options.world.digest = false;
  std::uint64_t events = 0;
  options.stop = [&](const sim::Event&) {
    return events++ % kEventsBetweenQuestions == 0 && stop();
  };
  options.stop_after = sim::EventKinds::AllBut({sim::EventKind::kStage});
  return scenario::Runner(scenario, std::move(options)).Run();
}

}  // namespace

Rehearsal Rehearse(const scenario::Scenario& scenario, const std::function<bool()>& stop) {
  const scenario::RunReport scripted = RunWithoutDrawnFaults(scenario, stop);
  Rehearsal out;
  out.boot_events = scripted.boot_events;
  if (scripted.stopped) return out;
  out.failed_steps = scripted.failures;
  out.not_lasting = scripted.not_lasting;
  std::vector<bool> passed = scripted.passed_through;
  if (!scenario.faults.empty()) {
    scenario::Scenario plain = scenario;
    plain.faults.clear();
    passed = RunWithoutDrawnFaults(std::move(plain), stop).passed_through;
  }
  for (std::size_t i = 0; i < passed.size(); ++i)
    if (passed[i]) out.dropped.push_back(static_cast<std::int64_t>(i) + 1);
  return out;
}

scenario::Scenario ForCampaign(scenario::Scenario scenario, const Rehearsal& rehearsal) {
  if (!scenario.boot_seed && rehearsal.boot_events >= kEventsOfACopy)
    scenario.boot_seed = kBootSeed;
  std::vector<scenario::Expectation> lasting;
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    const auto& dropped = rehearsal.dropped;
    if (std::find(dropped.begin(), dropped.end(), number) == dropped.end())
      lasting.push_back(std::move(scenario.expect[i]));
  }
  scenario.expect = std::move(lasting);
  return scenario;
}

}  // namespace ksim::fuzz
