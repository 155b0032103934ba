#include "ksim/fuzz/failure_report.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/fuzz/decision_text.h"
#include "ksim/fuzz/failure_place.h"
#include "ksim/fuzz/run.h"
#include "ksim/registry.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/load.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;
using value::Value;

// The object without members that are as in `defaults`.
Value Without(const Value& object, const Value& defaults) {
  value::ObjectBuilder out;
  for (const Value::Member& m : object.members()) {
    const Value& usual = defaults.Get(m.name);
    if (m.value == usual) continue;
    const bool inner = m.value.is_object() && usual.is_object() && !usual.empty();
    out.Add(m.name.text(), inner ? Without(m.value, usual) : m.value);
  }
  return out.Build();
}

Value DefaultsOf(scenario::StepKind kind) {
  Scenario one;
  one.steps.emplace_back();
  one.steps.back().kind = kind;
  return ToTree(one).Get("spec").Get("steps").at(0);
}

Value LeanSteps(const Scenario& s, const Value& steps) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < s.steps.size(); ++i)
    out.push_back(Without(steps.at(i), DefaultsOf(s.steps[i].kind)));
  return Value::Array(std::move(out));
}

// The tree of a scenario with other names of its guests' files.
Value WithGuestFiles(const Value& tree, const std::vector<std::string>& files) {
  if (files.empty()) return tree;
  const Value& spec = tree.Get("spec");
  const Value& cluster = spec.Get("cluster");
  std::vector<Value> guests;
  for (std::size_t i = 0; i < files.size(); ++i)
    guests.push_back(cluster.Get("guests").at(i).Set("file", Value::Of(files[i])));
  return tree.Set("spec",
                  spec.Set("cluster", cluster.Set("guests", Value::Array(std::move(guests)))));
}

bool SameWhenRead(const Value& lean, Scenario s) {
  // A tree has no directory beside which it would find its guests.
  std::vector<std::string> files;
  for (scenario::GuestSpec& guest : s.cluster.guests) {
    if (!guest.path.empty()) guest.file = guest.path;
    files.push_back(guest.file);
  }
  const scenario::Loaded loaded =
      scenario::ParseScenarioTree(WithGuestFiles(lean, files), "", s.cluster.program);
  return loaded.errors.empty() && loaded.scenarios.size() == 1 &&
         ToTree(loaded.scenarios.front()) == ToTree(s);
}

std::string Listed(const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 30;
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < kMost; ++i)
    out += fmt::format("- `{}`\n", lines[i]);
  if (lines.size() > kMost) out += fmt::format("- and {} more\n", lines.size() - kMost);
  return out;
}

std::vector<std::string> DecisionLines(const std::vector<sim::Decision>& decisions) {
  std::vector<std::string> out;
  for (const sim::Decision& d : decisions) out.push_back(DecisionText(d));
  return out;
}

std::string Broken(const CampaignFinding& f) {
  std::string out = fmt::format("**{}**: {}\n\n", f.oracle, f.message);
  for (const std::string& o : f.objects) out += fmt::format("- {}\n", o);
  return out;
}

// The program that can run it again.
std::string ProgramOf(const Scenario& s) {
  return s.cluster.program == nullptr ? "ksim" : s.cluster.program->program();
}

// Where the guests of a scenario are found from a directory; "" is beside the scenario.
std::vector<std::string> GuestFilesFrom(const std::string& dir, const Scenario& s) {
  std::vector<std::string> files;
  for (const scenario::GuestSpec& guest : s.cluster.guests)
    files.push_back(scenario::GuestFileFrom(dir, guest));
  return files;
}

}  // namespace

Value LeanTree(const Scenario& s) {
  const Value tree = ToTree(s);
  const Value& spec = tree.Get("spec");
  Value lean = Without(spec, ToTree(Scenario()).Get("spec"));
  if (!s.steps.empty()) lean = lean.Set("steps", LeanSteps(s, spec.Get("steps")));
  lean = tree.Set("spec", lean);
  return SameWhenRead(lean, s) ? lean : tree;
}

std::string NameOf(const Failure& failure) {
  const CampaignFinding& f = failure.finding;
  return FileNameOf(f.oracle, f.place, f.by) + (failure.hidden ? "-2" : "");
}

std::size_t StepsLeft(const Shrunk& shrunk) {
  return shrunk.scenario.faults.size() + shrunk.scenario.overrides.size();
}

std::vector<std::string> StepLines(const Shrunk& shrunk) {
  std::vector<std::string> out;
  for (const scenario::FaultSpec& f : shrunk.scenario.faults) out.push_back(FaultText(f));
  for (const sim::Override& o : shrunk.scenario.overrides)
    out.push_back(DecisionText({o.site, o.key, o.answer}));
  return out;
}

absl::StatusOr<FailureFiles> FilesAsFound(const Scenario& scenario, const Failure& failure) {
  FailureFiles files;
  Scenario& s = files.scenario = scenario;
  s.seed = failure.job.seed;
  RunSetup setup;
  setup.strategy = failure.job.strategy;
  setup.record = true;
  absl::StatusOr<std::unique_ptr<Run>> run = Run::Make(s, std::move(setup));
  if (!run.ok()) return run.status();
  (*run)->Execute();
  files.trace = (*run)->Trace();
  s.overrides = ToOverrides(failure.decisions);
  files.readme = fmt::format(
      "# {0}\n\n{1}\nFound by seed {2} with the strategy {3}. Not shrunk yet: {4} decisions.\n\n"
      "```\n{5} replay trace.jsonl      # this very run\n{5} shrink trace.jsonl      # makes it "
      "small\n```\n\n{6}",
      failure.finding.Key(), Broken(failure.finding), failure.number, failure.job.strategy.name,
      failure.decisions.size(), ProgramOf(s), Listed(DecisionLines(failure.decisions)));
  return files;
}

FailureFiles FilesAsShrunk(const Failure& failure, const Shrunk& shrunk) {
  const std::string program = ProgramOf(shrunk.scenario);
  const std::string how =
      program + (shrunk.runs_alone ? " run scenario.yaml" : " replay trace.jsonl");
  std::string readme = fmt::format(
      "# {}\n\n{}\nShows it:\n\n```\n{}\n```\n\nWhat it takes, beside the workload ({}):\n\n{}\n",
      failure.finding.Key(), Broken(shrunk.finding), how,
      StepsLeft(shrunk) == 1 ? "1 decision" : fmt::format("{} decisions", StepsLeft(shrunk)),
      Listed(StepLines(shrunk)));
  if (!shrunk.runs_alone)
    readme += fmt::format(
        "It needs the phases of `{0} fuzz` (faults, then heal), so `{0} run` does not show it.\n\n",
        program);
  if (shrunk.seeds_tried > 0)
    readme += fmt::format(
        "{}/{} seeds: so many other seeds fail in the same way with the same "
        "decisions.\n\n",
        shrunk.seeds_failing, shrunk.seeds_tried);
  if (shrunk.wrong_step) readme += shrunk.wrong_step->text + "\n";
  if (!shrunk.nearest.empty())
    readme += fmt::format("Nearest run that passes: {}\n\n", shrunk.nearest);
  readme += fmt::format("Found by seed {} with the strategy {}; shrunk in {} runs{}.\n",
                        failure.number, failure.job.strategy.name, shrunk.runs,
                        shrunk.bounded ? ", where the bound ended it" : "");
  FailureFiles files;
  files.scenario = shrunk.scenario;
  files.trace = shrunk.trace;
  files.readme = std::move(readme);
  return files;
}

std::string ScenarioText(const Scenario& s, const std::string& dir) {
  const std::string program = ProgramOf(s);
  const std::string with = program == "ksim" ? "" : fmt::format(" in {}", program);
  return fmt::format("# Found by ksim fuzz {}{}; README.md tells the story.\n{}", Version(), with,
                     value::ToYaml(WithGuestFiles(LeanTree(s), GuestFilesFrom(dir, s))));
}

absl::Status WriteFiles(const std::string& dir, FailureFiles files) {
  RETURN_IF_ERROR(os::MakeDirectories(dir));
  RETURN_IF_ERROR(os::WriteFile(dir + "/scenario.yaml", ScenarioText(files.scenario, dir)));
  // From there the guests are found where they were found now.
  files.trace.header.scenario =
      WithGuestFiles(files.trace.header.scenario, GuestFilesFrom(dir, files.scenario));
  RETURN_IF_ERROR(trace::WriteTrace(files.trace, dir + "/trace.jsonl"));
  return os::WriteFile(dir + "/README.md", files.readme);
}

absl::Status WriteFound(const std::string& dir, const Scenario& scenario, const Failure& failure) {
  ASSIGN_OR_RETURN(FailureFiles files, FilesAsFound(scenario, failure));
  return WriteFiles(dir, std::move(files));
}

absl::Status WriteShrunk(const std::string& dir, const Failure& failure, const Shrunk& shrunk) {
  return WriteFiles(dir, FilesAsShrunk(failure, shrunk));
}

}  // namespace ksim::fuzz
