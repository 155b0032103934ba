#include "tests/whole/altered/drawn_trace.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/base/check.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/os.h"
#include "ksim/fuzz/planner.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"

namespace ksim::altered {
namespace {

using scenario::Scenario;

constexpr std::string_view kFolders[] = {"scenarios/", "scenarios/museum/", "scenarios/wrong/",
                                         "tests/regress/"};
constexpr const char* kVersions[] = {"1.25", "1.30", "1.36"};
constexpr const char* kStrategies[] = {"swarm", "random", "pct"};

// The scenarios of the tree. Those in scenarios/ itself come more often: they run on any version.
std::vector<std::string> Scenarios() {
  std::vector<std::string> out;
  for (std::string_view folder : kFolders) {
    const std::vector<std::string> names = *os::ListDirectory(std::string(folder), ".yaml");
    for (int times = folder == kFolders[0] ? 4 : 1; times > 0; --times)
      for (const std::string& name : names) out.push_back(std::string(folder) + name);
  }
  return out;
}

Scenario Loaded(const std::string& path, const std::vector<std::string>& set) {
  scenario::LoadOptions options;
  options.set = set;
  scenario::Loaded loaded = scenario::Load({path}, options);
  KSIM_CHECK(loaded.errors.empty()) << Render(loaded.errors, false);
  return std::move(loaded.scenarios.at(0));
}

trace::Trace TraceOf(const Scenario& scenario, std::optional<fuzz::StrategySpec> strategy) {
  fuzz::RunSetup setup;
  setup.strategy = std::move(strategy);
  setup.record = true;
  const std::unique_ptr<fuzz::Run> run = *fuzz::Run::Make(scenario, std::move(setup));
  run->Execute();
  return run->Trace();
}

}  // namespace

DrawnTrace DrawTrace(Dice& dice) {
  DrawnTrace out;
  const std::vector<std::string> scenarios = Scenarios();
  const std::string& path = scenarios[dice.Throw(scenarios.size())];
  const std::string version = kVersions[dice.Throw(std::size(kVersions))];
  // Those in other folders are about one version's bug.
  const bool free = path.rfind('/') == kFolders[0].size() - 1;
  Scenario scenario = Loaded(path, {free ? "compat=" + version : "seed=1", "fuzz.window=1m"});
  const std::uint64_t number = 1 + dice.Throw(1'000'000);
  out.binary = dice.OneIn(2);
  if (dice.OneIn(3)) {
    scenario.seed = number;
    out.about = fmt::format("{} {} seed {}", path, version, number);
    out.trace = TraceOf(scenario, std::nullopt);
    return out;
  }
  fuzz::PlannerOptions options;
  options.strategy = kStrategies[dice.Throw(std::size(kStrategies))];
  const fuzz::Job job = (*fuzz::MakePlanner(scenario, options))->JobOf(number);
  scenario.seed = job.seed;
  out.about = fmt::format("{} {} {} {}", path, version, options.strategy, number);
  out.trace = TraceOf(scenario, job.strategy);
  return out;
}

trace::Trace SmallTrace() {
  scenario::LoadOptions options;
  options.read = [](const std::string&) -> absl::StatusOr<std::string> {
    return std::string(
        "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: small, description: a word}\n"
        "spec: {until: 1s, cluster: {nodes: 0, controllers: []}}\n");
  };
  return TraceOf(scenario::Load({"small.yaml"}, options).scenarios.at(0), std::nullopt);
}

}  // namespace ksim::altered
